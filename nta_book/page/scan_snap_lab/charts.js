// Axes, lines and labels: what every picture is drawn with.

import { element, line } from "../shared/elements.js";
import { number } from "./words.js";

export const HEIGHT = 320;
const LABEL_HEIGHT = 14;
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

/**
 * An empty chart with its two axes { low, high, log, title }; a log axis takes values as log10, and
 * a time axis without a title has no marks.  Returns its edges and how values are put on it.
 */
export function frame(svg, box, xAxis, yAxis) {
  const left = 44;
  const right = box.width - box.margin;
  const top = box.y + 20;
  const bottom = box.y + box.height - 36;
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
      element("text", { x: X(value), y: bottom + 16, class: "ns-mid", say }),
    );
  }
  const xTitle = xAxis.title ?? "";
  svg.append(
    line(left, bottom, right, bottom, { class: "ns-axis" }),
    element("text", { x: 2, y: box.y + 11, class: "ns-title", say: yAxis.title }),
    element("text", { x: right, y: bottom + 31, class: "ns-end ns-title", say: xTitle }),
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

/** Draw a line through [x, y] pairs. */
export function curve(chart, points, properties) {
  const d = route(chart, points);
  chart.svg.append(element("path", { d, fill: "none", ...properties }));
}

/** Names { y, say, kind } beside the ends of lines, moved apart where they would overlap. */
export function labels({ right, top, bottom, svg }, list) {
  const sorted = list.toSorted((a, b) => a.y - b.y);
  const places = sorted.map(({ y }) => y);
  let free = top - 8;
  for (let i = 0; i < places.length; i++) {
    places[i] = Math.max(places[i], free);
    free = places[i] + LABEL_HEIGHT;
  }
  free = bottom + 4;
  for (let i = places.length - 1; i >= 0; i--) {
    places[i] = Math.min(places[i], free);
    free = places[i] - LABEL_HEIGHT;
  }
  sorted.forEach(({ say, kind }, i) => {
    const place = { x: right + 5, y: places[i] + 4 };
    svg.append(element("text", { ...place, class: `ns-name ${kind}`, say }));
  });
}
