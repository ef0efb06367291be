// What the pictures show of a run: attention, its speed, its entropy, how the leader outgrows its rivals.

import { attend } from "./classes.js";

const sum = (list) => list.reduce((a, b) => a + b, 0);
const meanOf = (list) => sum(list) / list.length;

/** Attention c_{l|n} at every look: one row of L shares per class. */
export function attentionPath({ P, query, tokensOf, L }, path) {
  return path.Z.map((Z) =>
    P.map((row, n) =>
      attend(row, tokensOf[n], Z.subarray(query[n] * L, (query[n] + 1) * L), new Float64Array(L)),
    ),
  );
}

/** Attention of a class on the common tokens. */
export const commonMass = ({ common }, c) =>
  c.reduce((s, value, l) => s + (common[l] ? value : 0), 0);

/** Entropy, in nats, of attention renormalized on the distinct tokens. */
export function distinctEntropy({ distinctOf }, n, c) {
  const own = distinctOf[n].map((l) => c[l]);
  const total = sum(own);
  return -sum(own.map((value) => (value > 0 ? (value / total) * Math.log(value / total) : 0)));
}

/** Speed Σ_l |Δc| per step between looks, mean over classes, with the time halfway. */
export function speeds(times, attention) {
  return times.slice(1).map((t, i) => {
    const moved = meanOf(
      attention[i].map((c, n) =>
        c.reduce((s, value, l) => s + Math.abs(attention[i + 1][n][l] - value), 0),
      ),
    );
    return [(t + times[i]) / 2, moved / (t - times[i])];
  });
}

/** Time of the fastest move, and the first after it from which the speed stays below a tenth of it; null when nothing moves. */
export function findSnap(times, fast) {
  const peak = Math.max(...fast.map(([, v]) => v));
  if (!(peak > 1e-12)) return null;
  const quiet = fast.findLastIndex(([, v]) => v >= peak / 10) + 1;
  return {
    peak: times[fast.findIndex(([, v]) => v === peak)],
    quiet: quiet < fast.length ? times[quiet] : Infinity,
  };
}

/** Largest |r(t)/(r(0) χ(t)) − 1| of the leader against its rivals up to a look: 0 where Theorem 3 holds. */
export function identityGap({ P, query, distinctOf, top, L }, path, n, until) {
  const lead = top[n];
  const rivals = distinctOf[n].filter((l) => P[n][l] < P[n][lead]);
  let worst = 0;
  for (let i = 1; i <= until; i++) {
    const z = path.Z[i].subarray(query[n] * L, (query[n] + 1) * L);
    for (const l of rivals) {
      const start = Math.log(P[n][lead] / P[n][l]);
      const now = start + z[lead] - z[l];
      // r(t)/(r(0) χ(t)) with the leader's exponential cancelled: it may be too large for a number
      worst = Math.max(
        worst,
        Math.abs((Math.expm1(-2 * now) / Math.expm1(-2 * start)) * Math.exp(-2 * z[l]) - 1),
      );
    }
  }
  return worst;
}

/** Decoder at a look, mean over classes: the right answer, the other classes' answers. */
export function decoderAt({ K }, answers) {
  const own = meanOf(Array.from({ length: K }, (_, n) => answers[n * K + n]));
  return { own, leaked: sum([...answers]) / K - own };
}
