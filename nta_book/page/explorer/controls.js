// Native controls.  Each is { el, index, show(index) }: its element, the place of its value, and
// what sets it; `onMove` hears of every move of the reader.

import { button, element } from "../shared/elements.js";

const MOST_RADIO_BUTTONS = 4; // beyond, a choice becomes a list
const PLAYING_TIME = 4000; // milliseconds from the first value to the last
const SHORTEST_STEP = 90; // milliseconds
const PLAY = "▶";
const PAUSE = "❚❚";

let made = 0;
const newName = () => `nta-control-${++made}`;

function slider({ label, labels, values, play }, onMove) {
  const id = newName();
  const input = element("input", { type: "range", id, min: 0, max: values.length - 1, step: 1 });
  const output = element("output", { for: id, "aria-hidden": "true" }); // aria-valuetext says it
  // The widest label decides the width, so that the slider does not jump while it moves.
  output.style.minWidth = `${Math.max(...labels.map((text) => text.length))}ch`;
  const say = () => {
    output.value = labels[Number(input.value)];
    input.setAttribute("aria-valuetext", output.value);
  };
  input.addEventListener("input", () => {
    say();
    onMove();
  });
  const named = element("label", { for: id, say: label });
  const handle = {
    el: element("div", { class: "nta-control nta-slider" }, named, input, output),
    get index() {
      return Number(input.value);
    },
    show(index) {
      input.value = index;
      say();
    },
  };
  if (play) addPlayButton(handle, label, values.length - 1, onMove);
  return handle;
}

/** A button that walks a slider to its end, and `pause()`. */
function addPlayButton(handle, label, last, onMove) {
  let timer = null;
  const go = (index) => {
    handle.show(index);
    onMove();
  };
  const pause = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = PLAY;
  };
  const step = () => {
    if (handle.index >= last || !play.isConnected) pause();
    else go(handle.index + 1);
  };
  const toggle = () => {
    if (timer) {
      pause();
      return;
    }
    if (handle.index >= last) go(0);
    play.textContent = PAUSE;
    timer = setInterval(step, Math.max(SHORTEST_STEP, PLAYING_TIME / last));
  };
  const play = button(PLAY, toggle, { class: "nta-play", "aria-label": `play ${label}` });
  handle.el.append(play);
  handle.pause = pause;
}

function choice(control, onMove) {
  if (control.values.length > MOST_RADIO_BUTTONS) return select(control, onMove);
  const name = newName();
  const inputs = control.labels.map((_, i) => element("input", { type: "radio", name, value: i }));
  const options = inputs.map((input, i) =>
    element("label", null, input, element("span", { say: control.labels[i] })),
  );
  const legend = element("legend", { say: control.label });
  return {
    el: element(
      "fieldset",
      { class: "nta-control nta-choice", onchange: onMove },
      legend,
      ...options,
    ),
    get index() {
      return inputs.findIndex((input) => input.checked);
    },
    show(index) {
      inputs[index].checked = true;
    },
  };
}

function select({ label, labels }, onMove) {
  const id = newName();
  const options = labels.map((say, i) => element("option", { value: i, say }));
  const input = element("select", { id, onchange: onMove }, ...options);
  const named = element("label", { for: id, say: label });
  return {
    el: element("div", { class: "nta-control" }, named, input),
    get index() {
      return Number(input.value);
    },
    show(index) {
      input.value = index;
    },
  };
}

function switchBox({ label }, onMove) {
  const input = element("input", { type: "checkbox", onchange: onMove });
  const named = element("span", { say: label });
  return {
    el: element("label", { class: "nta-control nta-switch" }, input, named),
    get index() {
      return Number(input.checked);
    },
    show(index) {
      input.checked = Boolean(index);
    },
  };
}

const KINDS = { slider, choice, switch: switchBox };

/** The control that a specification asks for. */
export const makeControl = (control, onMove) => KINDS[control.kind](control, onMove);
