// What the pictures show of a run: attention, its entropy, its turn, how a leader outgrows rivals.

import { attend } from "./classes.js";
import { sum } from "./vectors.js";

const meanOf = (list) => sum(list) / list.length;

/** Attention c_{l|n} at every look: one row of L shares per class. */
export function attentionPath({ P, query, tokensOf, L }, path) {
  return path.Z.map((Z) =>
    P.map((row, n) =>
      attend(row, tokensOf[n], Z.subarray(query[n] * L, (query[n] + 1) * L), new Float64Array(L)),
    ),
  );
}

/** Attention of a class on the common tokens; a shared token is counted by itself. */
export const commonMass = ({ kinds }, attention) =>
  sum(attention.filter((_, token) => kinds[token] === "common"));

/** Entropy, in nats, of attention renormalized on the distinct tokens. */
export function distinctEntropy({ distinctOf }, n, attention) {
  const own = distinctOf[n].map((token) => attention[token]);
  const total = sum(own);
  const shares = own.map((value) => value / total);
  return -sum(shares.map((share) => (share > 0 ? share * Math.log(share) : 0)));
}

/**
 * Step of the fastest move, and the first after it from which the speed stays below a tenth of it;
 * null when nothing moves.  `speeds[t]` is how far attention moves from step t to the next.
 */
export function findSnap(speeds) {
  const highest = Math.max(...speeds);
  if (!(highest > 1e-12)) return null;
  const quiet = speeds.findLastIndex((speed) => speed >= highest / 10) + 1;
  return {
    peak: speeds.indexOf(highest),
    speed: highest,
    quiet: quiet < speeds.length ? quiet : Infinity,
  };
}

/**
 * Largest |r(t)/(r(0) χ(t)) − 1| of the leader against its rivals up to a look: 0 where Theorem 3
 * holds.
 */
export function identityGap({ P, query, distinctOf, top, L }, path, n, until) {
  const leader = top[n];
  const frequency = P[n];
  const rivals = distinctOf[n].filter((token) => frequency[token] < frequency[leader]);
  let worst = 0;
  for (let look = 1; look <= until; look++) {
    const z = path.Z[look].subarray(query[n] * L, (query[n] + 1) * L);
    for (const rival of rivals) {
      const start = Math.log(frequency[leader] / frequency[rival]);
      const now = start + z[leader] - z[rival];
      // With the leader's exponential cancelled: it may be too large for a number.
      const ratio = (Math.expm1(-2 * now) / Math.expm1(-2 * start)) * Math.exp(-2 * z[rival]);
      worst = Math.max(worst, Math.abs(ratio - 1));
    }
  }
  return worst;
}

/** Decoder at a look, mean over classes: the right answer, the other classes' answers. */
export function decoderAt({ K }, answers) {
  const own = meanOf(Array.from({ length: K }, (_, n) => answers[n * K + n]));
  return { own, leaked: sum([...answers]) / K - own };
}
