// The five pictures.  Each is { svg, update }: it is drawn anew when a setting changes, `update`
// follows the time slider.  What this run did is seen up to now, what theory says to the end.

import { element, line } from "../shared/elements.js";
import {
  HEIGHT,
  cursor,
  curtain,
  curve,
  frame,
  labels,
  phases,
  picture,
  route,
  timeAxis,
  timeBox,
  wholeBox,
} from "./charts.js";
import { number } from "./words.js";

const ORDER = ["common", "distinct", "shared"]; // of the bars
const ROOM_FOR_NAME = 26; // pixels
const ROOM_FOR_SHARED = 56; // its name is a word
const ROOM_FOR_GROUP = 180;
const THIN = 6; // lines of one kind beyond which all but the first are thin

const extremes = (values) => [Math.min(...values), Math.max(...values)];
const describe = (svg, words) => svg.setAttribute("aria-label", words);
const classOf = ({ classes: { kinds } }, token) => `ns-${kinds[token]}`;

/** A striped filling: neither common nor distinct, so both colours. */
const stripes = (x, y, width, height) => {
  const bars = [];
  for (let at = 0; at < height; at += 12) {
    const size = { x, y: y + at, width, height: Math.min(6, height - at) };
    bars.push(element("rect", { ...size, class: "ns-bar ns-common" }));
  }
  return bars;
};

/** Bars of attention of one class, a tick where each began. */
function attentionView(lab, width) {
  const { classes, n, attention } = lab;
  const { tokensOf, kinds, names } = classes;
  const svg = picture(width);
  const rank = (token) => ORDER.indexOf(kinds[token]);
  const tokens = tokensOf[n].toSorted((a, b) => rank(a) - rank(b) || a - b);
  const largest = Math.max(...attention.flatMap((rows) => tokens.map((token) => rows[n][token])));
  const title = `attention of class ${n + 1}, %`;
  const yAxis = { low: 0, high: Math.min(100, 100 * (1.08 * largest)), title };
  const { left, right, bottom, Y } = frame(svg, wholeBox(width, 8), { low: 0, high: 1 }, yAxis);
  const lane = (right - left) / tokens.length;
  const thickness = Math.min(72, lane * 0.72);

  const bars = tokens.map((token, i) => {
    const middle = left + lane * (i + 0.5);
    const edge = middle - thickness / 2;
    const bar = element("rect", {
      x: edge,
      width: thickness,
      class: `ns-bar ${classOf(lab, token)}`,
    });
    const striped = element("g");
    const start = Y(100 * attention[0][n][token]);
    svg.append(
      bar,
      striped,
      line(edge - 3, start, edge + thickness + 3, start, { class: "ns-start" }),
    );
    if (lane > (kinds[token] === "shared" ? ROOM_FOR_SHARED : ROOM_FOR_NAME)) {
      svg.append(
        element("text", { x: middle, y: bottom + 17, class: "ns-mid", say: names[token] }),
      );
    }
    return (shares) => {
      const top = Y(100 * shares[token]);
      const height = Math.max(0, bottom - top);
      bar.setAttribute("y", top.toFixed(1));
      bar.setAttribute("height", height.toFixed(1));
      if (kinds[token] === "shared") {
        striped.replaceChildren(...stripes(edge, top, thickness, height));
      }
    };
  });
  for (const kind of ORDER) {
    const places = [...tokens.keys()].filter((i) => kinds[tokens[i]] === kind);
    if (!places.length || (kind === "shared" && lane > ROOM_FOR_SHARED)) continue;
    const roomy = places.length * lane > ROOM_FOR_GROUP && kind === "distinct";
    const x = left + (lane * (places[0] + places.at(-1) + 1)) / 2;
    const say = roomy ? "distinct: rare to frequent" : kind;
    const anchor = kind === "shared" ? { x: right, class: "ns-end" } : { x, class: "ns-mid" };
    const place = { x: anchor.x, y: bottom + 34, class: `${anchor.class} ns-name ns-${kind}` };
    svg.append(element("text", { ...place, say }));
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
  const chart = frame(svg, timeBox(width, 108), axis, yAxis);
  svg.append(line(chart.left, chart.Y(0), chart.right, chart.Y(0), { class: "ns-axis" }));
  const turn = phases(chart, T, lab);
  const { into, follow } = curtain(chart, T);
  const thin = distinctOf[n].length > THIN ? "ns-thin" : "";
  tokens.forEach((token, i) => {
    const points = logits[i].map((logit, look) => [T(times[look]), logit]);
    const weight = token === top || token === shared ? "" : thin;
    curve(chart, points, { class: `ns-line ${classOf(lab, token)} ${weight}` }, into);
  });
  const rarest = distinctOf[n].reduce((best, token) => (P[n][token] < P[n][best] ? token : best));
  const label = (token, say) => ({
    at: (look) => lab.logit(look, token),
    say,
    kind: classOf(lab, token),
  });
  const { common } = settings;
  const named = [
    label(top, `${names[top]}, frequent`),
    rarest !== top && label(rarest, `${names[rarest]}, rare`),
    common && label(0, common > 1 ? `common ×${common}` : "c1, common"),
    tokens.includes(shared) && label(shared, "shared"),
  ];
  const name = labels(chart, named.filter(Boolean));
  const move = cursor(chart, T);
  const update = (look) => {
    for (const act of [move, follow, turn]) act(times[look]);
    name(look);
    const said = tokens.map((token) => `${names[token]} ${number(lab.logit(look, token), 2)}`);
    describe(svg, `Lines: logits of class ${n + 1} up to step ${times[look]}: ${said.join(", ")}.`);
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
  const { marks, snap, path } = lab;
  if (!snap) return stillView(width);
  const svg = picture(width);
  const log = lab.axis === "log";
  const { axis, T } = timeAxis(lab);
  const V = (speed) => {
    if (!log) return speed;
    return speed > 0 ? Math.log10(speed) : NaN;
  };
  const seen = path.times.filter((time) => time < path.speeds.length);
  const times = [...new Set([...seen, snap.peak])].sort((a, b) => a - b);
  const run = times
    .map((time) => [time, lab.speed(time)])
    .filter(([, speed]) => speed > snap.speed * 1e-7);
  const strongest = lab.drive(marks.snap);
  const scaled = (time) => (lab.drive(time) / strongest) * snap.speed;
  const theory = times.filter((time) => time > 0).map((time) => [time, scaled(time)]);
  const visible = [...run, ...theory].filter(([time]) => !log || time > 0);
  const [low, high] = extremes(visible.map(([, speed]) => Math.log10(speed)));
  const yAxis = log
    ? { low: low - 0.1, high: high + 0.15, log, title: "attention moved per step, log scale" }
    : { low: 0, high: 1.05 * snap.speed, log, title: "attention moved per step" };
  const chart = frame(svg, timeBox(width, 72), axis, yAxis);
  markBand(chart, axis, T, marks.scan);
  const turn = phases(chart, T, lab);
  const drawn = (points) => points.map(([time, speed]) => [T(time), V(speed)]);
  curve(chart, drawn(theory), { class: "ns-theory" });
  const { into, follow } = curtain(chart, T);
  curve(chart, drawn(run), { class: "ns-line ns-run" }, into);
  const name = labels(chart, [
    { at: (look) => V(lab.speed(path.times[look])), say: "this run", kind: "ns-runname" },
    { at: () => V(theory.at(-1)[1]), say: "theory γ", kind: "" },
  ]);
  const move = cursor(chart, T);
  const update = (look) => {
    const time = path.times[look];
    for (const act of [move, follow, turn]) act(time);
    name(look);
    const now = `Line: attention moves by ${number(lab.speed(time))} per step at step ${time}`;
    const past = time > snap.peak ? `; it was fastest at step ${snap.peak}` : "";
    const drive = "Dotted: theory's drive γ, scaled to the same height, with its peak at";
    describe(svg, `${now}${past}. ${drive} ${number(marks.snap)}.`);
  };
  return { svg, update };
}

/** The paper's turn from scanning to snapping, K ln M/η_Y to twice that, as a band. */
function markBand({ X, top, bottom, left, right, svg }, axis, T, scan) {
  const inside = (time) =>
    Math.max(left, Math.min(right, X(Math.max(axis.low, T(time) || axis.low))));
  const x = inside(scan);
  const size = { x, y: top, width: Math.max(0, inside(2 * scan) - x), height: bottom - top };
  svg.prepend(element("rect", { ...size, class: "ns-band" }));
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
  const yAxis = { low, high, log: true, title: `growth χ of ${name}, log scale` };
  const chart = frame(svg, timeBox(width, 100), axis, yAxis);
  const timed = (values) => values.map((value, look) => [T(times[look]), value]);
  const least = timed(bounds.map(([lower]) => lower));
  const most = timed(bounds.map(([, upper]) => upper));
  svg.append(
    element("path", { d: route(chart, [...most.toReversed(), ...least]), class: "ns-band" }),
  );
  for (const side of [least, most]) curve(chart, side, { class: "ns-theory" });
  const turn = phases(chart, T, lab);
  const { into, follow } = curtain(chart, T);
  curve(chart, timed(run), { class: "ns-line ns-run" }, into);
  const place = labels(chart, [
    { at: (look) => run[look], say: "this run", kind: "ns-runname" },
    { at: () => most.at(-1)[1], say: "theory, most", kind: "" },
    { at: () => least.at(-1)[1], say: "theory, least", kind: "" },
  ]);
  const move = cursor(chart, T);
  const tenTo = (x) => (x < 5 ? number(10 ** x) : `10 to the ${Math.round(x)}`);
  const update = (look) => {
    for (const act of [move, follow, turn]) act(times[look]);
    place(look);
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
  const box = timeBox(width, 78);
  const half = HEIGHT / 2;
  const upperBox = { ...box, height: half + 22 };
  const lowerBox = { ...wholeBox(width, 78), y: half, height: HEIGHT - half };
  const lossAxis = { low: 0, high: 1.05 * Math.max(...losses), title: "loss" };
  const oddsAxis = { low: 0, high: 1, title: "probability" };
  const loss = frame(svg, upperBox, { ...axis, title: null }, lossAxis);
  const odds = frame(svg, lowerBox, axis, oddsAxis);
  const turn = phases({ ...loss, bottom: odds.bottom }, T, lab);
  const { into, follow } = curtain(loss, T);
  curve(loss, timed(losses), { class: "ns-line ns-run" }, into);
  const kinds = [
    ["own", "ns-distinct", "right"],
    ["leaked", "ns-common", "leaked"],
  ];
  for (const [key, kind] of kinds) {
    curve(odds, timed(decoder.map((answer) => answer[key])), { class: `ns-line ${kind}` }, into);
  }
  const names = [
    labels(loss, [{ at: (look) => losses[look], say: "this run", kind: "ns-runname" }]),
    labels(
      odds,
      kinds.map(([key, kind, say]) => ({ at: (look) => decoder[look][key], say, kind })),
    ),
  ];
  const moves = [loss, odds].map((chart) => cursor(chart, T));
  const update = (look) => {
    for (const act of [...moves, follow, turn]) act(times[look]);
    for (const name of names) name(look);
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

const TURN = "◆ theory's turn from scan to snap, ● this run's, once it is reached.";
const SHARED = "Striped: the shared token, which two classes have.";

/** What the button of a picture says, what draws it, and what one sees. */
export const PICTURES = {
  attention: {
    label: "Attention",
    draw: attentionView,
    about: ({ n, classes: { shared, P } }) =>
      [
        `Bars: how class ${n + 1} spreads its attention over its tokens; tick: where a bar began.`,
        "Grey: common tokens, which every class has. Blue: distinct tokens, of this class alone.",
        shared >= 0 && P[n][shared] > 0 && SHARED,
      ]
        .filter(Boolean)
        .join(" "),
  },
  logits: {
    label: "Logits",
    draw: logitsView,
    about: ({ settings: { common } }) =>
      [
        "Attention is frequency × e^z, shared out to 100%: above 0 a token gains, below it loses.",
        common > 1 && `Common ×${common}: ${common} equal lines lie on one another.`,
        TURN,
      ]
        .filter(Boolean)
        .join(" "),
  },
  speed: {
    label: "Speed",
    draw: speedView,
    about: () =>
      "How much attention changes its place in one step. " +
      `Dotted: theory's drive γ, scaled to the same height. ${TURN}`,
  },
  growth: {
    label: "Growth χ",
    draw: growthView,
    about: ({ n, classes: { names, top } }) =>
      `χ = e^(2·rise of its logit): by this factor the lead of ${names[top[n]]} over rarer ` +
      `tokens grows, in theory. Band: what Theorem 3 allows. ${TURN}`,
  },
  decoder: {
    label: "Decoder",
    draw: decoderView,
    about: () =>
      "Above: the loss. Below: the probability of the right next token, " +
      `and what leaks to the other classes', mean over classes. ${TURN}`,
  },
};
