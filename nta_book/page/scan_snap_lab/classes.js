// Sequence classes: which context tokens a class has, how often, and which query it belongs to.
// Letters are the paper's: K classes, L context tokens, Q queries, M tokens in all, P frequencies.

import { dot, normalized, sum } from "./vectors.js";

const LETTERS = "abdefghi"; // c is for common tokens

/** Frequencies of class n: common tokens first, then the distinct ones of all classes. */
function frequencies(settings, n, L) {
  const { common, common_weight, distinct, lowest, highest, shared } = settings;
  const row = new Float64Array(L).fill(common_weight, 0, common);
  for (let i = 0; i < distinct; i++) {
    row[common + n * distinct + i] = lowest + ((highest - lowest) * i) / (distinct - 1);
  }
  if (shared !== null && n < 2) row[L - 1] = n ? shared : 1;
  const total = sum(row);
  return row.map((weight) => weight / total);
}

/** P (K rows of L), the query of each class, and what each token is; as make_classes does. */
export function makeClasses(settings) {
  const { K, queries: Q, common: commons, distinct, unused } = settings;
  const hasShared = settings.shared !== null;
  const L = commons + K * distinct + (hasShared ? 1 : 0);
  const shared = hasShared ? L - 1 : -1;
  const P = Array.from({ length: K }, (_, n) => frequencies(settings, n, L));
  const tokens = Array.from({ length: L }, (_, token) => token);
  const tokensOf = P.map((row) => tokens.filter((token) => row[token] > 0));
  const common = tokens.map((token) => P.filter((row) => row[token] > 0).length > 1);
  const distinctOf = tokensOf.map((list) => list.filter((token) => !common[token]));
  const kindOf = (token) => {
    if (token === shared) return "shared"; // common or distinct: that is the question
    return common[token] ? "common" : "distinct";
  };
  const nameOf = (token) => {
    if (token < commons) return `c${token + 1}`;
    if (token === shared) return "shared";
    const place = token - commons;
    return `${LETTERS[Math.floor(place / distinct)]}${(place % distinct) + 1}`;
  };
  const mostFrequent = (row, own) =>
    own.reduce((best, token) => (row[token] > row[best] ? token : best));
  return {
    P,
    K,
    L,
    Q,
    M: L + Q + K + unused,
    common,
    kinds: tokens.map(kindOf),
    tokensOf,
    distinctOf,
    names: tokens.map(nameOf),
    shared,
    query: P.map((_, n) => Math.floor((n * Q) / K)),
    top: P.map((row, n) => mostFrequent(row, distinctOf[n])),
  };
}

/** Attention of a class whose query has logits z: c ∝ P e^z on its tokens, written into `c`. */
export function attend(frequency, tokens, z, c) {
  let highest = -Infinity;
  for (const token of tokens) {
    if (z[token] > highest) highest = z[token];
  }
  let total = 0;
  for (const token of tokens) {
    c[token] = frequency[token] * Math.exp(z[token] - highest);
    total += c[token];
  }
  for (const token of tokens) c[token] /= total;
  return c;
}

/** Overlaps f_n·f_n′ of the classes at the start; E of FᵀF = I + E. */
export function overlaps({ P }) {
  const features = P.map(normalized);
  return features.map((a, n) => features.map((b, m) => (n === m ? 0 : dot(a, b))));
}
