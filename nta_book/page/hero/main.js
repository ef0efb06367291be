// The picture of the start page: races on the left, their league table on the right, one slider.

import style from "./hero.css";
import { picture, plan } from "./scene.js";
import { paint } from "./shapes.js";
import { KEPT, train } from "./training.js";
import { describe, narrate } from "./words.js";
import { button, element, keepKeys, setText } from "../shared/elements.js";

const PLAYING_TIME = 7000; // milliseconds from the first step to the last
const MOVING_TIME = 600; // milliseconds that runners need after a change of winner
const NARROWEST = 300;
const LAST = KEPT.length - 1;
const LEGEND =
  "★ came next in the data  ·  ◆ where the league table puts a runner  ·  " +
  "pink: the last word  ·  click a runner to let it win";
const ARROWS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

function render({ model, el }) {
  const names = model.get("names");
  const given = model.get("rows").map(([tokens, label]) => ({ tokens, label }));
  const scene = { names, rows: given, run: train(given, names.length) };
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let index = 0; // of the frame that is shown
  let crowned = null; // the race whose winner the reader changed last
  let request = 0;
  let moving = 0;

  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const words = element("p", {
    class: "nh-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  const slider = element("input", {
    type: "range",
    min: 0,
    max: LAST,
    "aria-label": "training step τ",
    oninput: () => {
      const chosen = Number(slider.value); // before anything is drawn, which sets the slider
      pause();
      show(chosen);
      speak();
    },
  });
  const output = element("output", { "aria-hidden": "true" });
  const playButton = button("", () => (request ? pause() : play()), { class: "nh-play" });
  const reset = button("↺", () => restart(), {
    class: "nh-reset",
    title: "the first winners again",
    "aria-label": "the first winners again",
  });
  const root = element(
    "div",
    { class: "nta-hero", role: "group", "aria-label": "Six races and their league table" },
    element("style", { say: style }),
    element(
      "div",
      { class: "nh-controls" },
      playButton,
      element("span", { class: "nh-label", say: "training step τ", "aria-hidden": "true" }),
      slider,
      output,
      reset,
    ),
    words,
    svg,
    element("p", { class: "nh-legend", say: LEGEND }),
  );

  /** Draw the frame. */
  function draw() {
    const width = Math.max(NARROWEST, Math.floor(root.clientWidth || 960));
    paint(
      svg,
      picture(scene, scene.run.frames[index], plan(names, scene.rows, scene.run.graph, width)),
    );
    const { step } = scene.run.frames[index];
    const said = step.toLocaleString("en-US");
    slider.value = index;
    slider.setAttribute("aria-valuetext", `step ${said}`);
    setText(output, said);
    setText(playButton, request ? "❚❚" : "▶");
    playButton.setAttribute("aria-label", request ? "pause" : "play");
    reset.hidden = scene.rows === given;
  }
  function speak() {
    const frame = scene.run.frames[index];
    setText(words, request ? narrate(scene, frame) : describe(scene, frame, crowned));
  }
  function show(next) {
    index = next;
    draw();
  }
  function pause() {
    cancelAnimationFrame(request);
    request = 0;
    draw();
    speak();
  }
  function play() {
    const first = index === LAST ? 0 : index;
    const begun = performance.now() - (first / LAST) * PLAYING_TIME;
    const tick = (time) => {
      const next = Math.min(LAST, Math.max(0, Math.floor(((time - begun) / PLAYING_TIME) * LAST)));
      request = next < LAST && root.isConnected ? requestAnimationFrame(tick) : 0;
      show(next);
      speak();
    };
    request = requestAnimationFrame(tick);
    show(first);
  }

  // ---- crown a runner ----
  function learn(rows, changed) {
    cancelAnimationFrame(request);
    request = 0;
    Object.assign(scene, { rows, run: train(rows, names.length) });
    crowned = changed;
    root.classList.add("nh-moving");
    clearTimeout(moving);
    moving = setTimeout(() => root.classList.remove("nh-moving"), MOVING_TIME);
    show(LAST);
    speak();
  }
  const restart = () => learn(given, null);
  function crown(race, label) {
    if (scene.rows[race].label === label) return;
    learn(
      scene.rows.map((row, r) => (r === race ? { ...row, label } : row)),
      race,
    );
  }
  const runnerAt = ({ target }) => target.closest?.(".nh-runner");
  svg.addEventListener("click", (event) => {
    const runner = runnerAt(event);
    if (runner) crown(Number(runner.dataset.race), Number(runner.dataset.token));
  });
  svg.addEventListener("keydown", (event) => {
    const runner = runnerAt(event);
    if (!runner || !(event.key in ARROWS)) return;
    event.preventDefault();
    const runners = [...runner.parentNode.querySelectorAll(".nh-runner")];
    const next = runners.at((runners.indexOf(runner) + ARROWS[event.key]) % runners.length);
    crown(Number(next.dataset.race), Number(next.dataset.token));
    next.focus();
  });

  // ---- life ----
  keepKeys(root);
  el.append(root);
  const observer = new ResizeObserver(() => draw());
  observer.observe(root);
  root.ntaHero = { scene, show, frames: scene.run.frames };
  if (calm.matches) {
    show(LAST);
    speak();
  } else {
    speak();
    play();
  }
  return () => {
    cancelAnimationFrame(request);
    clearTimeout(moving);
    observer.disconnect();
    root.remove();
  };
}

export default { render };
