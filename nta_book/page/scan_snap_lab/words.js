// Everything the explorer says in sentences.

import { commonMass, distinctEntropy, identityGap } from "./reading.js";

export const number = (v, digits = 3) =>
  (v === 0
    ? "0"
    : Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5
      ? v.toExponential(1).replace("e+", "e")
      : String(+v.toPrecision(digits))
  ).replace("-", "−");
const share = (p) =>
  `${p > 0 && p < 0.005 ? "<1" : p < 1 && p > 0.995 ? ">99" : Math.round(100 * p)}%`;
/** Two shares in words, with a decimal where whole percents would hide the difference. */
const shares = (a, b) =>
  share(a) === share(b) && Math.abs(a - b) > 5e-5
    ? [a, b].map((p) => `${(100 * p).toFixed(2)}%`)
    : [a, b].map(share);
const signedLogit = (z) =>
  Math.abs(z) < 0.005 ? "0" : (z > 0 ? "+" : "−") + Math.abs(z).toFixed(2);
const CALLED = { momentum: "Momentum 0.9", adam: "Adam" };
/** e^x, which may be too large for a number. */
const power = (x) => (x < 11 ? number(Math.exp(x)) : `10^${Math.round(x / Math.LN10)}`);

/** Who leads among the distinct tokens of the class. */
function leadership({ classes: { P, distinctOf, top, names }, n, attention, at }) {
  const own = distinctOf[n];
  const now = attention[at][n];
  const start = attention[0][n];
  const best = own.reduce((a, l) => (now[l] > now[a] + 1e-12 ? l : a), top[n]);
  if (own.every((l) => P[n][l] === P[n][own[0]])) {
    return `All distinct tokens are equally frequent and stay equal, at ${share(now[top[n]])} each.`;
  }
  if (at === 0) {
    return `Before training attention follows the frequencies: ${names[best]} leads the distinct tokens with ${share(now[best])}.`;
  }
  const why =
    best === top[n]
      ? "It is the most frequent one."
      : `The most frequent one, ${names[top[n]]}, has ${share(now[top[n]])}.`;
  const [from, to] = shares(start[best], now[best]);
  return `${names[best]} leads the distinct tokens of this class with ${to} of attention (${from} at the start). ${why}`;
}

/** How the tokens fare that several classes have. */
function commons(lab) {
  const { classes, n, attention, at, settings } = lab;
  const [start, now] = [0, at].map((i) => commonMass(classes, attention[i][n]));
  const [from, to] = shares(start, now);
  const said = [];
  if (settings.common) {
    said.push(
      `Common tokens ${Math.abs(now - start) < 1e-9 ? `hold ${from}` : `${now < start ? "fell" : "rose"} from ${from} to ${to}`}.`,
    );
  } else if (classes.shared < 0) {
    said.push("No token is shared, so nothing pushes attention: it stays where it is.");
  }
  if (classes.shared >= 0 && at > 0 && n < 2 && classes.P[n][classes.shared]) {
    const z = lab.logit(at, classes.shared);
    said.push(
      `The shared token has logit ${signedLogit(z)}: ${Math.abs(z) < 0.005 ? "it stands at its flip" : z > 0 ? "it rises like a distinct token" : "it sinks like a common token"}.`,
    );
  }
  return said.join(" ");
}

/** When attention moves, and when it all but stops. */
function pace({ snap }) {
  if (!snap) return "";
  const rest =
    snap.quiet === Infinity
      ? "is still above a tenth of that speed at the end"
      : `is below a tenth of that speed from step ${snap.quiet} on`;
  return `Attention moves fastest at step ${snap.peak} and ${rest}.`;
}

/** One more sentence about the picture that is shown. */
function aboutView(lab) {
  const { view, at, time, path, classes, n, decoder, marks } = lab;
  if (view === "speed") {
    return `Theory puts the largest drive at t = ${number(marks.snap)} and the turn between ${number(marks.scan)} and ${number(2 * marks.scan)}.`;
  }
  if (view === "growth") {
    const [low, high] = lab.growthBounds(time);
    return `χ of ${classes.names[classes.top[n]]} is ${power(2 * lab.logit(at, classes.top[n]))}; Theorem 3 with the paper's drive says ${power(low)} to ${power(high)}.`;
  }
  if (view === "decoder") {
    return `The decoder gives the right answer ${share(decoder[at].own)} and leaks ${share(decoder[at].leaked)} to the other classes; loss ${number(path.losses[at])}.`;
  }
  return "";
}

/** The result in words. */
export function inWords(lab) {
  const { path, at, time, attention, classes, n, settings } = lab;
  const entropy = (i) => distinctEntropy(classes, n, attention[i][n]).toFixed(2);
  const parts = [
    `Step ${time} of ${settings.steps}.`,
    leadership(lab),
    commons(lab),
    `Entropy on the distinct tokens: ${at ? `${entropy(0)} → ` : ""}${entropy(at)}.`,
    pace(lab),
    aboutView(lab),
  ];
  if (path.broken !== null) {
    parts.unshift(
      `With these rates the numbers grew too large to compute at step ${path.broken}; you see the run up to step ${path.times.at(-1)}. Lower a rate to go on.`,
    );
  }
  return parts.filter(Boolean).join(" ");
}

/** What theory assumes, and whether it holds here: [holds, words]. */
export function badges(lab) {
  const {
    classes,
    settings: { eta_y, eta_z, optimizer },
    largest,
    n,
    path,
    at,
  } = lab;
  const ratio = eta_z / eta_y;
  const gap = identityGap(classes, path, n, at);
  const weak = largest < 1 / classes.K;
  const fast = ratio <= 0.1 + 1e-12;
  const plain = optimizer === "plain";
  const close = gap < 0.08;
  return [
    [
      weak,
      `Assumption 2 ${weak ? "holds" : "fails"}: |λ₁(E)| = ${number(largest, 2)} ${weak ? "<" : "≥"} 1/K = ${number(1 / classes.K, 2)}`,
    ],
    [
      fast,
      `${fast ? "Fast" : "Slow"} decoder: η_Z/η_Y = ${number(ratio, 2)} ${fast ? "≤" : ">"} 0.1`,
    ],
    [
      plain,
      plain ? "Plain descent, as in theory" : `${CALLED[optimizer]}: theory has plain descent`,
    ],
    [
      close,
      `Theorem 3's r(t) = r(0)·χ(t): off by ${gap < 10 ? share(gap) : "more than ten times"} so far`,
    ],
  ];
}
