// One step of training taken apart, number by number.

import { gradient, norm, stepLength, stepRate, total } from "./descent.js";

/** The distinct runners of a race in order of appearance, each with how often it runs. */
function runnersOf(tokens) {
  return [...new Set(tokens)].map((token) => ({
    token,
    count: tokens.filter((other) => other === token).length,
  }));
}

/** Attention per runner: e to the score, less the highest one so that nothing overflows. */
function softmax(runners, W, cellOf) {
  const scores = runners.map(({ token }) => W[cellOf(token)]);
  const top = Math.max(...scores);
  const powers = scores.map((score, i) => runners[i].count * Math.exp(score - top));
  const sum = total(powers);
  return { scores, powers, sum, shares: powers.map((power) => power / sum) };
}

/**
 * Step t from the weights W, seen from one race: what every runner scores, which share it gets,
 * what the race loses, how it pushes its entries of W, and how all races together move W.
 * A push is the negative gradient of the loss of this race alone.
 */
export function dissect({ rows, K }, problem, W, settings, t, race) {
  const { tokens, label } = rows[race];
  const last = tokens.at(-1);
  const cellOf = (token) => token * K + last;
  const runners = runnersOf(tokens);
  const { scores, powers, sum, shares } = softmax(runners, W, cellOf);
  const runs = tokens.includes(label);
  const won = runs ? shares[runners.findIndex(({ token }) => token === label)] : 0;
  const squared = settings.loss === "squared";
  const strength = squared ? 2 * won * (1 - won) : 1; // of the push, by the loss's own slope
  let lost = 0;
  if (runs) lost = squared ? (1 - won) ** 2 : -Math.log(won);
  const meanLoss = gradient(problem, W, settings.loss);
  const rate = stepRate(problem.grad, settings, t);
  const moves = Float64Array.from(problem.grad, (slope) => (slope ? -rate * slope : 0));
  const after = W.map((weight, cell) => weight + moves[cell]);
  const { shares: sharesAfter } = softmax(runners, after, cellOf);
  return {
    race,
    last,
    label,
    runs,
    runners: runners.map(({ token, count }, i) => ({
      token,
      count,
      cell: cellOf(token),
      score: scores[i],
      power: powers[i],
      share: shares[i],
      wanted: Number(token === label),
      push: runs ? strength * (Number(token === label) - shares[i]) : 0,
      move: moves[cellOf(token)],
      shareAfter: sharesAfter[i],
    })),
    sum,
    won,
    loss: lost,
    meanLoss,
    slope: norm(problem.grad),
    length: stepLength(settings, t),
    rate,
    moves,
  };
}
