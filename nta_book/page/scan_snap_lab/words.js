// The lab's sentences: where the run is, who leads, who sinks.

import { commonMass } from "./reading.js";
import { STEPS } from "./settings.js";
import { named } from "../shared/marked.js";
import { percent, signed } from "../shared/numbers.js";

const FLIP = 0.005; // a logit that is shown as zero
const EQUAL = 1e-9; // shares that differ by rounding only

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

export const share = (part) => `${percent(part)}%`;

/** A share before and now, with decimals where whole percents would hide the difference. */
function shares(...parts) {
  const whole = parts.map(share);
  if (whole[0] !== whole[1] || Math.abs(parts[0] - parts[1]) < EQUAL) return whole;
  return parts.map((part) => `${(100 * part).toFixed(2)}%`);
}

/** How a share changed: "fell from 36% to 28%", and never "from 65% to 65%". */
export function change(before, now) {
  const [from, to] = shares(before, now);
  if (from === to) return before === now ? `stays at ${from}` : `hardly moved from ${from}`;
  return `${now < before ? "fell" : "rose"} from ${from} to ${to}`;
}

/** e^x, which may be too large for a number. */
const power = (x) => (x < 11 ? number(Math.exp(x)) : `10^${Math.round(x / Math.LN10)}`);

/** Where the run is: before it, in the scan, in the snap. */
function phase(lab) {
  const { time, settings, snap, marks } = lab;
  const predicted = number(marks.snap, 2);
  if (lab.phase === "start") {
    return (
      "Step 0: nothing is trained yet. " +
      `Theory puts the turn from scan to snap at step ${predicted} (◆).`
    );
  }
  const now = `Step ${time} of ${settings.steps}`;
  if (!snap) return `${now}.`;
  if (lab.phase === "scan") return `${now}, the scan: attention gathers speed.`;
  const turn = `attention was fastest at step ${snap.peak} (theory said ${predicted})`;
  if (time < snap.quiet) {
    const pace = share(lab.speed(time) / snap.speed);
    return `${now}, the snap: ${turn} and moves at ${pace} of that speed now.`;
  }
  const rest = `since step ${snap.quiet} it has moved at less than a tenth of that speed`;
  return `${now}, the snap: ${turn}; ${rest}. It looks frozen, but it creeps on.`;
}

/** Who leads among the distinct tokens of the class. */
function leadership(lab) {
  const { classes, n, attention, at } = lab;
  const { P, distinctOf, top, names } = classes;
  const own = distinctOf[n];
  const now = attention[at][n];
  const favourite = top[n];
  if (own.every((token) => P[n][token] === P[n][own[0]])) {
    const each = share(now[favourite]);
    return `All distinct tokens are equally frequent and stay equal, at ${each} each.`;
  }
  const leader = lab.leader(at);
  const name = named(names[leader]);
  if (at === 0) {
    return (
      "Attention follows the frequencies: " +
      `${name} leads the distinct tokens with ${share(now[leader])}.`
    );
  }
  const fate = change(attention[0][n][leader], now[leader]);
  const most =
    leader === favourite
      ? "the most frequent one"
      : `though ${named(names[favourite])} is more frequent and has ${share(now[favourite])}`;
  return `${name} leads the distinct tokens, ${most}: it ${fate}.`;
}

/** How the common tokens fare. */
function commonTokens({ classes, n, attention, at, settings }) {
  const { common } = settings;
  if (!common) {
    const nothing = "No token is common, so nothing pushes attention: it stays where it is.";
    return classes.shared < 0 ? nothing : "";
  }
  const [start, now] = [0, at].map((look) => commonMass(classes, attention[look][n]));
  const who =
    common === 1 ? `The common token ${named("c1")}` : `Attention on the ${common} common tokens`;
  return at
    ? `${who} ${change(start, now)}.`
    : `${who} ${common > 1 ? "is" : "has"} ${share(now)}.`;
}

/** How the token fares that the first two classes share. */
function sharedToken(lab) {
  const { classes, n, at, attention, settings } = lab;
  const { shared, P } = classes;
  if (shared < 0 || n > 1 || !P[n][shared]) return "";
  const name = `The ${named("shared")} token`;
  if (at === 0) return `${name}, which two classes have, has ${share(attention[0][n][shared])}.`;
  const logit = lab.logit(at, shared);
  if (Math.abs(logit) < FLIP) {
    const flip = "the weight at which a shared token turns from rising to sinking";
    const others = "its share moves only because the others' do";
    return `${name} keeps its logit at 0 (${others}): r = ${settings.shared} is its flip, ${flip}.`;
  }
  const fate = logit > 0 ? "rises like a distinct token" : "sinks like a common token";
  return `${name} ${fate}: its logit is ${signed(logit)}.`;
}

/** One more sentence about the picture that is shown. */
const ABOUT = {
  attention: () => "",
  logits: () => "",
  speed: ({ marks: { scan } }) =>
    `The paper lets the turn last from step ${number(scan, 2)} ` +
    `to ${number(2 * scan, 2)} (grey band).`,
  growth: (lab) => {
    const { names, top } = lab.classes;
    const leader = top[lab.n];
    const [low, high] = lab.growthBounds(lab.time).map(power);
    const measured = `χ of ${named(names[leader])} is ${power(2 * lab.logit(lab.at, leader))}`;
    return `${measured}; Theorem 3 with the paper's drive allows ${low} to ${high}.`;
  },
  decoder: ({ decoder, at }) => {
    const { own, leaked } = decoder[at];
    const right = `The decoder gives the right answer ${share(own)}`;
    return `${right} and leaks ${share(leaked)} to the other classes.`;
  },
};

function brokenRun({ broken, times }) {
  if (broken === null) return "";
  const when = `With these rates the numbers grew too large to compute at step ${broken}`;
  return `${when}; you see the run up to step ${times.at(-1)}. Lower a rate to go on.`;
}

/** What ends here: the run, and what the lab can do. */
function limits({ isOver, settings, path }) {
  if (!isOver || path.broken !== null) return "";
  const longest = STEPS.at(-1);
  return settings.steps < longest
    ? "The run ends here; “Train longer” goes on."
    : `The run ends here: ${longest} steps are the most this lab takes.`;
}

/** The result in words. */
export function inWords(lab) {
  const sentences = [
    brokenRun(lab.path),
    phase(lab),
    leadership(lab),
    commonTokens(lab),
    sharedToken(lab),
    ABOUT[lab.view](lab),
    limits(lab),
  ];
  return sentences.filter(Boolean).join(" ");
}
