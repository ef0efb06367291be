// Ordinary prose cut into races: every window of words is a race, the word that follows its winner.

import { LIMITS } from "./text.js";

export const WINDOWS = [2, 3, 4, 5, 6, 8, 12, 16];
const SAMPLE = 4; // windows without their winner that are shown

// A word is a run of letters and digits, with the marks on them and apostrophes inside: the rule
// of nta_beyond.text.tokens, without the punctuation.
const LETTERS = "[\\p{L}\\p{N}]+";
const WORD = new RegExp(
  `${LETTERS}(?:\\p{M}+[\\p{L}\\p{N}]*|'(?=[\\p{L}\\p{N}])${LETTERS})*`,
  "gu",
);
const INVISIBLE = /[\u00ad\u200b-\u200f\u2060\ufeff]/gu;

/** The words of a text, in lower case. */
export const wordsOf = (prose) =>
  prose
    .replace(INVISIBLE, "")
    .replaceAll("\u2019", "'")
    .normalize("NFC")
    .toLowerCase()
    .match(WORD) ?? [];

/** All windows of `size` words with the word that follows each. */
function windowsOf(words, size) {
  return Array.from({ length: Math.max(0, words.length - size) }, (_, i) => ({
    tokens: words.slice(i, i + size),
    label: words[i + size],
  }));
}

/** Leave out the rarest word and its windows until the vocabulary fits into the lab. */
function fitVocabulary(windows) {
  const short = ({ tokens }) => tokens.every((word) => [...word].length <= LIMITS.name);
  const alive = new Set(windows.filter(short));
  const running = new Map(); // word -> the windows it runs in
  for (const window of alive) {
    for (const word of new Set(window.tokens)) {
      if (!running.has(word)) running.set(word, new Set());
      running.get(word).add(window);
    }
  }
  while (running.size > LIMITS.tokens) {
    const [rarest, lost] = [...running].reduce((a, b) => (b[1].size <= a[1].size ? b : a));
    running.delete(rarest);
    for (const window of lost) {
      alive.delete(window);
      for (const word of window.tokens) running.get(word)?.delete(window);
    }
    for (const [word, left] of running) {
      if (!left.size) running.delete(word);
    }
  }
  return [...alive];
}

/** Some of a list, evenly spread. */
const sampleOf = (list) =>
  list.length <= SAMPLE
    ? list
    : Array.from({ length: SAMPLE }, (_, i) => list[Math.floor((i * list.length) / SAMPLE)]);

/**
 * Races of a text: { words, distinct, windows, holding, others, races, fitting }, where `holding`
 * counts the windows that hold their winner, `others` samples those that do not, `races` are the
 * ones the lab can hold, and `fitting` counts those whose words it can hold.
 */
export function cutProse(prose, size) {
  const words = wordsOf(prose);
  const windows = windowsOf(words, size);
  const holding = windows.filter(({ tokens, label }) => tokens.includes(label));
  const others = windows.filter(({ tokens, label }) => !tokens.includes(label));
  const fitting = fitVocabulary(holding);
  return {
    words: words.length,
    distinct: new Set(words).size,
    windows: windows.length,
    holding: holding.length,
    others: sampleOf(others),
    fitting: fitting.length,
    races: fitting.slice(0, LIMITS.races),
  };
}

/** The races as text, with a line that says where they come from. */
export const proseDraft = ({ races }, size) =>
  [
    `# from prose, windows of ${size} words`,
    ...races.map(({ tokens, label }) => `${tokens.join(" ")} -> ${label}`),
  ].join("\n");
