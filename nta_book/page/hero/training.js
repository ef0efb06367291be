// A training run of the layer, kept at some steps: the mathematics is the Token Lab's.

import { attention, compileRows, descentStep, total } from "../token_lab/descent.js";
import { automaton, theoryOf } from "../token_lab/theory.js";

export const STEPS = 10000;
const FRAMES = 140; // pictures of a run, evenly spaced in log(1 + step)
const SETTINGS = { loss: "log", eta: 1, normalized: false, shrinking: false };
const DECIDED = Math.log(10); // a comparison is decided when the winner is ten times as likely

/** The steps of which a picture is kept: 0, 1, 2, … ever farther apart, up to the last. */
export const KEPT = [
  ...new Set(Array.from({ length: FRAMES }, (_, i) => Math.round((STEPS + 1) ** (i / 139)) - 1)),
];

const within = (value) => Math.min(1, Math.max(0, value));

/** The tokens of a race, each once, in the order in which they first run. */
export const runnersOf = ({ tokens }) => [...new Set(tokens)];

/** Attention on each runner of a race, from attention on each position. */
const byRunner = (race, weights) =>
  runnersOf(race).map((token) => total(weights.filter((_, i) => race.tokens[i] === token)));

/** The race that first shows `winner` ahead of `loser` on this track. */
const witness = (rows, last, winner, loser) =>
  rows.findIndex(
    ({ tokens, label }) => tokens.at(-1) === last && label === winner && tokens.includes(loser),
  );

/**
 * Train on races { tokens, label } and return what the picture needs: `limits` (attention in the
 * limit, by race and runner), `graph` (the league table), `arrows` (its wins, each with the race
 * that shows it) and `frames`: attention of the layer, and how far each arrow has been learned.
 */
export function train(rows, K) {
  const data = { rows, K };
  const theory = theoryOf(data);
  const [graph] = theory.graphs;
  const limits = rows.map((race) =>
    byRunner(race, automaton(theory, K, race.tokens).probabilities),
  );
  const inside = graph.edges.filter(
    ([winner, loser]) => graph.leagueOf.get(winner) === graph.leagueOf.get(loser),
  );
  const arrows = [...graph.reduced, ...inside].map(([winner, loser], i) => ({
    winner,
    loser,
    tie: i >= graph.reduced.length,
    race: witness(rows, graph.last, winner, loser),
  }));
  const problem = compileRows(data);
  const W = new Float64Array(K * K);
  const score = (token) => W[token * K + graph.last];
  const frames = [];
  for (let step = 0; step <= STEPS; step++) {
    if (step === KEPT[frames.length]) {
      const shares = rows.map((race) => byRunner(race, attention(W, K, race.tokens)));
      const learned = arrows.map(({ winner, loser, tie }) =>
        tie ? null : within((score(winner) - score(loser)) / DECIDED),
      );
      frames.push({ step, shares, learned, gap: farthest(shares, limits) });
    }
    descentStep(problem, W, SETTINGS, step + 1);
  }
  // Nothing inside a league is ever decided: its arrows come as the runners reach their marks.
  for (const frame of frames) {
    const near = within(1 - frame.gap / (frames[0].gap || 1));
    frame.learned = frame.learned.map((part) => part ?? near);
  }
  return { limits, graph, arrows, frames };
}

/** The largest distance of a runner from its mark. */
const farthest = (shares, limits) =>
  Math.max(...shares.map((row, r) => Math.max(...row.map((p, i) => Math.abs(p - limits[r][i])))));
