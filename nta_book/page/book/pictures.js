// Pictures.  A panel is { kind: "plotly", alt, figure }, { kind: "svg", alt, svg } or
// { kind: "panels", columns, items }, the items being panels.

import { boxIn, fail, payload } from "./boxes.js";
import { withMotion } from "./motion.js";
import { loadScript } from "./scripts.js";
import { turn } from "./slices.js";
import { inPageColours, template } from "./template.js";
import { isTouched, keepLetters, offerZoom } from "./touch.js";

const DRAW = { panels: drawPanels, svg: drawSvg, plotly: drawPlot };
const drawings = new Map(); // element -> the panel it shows, to draw it again in other colours
const slots = new WeakMap(); // element -> the drawing at work on it

/** Draw or update a picture.  A fast hand queues up nothing: after one redraw comes the newest. */
export function drawPanel(el, panel) {
  const atWork = slots.get(el);
  if (atWork) {
    atWork.next = panel;
    return atWork.done;
  }
  const slot = { next: panel };
  slots.set(el, slot);
  slot.done = drawAllOf(el, slot);
  return slot.done;
}

async function drawAllOf(el, slot) {
  try {
    while (slot.next) {
      const current = slot.next;
      slot.next = null;
      await drawNow(el, current);
    }
    el.querySelector(":scope > .nta-error")?.remove();
    el.dataset.state = "drawn";
  } catch (error) {
    fail(el, "This picture could not be drawn", error);
  } finally {
    slots.delete(el);
  }
}

async function drawNow(el, panel) {
  if (el.dataset.kind !== panel.kind) clear(el);
  el.dataset.kind = panel.kind;
  if (!(panel.kind in DRAW)) throw new Error(`unknown kind of picture: ${panel.kind}`);
  if (panel.kind !== "panels") drawings.set(el, panel);
  await DRAW[panel.kind](el, panel);
}

function clear(el) {
  for (const plot of el.querySelectorAll(".nta-plot")) globalThis.Plotly?.purge(plot);
  for (const child of [...el.children]) {
    if (!child.matches("script, noscript, figcaption")) child.remove();
  }
}

function drawSvg(el, { alt, svg }) {
  const box = boxIn(el, "nta-drawing");
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", alt);
  withMotion(box, () => {
    box.innerHTML = svg;
  });
  keepLetters(box);
}

async function drawPlot(el, { alt, figure: { data, layout } }) {
  await loadScript("plotly.min.js", () => globalThis.Plotly);
  const { Plotly } = globalThis;
  const plot = boxIn(el, "nta-plot");
  // Not role=img: the plot holds buttons.  The group around it carries the description.
  plot.setAttribute("role", "group");
  plot.setAttribute("aria-label", alt);
  // Often only a marker of "now" moves: then the curves need not be drawn again.
  const { shapes = [], meta, ...lasting } = layout;
  const curves = JSON.stringify([data, lasting, document.documentElement.dataset.theme]);
  if (plot.ntaCurves === curves) {
    await Plotly.relayout(plot, { shapes: inPageColours(shapes) });
    return;
  }
  if (!plot.ntaCurves) await turn(); // plotly needs long for its first drawing
  plot.style.height = `${layout.height || 420}px`;
  const look = template(Boolean(layout.title?.text));
  const byTouch = isTouched();
  const dress = { ...inPageColours(layout), width: undefined, autosize: true, template: look };
  if (byTouch) dress.dragmode = false; // a finger that scrolls the page must not zoom the plot
  await Plotly.react(plot, inPageColours(data), dress, {
    responsive: true,
    displaylogo: false,
    showSendToCloud: false, // plotly.js 4 offers to upload figures
    displayModeBar: matchMedia("(hover: none)").matches ? false : "hover",
    modeBarButtonsToRemove: ["lasso2d", "select2d"],
  });
  plot.ntaCurves = curves;
  if (byTouch) offerZoom(plot);
}

async function drawPanels(el, { columns, items }) {
  const grid = boxIn(el, "nta-panels");
  grid.style.setProperty("--nta-columns", columns || items.length);
  while (grid.children.length > items.length) grid.lastElementChild.remove();
  while (grid.children.length < items.length) {
    grid.append(Object.assign(document.createElement("div"), { className: "nta-panel" }));
  }
  await Promise.all(items.map((item, i) => drawNow(grid.children[i], item)));
}

/** The panel of a figure that is too large for its page. */
async function largePanel({ dataset: { panel } }) {
  await loadScript(`states/${panel}.js`);
  return globalThis.ntaStates[panel];
}

/** Draw a figure of the page. */
export async function drawFigure(figure) {
  try {
    // What the page carries is drawn within this turn: a browser that prints does not wait.
    await drawPanel(figure, figure.dataset.panel ? await largePanel(figure) : payload(figure));
  } catch (error) {
    fail(figure, "This picture could not be drawn", error);
  }
}

/** Let go of a figure that is taken away: plotly listens to the window for each of its charts. */
export async function letGo(el) {
  await slots.get(el)?.done; // what is at work would go on
  for (const plot of el.querySelectorAll(".nta-plot")) globalThis.Plotly?.purge(plot);
  for (const drawn of drawings.keys()) if (el.contains(drawn)) drawings.delete(drawn);
}

/** Draw the plots again in the colours of the theme; drawings take theirs from the style sheet. */
export function followTheme() {
  for (const [el, panel] of drawings) {
    if (!el.isConnected) drawings.delete(el);
    else if (panel.kind === "plotly") drawPanel(el, panel);
  }
}
