// The numbers of a run on cards, and what theory assumes on chips.

import { assumptions, verdict } from "./assumptions.js";
import { typeset } from "./controls.js";
import { cards } from "./numbers.js";
import { arrange, element, setText } from "../shared/elements.js";

/** Cards that follow the run: a number, what it was at the start, what it is and what is good. */
export function numbersPanel() {
  const el = element("div", { class: "ns-cards", role: "group", "aria-label": "Numbers" });
  const makeCard = () => {
    const parts = ["span", "b", "small", "p"].map((tag) => element(tag));
    parts[3].className = "nl-note";
    return { el: element("div", { class: "ns-card" }, ...parts), parts };
  };
  const made = [];
  const update = (lab) => {
    const list = cards(lab);
    while (made.length < list.length) made.push(makeCard());
    list.forEach(({ label, value, start, about }, i) => {
      const was = lab.time ? `start ${start}` : "";
      [label, value, was, about].forEach((say, k) => setText(made[i].parts[k], say));
    });
    arrange(
      el,
      made.slice(0, list.length).map((card) => card.el),
    );
  };
  return { el, update };
}

/** Chips that say which assumption of theory holds now. */
export function assumptionsPanel() {
  const heading = element("h4");
  const list = element("ul", { class: "ns-tags", "aria-label": "What theory assumes" });
  const makeTag = () => {
    const parts = [element("b"), element("span"), element("p", { class: "nl-note" })];
    return { el: element("li", null, ...parts), parts };
  };
  const made = [];
  const update = (lab) => {
    const all = assumptions(lab);
    setText(heading, verdict(all));
    all.forEach(({ holds, say, formula, about }, i) => {
      made[i] ??= makeTag();
      typeset(made[i].parts[0], `${holds ? "✓" : "✗"} ${say}`);
      typeset(made[i].parts[1], formula);
      typeset(made[i].parts[2], about);
      made[i].el.className = holds ? "ns-holds" : "ns-fails";
    });
    arrange(
      list,
      made.map((tag) => tag.el),
    );
  };
  return { el: element("section", { class: "ns-theorybox" }, heading, list), update };
}
