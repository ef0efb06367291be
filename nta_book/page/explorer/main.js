// Explorers on the built page: native controls over states that were drawn when the book was built.
//
// <section class="nta-explorer"> holds the JSON that nta_book.explore.Explorer made; nta-book.js
// draws the pictures.

import { makeControl } from "./controls.js";
import { decode } from "./decode.js";
import { button, element, setText } from "../shared/elements.js";
import { whenLoaded } from "../shared/page.js";

/** Build an explorer from its specification and show its first state; a promise. */
function build(section, spec) {
  const picture = element("div", {
    class: "nta-picture",
    role: "group",
    "aria-label": spec.alt || spec.question,
  });
  const words = element("p", { class: "nta-words", role: "status", "aria-live": "polite" });
  let drawing = false;
  let moved = false;

  /** One redraw at work; after it only the newest state. */
  async function draw() {
    moved = true;
    if (drawing) return;
    drawing = true;
    while (moved) {
      moved = false;
      await drawNow();
    }
    drawing = false;
  }

  async function drawNow() {
    // States are counted like digits: the last control changes fastest.
    const state = spec.controls.reduce(
      (count, { values }, i) => count * values.length + handles[i].index,
      0,
    );
    try {
      const { panel, words: said } = decode(spec.states, state);
      await globalThis.nta.drawPanel(picture, panel);
      if (picture.dataset.state === "error") throw new Error("the picture could not be drawn");
      setText(words, said);
      section.dataset.index = state;
      section.dataset.state = "drawn";
    } catch (error) {
      section.dataset.state = "error";
      words.textContent = `This state could not be shown: ${error.message}`;
      console.error(error);
    }
  }

  const handles = spec.controls.map((control) => makeControl(control, draw));
  /** Go to a preset; controls it does not name go to their default. */
  const goTo = (places) => {
    spec.controls.forEach(({ name, default: usual }, i) => {
      handles[i].pause?.();
      handles[i].show(places[name] ?? usual);
    });
    return draw();
  };
  const presets = [...spec.presets, { label: "reset", state: {} }];
  section.append(
    element("p", { class: "nta-question", say: spec.question }),
    element("div", { class: "nta-controls" }, ...handles.map(({ el }) => el)),
    element(
      "div",
      { class: "nta-presets" },
      ...presets.map(({ label, state }) => button(label, () => goTo(state))),
    ),
    picture,
    words,
  );
  return goTo({});
}

/** Start an explorer once; what keeps it from starting stands in its place. */
async function start(section) {
  if (section.dataset.state) return;
  section.dataset.state = "drawing";
  try {
    const { textContent } = section.querySelector('script[type="application/json"]');
    await build(section, JSON.parse(textContent));
  } catch (error) {
    section.dataset.state = "error";
    const say = `This explorer could not start: ${error.message}`;
    section.append(element("p", { class: "nta-error", role: "alert", say }));
    console.error(error);
  }
}

globalThis.ntaExplorer = { decode, start };
whenLoaded(() => {
  for (const section of document.querySelectorAll("section.nta-explorer")) {
    globalThis.nta.whenNear(section, start);
  }
});
