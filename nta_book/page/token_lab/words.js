// Everything the lab says in sentences.  Names of tokens are marked (shared/marked.js).

import { MAX_STEPS } from "./settings.js";
import { winnersMissing } from "./text.js";
import { named } from "../shared/marked.js";
import { signed } from "../shared/numbers.js";

const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
const TIMES = ["", "once", "twice"];
const ALL = ["", "The one comparison is", "Both comparisons are"];
const MANY = 200; // steps after which a run that has not settled is told why
const SETTLED = 5e-4; // a loss so close to its infimum shows the same three decimals

/** A number as a word, while it is short. */
export const words = (count) => NUMBERS[count] ?? count.toLocaleString("en");
export const plural = (count, noun) => `${words(count)} ${noun}${count === 1 ? "" : "s"}`;
export const listing = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
export const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);
export const counted = (steps) => steps.toLocaleString("en");

/** A measured number; a tiny one by its power of ten, one that does not exist as a dash. */
export function show(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) < 1e-15) return "0";
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(1).replace("-", "−");
  return value.toFixed(digits);
}

/** 1st, 2nd, 3rd, 4th, 11th … */
export function ordinal(place) {
  const teen = place % 100 > 10 && place % 100 < 14;
  const ending = (!teen && { 1: "st", 2: "nd", 3: "rd" }[place % 10]) || "th";
  return `${place}${ending}`;
}

/** The place of a league, counted from the top; a range if the data leaves it open. */
export const placeOf = ({ first, final }) =>
  first === final ? ordinal(first) : `${first}–${ordinal(final)}`;

const listTokens = (tokens, names) => listing(tokens.map((token) => named(names[token])));

/** One track from the top down: who stands where, who ties. */
export function describeOrder({ leagues }, names) {
  const said = leagues.map((league) => {
    const tie = league.members.length > 1 ? " tie" : "";
    return `${placeOf(league)} ${listTokens(league.members, names)}${tie}`;
  });
  return `From the top: ${said.join(", ")}.`;
}

/** Who of a track was never compared, or "" if everybody was. */
export function describeApart({ apart }, names) {
  if (!apart.length) return "";
  const pairs = apart.map((pair) =>
    pair.map(({ members }) => listTokens(members, names)).join(" with "),
  );
  const shown =
    pairs.length > 3 ? [...pairs.slice(0, 2), `${words(pairs.length - 2)} more`] : pairs;
  return `Undecided: no race compares ${shown.join(", ")}, not even through others.`;
}

/** What an edit can change, by the name of the track: token numbers may differ before and after. */
function tracksByName({ data: { names, K }, theory: { graphs, Wfin } }) {
  const nameOf = (token) => names[token];
  return new Map(
    graphs.map(({ last, nodes, edges, leagues }) => [
      names[last],
      {
        edges: edges.map((edge) => edge.map(nameOf).join(" ")),
        count: leagues.length,
        leagues: leagues.map(({ members }) => members.map(nameOf).sort().join(" ")).join("|"),
        strength: new Map(nodes.map((token) => [names[token], Wfin[token * K + last]])),
      },
    ]),
  );
}

/** "a beat b twice", counted in the races of one track. */
function sayWin({ names, rows }, track, edge) {
  const [winner, loser] = edge.split(" ");
  const count = rows.filter(
    ({ tokens, label }) =>
      names[tokens.at(-1)] === track &&
      names[label] === winner &&
      tokens.includes(names.indexOf(loser)),
  ).length;
  return `${named(winner)} beat ${named(loser)} ${TIMES[count] ?? `${words(count)} times`}`;
}

/** What happened to one track, or "" if its edges are the same. */
function describeTrack(track, before, now, data) {
  const name = named(track);
  if (!now) return `no race ends in ${name} any more`;
  if (!before) return `races now end in ${name}, a new track with ${plural(now.count, "league")}`;
  const came = now.edges.filter((edge) => !before.edges.includes(edge));
  const went = before.edges.filter((edge) => !now.edges.includes(edge));
  const said = [
    ...came.map((edge) => sayWin(data, track, edge)),
    ...went.map((edge) => edge.split(" ").map(named).join(" no longer beats ")),
  ];
  if (!said.length) return "";
  if (said.length > 3) said.splice(2, said.length, `${words(said.length - 2)} more`);
  const order = before.leagues === now.leagues ? "" : ", in another order";
  const effect =
    before.count === now.count
      ? `still ${plural(now.count, "league")}${order}`
      : `${plural(before.count, "league")} became ${words(now.count)}`;
  return `after ${name}, ${listing(said)}: ${effect}`;
}

/** The strength that moved farthest, in a sentence, or "" if none did. */
function describeStrengths(before, now) {
  let farthest = { by: 0.005 };
  for (const [track, { strength }] of now) {
    for (const [token, to] of strength) {
      const from = before.get(track).strength.get(token);
      const by = Math.abs(to - from);
      if (by > farthest.by) farthest = { by, track, token, from, to };
    }
  }
  if (!farthest.track) return "";
  const { track, token, from, to } = farthest;
  const moved = `${named(token)} moved from ${signed(from)} to ${signed(to)} inside its league`;
  return `No edge changed, but strengths did: after ${named(track)}, ${moved}.`;
}

/** What an edit did to the graphs, in one sentence a reader can say aloud. */
export function describeChange(before, after) {
  const old = tracksByName(before);
  const now = tracksByName(after);
  const parts = [...new Set([...old.keys(), ...now.keys()])]
    .map((track) => describeTrack(track, old.get(track), now.get(track), after.data))
    .filter(Boolean);
  if (parts.length) {
    return `${capital(parts.slice(0, 2).join("; "))}${parts.length > 2 ? "; and more" : ""}.`;
  }
  const moved = describeStrengths(old, now);
  if (moved || before.data.rows.length === after.data.rows.length) return moved;
  return "No edge changed: the graph does not count how often a race is run.";
}

/** The leagues of every track. */
export function describeTracks(names, graphs) {
  const sentences = graphs.map(({ last, leagues }) => {
    const ties = leagues
      .filter(({ members }) => members.length > 1)
      .map(({ members }) => `, ${listTokens(members, names)} tie`);
    return `After ${named(names[last])}: ${plural(leagues.length, "league")}${ties.join("")}.`;
  });
  return sentences.join(" ");
}

/** Why the data does not decide a context. */
function whySilent([kind, first, second], names, last) {
  const [one, other] = [first, second].map((token) => named(names[token]));
  if (kind === "track") return `no race ends in ${last}`;
  if (kind === "unseen") return `${one} never ran in a race that ends in ${last}`;
  return `after ${last} the data never compares ${one} with ${other}, not even through others`;
}

/** What the automaton does with a context, and whether the data alone decides it. */
export function describeContext(names, context, { kept, silent }) {
  const compose = kept.length > 1 ? ", then compose by strength" : "";
  const does = `Retrieve ${listTokens(kept, names)}${compose}.`;
  if (!silent) return `${does} The data decides this context.`;
  const why = whySilent(silent, names, named(names[context.at(-1)]));
  return `Undetermined: ${why}. What follows is only the shortest W's guess. ${does}`;
}

/** Why a race whose winner does not run teaches nothing. */
export const describeMissing = (label) =>
  `${named(label)} does not run here, so this race teaches nothing: ` +
  "attention can only choose among the tokens before the arrow.";

/** The state of a lab in words. */
export function describeLab(lab) {
  const { rows } = lab.data;
  const bad = lab.parsed.problems.length;
  const left = `cannot be read and ${bad === 1 ? "is" : "are"} left out.`;
  const wrong = bad ? `${capital(plural(bad, "line"))} ${left}` : "";
  if (!rows.length) return `No race yet: add one, or choose an example. ${wrong}`;
  const said = lab.steps ? describeTraining(lab) : describeRaces(lab);
  return [...said, describeSilentRaces(lab), wrong].filter(Boolean).join(" ");
}

/** How many races have no winner among their runners. */
function describeSilentRaces({ parsed }) {
  const missing = winnersMissing(parsed).length;
  if (!missing) return "";
  const races =
    missing === 1 ? "One race lacks its" : `${capital(words(missing))} races lack their`;
  return `${races} winner and ${missing === 1 ? "teaches" : "teach"} nothing.`;
}

function describeRaces({ data: { names, rows }, theory: { graphs }, say }) {
  const sizes = `${capital(plural(rows.length, "race"))} on ${plural(graphs.length, "track")}.`;
  return [say || sizes, describeTracks(names, graphs)];
}

function describeTraining(lab) {
  const { say, steps, settings, theory, pairs, decided } = lab;
  return [
    say,
    `Step ${counted(steps)}.`,
    !theory.norm && "Nothing is strictly ordered: the league table is zero and W stays finite.",
    pairs.length && describeDecided(pairs, decided),
    settings.loss === "squared" &&
      "Theorem 2 is about the log loss; with the squared loss the end may lie elsewhere.",
    describeLeast(lab),
    lab.isFull &&
      `The lab stops at ${counted(MAX_STEPS)} steps: ` +
        "press Reset, or change the races, to begin anew.",
  ];
}

function describeDecided(pairs, decided) {
  if (decided.size < pairs.length) {
    return `${decided.size} of ${plural(pairs.length, "comparison")} decided.`;
  }
  const last = Math.max(...decided.values());
  return `${ALL[pairs.length] ?? `All ${words(pairs.length)} comparisons are`} decided${
    last ? `, the last at step ${counted(last)}` : ""
  }.`;
}

/** Whether the loss gets to the least there is, and what would bring it there. */
function describeLeast({ now, infimum, settings, steps, hasTies }) {
  if (settings.loss !== "log" || !hasTies || steps < MANY) return "";
  const { normalized, shrinking } = settings;
  if (now.loss - infimum < SETTLED) return `The loss has come down to its least, ${show(infimum)}.`;
  if (normalized && !shrinking) {
    return (
      `Steps of fixed length cannot settle on ${show(infimum)}: they go on stepping over it. ` +
      "Choose shrinking steps in the settings to get there."
    );
  }
  return `The loss is on its way to ${show(infimum)}, ever more slowly.`;
}
