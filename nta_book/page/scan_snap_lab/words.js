// Everything the explorer says in sentences.

import { commonMass, distinctEntropy, identityGap } from "./reading.js";
import { percent, signed } from "../shared/numbers.js";

const CALLED = { momentum: "Momentum 0.9", adam: "Adam" };
const FLIP = 0.005; // a logit that is shown as zero

/** A measured number with some digits, by its power of ten where it is tiny or huge. */
export function number(value, digits = 3) {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const text =
    size < 1e-3 || size >= 1e5
      ? value.toExponential(1).replace("e+", "e")
      : String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

const share = (part) => `${percent(part)}%`;

/** Two shares, with decimals where whole percents would hide the difference. */
function shares(...parts) {
  const [first, second] = parts.map(share);
  const hidden = first === second && Math.abs(parts[0] - parts[1]) > 5e-5;
  return hidden ? parts.map((part) => `${(100 * part).toFixed(2)}%`) : [first, second];
}

/** e^x, which may be too large for a number. */
const power = (x) => (x < 11 ? number(Math.exp(x)) : `10^${Math.round(x / Math.LN10)}`);

/** Who leads among the distinct tokens of the class. */
function leadership({ classes: { P, distinctOf, top, names }, n, attention, at }) {
  const own = distinctOf[n];
  const now = attention[at][n];
  const favourite = top[n];
  const leader = own.reduce(
    (best, token) => (now[token] > now[best] + 1e-12 ? token : best),
    favourite,
  );
  if (own.every((token) => P[n][token] === P[n][own[0]])) {
    const each = share(now[favourite]);
    return `All distinct tokens are equally frequent and stay equal, at ${each} each.`;
  }
  if (at === 0) {
    const leads = `${names[leader]} leads the distinct tokens with ${share(now[leader])}`;
    return `Before training attention follows the frequencies: ${leads}.`;
  }
  const why =
    leader === favourite
      ? "It is the most frequent one."
      : `The most frequent one, ${names[favourite]}, has ${share(now[favourite])}.`;
  const [from, to] = shares(attention[0][n][leader], now[leader]);
  const leads = `${names[leader]} leads the distinct tokens of this class`;
  return `${leads} with ${to} of attention (${from} at the start). ${why}`;
}

/** How the common tokens fare. */
function commonTokens({ classes, n, attention, at, settings }) {
  if (!settings.common) {
    const nothing = "No token is shared, so nothing pushes attention: it stays where it is.";
    return classes.shared < 0 ? nothing : "";
  }
  const [start, now] = [0, at].map((look) => commonMass(classes, attention[look][n]));
  const [from, to] = shares(start, now);
  if (Math.abs(now - start) < 1e-9) return `Common tokens hold ${from}.`;
  return `Common tokens ${now < start ? "fell" : "rose"} from ${from} to ${to}.`;
}

/** How the token fares that the first two classes share. */
function sharedToken(lab) {
  const { classes, n, at } = lab;
  const { shared, P } = classes;
  if (shared < 0 || at === 0 || n > 1 || !P[n][shared]) return "";
  const logit = lab.logit(at, shared);
  let fate = logit > 0 ? "it rises like a distinct token" : "it sinks like a common token";
  if (Math.abs(logit) < FLIP) fate = "it stands at its flip";
  return `The shared token has logit ${signed(logit)}: ${fate}.`;
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
const ABOUT = {
  attention: () => "",
  logits: () => "",
  speed: ({ marks: { snap, scan } }) => {
    const turn = `the turn between ${number(scan)} and ${number(2 * scan)}`;
    return `Theory puts the largest drive at t = ${number(snap)} and ${turn}.`;
  },
  growth: (lab) => {
    const { names, top } = lab.classes;
    const leader = top[lab.n];
    const [low, high] = lab.growthBounds(lab.time).map(power);
    const measured = `χ of ${names[leader]} is ${power(2 * lab.logit(lab.at, leader))}`;
    return `${measured}; Theorem 3 with the paper's drive says ${low} to ${high}.`;
  },
  decoder: ({ decoder, path, at }) => {
    const { own, leaked } = decoder[at];
    const right = `The decoder gives the right answer ${share(own)}`;
    const loss = number(path.losses[at]);
    return `${right} and leaks ${share(leaked)} to the other classes; loss ${loss}.`;
  },
};

function brokenRun({ broken, times }) {
  if (broken === null) return "";
  const when = `With these rates the numbers grew too large to compute at step ${broken}`;
  return `${when}; you see the run up to step ${times.at(-1)}. Lower a rate to go on.`;
}

/** The result in words. */
export function inWords(lab) {
  const { path, at, time, attention, classes, n, settings, view } = lab;
  const entropy = (look) => distinctEntropy(classes, n, attention[look][n]).toFixed(2);
  const sentences = [
    brokenRun(path),
    `Step ${time} of ${settings.steps}.`,
    leadership(lab),
    commonTokens(lab),
    sharedToken(lab),
    `Entropy on the distinct tokens: ${at ? `${entropy(0)} → ` : ""}${entropy(at)}.`,
    pace(lab),
    ABOUT[view](lab),
  ];
  return sentences.filter(Boolean).join(" ");
}

/** What theory assumes, and whether it holds here: [holds, words]. */
export function badges({ classes, settings, largest, n, path, at }) {
  const ratio = settings.eta_z / settings.eta_y;
  const gap = identityGap(classes, path, n, at);
  const weak = largest < 1 / classes.K;
  const fast = ratio <= 0.1 + 1e-12;
  const plain = settings.optimizer === "plain";
  const comparison = `${number(largest, 2)} ${weak ? "<" : "≥"} 1/K = ${number(1 / classes.K, 2)}`;
  const off = gap < 10 ? share(gap) : "more than ten times";
  return [
    [weak, `Assumption 2 ${weak ? "holds" : "fails"}: |λ₁(E)| = ${comparison}`],
    [
      fast,
      `${fast ? "Fast" : "Slow"} decoder: η_Z/η_Y = ${number(ratio, 2)} ${fast ? "≤" : ">"} 0.1`,
    ],
    [
      plain,
      plain
        ? "Plain descent, as in theory"
        : `${CALLED[settings.optimizer]}: theory has plain descent`,
    ],
    [gap < 0.08, `Theorem 3's r(t) = r(0)·χ(t): off by ${off} so far`],
  ];
}
