// Gradient descent on the K × K scores; the formulas and the guard of nta_core.training.

export const total = (values) => values.reduce((sum, value) => sum + value, 0);

/** Euclidean length. */
export function norm(values) {
  let squares = 0;
  for (let i = 0; i < values.length; i++) squares += values[i] * values[i];
  return Math.sqrt(squares);
}

/**
 * Races as flat arrays, because a step must be fast.  Attention depends only on how often each
 * token runs, on the last one and on the winner: entries start[r] … start[r + 1] − 1 are the
 * distinct tokens of race r, the winner first, each with its cell of W and the log of its count.
 */
export function compileRows({ rows, K }) {
  const used = rows.filter(({ tokens, label }) => tokens.includes(label));
  const start = [0];
  const cell = [];
  const logCount = [];
  for (const { tokens, label } of used) {
    for (const token of new Set([label, ...tokens])) {
      cell.push(token * K + tokens.at(-1));
      logCount.push(Math.log(tokens.filter((other) => other === token).length));
    }
    start.push(cell.length);
  }
  return {
    n: rows.length,
    used: used.length,
    start,
    cell: Int32Array.from(cell),
    logCount: Float64Array.from(logCount),
    odds: new Float64Array(cell.length),
    grad: new Float64Array(K * K),
  };
}

/** Mean loss at W (a row without its label adds nothing); problem.grad becomes its gradient. */
export function gradient({ n, used, start, cell, logCount, odds, grad }, W, loss) {
  const squared = loss === "squared";
  let sumOfLosses = 0;
  grad.fill(0);
  for (let race = 0; race < used; race++) {
    const winner = start[race];
    const end = start[race + 1];
    let top = -Infinity;
    for (let i = winner; i < end; i++) {
      odds[i] = logCount[i] + W[cell[i]];
      if (odds[i] > top) top = odds[i];
    }
    let sum = 0;
    for (let i = winner; i < end; i++) {
      odds[i] = Math.exp(odds[i] - top);
      sum += odds[i];
    }
    let others = 0; // what the winner lacks to 1, without cancellation
    for (let i = winner + 1; i < end; i++) {
      odds[i] /= sum;
      others += odds[i];
    }
    const won = odds[winner] / sum;
    if (squared) sumOfLosses += others * others;
    else sumOfLosses -= won > 0.5 ? Math.log1p(-others) : Math.log(won);
    const scale = (squared ? 2 * won * others : 1) / n;
    for (let i = winner + 1; i < end; i++) grad[cell[i]] += scale * odds[i];
    grad[cell[winner]] -= scale * others;
  }
  return sumOfLosses / Math.max(n, 1);
}

/** Length that a step may have: η, or η/√t at step t if steps shrink (the first step is t = 1). */
export const stepLength = ({ eta, shrinking }, t) => (shrinking ? eta / Math.sqrt(t) : eta);

/** What the gradient at W is multiplied with in step t: normalized steps divide by its norm. */
export function stepRate(grad, settings, t) {
  const length = stepLength(settings, t);
  return settings.normalized ? length / (norm(grad) + Number.EPSILON) : length;
}

/** Step t of gradient descent, in place. */
export function descentStep(problem, W, settings, t) {
  gradient(problem, W, settings.loss);
  const { grad } = problem;
  const rate = stepRate(grad, settings, t);
  for (let i = 0; i < grad.length; i++) W[i] -= rate * grad[i];
}

/** Attention per position of a context, shape (T,). */
export function attention(W, K, context) {
  const scores = context.map((token) => W[token * K + context.at(-1)]);
  const top = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - top));
  const sum = total(weights);
  return weights.map((weight) => weight / sum);
}

/** A start that Python can repeat: zero, or uniform in ±1/√K rounded to four decimals. */
export function startWeights(K, seed) {
  const random = mulberry(seed);
  return new Float64Array(K * K).map(() =>
    seed === null ? 0 : Math.round(((2 * random() - 1) / Math.sqrt(K)) * 1e4) / 1e4,
  );
}

/** A small generator of uniform numbers (mulberry32), so that a shared link repeats its chance. */
export function mulberry(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
