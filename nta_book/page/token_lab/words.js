// Everything the lab says in sentences.

import { signed } from "../shared/numbers.js";

const NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
const TIMES = ["", "once", "twice"];

/** A number as a word, while it is short. */
export const words = (count) => NUMBERS[count] ?? String(count);
export const plural = (count, noun) => `${words(count)} ${noun}${count === 1 ? "" : "s"}`;
export const listing = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
export const capital = (sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1);

/** A measured number; a tiny one by its power of ten, one that does not exist as a dash. */
export function show(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  if (value !== 0 && Math.abs(value) < 1e-3) return value.toExponential(1).replace("-", "−");
  return value.toFixed(digits);
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
  return `${winner} beat ${loser} ${TIMES[count] ?? `${words(count)} times`}`;
}

/** What happened to one track, or "" if its edges are the same. */
function describeTrack(track, before, now, data) {
  if (!now) return `no race ends in ${track} any more`;
  if (!before) return `races now end in ${track}, a new track with ${plural(now.count, "league")}`;
  const came = now.edges.filter((edge) => !before.edges.includes(edge));
  const went = before.edges.filter((edge) => !now.edges.includes(edge));
  const said = [
    ...came.map((edge) => sayWin(data, track, edge)),
    ...went.map((edge) => edge.replace(" ", " no longer beats ")),
  ];
  if (!said.length) return "";
  if (said.length > 3) said.splice(2, said.length, `${words(said.length - 2)} more`);
  const order = before.leagues === now.leagues ? "" : ", in another order";
  const effect =
    before.count === now.count
      ? `still ${plural(now.count, "league")}${order}`
      : `${plural(before.count, "league")} became ${words(now.count)}`;
  return `after ${track}, ${listing(said)}: ${effect}`;
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
  const moved = `${token} moved from ${signed(from)} to ${signed(to)} inside its league`;
  return `No edge changed, but strengths did: after ${track}, ${moved}.`;
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
      .map(({ members }) => `, ${listing(members.map((token) => names[token]))} tie`);
    return `After ${names[last]}: ${plural(leagues.length, "league")}${ties.join("")}.`;
  });
  return sentences.join(" ");
}

/** Why the data does not decide a context. */
function whySilent([kind, first, second], names, last) {
  const [one, other] = [names[first], names[second]];
  if (kind === "track") return `no race ends in ${last}`;
  if (kind === "unseen") return `${one} never ran in a race that ends in ${last}`;
  return `after ${last} the data never compares ${one} with ${other}, not even through others`;
}

/** What the automaton does with a context, and whether the data alone decides it. */
export function describeContext(names, context, { kept, silent }) {
  const compose = kept.length > 1 ? ", then compose by strength" : "";
  const does = `Retrieve ${listing(kept.map((token) => names[token]))}${compose}.`;
  if (!silent) return `${does} The data decides this context.`;
  const why = whySilent(silent, names, names[context.at(-1)]);
  return `Undetermined: ${why}. What follows is only the shortest W's guess. ${does}`;
}

/** The state of a lab in words. */
export function describeLab(lab) {
  const { rows } = lab.data;
  const bad = lab.parsed.problems.length;
  const left = `cannot be read and ${bad === 1 ? "is" : "are"} left out.`;
  const wrong = bad ? `${capital(plural(bad, "line"))} ${left}` : "";
  if (!rows.length) return `No race yet: add one, or choose an example. ${wrong}`;
  const said = lab.steps ? describeTraining(lab) : describeRaces(lab);
  return [...said, wrong].filter(Boolean).join(" ");
}

function describeRaces({ data: { names, rows }, theory: { graphs }, say }) {
  const sizes = `${capital(plural(rows.length, "race"))} on ${plural(graphs.length, "track")}.`;
  return [say || sizes, describeTracks(names, graphs)];
}

function describeTraining({ say, steps, now, settings, infimum, theory, pairs, decided }) {
  const goal = settings.loss === "log" ? `, it can fall to ${show(infimum)}` : "";
  return [
    say,
    `Step ${steps}: loss ${show(now.loss)}${goal}.`,
    theory.norm
      ? `Cosine ${show(now.cosine, 4)} with the league table.`
      : "Nothing is strictly ordered: the league table is zero and W stays finite.",
    pairs.length && describeDecided(pairs, decided),
    settings.loss === "squared" &&
      "Theorem 2 is about the log loss; with the squared loss the end may lie elsewhere.",
  ];
}

function describeDecided(pairs, decided) {
  if (decided.size < pairs.length) return `${decided.size} of ${pairs.length} comparisons decided.`;
  const last = Math.max(...decided.values());
  return `All ${pairs.length} comparisons decided${last ? `, the last at step ${last}` : ""}.`;
}
