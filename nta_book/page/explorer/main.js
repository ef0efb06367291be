// Explorers on the built page: native controls over states that were drawn when the book was built.
//
// <section class="nta-explorer"> holds the JSON that nta_book.explore.Explorer made, with the first
// state; all states are in a script of their own, which comes when a reader turns to the explorer.
// nta-book.js draws the pictures.

import { describe, followAddress, linkTo, note, remembered, understand } from "./address.js";
import { makeControl } from "./controls.js";
import { decode } from "./decode.js";
import { button, element, setText } from "../shared/elements.js";
import { whenLoaded } from "../shared/page.js";

const SIGNS = ["pointerenter", "focusin", "touchstart"]; // that a reader turns to an explorer
const LINK = "a link to this state";
const UNKNOWN = "This explorer does not have all that the link names; it has no";

/** Build an explorer from its specification; returns what brings it into a state. */
function build(section, spec) {
  const picture = element("div", {
    class: "nta-picture",
    role: "group",
    "aria-label": spec.alt || spec.question,
  });
  const words = element("p", { class: "nta-words", role: "status", "aria-live": "polite" });
  const doubt = element("p", { class: "nta-note", role: "status", hidden: "" });
  let drawing = false;
  let moved = false;
  let states = null; // of all places of the controls, a promise

  function allStates() {
    states ??= statesOf(section);
    states.catch(() => (states = null)); // the next move asks again
    return states;
  }

  /** The words and the picture of a state. */
  const at = async (state) =>
    state === spec.first.state ? spec.first : decode(await allStates(), state);

  /** One redraw at work; after it only the newest state. */
  async function draw() {
    markPresets();
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
      const { panel, words: said } = await at(state);
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

  const handles = spec.controls.map((control) => makeControl(control, move));
  const inWords = () => describe(spec.controls, handles);

  /** Draw after a move of the reader, who may want to pass the address on. */
  function move() {
    doubt.hidden = true;
    if (section.id) note(section.id, inWords());
    return draw();
  }

  /** Bring controls to their places; those that are not named go to their start. */
  function place(places) {
    spec.controls.forEach(({ name, default: usual }, i) => {
      handles[i].pause?.();
      handles[i].show(places[name] ?? usual);
    });
  }

  /** Go to the state that an address describes. */
  function goTo(text) {
    const { places, unknown } = understand(spec.controls, text);
    place(places);
    doubt.hidden = unknown.length === 0;
    setText(doubt, `${UNKNOWN} ${unknown.join(", ")}.`);
    return draw();
  }

  const preset = (say, state, properties) => {
    const go = () => {
      place(state);
      move();
    };
    return { el: button(say, go, properties), state };
  };
  const presets = spec.presets.map(({ label, state }) => preset(label, state));
  const reset = preset("↺", {}, { class: "nta-reset", "aria-label": "reset", title: "reset" });
  const share = () => globalThis.nta.shareLink(linkTo(section.id, inWords()));
  const link = section.id && button("link", share, { class: "nta-link", title: LINK });

  /** Show which example one sees, if it is one. */
  function markPresets() {
    for (const { el, state } of presets) {
      const shown = spec.controls.every(
        ({ name, default: usual }, i) => handles[i].index === (state[name] ?? usual),
      );
      el.setAttribute("aria-pressed", shown);
    }
  }

  for (const sign of SIGNS) {
    section.addEventListener(sign, allStates, { once: true, passive: true });
  }
  section.append(
    element("p", { class: "nta-question", say: spec.question }),
    element(
      "div",
      { class: "nta-presets", role: "group", "aria-label": "examples" },
      ...presets.map(({ el }) => el),
      reset.el,
      link,
    ),
    element("div", { class: "nta-controls" }, ...handles.map(({ el }) => el)),
    words,
    doubt,
    picture,
  );
  place({});
  setText(words, spec.first.words);
  return goTo;
}

/** All states of an explorer: from its script, or from the page where they stand in it. */
async function statesOf(section) {
  const { states } = section.dataset;
  if (!states) return JSON.parse(section.querySelector("script.nta-states").textContent);
  await globalThis.nta.loadScript(`states/${states}.js`);
  return globalThis.ntaStates[states];
}

const made = new Map(); // section -> what brings it into a state

/** Make the controls of an explorer, with room for its picture; can that be drawn at once? */
function prepare(section) {
  try {
    const { textContent } = section.querySelector('script[type="application/json"]');
    const spec = JSON.parse(textContent);
    made.set(section, build(section, spec));
    return spec.first.light;
  } catch (error) {
    section.dataset.state = "error";
    const say = `This explorer could not start: ${error.message}`;
    section.append(element("p", { class: "nta-error", role: "alert", say }));
    console.error(error);
    return false;
  }
}

/** Draw an explorer once. */
async function start(section) {
  if (section.dataset.state) return;
  section.dataset.state = "drawing";
  await made.get(section)(remembered(section.id));
}

/** Bring an explorer into the state that an address describes; a promise. */
async function show(section, text) {
  if (section.dataset.state) await made.get(section)?.(text);
  else await start(section); // which asks the address itself
}

/** Whether an explorer stands above the first heading of its chapter: readers see it first. */
const opens = ({ parentElement }) => !parentElement.closest("section section");

globalThis.ntaExplorer = { decode, start };
whenLoaded(() => {
  const sections = [...document.querySelectorAll("section.nta-explorer")];
  for (const section of sections) {
    // What is there at once takes its room at once; plots below are drawn when they come near.
    if (prepare(section) || opens(section)) start(section);
    else globalThis.nta.whenNear(section, start);
  }
  followAddress(sections, show);
});
