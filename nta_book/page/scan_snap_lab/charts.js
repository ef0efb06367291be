// Axes, lines and labels: what every picture is drawn with.

import { element, line } from "../shared/elements.js";
import { number } from "./words.js";

export const HEIGHT = 310;
const LABEL_HEIGHT = 16;
const DIAMOND = 5.5; // half the width of theory's mark
const ROOM_FOR_PHASE = 34; // pixels
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** A power of ten, in full while it is short. */
function tenTo(exponent) {
  if (Math.abs(exponent) <= 3) return String(Number(`1e${exponent}`));
  const digits = [...String(Math.abs(exponent))].map((digit) => SUPERSCRIPT[digit]);
  return `10${exponent < 0 ? "⁻" : ""}${digits.join("")}`;
}

/** Marks of a log axis: powers of ten, or 2 and 5 times them where there is hardly one. */
function logTicks(low, high, count) {
  const first = Math.ceil(low - 1e-9);
  const last = Math.floor(high + 1e-9);
  const stride = Math.max(1, Math.ceil((last - first) / count));
  const marks = [];
  for (let k = first; k <= last; k += stride) marks.push([k, tenTo(k)]);
  if (marks.length > 1) return marks;
  for (const times of [2, 5]) {
    for (let k = Math.floor(low); k <= last; k++) {
      const value = k + Math.log10(times);
      const say = Math.abs(k) > 3 ? `${times}·${tenTo(k)}` : number(times * 10 ** k);
      if (value > low && value < high) marks.push([value, say]);
    }
  }
  return marks;
}

/** Marks of a linear axis, at round steps. */
function linearTicks(low, high, count) {
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((times) => times * unit >= rough) * unit;
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    marks.push([i * step, number(i * step)]);
  }
  return marks;
}

/** Marks of an axis as [value, label]; on a log axis values are powers of ten. */
const ticks = ({ low, high, log }, count) => (log ? logTicks : linearTicks)(low, high, count);

/** An empty picture. */
export const picture = (width) =>
  element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img" });

/** The place of a chart that fills the picture, with room for labels on its right. */
export const wholeBox = (width, margin) => ({ y: 0, width, height: HEIGHT, margin });

/** The same for a chart over time: above it stand the names of the phases. */
export const timeBox = (width, margin) => ({ ...wholeBox(width, margin), head: 42 });

/**
 * An empty chart with its two axes { low, high, log, title }; a log axis takes values as log10, and
 * a time axis without a title has no marks.  Returns its edges and how values are put on it.
 */
export function frame(svg, box, xAxis, yAxis) {
  const left = 52;
  const right = box.width - box.margin;
  const top = box.y + (box.head ?? 22);
  const bottom = box.y + box.height - 40;
  const part = (value, { low, high }) => (value - low) / (high - low || 1);
  const X = (value) => left + (right - left) * part(value, xAxis);
  const Y = (value) => bottom - (bottom - top) * part(value, yAxis);
  for (const [value, say] of ticks(yAxis, Math.max(2, (bottom - top) / 44))) {
    svg.append(
      line(left, Y(value), right, Y(value), { class: "ns-grid" }),
      element("text", { x: left - 5, y: Y(value) + 4, class: "ns-end", say }),
    );
  }
  const xTicks = xAxis.title ? ticks(xAxis, Math.max(2, (right - left) / 80)) : [];
  for (const [value, say] of xTicks) {
    svg.append(
      line(X(value), bottom, X(value), bottom + 4, { class: "ns-axis" }),
      element("text", { x: X(value), y: bottom + 18, class: "ns-mid", say }),
    );
  }
  const xTitle = xAxis.title ?? "";
  svg.append(
    line(left, bottom, right, bottom, { class: "ns-axis" }),
    element("text", { x: 2, y: box.y + 12, class: "ns-title", say: yAxis.title }),
    element("text", { x: right, y: bottom + 35, class: "ns-end ns-title", say: xTitle }),
  );
  return { X, Y, left, right, top, bottom, svg };
}

/** The time axis of the reader's choice, and how a time is put on it. */
export function timeAxis({ axis, path: { times } }, first = 1) {
  const last = Math.max(times.at(-1), 2);
  if (axis !== "log") {
    return { axis: { low: 0, high: last, log: false, title: "step" }, T: (time) => time };
  }
  return {
    axis: {
      low: Math.log10(first),
      high: Math.log10(last),
      log: true,
      title: "step, log scale",
    },
    T: (time) => (time < first ? NaN : Math.log10(time)),
  };
}

/** A line that stands where the time slider stands; returns what moves it. */
export function cursor({ X, top, bottom, svg }, T) {
  const now = line(0, top, 0, bottom, { class: "ns-now" });
  svg.append(now);
  return (time) => {
    const x = X(T(time));
    const seen = Number.isFinite(x);
    now.setAttribute("visibility", seen ? "visible" : "hidden");
    if (seen) now.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
  };
}

/** The path through [x, y] pairs; pairs that are no numbers are left out. */
export function route({ X, Y }, points) {
  const places = points
    .filter((point) => point.every(Number.isFinite))
    .map(([x, y]) => `${X(x).toFixed(1)} ${Y(y).toFixed(1)}`);
  return places.length ? `M${places.join("L")}` : "";
}

/** Draw a line through [x, y] pairs, into the picture or a part of it. */
export function curve(chart, points, properties, into = chart.svg) {
  const d = route(chart, points);
  into.append(element("path", { d, fill: "none", ...properties }));
}

/** Theory's mark. */
export const diamond = (x, y) =>
  element("path", {
    d: `M${x} ${y - DIAMOND}l${DIAMOND} ${DIAMOND}l${-DIAMOND} ${DIAMOND}l${-DIAMOND} ${-DIAMOND}z`,
    class: "ns-diamond",
  });

/**
 * Name the two phases above a chart: theory's turn from scan to snap as a diamond on a dashed
 * line, this run's as a dot on a line that appears when it is reached.  Returns what follows time.
 */
export function phases({ X, left, right, top, bottom, svg }, T, { marks, snap, path }) {
  const y = top - 10;
  const inside = (time) => {
    const place = T(time);
    return Number.isFinite(place) ? Math.max(left, Math.min(right, X(place))) : left;
  };
  const turn = inside(marks.snap);
  const word = (from, to, say) =>
    to - from > ROOM_FOR_PHASE &&
    svg.append(element("text", { x: (from + to) / 2, y: y + 4, class: "ns-mid ns-phase", say }));
  word(left, turn - DIAMOND, "scan");
  word(turn + DIAMOND, right, "snap");
  if (marks.snap <= path.times.at(-1)) {
    svg.append(line(turn, y, turn, bottom, { class: "ns-theory" }), diamond(turn, y));
  }
  if (!snap) return () => {};
  const x = inside(snap.peak);
  const measured = element(
    "g",
    null,
    line(x, top, x, bottom, { class: "ns-turn" }),
    element("circle", { cx: x, cy: bottom, r: 5, class: "ns-dot" }),
  );
  svg.append(measured);
  return (time) => measured.setAttribute("visibility", time > snap.peak ? "visible" : "hidden");
}

/**
 * A part of the picture that ends where the time slider stands: what is drawn into `into` is seen
 * up to now.
 */
export function curtain({ X, left, svg }, T) {
  const into = element("svg", { x: 0, y: 0, width: 0, height: HEIGHT });
  svg.append(into);
  const follow = (time) => {
    const x = X(T(time));
    into.setAttribute("width", Number.isFinite(x) ? (x + 1).toFixed(1) : left);
  };
  return { into, follow };
}

/** Places of labels, moved apart where they would overlap. */
function apart(heights, top, bottom) {
  const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b]);
  const places = [...heights];
  let free = top - 4;
  for (const i of order) {
    places[i] = Math.max(places[i], free);
    free = places[i] + LABEL_HEIGHT;
  }
  free = bottom + 4;
  for (const i of order.toReversed()) {
    places[i] = Math.min(places[i], free);
    free = places[i] - LABEL_HEIGHT;
  }
  return places;
}

/**
 * Names { say, kind, at } beside a chart, each at the height of its line at a look: `at(look)` is
 * its value.  Returns what follows time.
 */
export function labels({ Y, right, top, bottom, svg }, list) {
  const texts = list.map(({ say, kind }) =>
    element("text", { x: right + 6, class: `ns-name ${kind}`, say }),
  );
  svg.append(...texts);
  return (look) => {
    const heights = list.map(({ at }) => {
      const y = Y(at(look));
      return Number.isFinite(y) ? y : bottom;
    });
    apart(heights, top, bottom).forEach((y, i) => texts[i].setAttribute("y", (y + 4).toFixed(1)));
  };
}
