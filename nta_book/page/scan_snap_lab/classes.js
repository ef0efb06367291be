// Sequence classes: which context tokens a class has, how often, and which query it belongs to.

const LETTERS = "abdefghi"; // c is for common tokens

/** P (K rows of L frequencies), query of each class, and what each token is; as make_classes does. */
export function makeClasses(o) {
  const { K, queries: Q, common: commons, distinct } = o;
  const extra = o.shared === null ? 0 : 1;
  const L = commons + K * distinct + extra;
  const P = Array.from({ length: K }, (_, n) => {
    const row = new Float64Array(L).fill(o.common_weight, 0, commons);
    for (let i = 0; i < distinct; i++) {
      row[commons + n * distinct + i] = o.lowest + ((o.highest - o.lowest) * i) / (distinct - 1);
    }
    if (extra && n < 2) row[L - 1] = n ? o.shared : 1;
    const total = row.reduce((a, b) => a + b, 0);
    return row.map((weight) => weight / total);
  });
  const tokens = Array.from({ length: L }, (_, l) => l);
  const tokensOf = P.map((row) => tokens.filter((l) => row[l] > 0));
  const common = tokens.map((l) => P.filter((row) => row[l] > 0).length > 1);
  const distinctOf = tokensOf.map((list) => list.filter((l) => !common[l]));
  const names = tokens.map((l) =>
    l < commons
      ? `c${l + 1}`
      : extra && l === L - 1
        ? "shared"
        : LETTERS[Math.floor((l - commons) / distinct)] + (((l - commons) % distinct) + 1),
  );
  return {
    P,
    K,
    L,
    Q,
    M: L + Q + K + o.unused,
    common,
    tokensOf,
    distinctOf,
    names,
    shared: extra ? L - 1 : -1,
    query: P.map((_, n) => Math.floor((n * Q) / K)),
    top: P.map((row, n) => distinctOf[n].reduce((best, l) => (row[l] > row[best] ? l : best))),
  };
}

/** Attention of a class whose query has logits z: c ∝ P e^z on its tokens, written into `c`. */
export function attend(row, tokens, z, c) {
  let highest = -Infinity;
  let sum = 0;
  for (const l of tokens) if (z[l] > highest) highest = z[l];
  for (const l of tokens) sum += c[l] = row[l] * Math.exp(z[l] - highest);
  for (const l of tokens) c[l] /= sum;
  return c;
}

/** Divide by the Euclidean length. */
export function normalized(c) {
  let squares = 0;
  for (const value of c) squares += value * value;
  const length = Math.sqrt(squares);
  return c.map((value) => value / length);
}

/** Overlaps f_n·f_n′ of the classes at the start; E of FᵀF = I + E. */
export function overlaps({ P }) {
  const f = P.map(normalized);
  return f.map((a, n) => f.map((b, m) => (n === m ? 0 : a.reduce((s, x, l) => s + x * b[l], 0))));
}

/** Largest |eigenvalue| of a symmetric matrix, by power iteration on its square. */
export function largestEigenvalue(E) {
  const times = (v) => E.map((row) => row.reduce((s, e, j) => s + e * v[j], 0));
  let v = E.map((_, i) => 1 + i / 7);
  let size = 0;
  for (let step = 0; step < 200; step++) {
    const w = times(times(v));
    const length = Math.hypot(...w);
    if (!length) return 0;
    size = Math.sqrt(length / Math.hypot(...v));
    v = w.map((x) => x / length);
  }
  return size;
}
