// What theory assumes, and whether it holds in this run.

import { identityGap } from "./reading.js";
import { number, share } from "./words.js";

const CALLED = { momentum: "momentum 0.9", adam: "Adam" };
const FAST = 0.1 + 1e-12; // η_Z/η_Y up to which a decoder counts as fast
const CLOSE = 0.08; // how far off Theorem 3 may be

/**
 * Four assumptions as { holds, say, formula, about }: what it asks, what is compared, what the
 * letters mean.
 */
export function assumptions({ classes, settings, largest, n, path, at }) {
  const { K } = classes;
  const ratio = settings.eta_z / settings.eta_y;
  const gap = identityGap(classes, path, n, at);
  const weak = largest < 1 / K;
  const fast = ratio <= FAST;
  const plain = settings.optimizer === "plain";
  const close = gap < CLOSE;
  const off = gap < 10 ? share(gap) : "more than ten times";
  return [
    {
      holds: weak,
      say: `Classes overlap ${weak ? "little" : "too much"}`,
      formula: `|λ₁(E)| = ${number(largest, 2)} ${weak ? "<" : "≥"} 1/K = ${number(1 / K, 2)}`,
      about:
        "The paper's Assumption 2. E holds how much the attention of any two of the K classes " +
        "overlaps before training, from 0 to 1; λ₁(E) is its largest eigenvalue.",
    },
    {
      holds: fast,
      say: `${fast ? "Fast" : "Slow"} decoder`,
      formula: `η_Z/η_Y = ${number(ratio, 2)} ${fast ? "≤" : ">"} 0.1`,
      about:
        "η_Y and η_Z are the rates at which decoder and attention learn. " +
        "Theory wants a much faster decoder; this lab asks for ten times.",
    },
    {
      holds: plain,
      say: plain ? "Plain descent" : "No plain descent",
      formula: plain ? "as theory has it" : `this run: ${CALLED[settings.optimizer]}`,
      about: "Theory follows the slope of the loss as it is.",
    },
    {
      holds: close,
      say: `Leads ${close ? "grow" : "do not grow"} as theory says`,
      formula: `r(t) = r(0)·χ(t), off by ${off} so far`,
      about:
        "Theorem 3. The lead r of the most frequent distinct token over a rarer one is the " +
        "square of how many times more attention it has, minus 1; χ = e^(2·rise of its logit). " +
        "Off by less than 8% is good.",
    },
  ];
}

/** The four in one line. */
export function verdict(list) {
  const failing = list.filter(({ holds }) => !holds).length;
  if (!failing) return "What theory assumes: all four hold here.";
  const count = failing === list.length ? "none of the four holds" : `${failing} of 4 fail`;
  return `What theory assumes: ${count} here, so theory's marks are only a guide.`;
}
