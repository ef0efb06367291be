// Pictures on a small screen, plots under a finger.  One finger scrolls the page and its tap shows
// a value, so looking closer has a button, and two fingers; a second button shows the whole plot.

import { button, element } from "../shared/elements.js";

const CLOSER = 2; // times, for each press
const AXIS = /^[xy]axis\d*$/;
const MIDDLE = { x: 0.5, y: 0.5 };
const touched = matchMedia("(any-pointer: coarse)");

/** Whether fingers may touch this screen, beside a mouse or instead of one. */
export const isTouched = () => touched.matches;

/** Tell the style sheet how wide a drawing is, so that on a phone its letters stay legible. */
export function keepLetters(drawing) {
  const svg = drawing.querySelector("svg");
  if (svg) svg.style.setProperty("--nta-drawn", `${svg.viewBox.baseVal.width}px`);
}

/** The ranges of all axes, by name; a range is linear in what is drawn, also on a log axis. */
const ranges = (plot) =>
  Object.fromEntries(
    Object.entries(plot.layout)
      .filter(([name, axis]) => AXIS.test(name) && axis?.range && !axis.fixedrange)
      .map(([name, { range }]) => [name, range.map(Number)]),
  );

/** Where in its panel a point of the screen lies: shares of width and height, from the left. */
function placeOf(plot, { clientX, clientY }) {
  for (const panel of plot.querySelectorAll(".nsewdrag")) {
    const { left, right, top, bottom, width, height } = panel.getBoundingClientRect();
    if (clientX >= left && clientX <= right && clientY >= top && clientY <= bottom) {
      return { x: (clientX - left) / width, y: (bottom - clientY) / height };
    }
  }
  return MIDDLE;
}

const show = (plot, shown) =>
  globalThis.Plotly.relayout(
    plot,
    Object.fromEntries(Object.entries(shown).map(([name, range]) => [`${name}.range`, range])),
  );

/** Show a part of what `from` shows, `times` closer: what was at `from.at` comes to `to`. */
function look(plot, from, times, to = from.at) {
  const part = ([name, [low, high]]) => {
    const width = (high - low) / times;
    const start = low + (high - low) * from.at[name[0]] - width * to[name[0]];
    return [name, [start, start + width]];
  };
  return show(plot, Object.fromEntries(Object.entries(from.ranges).map(part)));
}

const between = ([one, other]) => ({
  clientX: (one.clientX + other.clientX) / 2,
  clientY: (one.clientY + other.clientY) / 2,
});
const apart = ([one, other]) =>
  Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) || 1;

/** Two fingers look closer and move the plot; the page stays where it is. */
function followFingers(plot, closeUp) {
  let start = null;
  let busy = false;
  const move = async (event) => {
    if (!start || event.touches.length !== 2) return;
    event.preventDefault();
    if (busy) return; // drawing again takes longer than a finger
    busy = true;
    const times = Math.max(1 / CLOSER, apart(event.touches) / start.width);
    await closeUp(start, times, placeOf(plot, between(event.touches)));
    busy = false;
  };
  plot.addEventListener("touchstart", ({ touches }) => {
    plot.removeEventListener("touchmove", move);
    start = null;
    if (touches.length !== 2) return;
    start = { ranges: ranges(plot), at: placeOf(plot, between(touches)), width: apart(touches) };
    plot.addEventListener("touchmove", move, { passive: false });
  });
}

/** Put the buttons below a plot, once; a plot that was drawn anew is whole. */
export function offerZoom(plot) {
  if (plot.ntaIsWhole) {
    plot.ntaIsWhole();
    return;
  }
  let whole = null; // the ranges before one looked closer
  let tapped = MIDDLE;
  const closeUp = (...view) => {
    whole ??= ranges(plot);
    back.hidden = false;
    return look(plot, ...view);
  };
  const closer = button("+ Look closer", () =>
    closeUp({ ranges: ranges(plot), at: tapped }, CLOSER),
  );
  const back = button("↺ Whole plot", () => {
    closer.focus({ preventScroll: true }); // this button goes
    show(plot, whole);
    plot.ntaIsWhole();
  });
  plot.ntaIsWhole = () => {
    whole = null;
    tapped = MIDDLE;
    back.hidden = true;
  };
  const name = plot.getAttribute("aria-label");
  const row = element("div", { class: "nta-zoom nta-no-print", role: "group", "aria-label": name });
  row.append(back, closer);
  row.hidden = !Object.keys(ranges(plot)).length;
  plot.after(row);
  plot.addEventListener("pointerup", (event) => {
    tapped = placeOf(plot, event);
  });
  followFingers(plot, closeUp);
  plot.ntaIsWhole();
}
