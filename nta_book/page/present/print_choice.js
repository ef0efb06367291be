// What of a page goes on paper: a question before it is printed, where there is a choice.

import { button, element } from "../shared/elements.js";

const SOLUTIONS = "article :is(.solution, .nta-solution)";
const CODE = "article .cell_input";
const page = document.documentElement;

/** A choice among words; its value is the name of the one that is chosen. */
function among(name, legend, options) {
  const choice = (value, say, i) =>
    element(
      "label",
      null,
      element("input", { type: "radio", name, value, checked: i === 0 && "" }),
      element("span", { say }),
    );
  return element(
    "fieldset",
    null,
    element("legend", { say: legend }),
    ...options.map(([value, say], i) => choice(value, say, i)),
  );
}

/** Ask what to print and note it on the page; a promise of false where the reader turned back. */
export function choose() {
  const parts = [
    document.querySelector(SOLUTIONS) &&
      among("solutions", "Solutions of the exercises", [
        ["yes", "with them"],
        ["no", "without them"],
      ]),
    document.querySelector(CODE) &&
      among("code", "Code", [
        ["seen", "what is seen on the page"],
        ["all", "all, folded code as well"],
        ["no", "none"],
      ]),
  ].filter(Boolean);
  if (!parts.length) return Promise.resolve(true);
  document.querySelector("dialog.nta-print")?.remove();
  const before = document.activeElement;
  const form = element(
    "form",
    { method: "dialog" },
    element("h2", { say: "Print this page", id: "nta-print-title" }),
    ...parts,
    element("button", { value: "print", say: "Print" }),
    button("Cancel", () => dialog.close("")),
  );
  const dialog = element(
    "dialog",
    { class: "nta-print nta-no-print", "aria-labelledby": "nta-print-title" },
    form,
  );
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((answer) => {
    dialog.addEventListener("close", () => {
      const chosen = Object.fromEntries(new FormData(form));
      if (chosen.solutions) page.dataset.ntaSolutions = chosen.solutions;
      if (chosen.code) page.dataset.ntaCode = chosen.code;
      dialog.remove();
      before?.focus?.({ preventScroll: true });
      answer(dialog.returnValue === "print");
    });
  });
}
