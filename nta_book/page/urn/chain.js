// The chain: count × strength, draw, append.  Digit for digit what nta_beyond.chain does.

export const LENGTH = 600; // words of a text, the prompt not counted
export const OTHERS = 20; // texts that are drawn beside it

/** Numbers between 0 and 1 from a state of 32 bits: Tommy Ettinger's mulberry32. */
export function mulberry32(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Strengths after each last word: a word counts `again` times as much right after itself. */
function columnsOf(strengths, again) {
  return strengths.map((_, last) => {
    const column = strengths.map((one, word) => (word === last ? one * again : one));
    const most = Math.max(...column);
    return column.map((one) => one / most);
  });
}

/** What words weigh in a draw: to the power of one over the temperature. */
function weigh(weights, temperature) {
  if (temperature === 1) return weights;
  const most = Math.max(...weights);
  return weights.map((one) => (one / most) ** (1 / temperature));
}

/** The words (as numbers) of a text; it begins with each word once, which is not listed. */
export function writeText({ strengths, again, temperature }, seed, length = LENGTH) {
  const columns = columnsOf(strengths, again);
  const counts = strengths.map(() => 1);
  const draw = mulberry32(seed);
  let last = counts.length - 1;
  return Array.from({ length }, () => {
    let sum = 0;
    const weights = counts.map((count, word) => count * columns[last][word]);
    const reached = weigh(weights, temperature).map((one) => (sum += one));
    const mark = draw() * sum;
    last = Math.min(reached.filter((one) => one <= mark).length, counts.length - 1);
    counts[last] += 1;
    return last;
  });
}

/** The share of each word after 0, 1, 2, … words: one list per word. */
export function sharesOf(text, K) {
  const counts = Array.from({ length: K }, () => 1);
  const shares = counts.map((count) => [count / K]);
  text.forEach((word, t) => {
    counts[word] += 1;
    counts.forEach((count, j) => shares[j].push(count / (K + t + 1)));
  });
  return shares;
}

/**
 * Who can take all: in the cold everybody, in the heat nobody, else a word that, alone on the page,
 * is likelier to follow itself than any other word is per copy (a shy word also if it is level: the
 * others then fall like one over the text's logarithm).  One such word wins; of several, chance
 * picks; with none, nobody does.
 */
export function takers({ strengths, again, temperature }) {
  const words = strengths.map((_, word) => word);
  if (temperature !== 1) return temperature < 1 ? words : [];
  const beats = (own, other) => own > other || (again < 1 && own === other);
  return words.filter((word) =>
    words.every((other) => other === word || beats(again * strengths[word], strengths[other])),
  );
}
