// The text form of a dataset, read as nta_core reads it, but going on after a bad line.
// Every text a reader or an address supplies reaches the page through textContent only.

export const LIMITS = { tokens: 16, races: 120, runners: 24, name: 16, text: 40000, code: 60000 };

const WORD = /[^ \t\x1f\xa0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g; // white space as Python has it
const BREAK = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const order = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** Natural order of names, runs of digits by value: e2 before e10. */
export function naturalOrder(names) {
  const key = (s) =>
    s.match(/[0-9]+|[^0-9]+/g).map((part) => (/^[0-9]/.test(part) ? [0, BigInt(part)] : [1, part]));
  return [...new Set(names)]
    .map((name) => [key(name), name])
    .sort(([a, x], [b, y]) => {
      for (let i = 0; i < a.length && i < b.length; i++) {
        const c = a[i][0] - b[i][0] || order(a[i][1], b[i][1]);
        if (c) return c;
      }
      return a.length - b.length || order(x, y);
    })
    .map(([, name]) => name);
}

/** One line, classified: race, header, comment, blank, or bad with what is wrong and where. */
function readLine(raw) {
  const words = [...raw.matchAll(WORD)].map((m) => ({
    word: m[0],
    column: [...raw.slice(0, m.index)].length + 1,
  }));
  const line = (kind, more) => ({ raw, kind, words, tokens: [], label: null, ...more });
  const bad = (problem, column) => line("bad", { problem, column });
  const plain = (list) => list.map(({ word }) => word);
  if (!words.length) return line("blank");
  const at = words.findIndex(({ word }) => /^(->|→)$/.test(word));
  if (at < 0) {
    if (words[0].word[0] === "#") return line("comment");
    if (words[0].word !== "tokens:") {
      return bad("no arrow: write a race as 'a b c -> b'", words[0].column);
    }
    const tokens = plain(words.slice(1));
    const twice = tokens.findIndex((t, i) => tokens.indexOf(t) < i);
    if (!tokens.length) return bad("'tokens:' names no token", 1);
    return twice < 0
      ? line("header", { tokens })
      : bad(`token '${tokens[twice]}' is named twice`, words[twice + 1].column);
  }
  const winners = words.slice(at + 1);
  const second = winners.find(({ word }) => /^(->|→)$/.test(word));
  if (second) return bad("a second arrow: one race per line", second.column);
  if (!at) return bad("no token before the arrow", words[0].column);
  if (!winners.length) {
    return bad(
      "no label after the arrow: which token came next?",
      words[at].column + words[at].word.length,
    );
  }
  if (winners.length > 1) return bad("one label only: a race has one winner", winners[1].column);
  return line("race", { tokens: plain(words.slice(0, at)), label: winners[0].word });
}

/** Read all lines: { lines, data: { names, K, rows }, problems: [{ line, column, message }] }. */
export function parseText(text) {
  const lines = text.split(BREAK).map(readLine);
  const seen = new Set();
  let header = null;
  let races = 0;
  for (const line of lines) {
    if (line.kind !== "race" && line.kind !== "header") continue;
    const mine = line.label === null ? line.tokens : [...line.tokens, line.label];
    const refuse = (name, problem) =>
      Object.assign(line, {
        kind: "bad",
        problem,
        column: line.words.find(({ word }) => word === name)?.column ?? line.words[0].column,
      });
    const long = mine.find((t) => [...t].length > LIMITS.name);
    const stranger = header && line.label !== null && mine.find((t) => !header.includes(t));
    if (line.kind === "header" && (header || races)) {
      refuse(null, "'tokens:' stands once, before the first race");
    } else if (long) {
      refuse(
        long,
        `'${long.slice(0, 12)}…' is too long for a chip: ${LIMITS.name} characters at most`,
      );
    } else if (stranger) {
      refuse(stranger, `token '${stranger}' is not in the vocabulary (${header.join(" ")})`);
    } else if (new Set([...seen, ...mine]).size > LIMITS.tokens) {
      refuse(null, `more than ${LIMITS.tokens} tokens: the lab shows small vocabularies`);
    } else if (line.tokens.length > LIMITS.runners || races >= LIMITS.races) {
      refuse(null, `the lab holds ${LIMITS.races} races of at most ${LIMITS.runners} tokens`);
    } else if (line.kind === "header") header = line.tokens;
    else {
      races++;
      mine.forEach((t) => seen.add(t));
    }
  }
  const names = header || naturalOrder(seen);
  const rows = [];
  lines.forEach(
    ({ kind, tokens, label }, line) =>
      kind === "race" &&
      rows.push({ tokens: tokens.map((t) => names.indexOf(t)), label: names.indexOf(label), line }),
  );
  return {
    lines,
    data: { names, K: names.length, rows },
    problems: lines.flatMap((l, i) =>
      l.kind === "bad" ? [{ line: i + 1, column: l.column, message: l.problem }] : [],
    ),
  };
}

/** The rows in force as text that nta_core reads; '' when there is none. */
export function textInForce({ lines, data }) {
  if (!data.rows.length) return "";
  return lines
    .filter((l) => l.kind === "race" || l.kind === "header")
    .map((l) => l.words.map(({ word }) => word).join(" "))
    .join("\n");
}
