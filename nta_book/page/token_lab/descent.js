// Gradient descent on the K × K scores; the formulas and the guard of nta_core.training.

export const total = (v) => v.reduce((a, b) => a + b, 0);
export const norm = (v) => {
  let s = 0;
  for (let i = 0; i < v.length; i++) s += v[i] * v[i];
  return Math.sqrt(s);
};

/** Races as flat arrays: attention depends only on how often each token runs, the last one, the winner. */
export function compileRows({ rows, K }) {
  const used = rows.filter(({ tokens, label }) => tokens.includes(label));
  const start = [0];
  const cell = [];
  const logs = [];
  for (const { tokens, label } of used) {
    for (const t of new Set([label, ...tokens])) {
      // the winner first
      cell.push(t * K + tokens.at(-1));
      logs.push(Math.log(tokens.filter((o) => o === t).length));
    }
    start.push(cell.length);
  }
  return {
    n: rows.length,
    used: used.length,
    start,
    cell: Int32Array.from(cell),
    logs: Float64Array.from(logs),
    p: new Float64Array(cell.length),
    grad: new Float64Array(K * K),
  };
}

/** Mean loss at W (a row whose label is absent adds nothing); its gradient is left in problem.grad. */
export function gradient({ n, used, start, cell, logs, p, grad }, W, loss) {
  let sumLoss = 0;
  grad.fill(0);
  for (let r = 0; r < used; r++) {
    const a = start[r];
    const b = start[r + 1];
    let top = -Infinity;
    let sum = 0;
    let rest = 0;
    for (let i = a; i < b; i++) {
      p[i] = logs[i] + W[cell[i]];
      if (p[i] > top) top = p[i];
    }
    for (let i = a; i < b; i++) {
      p[i] = Math.exp(p[i] - top);
      sum += p[i];
    }
    for (let i = a + 1; i < b; i++) {
      p[i] /= sum;
      rest += p[i];
    } // rest = 1 − u without cancellation
    const u = p[a] / sum;
    const squared = loss === "squared";
    const scale = (squared ? 2 * u * rest : 1) / n;
    sumLoss += squared ? rest * rest : u > 0.5 ? -Math.log1p(-rest) : -Math.log(u);
    for (let i = a + 1; i < b; i++) grad[cell[i]] += scale * p[i];
    grad[cell[a]] -= scale * rest;
  }
  return sumLoss / Math.max(n, 1);
}

/** One step of gradient descent, in place. */
export function descentStep(problem, W, { eta, normalized, loss }) {
  gradient(problem, W, loss);
  const g = problem.grad;
  const rate = normalized ? eta / (norm(g) + Number.EPSILON) : eta;
  for (let i = 0; i < g.length; i++) W[i] -= rate * g[i];
}

/** Attention per position of a context, shape (T,). */
export function attention(W, K, context) {
  const z = context.map((t) => W[t * K + context.at(-1)]);
  const top = Math.max(...z);
  const e = z.map((v) => Math.exp(v - top));
  const s = total(e);
  return e.map((v) => v / s);
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
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
