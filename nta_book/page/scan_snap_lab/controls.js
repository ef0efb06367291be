// Sliders, and labels with letters below the line.

import { element, setText } from "../shared/elements.js";

/** Write η_Y and η_Z with their letter below the line; return the node. */
export function typeset(node, text) {
  if (node.textContent === text.replaceAll("_", "")) return node;
  const parts = text
    .split(/(_[YZ])/)
    .map((part) => (part.startsWith("_") ? element("sub", { say: part[1] }) : part));
  node.replaceChildren(...parts);
  return node;
}

/** A slider over so many places, with its value in words. */
export function slider(label, count, oninput) {
  const value = element("output");
  const input = element("input", {
    type: "range",
    min: 0,
    max: count - 1,
    step: 1,
    "aria-label": label.replace("_", ""),
    oninput: () => oninput(Number(input.value)),
  });
  return {
    input,
    el: element("label", { class: "ns-slider" }, typeset(element("span"), label), value, input),
    show: (place, say) => {
      input.value = place;
      input.setAttribute("aria-valuetext", say);
      setText(value, say);
    },
  };
}
