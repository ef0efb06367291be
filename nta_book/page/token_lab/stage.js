// The controls of a training run and the numbers it moves.

import { ETAS, LOSSES, SEEDS, SPEEDS } from "./settings.js";
import { describeSettings } from "./compare.js";
import { meter } from "./meter.js";
import { counted, show } from "./words.js";
import { button, element, pick, setText } from "../shared/elements.js";

const same = (values) => values.map((value) => [value, value]);

/** Name of a setting, its label, its [value, what it says] pairs, what it means. */
const OPTIONS = [
  [
    "normalized",
    "Descent",
    [
      [true, "normalized"],
      [false, "plain"],
    ],
    "normalized: every step has the same length; plain: a step is as long as the slope is steep",
  ],
  ["eta", "Step size", same(ETAS), "how far one step goes"],
  [
    "shrinking",
    "Steps",
    [
      [false, "fixed"],
      [true, "shrinking"],
    ],
    "shrinking: step t is divided by √t, so that the layer can settle",
  ],
  [
    "loss",
    "Loss",
    same(LOSSES),
    "what a mistake costs: −log of the winner's share, or (1 − share)²",
  ],
  [
    "seed",
    "Start",
    [[null, "W = 0"], ...SEEDS.map((seed) => [seed, `random ${seed}`])],
    "the weights before the first step",
  ],
];

/** What each number is, and what is good. */
function meanings({ infimum, theory, hasTies, settings }) {
  const least =
    settings.loss === "log" ? `${show(infimum)} is the least these races allow` : "lower is better";
  return {
    loss: `How surprised the layer is by the winners; ${least}.`,
    cosine: theory.norm
      ? "1: the layer points where theory says."
      : "No strict order here, so theory names no direction.",
    distance: hasTies
      ? "How far the ties are from the odds of theory; 0 is good."
      : "No ties here: nothing to settle, always 0.",
  };
}

export function stageView(ui, compact) {
  const { lab } = ui;
  const toggle = (name) => button("", () => ui.train(!ui.running), { class: name });
  const trainButton = toggle("nl-go nl-train");
  const floatingButton = toggle("nl-go nl-float");
  const stopAnd = (act) => () => {
    ui.train(false);
    act();
    ui.redraw();
  };
  const loss = meter("Loss");
  const cosine = meter("Cosine");
  const distance = meter("Soft part");
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
  const options = (compact ? [] : OPTIONS).map(([name, label, values, about]) => {
    const picked = (value) => {
      lab.set(name, value);
      ui.redraw();
    };
    const control = pick(label, values, picked);
    return {
      name,
      control,
      el: element("div", null, control.el, element("p", { class: "nl-note", say: about })),
    };
  });
  const summary = element("summary");
  const settingsBox = element(
    "details",
    { class: "nl-settings" },
    summary,
    element("div", { class: "nl-options" }, ...options.map(({ el }) => el)),
  );
  const update = () => {
    const { settings, now, history, pinned } = lab;
    const curve = (key) => history.map((look) => [look.steps, look[key]]);
    const pinnedCurve = (key) => (pinned?.history ?? []).map((look) => [look.steps, look[key]]);
    const said = meanings(lab);
    for (const go of [trainButton, floatingButton]) {
      setText(go, ui.running ? "❚❚ Pause" : "▶ Train");
      go.disabled = lab.isFull || !lab.problem.used;
    }
    step.disabled = lab.isFull || !lab.problem.used;
    setText(count, `step ${counted(lab.steps)}`);
    speed.value = settings.speed;
    const pace = `${counted(SPEEDS[settings.speed])} steps a second`;
    speed.setAttribute("aria-valuetext", pace);
    setText(paceNote, `${counted(SPEEDS[settings.speed])}/s`);
    const least = settings.loss === "log" ? lab.infimum : NaN;
    for (const [gauge, key, digits, target] of [
      [loss, "loss", 3, least],
      [cosine, "cosine", 4, lab.theory.norm ? 1 : NaN],
      [distance, "distance", 3, 0],
    ]) {
      gauge.update({
        text: show(now[key], digits),
        points: curve(key),
        target,
        say: said[key],
        pinned: pinned ? show(pinned.now[key], digits) : "",
        pinnedPoints: pinnedCurve(key),
      });
    }
    setText(summary, `Settings: ${describeSettings(settings)}`);
    for (const { name, control } of options) control.set(settings[name]);
    setText(pin, pinned ? "Pin this run instead" : "Pin this run");
    pin.disabled = !lab.steps;
  };
  const step = button(
    "Step",
    stopAnd(() => lab.advance(1)),
  );
  const reset = button(
    "Reset",
    stopAnd(() => lab.reset()),
  );
  const pin = button("Pin this run", () => ui.pin(true));
  const slow = button("Slow motion", () => ui.film(ui.view.film ? null : [0, 0]));
  const paceNote = element("span");
  const speedLabel = element(
    "label",
    { class: "nl-pick" },
    element("span", { say: "Speed" }),
    speed,
    paceNote,
  );
  const bar = element(
    "div",
    { class: "nl-bar" },
    trainButton,
    step,
    !compact && slow,
    reset,
    !compact && pin,
    speedLabel,
    count,
  );
  // On a narrow screen a second button stays in sight, but not beside the first.
  const seen = new IntersectionObserver(([{ isIntersecting }]) => {
    floatingButton.hidden = isIntersecting;
  });
  seen.observe(trainButton);
  return {
    float: floatingButton,
    leave: () => seen.disconnect(),
    el: element(
      "div",
      { class: "nl-stage" },
      bar,
      element("div", { class: "nl-meters" }, loss.el, cosine.el, distance.el),
      !compact && settingsBox,
    ),
    update,
  };
}
