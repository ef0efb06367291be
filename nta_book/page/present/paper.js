// The page on paper: everything drawn, unfolded and light, plots as wide as the paper.

import { boxIn } from "../book/boxes.js";
import { loadScript } from "../book/scripts.js";
import { choose } from "./print_choice.js";

const WAITING = ".nta-fig:not([data-state]), .nta-explorer:not([data-state])";
const PARTS = ".nta-fig, .nta-explorer, .nta-widget";
const DRAWN = ["drawn", "error"];
const LATE = "Not drawn yet when this page was printed; print it again and the picture is here.";
const PATIENCE = 20_000; // milliseconds
const page = document.documentElement;

/** Wait until everything is drawn, but not for ever. */
async function untilDrawn() {
  const until = performance.now() + PATIENCE;
  const parts = [...document.querySelectorAll(PARTS)];
  while (!parts.every(({ dataset }) => DRAWN.includes(dataset.state))) {
    if (performance.now() > until) return;
    await new Promise((done) => setTimeout(done, 50));
  }
}

/** Open what is folded, code only where it is asked for; returns what folds it again. */
function unfold() {
  const kept = page.dataset.ntaCode === "all" ? "" : ", .hide";
  const closed = [...document.querySelectorAll(`article details:not([open]${kept})`)];
  for (const el of closed) el.open = true;
  return () => {
    for (const el of closed) el.open = false;
  };
}

/** What a figure shows, in words, for those who do not see it. */
function inWords(el) {
  const words = el.matches(".nta-fig") && el.querySelector("noscript")?.textContent;
  return words ? new DOMParser().parseFromString(words, "text/html").body.textContent : "";
}

/**
 * Put words where a picture may be late, as on a phone, which loads what draws plots when one is
 * seen; the style sheet hides them where it is there in time.  Returns what takes them away.
 */
function excuseLate() {
  const late = [...document.querySelectorAll(PARTS)].filter(
    ({ dataset }) => !DRAWN.includes(dataset.state),
  );
  const notes = late.map((el) => boxIn(el, "nta-late"));
  notes.forEach((note, i) => (note.textContent = `${LATE} ${inWords(late[i])}`));
  return () => notes.forEach((note) => note.remove());
}

/** Plots do not hear of the paper's width: they are told, and told when the screen is back. */
function resizePlots() {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    const { clientWidth, clientHeight } = plot;
    if (clientWidth) {
      globalThis.Plotly.relayout(plot, { width: clientWidth, height: clientHeight });
    }
  }
}

function releasePlots() {
  for (const plot of document.querySelectorAll(".js-plotly-plot")) {
    globalThis.Plotly.relayout(plot, { width: undefined, autosize: true });
  }
}

/** A browser waits for nothing while it prints: what is slow to come must be there before. */
function preparePlots() {
  const waiting = [...document.querySelectorAll(WAITING)];
  const large = waiting.map(({ dataset }) => dataset.panel).filter(Boolean);
  const plots =
    large.length > 0 ||
    waiting.some((el) => el.querySelector("script")?.textContent.includes('"plotly"'));
  if (!plots || !matchMedia("(hover: hover)").matches) return; // phones have better things to do
  const wait = globalThis.requestIdleCallback ?? ((act) => setTimeout(act, 2000));
  const scripts = ["plotly.min.js", ...large.map((name) => `states/${name}.js`)];
  wait(() => scripts.forEach((name) => loadScript(name).catch(() => {})));
}

/** Make the page ready for paper whenever it is printed; `drawAll` starts all that waits. */
export function preparePrinting(drawAll) {
  const print = globalThis.print.bind(globalThis);
  let restore = () => {};
  globalThis.print = async () => {
    if (!(await choose())) return;
    dispatchEvent(new Event("beforeprint")); // what is hidden opens and begins to be drawn
    await untilDrawn();
    print();
  };
  addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey } = event;
    if (key !== "p" || !(ctrlKey || metaKey) || shiftKey || altKey) return;
    event.preventDefault();
    globalThis.print();
  });
  addEventListener("beforeprint", () => {
    restore();
    const { theme } = page.dataset;
    page.dataset.theme = "light";
    page.classList.add("nta-paper");
    const fold = unfold();
    drawAll();
    const forgive = excuseLate();
    // What is already drawn keeps the promise of drawAll within this turn, so plots are there.
    Promise.resolve().then(resizePlots);
    restore = () => {
      restore = () => {};
      fold();
      forgive();
      page.dataset.theme = theme;
      page.classList.remove("nta-paper");
      releasePlots();
    };
  });
  addEventListener("afterprint", () => restore());
  addEventListener("load", preparePlots);
}
