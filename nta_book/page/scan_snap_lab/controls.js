// Sliders and choices with one line that says what they are, and letters below the line.

import { element, pick, setText } from "../shared/elements.js";

/** Write η_Y and η_Z with their letter below the line; return the node. */
export function typeset(node, text) {
  if (node.textContent === text.replaceAll(/_([YZ])/g, "$1")) return node;
  const parts = text
    .split(/(_[YZ])/)
    .map((part) => (part.startsWith("_") ? element("sub", { say: part[1] }) : part));
  node.replaceChildren(...parts);
  return node;
}

/** A slider over so many places, with its value in words. */
export function slider(label, count, oninput, about) {
  const value = element("output");
  const input = element("input", {
    type: "range",
    min: 0,
    max: count - 1,
    step: 1,
    "aria-label": label.replace("_", ""),
    oninput: () => oninput(Number(input.value)),
  });
  const note = about && element("span", { class: "nl-note", say: about });
  return {
    input,
    el: element(
      "label",
      { class: "ns-slider" },
      typeset(element("span"), label),
      value,
      input,
      note,
    ),
    show: (place, say) => {
      input.value = place;
      input.setAttribute("aria-valuetext", say);
      setText(value, say);
    },
  };
}

/** A choice with what it is about. */
export function choice({ label, options, about }, onpick) {
  const control = pick(label, options, onpick);
  const note = element("span", { class: "nl-note", say: about });
  return { set: control.set, el: element("div", { class: "ns-choice" }, control.el, note) };
}
