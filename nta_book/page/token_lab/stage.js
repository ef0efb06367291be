// The controls of a training run and the numbers it moves.

import { ETAS, SPEEDS } from "./share.js";
import { meter } from "./meter.js";
import { show } from "./words.js";
import { button, element, pick, setText } from "../shared/elements.js";

const same = (values) => values.map((value) => [value, value]);

/** Name of a setting, its label, its [value, what it says] pairs. */
const OPTIONS = [
  [
    "normalized",
    "Descent",
    [
      [true, "normalized"],
      [false, "plain"],
    ],
  ],
  ["eta", "Step size", same(ETAS)],
  ["loss", "Loss", same(["log", "squared"])],
  ["seed", "Start", [[null, "W = 0"], ...[1, 2, 3, 4, 5].map((seed) => [seed, `random ${seed}`])]],
];

export function stageView(ui, compact) {
  const { lab } = ui;
  const toggle = (name) => button("", () => ui.train(!ui.running), { class: name });
  const trainButton = toggle("nl-go");
  const floatingButton = toggle("nl-go nl-float");
  const stopAnd = (act) => () => {
    ui.train(false);
    act();
    ui.redraw();
  };
  const loss = meter("Loss", "Mean loss; the dotted line is what it can fall to");
  const cosine = meter("Cosine", "Cosine of W with the league table W_svm");
  const distance = meter(
    "Soft part",
    "Distance of the scores inside the leagues to the strengths W_fin",
  );
  const count = element("b", { class: "nl-count" });
  const speed = element("input", {
    type: "range",
    min: 0,
    max: SPEEDS.length - 1,
    oninput: () => {
      lab.settings.speed = Number(speed.value);
      ui.redraw();
    },
  });
  const options = (compact ? [] : OPTIONS).map(([name, label, values]) => {
    const picked = (value) => {
      lab.set(name, value);
      ui.redraw();
    };
    return { name, control: pick(label, values, picked) };
  });
  const update = () => {
    const { settings, now, history } = lab;
    const past = (key) => history.map((look) => [look.steps, look[key]]);
    for (const go of [trainButton, floatingButton]) {
      setText(go, ui.running ? "❚❚ Pause" : "▶ Train");
    }
    setText(count, `step ${lab.steps}`);
    speed.value = settings.speed;
    speed.setAttribute("aria-valuetext", `${SPEEDS[settings.speed]} steps per second`);
    loss.update(show(now.loss), past("loss"), settings.loss === "log" ? lab.infimum : NaN);
    cosine.update(show(now.cosine, 4), past("cosine"), lab.theory.norm ? 1 : NaN);
    distance.update(show(now.distance), past("distance"), 0);
    for (const { name, control } of options) control.set(settings[name]);
  };
  const step = button(
    "Step",
    stopAnd(() => lab.advance(1)),
  );
  const reset = button(
    "Reset",
    stopAnd(() => lab.reset()),
  );
  const speedLabel = element(
    "label",
    { class: "nl-pick" },
    element("span", { say: "Speed" }),
    speed,
  );
  return {
    float: floatingButton, // on a narrow screen it stays in sight
    el: element(
      "div",
      { class: "nl-stage" },
      element("div", { class: "nl-bar" }, trainButton, step, reset, speedLabel, count),
      element("div", { class: "nl-meters" }, loss.el, cosine.el, distance.el),
      element("div", { class: "nl-bar" }, ...options.map(({ control }) => control.el)),
    ),
    update,
  };
}
