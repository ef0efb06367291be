// Predict boxes: choose an option, then the answer and the rest of the section open.
//
// The page comes with everything open (nta_book/sphinx/predict.py).  Here the options of a box
// become radio buttons, and what follows is hidden until the reader chooses or asks to see it.  A
// link into what is hidden, the browser's search and a printer open it.
//
// .nta-predict[data-state]   asked, right, wrong or shown
// .nta-predict-rest          what follows a box; hidden while it is asked

import { choiceOf, choose } from "./prediction_store.js";

const LETTERS = "abcd";
const root = document.documentElement;
const boxes = new Map(); // .nta-predict -> what can be done with it

function element(tag, properties, ...children) {
  const el = Object.assign(document.createElement(tag), properties);
  el.append(...children);
  return el;
}

const button = (className, words, onclick) =>
  element("button", { type: "button", className, onclick }, words);

function restOf(box) {
  const next = box.nextElementSibling;
  return next?.classList.contains("nta-predict-rest") ? next : null;
}

/** Hide so that the browser's search still finds the words, where it can. */
function hide(rest) {
  if ("onbeforematch" in rest) rest.setAttribute("hidden", "until-found");
  else rest.hidden = true;
}

/** Make radio buttons of the options of one box, and buttons below them. */
function ask(box, number) {
  const question = box.querySelector(":scope > .admonition.predict");
  const answer = box.querySelector(":scope > .admonition.answer");
  const list = question.querySelector(":scope > ul");
  const rest = restOf(box);
  const { right } = box.dataset;
  let byPointer = false;

  const options = [...list.children];
  const radios = options.map((_, k) =>
    element("input", { type: "radio", name: `nta-predict-${number}`, value: LETTERS[k] }),
  );
  const labels = options.map((item, k) => {
    const words = element("span", { className: "nta-predict-words" }, ...item.childNodes);
    return element("label", { className: "nta-predict-option" }, radios[k], words);
  });
  const guess = element("button", { type: "submit", className: "nta-predict-guess" }, "Check");
  const show = button("nta-predict-show", "Show me without choosing", () => say("shown"));
  const hint = element(
    "span",
    { className: "nta-predict-hint" },
    rest ? "Choose, and the section goes on." : "Choose, and the answer opens.",
  );
  const again = button("nta-predict-again", "Ask me again", askAgain);
  const verdict = element("p", { className: "nta-predict-verdict", tabIndex: -1 });
  verdict.setAttribute("role", "status"); // read out when it changes
  const fieldset = element("fieldset", {}, ...labels);
  const said = [...question.querySelectorAll(":scope > p:not(.admonition-title)")];
  fieldset.setAttribute(
    "aria-labelledby",
    said.map((p, k) => (p.id ||= `${box.id}-${k}`)).join(" "),
  );
  const form = element(
    "form",
    { className: "nta-predict-form" },
    fieldset,
    element("div", { className: "nta-predict-buttons" }, guess, hint, show, again),
  );
  list.replaceWith(form);
  answer.before(verdict);
  const why = [...answer.querySelectorAll(":scope > .nta-predict-reason")];
  const firstReason = why[0]?.previousSibling;

  // Arrow keys move among radio buttons without meaning it; a tap or a click means it.
  form.addEventListener("pointerdown", () => (byPointer = true));
  form.addEventListener("keydown", () => (byPointer = false));
  form.addEventListener("change", () => {
    if (box.dataset.state !== "asked") return;
    guess.hidden = false;
    if (byPointer) say(chosen());
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (box.dataset.state === "asked" && chosen()) say(chosen());
  });
  rest?.addEventListener("beforematch", () => rest.removeAttribute("hidden"));

  const chosen = () => radios.find((radio) => radio.checked)?.value;

  function say(letter) {
    choose(box.dataset, letter);
    const left = document.activeElement;
    open(letter);
    // A button that is gone cannot keep the focus.
    if (left === guess || left === show) verdict.focus({ preventScroll: true });
  }

  /** Show the answer to a letter, or to a reader who did not choose. */
  function open(letter) {
    const state = { [right]: "right", shown: "shown" }[letter] ?? "wrong";
    box.dataset.state = state;
    verdict.textContent = {
      right: "Right.",
      wrong: `Not quite: it is (${right}).`,
      shown: `It is (${right}).`,
    }[state];
    radios.forEach((radio, k) => {
      radio.checked = radio.value === letter;
      radio.disabled = !radio.checked; // the chosen one keeps the focus
      labels[k].classList.toggle("nta-is-right", radio.value === right);
      labels[k].classList.toggle("nta-is-chosen", radio.checked);
    });
    // Why the chosen option tempts comes first.
    const reason = why.find((el) => el.classList.contains(`nta-${letter}`));
    if (reason) answer.querySelector(":scope > .admonition-title").after(reason);
    answer.hidden = false;
    verdict.hidden = false;
    guess.hidden = true;
    show.hidden = true;
    hint.hidden = true;
    again.hidden = false;
    rest?.removeAttribute("hidden");
  }

  /** Back to the question; whatever was right the first time stays so. */
  function close() {
    box.dataset.state = "asked";
    verdict.textContent = "";
    for (const radio of radios) {
      radio.checked = false;
      radio.disabled = false;
    }
    for (const label of labels) label.classList.remove("nta-is-right", "nta-is-chosen");
    if (why.length) firstReason.after(...why);
    answer.hidden = true;
    verdict.hidden = true;
    guess.hidden = true;
    show.hidden = false;
    hint.hidden = false;
    again.hidden = true;
    if (rest) hide(rest);
  }

  function askAgain() {
    choose(box.dataset, null);
    close();
    radios[0].focus();
  }

  close();
  const before = choiceOf(box.dataset)?.chosen;
  if (before) open(before);
  boxes.set(box, { rest, answer });
}

/** Open what hides an element: a link must lead to something that can be seen. */
function openAround(el) {
  for (let rest = el?.closest?.(".nta-predict-rest"); rest;) {
    rest.removeAttribute("hidden");
    rest = rest.parentElement.closest(".nta-predict-rest");
  }
}

function followAddress() {
  let id = location.hash.slice(1);
  try {
    id = decodeURIComponent(id);
  } catch {
    // no name of anything here
  }
  const target = document.getElementById(id);
  if (!target?.closest(".nta-predict-rest[hidden]")) return;
  openAround(target);
  target.scrollIntoView();
}

/** Open everything that follows a question and every answer, choosing nothing. */
export function openPredictions() {
  for (const { rest, answer } of boxes.values()) {
    rest?.removeAttribute("hidden");
    answer.hidden = false;
  }
}

/** Turn every box of the page into a question. */
export function askAll() {
  try {
    document.querySelectorAll(".nta-predict:not([data-state])").forEach(ask);
    followAddress();
    addEventListener("hashchange", followAddress);
    // A second click on the same link changes no address.
    document.addEventListener("click", (event) => {
      const link = event.target.closest?.("a[href*='#']");
      if (link && link.href === location.href) followAddress();
    });
    addEventListener("beforeprint", printAll);
  } catch (error) {
    openPredictions();
    console.error(error);
  } finally {
    root.classList.remove("nta-asking");
  }
}

/** On paper everything is open; afterwards the page is as it was. */
function printAll() {
  const closed = [...document.querySelectorAll(".nta-predict-rest[hidden]")];
  const answers = [...boxes.values()].map(({ answer }) => answer).filter((el) => el.hidden);
  openPredictions();
  const closeAgain = () => {
    closed.forEach(hide);
    for (const answer of answers) answer.hidden = true;
  };
  addEventListener("afterprint", closeAgain, { once: true });
}
