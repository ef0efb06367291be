// Play: any context, the automaton's answer beside the network's, and a continuation.

import { automaton } from "./theory.js";
import { attention, total } from "./descent.js";
import { describeContext } from "./words.js";
import { chipRow } from "./chips.js";
import { sayMarked } from "../shared/marked.js";
import { percent } from "../shared/numbers.js";
import { button, element, pick, setText } from "../shared/elements.js";

const SPEAKERS = [
  ["automaton", "the automaton"],
  ["network", "the network"],
];

/** A bar with its value; `show` takes a share. */
function shareBar(kind) {
  const fill = element("i", { class: `nl-hfill ${kind}` });
  const value = element("span");
  return {
    el: element("td", null, element("span", { class: "nl-hbar" }, fill), value),
    show: (share) => {
      fill.style.transform = `scaleX(${share.toFixed(3)})`;
      setText(value, `${percent(share)}%`);
    },
  };
}

export function playView(ui) {
  const { lab } = ui;
  const contextPlace = element("div");
  const answers = element("tbody");
  const verdict = element("p", { class: "nl-verdict", "aria-live": "polite" });
  let speaker = SPEAKERS[0][0];
  let chips = null;
  let lines = []; // of the table of answers, one per distinct token

  const speak = (count) => {
    for (let i = 0; i < count && lab.context.length; i++) lab.speak(speaker);
    ui.redraw();
  };
  const shuffle = () => {
    const { K } = lab.data;
    lab.context = Array.from({ length: K && 4 }, () => Math.floor(lab.random() * K));
    ui.redraw();
  };
  const build = () => {
    const { context } = lab;
    const { names, K } = lab.data;
    const race = { tokens: context.map((token) => names[token]) };
    chips = chipRow(ui, race, "the context", ({ tokens }, at) => {
      lab.setContext(tokens);
      ui.redraw();
      chips.focus(at);
    });
    contextPlace.replaceChildren(chips.el);
    lines = [...new Set(context)]
      .sort((a, b) => a - b)
      .map((token) => {
        const [theory, practice] = [shareBar("nl-theory"), shareBar("")];
        const name = element("th", { scope: "row", say: names[token] });
        return { token, theory, practice, el: element("tr", null, name, theory.el, practice.el) };
      });
    answers.replaceChildren(...lines.map((line) => line.el));
    const said = context.length
      ? describeContext(names, context, automaton(lab.theory, K, context))
      : "Add tokens: the last one is the query.";
    sayMarked(verdict, said);
  };
  const update = () => {
    const { context } = lab;
    const { K } = lab.data;
    if (!context.length) return;
    const network = attention(lab.W, K, context);
    const { probabilities } = automaton(lab.theory, K, context);
    chips.update(network, probabilities);
    for (const { token, theory, practice } of lines) {
      const mass = (odds) => total(odds.filter((_, i) => context[i] === token));
      theory.show(mass(probabilities));
      practice.show(mass(network));
    }
  };

  const heads = ["Token", "Automaton", "Network"].map((say) =>
    element("th", { scope: "col", say }),
  );
  const table = element(
    "table",
    null,
    element("thead", null, element("tr", null, ...heads)),
    answers,
  );
  const pickSpeaker = pick("by", SPEAKERS, (value) => {
    speaker = value;
  });
  return {
    el: element(
      "section",
      { class: "nl-play", "aria-label": "Play" },
      element("h3", { say: "Play: which token comes next?" }),
      contextPlace,
      element("div", { class: "nl-answer" }, table, verdict),
      element(
        "div",
        { class: "nl-bar" },
        button("Next token", () => speak(1)),
        button("Eight more", () => speak(8)),
        pickSpeaker.el,
        button("Another context", shuffle),
      ),
    ),
    build,
    update,
  };
}
