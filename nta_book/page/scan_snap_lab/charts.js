// Axes, lines and labels: what every picture is drawn with.

import { element, line } from "../shared/elements.js";
import { number } from "./words.js";

const EXPONENT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
const tenTo = (k) =>
  k >= -3 && k <= 3
    ? String(+`1e${k}`)
    : `10${k < 0 ? "⁻" : ""}${[...String(Math.abs(k))].map((d) => EXPONENT[d]).join("")}`;

/** Marks of an axis as [value, label]; on a log axis values are powers of ten. */
export function ticks(low, high, log, count) {
  if (log) {
    const first = Math.ceil(low - 1e-9);
    const last = Math.floor(high + 1e-9);
    const stride = Math.max(1, Math.ceil((last - first) / count));
    const marks = [];
    for (let k = first; k <= last; k += stride) marks.push([k, tenTo(k)]);
    if (marks.length < 2) {
      for (const m of [2, 5]) {
        for (let k = Math.floor(low); k <= last; k++) {
          const v = k + Math.log10(m);
          if (v > low && v < high) {
            marks.push([v, Math.abs(k) > 3 ? `${m}·${tenTo(k)}` : number(m * 10 ** k)]);
          }
        }
      }
    }
    return marks;
  }
  const rough = (high - low) / count;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((m) => m * unit >= rough) * unit;
  const marks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    marks.push([i * step, number(i * step)]);
  }
  return marks;
}

/**
 * An empty picture with its two axes: { low, high, log, title }.  On a log axis all values are log10.
 * `box` is the place of the picture inside the svg.
 */
export function frame(svg, box, x, y) {
  const left = box.x + 44;
  const right = box.x + box.width - box.margin;
  const top = box.y + 20;
  const bottom = box.y + box.height - 36;
  const X = (v) => left + ((right - left) * (v - x.low)) / (x.high - x.low || 1);
  const Y = (v) => bottom - ((bottom - top) * (v - y.low)) / (y.high - y.low || 1);
  for (const [v, say] of ticks(y.low, y.high, y.log, Math.max(2, (bottom - top) / 44))) {
    svg.append(
      line(left, Y(v), right, Y(v), { class: "ns-grid" }),
      element("text", { x: left - 5, y: Y(v) + 4, class: "ns-end", say }),
    );
  }
  for (const [v, say] of x.title
    ? ticks(x.low, x.high, x.log, Math.max(2, (right - left) / 80))
    : []) {
    svg.append(
      line(X(v), bottom, X(v), bottom + 4, { class: "ns-axis" }),
      element("text", { x: X(v), y: bottom + 16, class: "ns-mid", say }),
    );
  }
  svg.append(
    line(left, bottom, right, bottom, { class: "ns-axis" }),
    element("text", { x: box.x + 2, y: box.y + 11, class: "ns-title", say: y.title }),
    element("text", { x: right, y: bottom + 31, class: "ns-end ns-title", say: x.title ?? "" }),
  );
  return { X, Y, left, right, top, bottom, svg };
}

const place = (v) => v.toFixed(1);
/** A line through [x, y] pairs; pairs outside the numbers are left out. */
export function curve({ X, Y, svg }, points, props) {
  const path = element("path", { d: route({ X, Y }, points), fill: "none", ...props });
  svg.append(path);
  return path;
}
export const route = ({ X, Y }, points) =>
  points
    .filter(([a, b]) => Number.isFinite(a) && Number.isFinite(b))
    .map(([a, b], i) => `${i ? "L" : "M"}${place(X(a))} ${place(Y(b))}`)
    .join("");

/** Names beside the ends of lines, moved apart where they would cover each other. */
export function labels({ right, top, bottom, svg }, list) {
  const sorted = list.toSorted((a, b) => a.y - b.y);
  let free = top - 8;
  for (const item of sorted) free = (item.at = Math.max(item.y, free)) + 14;
  free = bottom + 4;
  for (const item of sorted.toReversed()) free = (item.at = Math.min(item.at, free)) - 14;
  for (const { at, say, kind } of sorted) {
    svg.append(element("text", { x: right + 5, y: at + 4, class: `ns-name ${kind}`, say }));
  }
}
