// What a cell gave, drawn as the page draws what was computed when it was built.

import { element } from "../shared/elements.js";

const DRAWING = "application/vnd.nta.drawing+json";
const PLOTLY = "application/vnd.plotly.v1+json";

/** The panel of a picture (book/pictures.js), or null if an output is none. */
export function panelOf(bundle) {
  if (bundle[DRAWING]) return { kind: "svg", ...bundle[DRAWING] };
  if (!bundle[PLOTLY]) return null;
  const { data = [], layout = {} } = bundle[PLOTLY];
  const { template, meta, ...rest } = layout;
  const alt = typeof meta?.alt === "string" && meta.alt ? meta.alt : "A chart of your code.";
  return { kind: "plotly", alt, figure: { data, layout: rest } };
}

/** Text as myst-nb shows it; long lines are scrolled by keys as well. */
function textBox(kind, text) {
  const pre = element("pre", { say: text, tabindex: 0 });
  const box = element("div", { class: "highlight" }, pre);
  return [element("div", { class: `output ${kind} highlight-myst-ansi` }, box), pre];
}

function drawBundle(bundle) {
  const panel = panelOf(bundle);
  if (panel) {
    const figure = element("figure", { class: "nta-fig" });
    globalThis.nta.drawPanel(figure, panel);
    return element("div", { class: "output nta-output" }, figure);
  }
  const html = bundle["text/html"] ?? bundle["image/svg+xml"];
  if (html === undefined) return textBox("text_plain", bundle["text/plain"] ?? "")[0];
  const box = element("div", { class: "output text_html" });
  box.innerHTML = html; // what the reader's own code made, in the reader's own page
  return box;
}

/** The place of a cell's outputs: what the book stored there can be put away and come back. */
export function makeOutputs({ el, bar }) {
  const marked = el.querySelector(":scope > .cell_output");
  const stored = marked ? [...marked.querySelectorAll(".output, .nta-run-example")] : [];
  const own = element("div", { class: "nta-run-output" });
  const caption = marked?.querySelector("figcaption");
  if (caption) caption.before(own);
  else if (marked) marked.append(own);
  else bar.after(element("div", { class: "cell_output docutils container" }, own));
  let printing = null;
  let isAway = false;

  const putAway = (away) => {
    isAway = away;
    for (const output of stored) output.classList.toggle("nta-put-away", away);
  };

  /** Take away what was drawn; charts would go on listening to the window. */
  const empty = () => {
    for (const figure of own.querySelectorAll("figure.nta-fig")) globalThis.nta.letGo(figure);
    own.replaceChildren();
  };

  return {
    /** Nothing, where the stored output stood. */
    clear() {
      printing = null;
      empty();
      putAway(true);
    },
    /** The stored output again. */
    restore() {
      empty();
      putAway(false);
    },
    /** Whether all that is seen was there before the first run. */
    isAsStored: () => !own.hasChildNodes() && !(isAway && stored.length),
    print(text) {
      if (!printing) {
        const [box, pre] = textBox("stream", "");
        own.append(box);
        printing = pre;
      }
      printing.append(text);
    },
    show({ outputs = [], notes = [], error }) {
      own.append(...outputs.map(drawBundle));
      own.append(...notes.map((say) => element("p", { class: "nta-run-note", say })));
      if (error) {
        own.append(element("pre", { class: "nta-run-error", tabindex: 0, say: error.text }));
      }
    },
    /** The words of a verdict, for those who hear the page. */
    verdict: () => own.querySelector(".nta-verdict")?.textContent.trim().replace(/\s+/g, " ") ?? "",
  };
}
