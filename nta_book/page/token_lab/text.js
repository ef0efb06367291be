// The text form of a dataset, read as nta_core reads it, but going on after a bad line.
// Every text a reader or an address supplies reaches the page through textContent only.

export const LIMITS = { tokens: 16, races: 120, runners: 24, name: 16, text: 40000, code: 60000 };

// White space and line ends as Python has them: control characters are among both.
/* eslint-disable no-control-regex */
const WORD = /[^ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g;
const BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
/* eslint-enable no-control-regex */

const isArrow = ({ word }) => word === "->" || word === "→";
const wordsOf = (list) => list.map(({ word }) => word);
const counts = ({ kind }) => kind === "race" || kind === "header";

/** Order of two values of the same type, as a number for `sort`. */
const compare = (a, b) => Number(a > b) - Number(a < b);

/** A name as runs of digits, by value, and of other characters; digits come first. */
function naturalKey(name) {
  return name
    .match(/[0-9]+|[^0-9]+/g)
    .map((part) => (/^[0-9]/.test(part) ? [0, BigInt(part)] : [1, part]));
}

/** Natural order of names: e2 before e10. */
export function naturalOrder(names) {
  const keyed = [...new Set(names)].map((name) => ({ name, key: naturalKey(name) }));
  keyed.sort((a, b) => {
    for (let i = 0; i < a.key.length && i < b.key.length; i++) {
      const [kindA, valueA] = a.key[i];
      const [kindB, valueB] = b.key[i];
      const difference = kindA - kindB || compare(valueA, valueB);
      if (difference) return difference;
    }
    return a.key.length - b.key.length || compare(a.name, b.name);
  });
  return keyed.map(({ name }) => name);
}

/** One line, classified: race, header, comment, blank, or bad with what is wrong and where. */
function readLine(raw) {
  const words = [...raw.matchAll(WORD)].map((match) => ({
    word: match[0],
    column: [...raw.slice(0, match.index)].length + 1, // in characters, not in UTF-16 units
  }));
  const line = (kind, more) => ({ raw, kind, words, tokens: [], label: null, ...more });
  const bad = (problem, column) => line("bad", { problem, column });
  if (!words.length) return line("blank");
  const arrow = words.findIndex(isArrow);
  if (arrow < 0) return readOtherLine(words, line, bad);
  const winners = words.slice(arrow + 1);
  const secondArrow = winners.find(isArrow);
  if (secondArrow) return bad("a second arrow: one race per line", secondArrow.column);
  if (arrow === 0) return bad("no token before the arrow", words[0].column);
  if (!winners.length) {
    const { column, word } = words[arrow];
    return bad("no label after the arrow: which token came next?", column + word.length);
  }
  if (winners.length > 1) return bad("one label only: a race has one winner", winners[1].column);
  return line("race", { tokens: wordsOf(words.slice(0, arrow)), label: winners[0].word });
}

/** A line without an arrow: a comment, or the header that names the vocabulary. */
function readOtherLine(words, line, bad) {
  const [first, ...rest] = words;
  if (first.word.startsWith("#")) return line("comment");
  if (first.word !== "tokens:") return bad("no arrow: write a race as 'a b c -> b'", first.column);
  const tokens = wordsOf(rest);
  if (!tokens.length) return bad("'tokens:' names no token", 1);
  const again = tokens.findIndex((token, i) => tokens.indexOf(token) < i);
  if (again >= 0) return bad(`token '${tokens[again]}' is named twice`, rest[again].column);
  return line("header", { tokens });
}

/** What forbids a race or a header here, as [problem, word at fault], or null. */
function faultOf(line, { header, races, seen }) {
  const { kind, tokens, label } = line;
  const names = label === null ? tokens : [...tokens, label];
  const { tokens: most, races: mostRaces, runners, name: longest } = LIMITS;
  if (kind === "header" && (header || races)) {
    return ["'tokens:' stands once, before the first race"];
  }
  const long = names.find((name) => [...name].length > longest);
  if (long) {
    return [`'${long.slice(0, 12)}…' is too long for a chip: ${longest} characters at most`, long];
  }
  const stranger = kind === "race" && header && names.find((name) => !header.includes(name));
  if (stranger) {
    return [`token '${stranger}' is not in the vocabulary (${header.join(" ")})`, stranger];
  }
  if (new Set([...seen, ...names]).size > most) {
    return [`more than ${most} tokens: the lab shows small vocabularies`];
  }
  if (tokens.length > runners || races >= mostRaces) {
    return [`the lab holds ${mostRaces} races of at most ${runners} tokens`];
  }
  return null;
}

/** Read all lines: { lines, data: { names, K, rows }, problems: [{ line, column, message }] }. */
export function parseText(text) {
  const lines = text.split(BREAK).map(readLine);
  const sofar = { header: null, races: 0, seen: new Set() };
  for (const line of lines.filter(counts)) {
    const fault = faultOf(line, sofar);
    if (fault) {
      const [problem, name] = fault;
      const { column } = line.words.find(({ word }) => word === name) ?? line.words[0];
      Object.assign(line, { kind: "bad", problem, column });
    } else if (line.kind === "header") {
      sofar.header = line.tokens;
    } else {
      sofar.races++;
      for (const name of [...line.tokens, line.label]) sofar.seen.add(name);
    }
  }
  const names = sofar.header || naturalOrder(sofar.seen);
  const rows = [];
  const problems = [];
  lines.forEach(({ kind, tokens, label, column, problem }, i) => {
    if (kind === "bad") problems.push({ line: i + 1, column, message: problem });
    if (kind !== "race") return;
    const numbers = tokens.map((name) => names.indexOf(name));
    rows.push({ tokens: numbers, label: names.indexOf(label), line: i });
  });
  return { lines, data: { names, K: names.length, rows }, problems };
}

/** Races that teach nothing because their winner does not run, as { line, tokens, label }. */
export function winnersMissing({ lines }) {
  return lines.flatMap(({ kind, tokens, label }, line) =>
    kind === "race" && !tokens.includes(label) ? [{ line, tokens, label }] : [],
  );
}

/** The rows in force as text that nta_core reads; '' when there is none. */
export function textInForce({ lines, data }) {
  if (!data.rows.length) return "";
  return lines
    .filter(counts)
    .map(({ words }) => wordsOf(words).join(" "))
    .join("\n");
}
