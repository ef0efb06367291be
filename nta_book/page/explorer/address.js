// The state of an explorer in the address of its page: #explorer-its-question?C=2&data=Fig.+3
//
// The address speaks of the explorer that was moved last.  The history keeps the others as well, so
// that a page that is loaded again looks as it did.

import { element } from "../shared/elements.js";

const PREFIX = "explorer-"; // of the ids that nta_book/sphinx/explorers.py gives
// Milliseconds: browsers refuse addresses that change with every step of a slider.
const PAUSE = 250;
const SCROLLING = ["wheel", "touchstart", "keydown", "pointerdown"];

/** Labels are unique and short; their minus sign is not one that people type. */
const asWritten = (label) => label.replaceAll("−", "-");

/** Where controls stand, in words for an address; those at their start are not mentioned. */
export function describe(controls, handles) {
  const words = new URLSearchParams();
  controls.forEach(({ name, labels, default: usual }, i) => {
    const { index } = handles[i];
    if (index !== usual) words.set(name, asWritten(labels[index]));
  });
  return String(words);
}

/** What an address says: places by the name of their control, and what no control understands. */
export function understand(controls, text) {
  const places = {};
  const unknown = [];
  for (const [name, word] of new URLSearchParams(text)) {
    const control = controls.find((known) => known.name === name);
    const place = control ? control.labels.map(asWritten).indexOf(word) : -1;
    if (place < 0) unknown.push(word ? `${name}=${word}` : name);
    else places[name] = place;
  }
  return { places, unknown };
}

/** The explorer that the address of the page names, { id, text }, or null for any other anchor. */
function named() {
  const [id, ...text] = location.hash.slice(1).split("?");
  return id.startsWith(PREFIX) ? { id, text: text.join("?") } : null;
}

/** What the address, or else the history, says about an explorer. */
export function remembered(id) {
  const asked = named();
  return (asked?.id === id && asked.text) || history.state?.ntaExplorers?.[id] || "";
}

/** An address that opens an explorer in a state, from anywhere. */
export function linkTo(id, text) {
  const page = new URL(location.href);
  page.search = ""; // a page, not the slide it is shown on
  page.hash = text ? `${id}?${text}` : id;
  return page.href;
}

let waiting = 0; // timer of what is not yet written
let latest = null; // { id, text } of it

function write() {
  clearTimeout(waiting);
  waiting = 0;
  if (!latest) return;
  const { id, text } = latest;
  latest = null;
  const ntaExplorers = { ...history.state?.ntaExplorers, [id]: text };
  try {
    history.replaceState({ ...history.state, ntaExplorers }, "", `#${text ? `${id}?${text}` : id}`);
  } catch (error) {
    console.warn(error); // too many changes for this browser: the next one brings it up to date
  }
}

/** Write the state of an explorer into the address when the reader has come to rest. */
export function note(id, text) {
  latest = { id, text };
  clearTimeout(waiting);
  waiting = setTimeout(write, PAUSE);
}

/** Open what hides an element: what follows a prediction, or something folded. */
function open(el) {
  for (let box = el.closest("[hidden]"); box; box = el.closest("[hidden]")) {
    box.removeAttribute("hidden");
  }
  el.closest("details")?.setAttribute("open", "");
}

/** Scroll to an element, and again when what stands above it has its size, unless one reads on. */
async function bringIntoView(el, drawn) {
  const moved = new AbortController();
  for (const type of SCROLLING) {
    addEventListener(type, () => moved.abort(), { signal: moved.signal, passive: true });
  }
  const go = () => {
    if (!moved.signal.aborted) el.scrollIntoView({ block: "start" });
  };
  open(el);
  go();
  await drawn;
  go();
  moved.abort();
}

/** Say above the page what is wrong with its address. */
function refuse(sentence) {
  const home = document.querySelector("article, main") ?? document.body;
  home.querySelector(":scope > .nta-note")?.remove();
  home.prepend(element("p", { class: "nta-note", role: "status", say: sentence }));
}

/**
 * Follow the address of the page, now and when it changes.  `show(section, text)` brings an
 * explorer into the state that the text describes; a promise.
 */
export function followAddress(sections, show) {
  const follow = () => {
    const asked = named();
    const section = sections.find(({ id }) => id === asked?.id);
    if (!asked || (section && !location.hash.includes("?"))) return; // an ordinary anchor
    if (section) bringIntoView(section, show(section, asked.text));
    else refuse("The link asks for an explorer that this page does not have.");
  };
  addEventListener("hashchange", follow);
  addEventListener("pagehide", write);
  follow();
}
