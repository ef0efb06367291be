// The five pictures.  Each is { svg, update }: it is drawn anew when a setting changes, `update`
// follows the time slider.

import { element, line } from "../shared/elements.js";
import {
  HEIGHT,
  cursor,
  curve,
  frame,
  labels,
  picture,
  route,
  timeAxis,
  wholeBox,
} from "./charts.js";
import { number } from "./words.js";

const KINDS = [
  ["ns-common", "common"],
  ["ns-distinct", "distinct: rare to frequent"],
  ["ns-shared", "shared"],
];
const ROOM_FOR_NAME = 22; // pixels
const ROOM_FOR_GROUP = 150;

function kindOf({ classes: { common, shared } }, token) {
  if (token === shared) return "ns-shared";
  return common[token] ? "ns-common" : "ns-distinct";
}

const extremes = (values) => [Math.min(...values), Math.max(...values)];
const describe = (svg, words) => svg.setAttribute("aria-label", words);

/** Bars of attention of one class, a tick where each began. */
function attentionView(lab, width) {
  const { classes, n, attention } = lab;
  const { tokensOf, common, names, shared } = classes;
  const svg = picture(width);
  const tokens = tokensOf[n].toSorted((a, b) => common[b] - common[a] || a - b);
  const largest = Math.max(...attention.flatMap((rows) => tokens.map((token) => rows[n][token])));
  const title = `attention of class ${n + 1}, %`;
  const yAxis = { low: 0, high: 100 * (1.05 * largest), title };
  const { left, right, bottom, Y } = frame(svg, wholeBox(width, 8), { low: 0, high: 1 }, yAxis);
  const lane = (right - left) / tokens.length;
  const thickness = Math.min(34, lane * 0.78);

  const bars = tokens.map((token, i) => {
    const middle = left + lane * (i + 0.5);
    const edge = middle - thickness / 2;
    const kind = kindOf(lab, token);
    const bar = element("rect", { x: edge, width: thickness, class: `ns-bar ${kind}` });
    const start = Y(100 * attention[0][n][token]);
    svg.append(bar, line(edge - 2, start, edge + thickness + 2, start, { class: "ns-start" }));
    if (lane > ROOM_FOR_NAME) {
      const say = token === shared ? "sh." : names[token];
      svg.append(element("text", { x: middle, y: bottom + 14, class: "ns-mid", say }));
    }
    return (shares) => {
      const top = Y(100 * shares[token]);
      bar.setAttribute("y", top.toFixed(1));
      bar.setAttribute("height", Math.max(0, bottom - top).toFixed(1));
    };
  });
  for (const [kind, name] of KINDS) {
    const places = [...tokens.keys()].filter((i) => kindOf(lab, tokens[i]) === kind);
    if (!places.length) continue;
    const narrow = places.length * lane < ROOM_FOR_GROUP && kind === "ns-distinct";
    const x = left + (lane * (places[0] + places.at(-1) + 1)) / 2;
    const say = narrow ? "distinct" : name;
    svg.append(element("text", { x, y: bottom + 31, class: `ns-mid ns-name ${kind}`, say }));
  }
  const update = (look) => {
    const shares = attention[look][n];
    for (const bar of bars) bar(shares);
    const said = tokens.map((token) => `${names[token]} ${number(100 * shares[token], 2)} percent`);
    describe(svg, `Bars: attention of class ${n + 1} at step ${lab.time}. ${said.join(", ")}.`);
  };
  return { svg, update };
}

/** Attention logits of the tokens of one class over time. */
function logitsView(lab, width) {
  const { classes, n, settings } = lab;
  const { tokensOf, distinctOf, names, P, shared } = classes;
  const { times } = lab.path;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const tokens = tokensOf[n];
  const top = classes.top[n];
  const logits = tokens.map((token) => times.map((_, look) => lab.logit(look, token)));
  const [low, high] = extremes([...logits.flat(), -0.01, 0.01]);
  const yAxis = { low, high, title: "attention logit z" };
  const chart = frame(svg, wholeBox(width, 104), axis, yAxis);
  svg.append(line(chart.left, chart.Y(0), chart.right, chart.Y(0), { class: "ns-axis" }));
  tokens.forEach((token, i) => {
    const points = logits[i].map((logit, look) => [T(times[look]), logit]);
    const style = token === top ? "stroke-width:3" : null;
    curve(chart, points, { class: `ns-line ${kindOf(lab, token)}`, style });
  });
  const rarest = distinctOf[n].reduce((best, token) => (P[n][token] < P[n][best] ? token : best));
  const last = times.length - 1;
  const label = (token, say) => ({
    y: chart.Y(lab.logit(last, token)),
    say,
    kind: kindOf(lab, token),
  });
  const { common } = settings;
  const named = [
    label(top, `${names[top]}, frequent`),
    rarest !== top && label(rarest, `${names[rarest]}, rare`),
    common && label(0, common > 1 ? `common ×${common}` : "common"),
    tokens.includes(shared) && label(shared, "shared"),
  ];
  labels(chart, named.filter(Boolean));
  const move = cursor(chart, T);
  const update = (look) => {
    move(times[look]);
    const said = tokens.map((token) => `${names[token]} ${number(lab.logit(look, token), 2)}`);
    const what = `Lines: logits of class ${n + 1} over ${times.at(-1)} steps`;
    describe(svg, `${what}. At step ${times[look]}: ${said.join(", ")}.`);
  };
  return { svg, update };
}

function stillView(width) {
  const svg = picture(width);
  const say = "Nothing moves: no token is shared.";
  svg.append(element("text", { x: width / 2, y: HEIGHT / 2, class: "ns-mid", say }));
  describe(svg, say);
  return { svg, update: () => {} };
}

/** Speed of attention, with theory's drive, scaled to the same height, and theory's times. */
function speedView(lab, width) {
  const { speeds, marks, snap, path } = lab;
  if (!snap) return stillView(width);
  const svg = picture(width);
  const log = lab.axis === "log";
  const { axis, T } = timeAxis(lab, 0.5);
  const V = (speed) => {
    if (!log) return speed;
    return speed > 0 ? Math.log10(speed) : NaN;
  };
  const peak = Math.max(...speeds.map(([, speed]) => speed));
  const run = speeds.filter(([, speed]) => speed > peak * 1e-7);
  const strongest = lab.drive(marks.snap);
  const theory = speeds.map(([time]) => [time, (lab.drive(time) / strongest) * peak]);
  const [low, high] = extremes([...run, ...theory].map(([, speed]) => Math.log10(speed)));
  const yAxis = log
    ? { low: low - 0.1, high: high + 0.15, log, title: "speed of attention per step, log scale" }
    : { low: 0, high: 1.05 * peak, log, title: "speed of attention per step" };
  const chart = frame(svg, wholeBox(width, 66), axis, yAxis);
  markTheory(svg, chart, axis, T, marks, path.times.at(-1));
  const drawn = (points) => points.map(([time, speed]) => [T(time), V(speed)]);
  curve(chart, drawn(theory), { class: "ns-theory" });
  curve(chart, drawn(run), { class: "ns-line ns-run" });
  labels(chart, [
    { y: chart.Y(V(run.at(-1)[1])), say: "this run", kind: "ns-runname" },
    { y: chart.Y(V(theory.at(-1)[1])), say: "theory γ", kind: "" },
  ]);
  const move = cursor(chart, T);
  const sentences = [
    `Line: speed of attention over time; fastest at step ${snap.peak}, ${number(peak)} per step,`,
    `${number(speeds.at(-1)[1])} at the end. Dotted: theory's drive γ, scaled to the same height,`,
    `with its peak at ${number(marks.snap)}.`,
  ];
  const update = (look) => {
    move(path.times[look]);
    describe(svg, sentences.join(" "));
  };
  return { svg, update };
}

/** The time of the largest drive as a line, the turn from scanning to snapping as a band. */
function markTheory(svg, { X, top, bottom, left, right }, axis, T, { snap, scan }, end) {
  const inside = (time) =>
    Math.max(left, Math.min(right, X(Math.max(axis.low, T(Math.max(time, 0.5))))));
  const from = inside(scan);
  const to = inside(2 * scan);
  const size = { x: from, y: top, width: Math.max(0, to - from), height: bottom - top };
  svg.prepend(element("rect", { ...size, class: "ns-band" }));
  if (snap < end) {
    const x = inside(snap);
    svg.append(
      line(x, top, x, bottom, { class: "ns-theory" }),
      element("text", { x: x - 4, y: bottom - 6, class: "ns-end", say: "tγ" }),
    );
  }
  if (to - from > 30) {
    const x = (from + to) / 2;
    svg.append(element("text", { x, y: bottom - 6, class: "ns-mid", say: "t0′ to t0" }));
  }
}

/** χ of the leading token beside the band of Theorem 3. */
function growthView(lab, width) {
  const { classes, n } = lab;
  const { times } = lab.path;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const leader = classes.top[n];
  const name = classes.names[leader];
  const asPowerOfTen = (logarithm) => logarithm / Math.LN10;
  const run = times.map((_, look) => asPowerOfTen(2 * lab.logit(look, leader)));
  const bounds = times.map((time) => lab.growthBounds(time).map(asPowerOfTen));
  const [low, high] = extremes([0, 0.05, ...run, ...bounds.flat()]);
  const yAxis = { low, high, log: true, title: `χ of ${name}, log scale` };
  const chart = frame(svg, wholeBox(width, 92), axis, yAxis);
  const timed = (values) => values.map((value, look) => [T(times[look]), value]);
  const least = timed(bounds.map(([lower]) => lower));
  const most = timed(bounds.map(([, upper]) => upper));
  svg.append(
    element("path", { d: route(chart, [...most.toReversed(), ...least]), class: "ns-band" }),
  );
  for (const side of [least, most]) curve(chart, side, { class: "ns-theory" });
  curve(chart, timed(run), { class: "ns-line ns-run" });
  labels(chart, [
    { y: chart.Y(run.at(-1)), say: "this run", kind: "ns-runname" },
    { y: chart.Y(most.at(-1)[1]), say: "theory, most", kind: "" },
    { y: chart.Y(least.at(-1)[1]), say: "theory, least", kind: "" },
  ]);
  const move = cursor(chart, T);
  const tenTo = (x) => (x < 5 ? number(10 ** x) : `10 to the ${Math.round(x)}`);
  const update = (look) => {
    move(times[look]);
    const [lower, upper] = bounds[look].map(tenTo);
    const what = `Line: growth χ of ${name}, at step ${times[look]}: this run ${tenTo(run[look])}`;
    describe(svg, `${what}, Theorem 3's bounds with the paper's drive ${lower} and ${upper}.`);
  };
  return { svg, update };
}

/** The decoder: loss above, probabilities below. */
function decoderView(lab, width) {
  const { decoder } = lab;
  const { times, losses } = lab.path;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const timed = (values) => values.map((value, look) => [T(times[look]), value]);
  const box = wholeBox(width, 78);
  const half = HEIGHT / 2 - 20;
  const upperBox = { ...box, height: half + 26 };
  const lowerBox = { ...box, y: half + 4, height: HEIGHT - half - 4 };
  const lossAxis = { low: 0, high: 1.05 * Math.max(...losses), title: "loss" };
  const oddsAxis = { low: 0, high: 1, title: "probability" };
  const loss = frame(svg, upperBox, { ...axis, title: null }, lossAxis);
  const odds = frame(svg, lowerBox, axis, oddsAxis);
  curve(loss, timed(losses), { class: "ns-line ns-run" });
  labels(loss, [{ y: loss.Y(losses.at(-1)), say: "this run", kind: "ns-runname" }]);
  const kinds = [
    ["own", "ns-distinct", "right"],
    ["leaked", "ns-common", "leaked"],
  ];
  for (const [key, kind] of kinds) {
    curve(odds, timed(decoder.map((answer) => answer[key])), { class: `ns-line ${kind}` });
  }
  const ends = kinds.map(([key, kind, say]) => ({ y: odds.Y(decoder.at(-1)[key]), say, kind }));
  labels(odds, ends);
  const moves = [loss, odds].map((chart) => cursor(chart, T));
  const update = (look) => {
    for (const move of moves) move(times[look]);
    const { own, leaked } = decoder[look];
    const right = `the right answer has probability ${number(own)}`;
    const others = `the answers of other classes ${number(leaked)}`;
    describe(
      svg,
      `Lines: at step ${times[look]} the loss is ${number(losses[look])}, ${right}, ${others}.`,
    );
  };
  return { svg, update };
}

/** What the button of a picture says, and what draws it. */
export const PICTURES = {
  attention: { label: "Attention", draw: attentionView },
  logits: { label: "Logits", draw: logitsView },
  speed: { label: "Speed", draw: speedView },
  growth: { label: "Growth χ", draw: growthView },
  decoder: { label: "Decoder", draw: decoderView },
};
