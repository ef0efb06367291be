// The urn: choose strengths, press play, watch a text collapse.

import style from "./urn.css";
import { LENGTH, OTHERS, sharesOf, writeText } from "./chain.js";
import { chart } from "./chart.js";
import { NARRATION, describe } from "./words.js";
import { paint } from "../hero/shapes.js";
import { button, element, keepKeys, setText } from "../shared/elements.js";

const STRENGTHS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3];
const AGAIN = [0.25, 0.5, 0.75, 1, 1.5, 2];
const TEMPERATURES = [0.5, 0.75, 1, 1.5, 2];
const PRESETS = {
  equal: { strengths: [1, 1, 1], again: 1, temperature: 1 },
  "one stronger": { strengths: [2, 1, 1], again: 1, temperature: 1 },
  "fond of itself": { strengths: [1, 1, 1], again: 2, temperature: 1 },
  "shy of itself": { strengths: [1.5, 1, 1], again: 0.25, temperature: 1 },
  cold: { strengths: [1, 1, 1], again: 1, temperature: 0.5 },
  hot: { strengths: [1.5, 1, 1], again: 1, temperature: 2 },
};
const OPENING = 120; // words that stand there before anything is pressed
const PLAYING_TIME = 9000; // milliseconds from the first word to the last
const NARROWEST = 280;
const SHOWN = 90; // words; those that do not fit are cut off above
const LAST_SEED = 9999;

const nearest = (values, wanted) =>
  values.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));

function render({ model, el }) {
  const names = model.get("names");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let settings = {};
  let written = {};
  let count = OPENING;
  let request = 0;

  // ---- parts ----
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const words = element("p", {
    class: "nl-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  const text = element("p", {});
  const playButton = button("", () => (request ? pause() : play()), { class: "nl-go" });
  const presets = Object.entries(PRESETS).map(([name, wanted]) =>
    button(name, () => choose(wanted), { "data-preset": name }),
  );
  const seed = element("input", {
    type: "number",
    min: 1,
    max: LAST_SEED,
    oninput: () => {
      const asked = Math.round(Number(seed.value));
      if (asked >= 1 && asked <= LAST_SEED) choose({ seed: asked });
    },
    onchange: () => draw(), // what is no number becomes the number of the text that is shown
  });

  /** A slider over a list of values. */
  function setting(label, values, read, change) {
    const input = element("input", {
      type: "range",
      min: 0,
      max: values.length - 1,
      "aria-label": label,
      oninput: () => choose(change(values[Number(input.value)])),
    });
    const output = element("output", { "aria-hidden": "true" });
    const show = () => {
      const value = read();
      input.value = values.indexOf(value);
      input.setAttribute("aria-valuetext", String(value));
      setText(output, String(value));
    };
    const name = element("span", { say: label, "aria-hidden": "true" });
    return { el: element("div", { class: "nu-setting" }, name, input, output), show };
  }
  const strengthOf = (name, word) =>
    setting(
      `${name} strength`,
      STRENGTHS,
      () => settings.strengths[word],
      (value) => ({ strengths: settings.strengths.map((one, j) => (j === word ? value : one)) }),
    );
  const sliders = [
    ...names.map(strengthOf),
    setting(
      "after itself ×",
      AGAIN,
      () => settings.again,
      (again) => ({ again }),
    ),
    setting(
      "temperature",
      TEMPERATURES,
      () => settings.temperature,
      (temperature) => ({ temperature }),
    ),
  ];
  const root = element(
    "div",
    { class: "nta-lab nta-urn", role: "group", "aria-label": "A text drawn from an urn of words" },
    element("style", { say: style }),
    element("div", { class: "nl-bar" }, ...presets),
    element("div", { class: "nu-settings" }, ...sliders.map(({ el: one }) => one)),
    element(
      "div",
      { class: "nl-bar" },
      playButton,
      button("Step", () => goTo(count + 1)),
      button("To the end", () => goTo(LENGTH)),
      button("Reset", () => goTo(0)),
      element("label", { class: "nl-pick nu-seed" }, element("span", { say: "text no." }), seed),
    ),
    words,
    element("div", { class: "nu-text" }, element("div", {}, text)),
    svg,
    element("p", {
      class: "nl-legend",
      say: `thick: this text  ·  thin: the share of ${names[0]} in the next ${OTHERS} texts`,
    }),
  );

  // ---- what is shown ----
  function draw() {
    const width = Math.max(NARROWEST, Math.floor(root.clientWidth || 720));
    paint(svg, chart({ names, ...written, count }, width));
    const all = [...names.keys(), ...written.text.slice(0, count)];
    const spans = all
      .slice(-SHOWN)
      .map((word) => [
        element("span", {}, element("span", { class: `nu-${word}`, say: names[word] })),
        " ",
      ]);
    text.replaceChildren(...spans.flat());
    for (const slider of sliders) slider.show();
    if (document.activeElement !== seed || !request) seed.value = settings.seed;
    setText(playButton, request ? "❚❚ Pause" : "▶ Play");
    for (const preset of presets) {
      const wanted = Object.entries(PRESETS[preset.dataset.preset]);
      const same = wanted.every(([name, value]) => String(settings[name]) === String(value));
      preset.setAttribute("aria-pressed", String(same));
    }
  }
  function speak() {
    const here = written.paths.map((path) => path[count]);
    const elsewhere = written.others.map((path) => path[count]);
    setText(words, request ? NARRATION : describe(names, settings, here, elsewhere));
  }

  // ---- what can be done ----
  /** Write all texts anew, from these settings on. */
  function choose(wanted) {
    settings = { ...settings, ...wanted };
    const own = writeText(settings, settings.seed);
    const others = Array.from({ length: OTHERS }, (_, i) => {
      const [first] = sharesOf(writeText(settings, settings.seed + 1 + i), names.length);
      return first;
    });
    written = { text: own, paths: sharesOf(own, names.length), others };
    for (const [name, value] of Object.entries(settings)) model.set(name, value);
    model.save_changes();
    draw();
    speak();
  }
  function pause() {
    cancelAnimationFrame(request);
    request = 0;
    draw();
    speak();
  }
  function goTo(wanted) {
    count = Math.min(LENGTH, Math.max(0, wanted));
    pause();
  }
  function play() {
    if (calm.matches) {
      goTo(LENGTH);
      return;
    }
    const first = count === LENGTH ? 0 : count;
    const begun = performance.now() - (first / LENGTH) * PLAYING_TIME;
    const tick = (time) => {
      const next = Math.floor(((time - begun) / PLAYING_TIME) * LENGTH);
      count = Math.min(LENGTH, Math.max(first, next));
      request = count < LENGTH && root.isConnected ? requestAnimationFrame(tick) : 0;
      draw();
      speak();
    };
    count = first;
    request = requestAnimationFrame(tick);
    draw();
    speak();
  }

  // ---- life ----
  keepKeys(root);
  el.append(root);
  const observer = new ResizeObserver(() => draw());
  choose({
    strengths: model.get("strengths").map((one) => nearest(STRENGTHS, one)),
    again: nearest(AGAIN, model.get("again")),
    temperature: nearest(TEMPERATURES, model.get("temperature")),
    seed: model.get("seed"),
  });
  observer.observe(root);
  return () => {
    cancelAnimationFrame(request);
    observer.disconnect();
    root.remove();
  };
}

export default { render };
