// What the reader can set.  The names are those of Python; a test compares the ends of each range.

const STEPS = [100, 300, 1000, 3000];
const whole = (low, high) => Array.from({ length: high - low + 1 }, (_, i) => low + i);

/** A slider walks over `values`; a value between them, set from Python, is shown as it is. */
export const SLIDERS = [
  {
    name: "eta_y",
    label: "Decoder rate η_Y",
    values: [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10],
  },
  {
    name: "eta_z",
    label: "Attention rate η_Z",
    values: [0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 1, 1.5, 2, 3],
  },
  { name: "K", label: "Classes K", values: whole(2, 8) },
  { name: "common", label: "Common tokens", values: whole(0, 10) },
  { name: "distinct", label: "Distinct tokens per class", values: whole(2, 10) },
  { name: "queries", label: "Queries", values: whole(1, 8), more: true },
  {
    name: "common_weight",
    label: "Weight of a common token",
    values: [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3],
    more: true,
  },
  {
    name: "lowest",
    label: "Lowest weight of a distinct token",
    values: [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.5, 2],
    more: true,
  },
  {
    name: "highest",
    label: "Highest weight of a distinct token",
    values: [0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1, 1.5, 2, 3],
    more: true,
  },
  {
    name: "unused",
    label: "Unused outputs",
    values: [0, 10, 30, 100, 300, 1000, 3000],
    more: true,
  },
  {
    name: "shared",
    label: "Weight r of the shared token",
    values: Array.from({ length: 51 }, (_, i) => i / 50),
    more: true,
  },
];
export const CHOICES = [
  {
    name: "optimizer",
    label: "Optimizer",
    options: [
      ["plain", "plain descent"],
      ["momentum", "momentum 0.9"],
      ["adam", "Adam"],
    ],
  },
  { name: "steps", label: "Train for", options: STEPS.map((n) => [n, `${n} steps`]), more: true },
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
