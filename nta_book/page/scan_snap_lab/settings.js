// What the reader can set.  The names are those of Python; a test compares the ends of each range.

export const STEPS = [100, 300, 1000, 3000];
const range = (low, high) => Array.from({ length: high - low + 1 }, (_, i) => low + i);

/**
 * A slider walks over `values`; a value between them, set from Python, is shown as it is.  `about`
 * says what the setting is; `more` ones stand behind a fold.
 */
export const SLIDERS = [
  {
    name: "eta_y",
    label: "Decoder rate η_Y",
    about: "how fast the decoder learns to answer",
    values: [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10],
  },
  {
    name: "eta_z",
    label: "Attention rate η_Z",
    about: "how fast attention learns where to look",
    values: [0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3],
  },
  {
    name: "K",
    label: "Classes K",
    about: "kinds of contexts, each with its own next token",
    values: range(2, 8),
    whole: true,
  },
  {
    name: "common",
    label: "Common tokens",
    about: "c1, c2, …: every class has them",
    values: range(0, 10),
    whole: true,
  },
  {
    name: "distinct",
    label: "Distinct tokens per class",
    about: "a1, a2, … in class 1 only, from rare to frequent",
    values: range(2, 10),
    whole: true,
  },
  {
    name: "queries",
    label: "Queries",
    about: "last tokens; at most one per class",
    values: range(1, 8),
    whole: true,
    more: true,
  },
  {
    name: "common_weight",
    label: "Weight of a common token",
    about: "how frequent it is, beside the weights of the distinct ones",
    values: [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3],
    more: true,
  },
  {
    name: "lowest",
    label: "Lowest weight of a distinct token",
    about: "how frequent the rarest one is",
    values: [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.5, 2],
    more: true,
  },
  {
    name: "highest",
    label: "Highest weight of a distinct token",
    about: "how frequent the most frequent one is",
    values: [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.5, 2, 3],
    more: true,
  },
  {
    name: "unused",
    label: "Unused outputs",
    about: "tokens that are never the answer, which the decoder must unlearn",
    values: [0, 10, 30, 100, 300, 1000, 3000],
    whole: true,
    more: true,
  },
  {
    name: "shared",
    label: "Weight r of the shared token",
    about: "its weight in class 2; in class 1 it is 1",
    values: Array.from({ length: 51 }, (_, i) => i / 50),
    more: true,
  },
];
export const CHOICES = [
  {
    name: "optimizer",
    label: "Optimizer",
    about: "what is done with the slope of the loss",
    options: [
      ["plain", "plain descent"],
      ["momentum", "momentum 0.9"],
      ["adam", "Adam"],
    ],
  },
  {
    name: "steps",
    label: "Train for",
    about: "the length of the run",
    options: STEPS.map((n) => [n, `${n} steps`]),
  },
];

/** Settings with one of them changed; a change that would contradict another takes that along. */
export function changed(settings, name, value) {
  const next = { ...settings, [name]: value };
  if (name === "lowest") next.highest = Math.max(next.highest, value);
  if (name === "highest") next.lowest = Math.min(next.lowest, value);
  next.queries = Math.min(next.queries, next.K);
  return next;
}

/** Steps at which a run is looked at: evenly spaced for a linear time axis, and for a log one. */
export function looks(steps) {
  const unique = (list) => [...new Set(list)];
  const part = Array.from({ length: 101 }, (_, i) => i / 100);
  const linear = unique(part.map((x) => Math.round(steps * x)));
  const log = unique([0, ...part.map((x) => Math.round(steps ** x))]);
  return { linear, log, all: unique([...linear, ...log]).sort((a, b) => a - b) };
}
