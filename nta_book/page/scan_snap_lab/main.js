// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./scan_snap_lab.css";
import { encodeState, isTaken, keepAddress, linkTo } from "./address.js";
import { choice, slider, typeset } from "./controls.js";
import { Experiment, VIEWS } from "./experiment.js";
import { assumptionsPanel, numbersPanel } from "./panels.js";
import { makePlayer } from "./player.js";
import { toPython } from "./python.js";
import { CHOICES, SLIDERS, STEPS } from "./settings.js";
import { phaseStrip } from "./strip.js";
import { nearest } from "./vectors.js";
import { PICTURES } from "./views.js";
import { inWords, number } from "./words.js";
import { makeCopying } from "../shared/copying.js";
import { arrange, button, element, keepKeys, pick, setText } from "../shared/elements.js";
import { sayMarked } from "../shared/marked.js";

const EVENTS = "change:settings change:view";
const WIDTHS = [260, 1100]; // of the picture, in pixels
const PAUSE = 250; // milliseconds after which a reader has come to rest
const PLACES = 1000; // of the time slider
const KEYS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };
const TIME = {
  log: "the first steps get most room",
  linear: "every step gets the same room",
};
const OWN = "Your own settings. What do you expect?";
const LEGEND = [
  "Exact training on the whole population: all classes at once, infinitely long contexts.",
  "Theory's marks are for plain descent with the paper's simplified decoder.",
];

const sameSettings = (a, b) => Object.keys(a).every((name) => a[name] === b[name]);
const press = (node, on) => node.setAttribute("aria-pressed", on);

function render({ model, el }) {
  const home = { ...model.get("settings") };
  const asked = model.get("view");
  const presets = model.get("presets");
  const firstView = VIEWS.includes(asked) ? asked : VIEWS[0];
  const lab = new Experiment(home, firstView);
  const keepsAddress = Boolean(model.get("address")) && !isTaken();
  let shown = null; // the picture
  let width = 640;
  let sharedWeight = home.shared ?? 0.3; // kept while no token is shared
  let classPick = null;
  let telling = false; // the model, whose events are our own words
  let touched = false; // by the reader
  let notice = ""; // that stands in for the words until the reader does something
  let resting = 0; // timer of what waits for a pause; 0: nothing does

  /** Change the settings: train anew and show it. */
  function retrain(act) {
    act();
    showSettings();
    showClasses();
    draw();
  }

  /** Let every control show the settings in force. */
  function showSettings() {
    const { settings, classes, marks } = lab;
    if (settings.shared !== null) sharedWeight = settings.shared;
    for (const { name, values, control } of sliders) {
      const value = name === "shared" ? sharedWeight : settings[name];
      control.show(nearest(values, value), number(value, 4));
    }
    sliderOf("queries").input.max = settings.K - 1;
    sliderOf("shared").input.disabled = settings.shared === null;
    sharing.checked = settings.shared !== null;
    for (const { name, control } of choices) control.set(settings[name]);
    const ratio = number(settings.eta_y / settings.eta_z);
    typeset(
      facts,
      `η_Y/η_Z = ${ratio}: how many times faster the decoder learns · ` +
        `M = ${classes.M} tokens in all · ` +
        `K ln M/η_Y = ${number(marks.scan)}: the steps a scan takes, in the paper`,
    );
    const example = examples.find((one) => sameSettings(one.settings, settings));
    for (const one of examples) press(one.el, one === example);
    setText(question, example?.question ?? OWN);
  }

  /** Offer as many classes as there are. */
  function showClasses() {
    const { K } = lab.settings;
    if (classPick?.count === K) return;
    const options = Array.from({ length: K }, (_, n) => [n, n + 1]);
    const control = pick("Class", options, (n) => {
      lab.n = n;
      draw();
    });
    classPick = { ...control, count: K };
    arrange(classPlace, [classPick.el]);
  }

  /** Draw the chosen picture. */
  function draw() {
    classPick.set(lab.n);
    for (const view of views) press(view.el, view.name === lab.view);
    press(logTime, lab.axis === "log");
    setText(timeNote, TIME[lab.axis]);
    setText(about, PICTURES[lab.view].about(lab));
    shown = PICTURES[lab.view].draw(lab, width);
    stage.replaceChildren(shown.svg);
    move();
  }

  /** Follow the time slider. */
  function move(speak = true) {
    time.show(Math.round(PLACES * lab.placeOf(lab.time)), `step ${lab.time}`);
    shown.update(lab.at);
    strip.update(lab);
    numbers.update(lab);
    step.disabled = lab.isOver;
    longer.hidden = !lab.isOver || lab.settings.steps === STEPS.at(-1) || lab.path.broken !== null;
    if (!speak) return;
    sayMarked(words, notice || inWords(lab));
    words.classList.toggle("nl-alarm", Boolean(notice) || lab.path.broken !== null);
    theory.update(lab);
    forget();
    settle();
  }

  /** When things come to rest: keep the state in the address. */
  function settle() {
    clearTimeout(resting);
    resting = setTimeout(() => {
      resting = 0;
      if (address) address.write();
    }, PAUSE);
  }

  // ---- what the reader sets, and what Python hears and says ----
  function tellModel(name, value) {
    telling = true;
    model.set(name, value);
    telling = false;
    model.save_changes();
  }
  function set(act) {
    player.stop();
    retrain(act);
    tellModel("settings", { ...lab.settings });
  }
  /** Take over settings, before the first step: nobody should know the end. */
  function setAll(settings) {
    set(() => {
      lab.load({ ...settings });
      lab.frame = 0;
    });
  }
  function showView(view) {
    lab.view = view;
    draw();
    tellModel("view", view);
  }
  function reset() {
    lab.n = 0;
    lab.view = firstView;
    setAll(home);
  }
  function trainLonger() {
    const { time: now, settings } = lab;
    set(() => {
      lab.set(
        "steps",
        STEPS.find((count) => count > settings.steps),
      );
      lab.goto(now);
    });
    go.focus(); // the button that had it is gone
  }
  function followModel() {
    if (telling) return;
    const settings = model.get("settings");
    lab.view = model.get("view");
    if (sameSettings(settings, lab.settings)) draw();
    else retrain(() => lab.load({ ...settings }));
  }

  // ---- controls ----
  const sliders = SLIDERS.map(({ name, label, values, about: say, more }) => {
    const chosen = (place) => set(() => lab.set(name, values[place]));
    const ends = `${say}; ${values[0]} to ${values.at(-1)}`;
    return { name, values, more, control: slider(label, values.length, chosen, ends) };
  });
  const sliderOf = (wanted) => sliders.find(({ name }) => name === wanted).control;
  const choices = CHOICES.map((one) => ({
    name: one.name,
    control: choice(one, (value) => set(() => lab.set(one.name, value))),
  }));
  const sharing = element("input", {
    type: "checkbox",
    onchange: () => set(() => lab.set("shared", sharing.checked ? sharedWeight : null)),
  });
  const examples = presets.map(([, say, settings, asks]) => ({
    settings,
    question: asks,
    el: button(say, () => setAll(settings)),
  }));
  const views = VIEWS.map((name) => ({
    name,
    el: button(PICTURES[name].label, () => showView(name)),
  }));
  const logTime = button("Log time", () => {
    player.stop();
    lab.axis = lab.axis === "log" ? "linear" : "log";
    draw();
  });
  const timeNote = element("span", { class: "nl-note" });
  const go = button("▶ Play", () => player.toggle(), { class: "nl-go" });
  /** Walk over the frames: one at a time, as a key or a tap does. */
  const walk = (by) => {
    player.stop();
    lab.frame = Math.max(0, Math.min(lab.frame + by, lab.frames.length - 1));
    move();
  };
  const step = button("Step", () => walk(1));
  const longer = button("Train longer", trainLonger);
  const player = makePlayer(lab, {
    move,
    changed: (playing) => setText(go, playing ? "❚❚ Pause" : "▶ Play"),
  });
  const time = slider("Time", PLACES + 1, (place) => {
    player.stop();
    lab.lookAt(place / PLACES);
    move();
  });
  time.input.addEventListener("keydown", (event) => {
    const by = KEYS[event.key];
    if (!by) return;
    event.preventDefault(); // one place of many would not reach the next frame
    walk(by);
  });

  // ---- to take along ----
  const code = () => encodeState(lab, presets);
  const link = () => linkTo(location.href.split("#")[0], code());
  const {
    shown: copied,
    copyButton,
    forget,
  } = makeCopying((sentence) => sayMarked(words, sentence));
  const share = globalThis.nta?.shareLink;
  const shareButton = share ? button("Copy link", () => share(link())) : copyButton("link", link);

  // ---- the page ----
  const group = (kind, label, ...children) =>
    element("div", { class: kind, role: "group", "aria-label": label }, ...children);
  const question = element("p", { class: "ns-question" });
  const stage = element("div", { class: "ns-stage" });
  const about = element("p", { class: "nl-note ns-about" });
  const strip = phaseStrip();
  const numbers = numbersPanel();
  const theory = assumptionsPanel();
  const words = element("p", {
    class: "nl-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  const facts = element("p", { class: "nl-legend" });
  const classPlace = element("span");
  const settings = (more) =>
    sliders
      .filter((setting) => Boolean(setting.more) === more && setting.name !== "shared")
      .map(({ control }) => control.el);
  const sharingLabel = element(
    "label",
    { class: "nl-pick ns-check" },
    sharing,
    element("span", { say: "One shared token, weights 1 and r" }),
  );
  const root = group("nta-lab nta-scan", "Scan and Snap lab");
  root.append(
    element("style", { say: style }),
    element(
      "div",
      { class: "nl-bar" },
      group("ns-segments", "Examples", ...examples.map((example) => example.el)),
      button("Reset", reset),
    ),
    question,
    element(
      "div",
      { class: "ns-main" },
      element(
        "div",
        { class: "ns-see" },
        element(
          "div",
          { class: "nl-bar" },
          group("ns-segments", "Picture", ...views.map((view) => view.el)),
          classPlace,
        ),
        stage,
        strip.el,
        time.el,
        element("div", { class: "nl-bar" }, go, step, longer, logTime, timeNote),
        about,
        numbers.el,
      ),
      element("div", { class: "ns-read" }, words, theory.el),
    ),
    group(
      "ns-controls",
      "Settings",
      ...settings(false),
      ...choices.map(({ control }) => control.el),
    ),
    facts,
    element(
      "details",
      null,
      element("summary", { say: "More settings" }),
      element(
        "div",
        { class: "ns-controls" },
        ...settings(true),
        sharingLabel,
        sliderOf("shared").el,
      ),
    ),
    element(
      "div",
      { class: "nl-bar" },
      keepsAddress && shareButton,
      copyButton("Python", () => toPython(lab)),
    ),
    copied,
    element("p", { class: "nl-legend", say: LEGEND.join(" ") }),
  );
  time.el.classList.add("ns-time");

  // ---- life ----
  const address =
    keepsAddress &&
    keepAddress(root, presets, {
      code,
      changed: () => touched,
      restore: (state) => {
        touched = true;
        set(() => {
          Object.assign(lab, { view: state.view, scale: state.axis, n: state.n });
          lab.load(state.settings);
          lab.goto(state.time);
        });
      },
      refuse: (sentence) => {
        player.stop();
        notice = sentence;
        move();
      },
    });
  const touch = () => {
    touched = true;
    notice = "";
  };
  for (const type of ["pointerdown", "keydown"]) root.addEventListener(type, touch, true);
  root.ntaLab = { lab, set, move, draw, atRest: () => resting === 0 };
  keepKeys(root);
  el.append(root);
  retrain(() => {});
  const resized = new ResizeObserver(([{ contentRect }]) => {
    const [narrowest, widest] = WIDTHS;
    const room = Math.max(narrowest, Math.min(widest, Math.floor(contentRect.width)));
    if (contentRect.width === 0 || room === width) return;
    width = room;
    draw();
  });
  resized.observe(stage);
  model.on(EVENTS, followModel);
  if (address) address.recall();
  return () => {
    player.cancel();
    clearTimeout(resting);
    resized.disconnect();
    if (address) address.leave();
    model.off(EVENTS, followModel);
    root.remove();
  };
}

export default { render };
