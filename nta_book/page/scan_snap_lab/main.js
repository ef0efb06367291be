// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./scan_snap_lab.css";
import { slider, typeset } from "./controls.js";
import { Experiment, VIEWS } from "./experiment.js";
import { makePlayer } from "./player.js";
import { CHOICES, SLIDERS } from "./settings.js";
import { nearest } from "./vectors.js";
import { PICTURES } from "./views.js";
import { badges, inWords, number } from "./words.js";
import { arrange, button, element, keepKeys, pick, setText } from "../shared/elements.js";

const EVENTS = "change:settings change:view";
const WIDTHS = [260, 900]; // of the picture, in pixels
const LEGEND = [
  "Exact training on the whole population: all classes at once, infinitely long contexts.",
  "Bars and solid lines: this run; ticks: its start; dotted lines and grey bands: theory,",
  "for plain descent.",
];

const sameSettings = (a, b) => Object.keys(a).every((name) => a[name] === b[name]);
const press = (node, on) => node.setAttribute("aria-pressed", on);

function render({ model, el }) {
  const home = { ...model.get("settings") };
  const asked = model.get("view");
  const lab = new Experiment(home, VIEWS.includes(asked) ? asked : VIEWS[0]);
  let shown = null; // the picture
  let width = 640;
  let sharedWeight = home.shared ?? 0.3; // kept while no token is shared
  let classPick = null;
  let telling = false; // the model, whose events are our own words

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
    const scan = number(marks.scan);
    typeset(facts, `η_Y/η_Z = ${ratio} · M = ${classes.M} tokens · K ln M/η_Y = ${scan} steps`);
    for (const example of examples) press(example.el, sameSettings(example.settings, settings));
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
    time.input.max = lab.frames.length - 1;
    shown = PICTURES[lab.view].draw(lab, width);
    stage.replaceChildren(shown.svg);
    move();
  }

  /** Follow the time slider. */
  function move(speak = true) {
    time.show(lab.frame, `step ${lab.time}`);
    shown.update(lab.at);
    if (!speak) return;
    setText(words, inWords(lab));
    words.classList.toggle("nl-alarm", lab.path.broken !== null);
    const shownTags = badges(lab).map(([holds, say], i) => {
      const tag = typeset(tags.children[i] ?? element("li"), `${holds ? "✓" : "✗"} ${say}`);
      tag.className = holds ? "ns-holds" : "ns-fails";
      return tag;
    });
    arrange(tags, shownTags);
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
  function setAll(settings) {
    set(() => {
      lab.load({ ...settings });
      lab.end();
    });
  }
  function showView(view) {
    lab.show(view);
    draw();
    tellModel("view", view);
  }
  function followModel() {
    if (telling) return;
    const settings = model.get("settings");
    const view = model.get("view");
    if (view !== lab.view) lab.show(view);
    if (sameSettings(settings, lab.settings)) draw();
    else retrain(() => lab.load({ ...settings }));
  }

  // ---- controls ----
  const sliders = SLIDERS.map(({ name, label, values, more }) => {
    const chosen = (place) => set(() => lab.set(name, values[place]));
    return { name, values, more, control: slider(label, values.length, chosen) };
  });
  const sliderOf = (wanted) => sliders.find(({ name }) => name === wanted).control;
  const choices = CHOICES.map(({ name, label, options, more }) => ({
    name,
    more,
    control: pick(label, options, (value) => set(() => lab.set(name, value))),
  }));
  const sharing = element("input", {
    type: "checkbox",
    onchange: () => set(() => lab.set("shared", sharing.checked ? sharedWeight : null)),
  });
  const examples = model.get("presets").map(([, say, settings]) => ({
    settings,
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
  const go = button("▶ Play", () => player.toggle(), { class: "nl-go" });
  const player = makePlayer(lab, {
    move,
    changed: (playing) => setText(go, playing ? "❚❚ Pause" : "▶ Play"),
  });
  const time = slider("Time", 2, (frame) => {
    player.stop();
    lab.frame = frame;
    move();
  });

  // ---- the page ----
  const stage = element("div", { class: "ns-stage" });
  const words = element("p", {
    class: "nl-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  const tags = element("ul", { class: "ns-tags", "aria-label": "What theory assumes" });
  const facts = element("p", { class: "nl-legend" });
  const classPlace = element("span");
  const group = (kind, label, ...children) =>
    element("div", { class: kind, role: "group", "aria-label": label }, ...children);
  const controls = (more) =>
    [...sliders, ...choices]
      .filter((setting) => Boolean(setting.more) === more && setting.name !== "shared")
      .map(({ control }) => control.el);
  const sharingLabel = element(
    "label",
    { class: "nl-pick" },
    sharing,
    element("span", { say: "One shared token, weights 1 and r" }),
  );
  const root = group("nta-lab nta-scan", "Scan and Snap explorer");
  root.append(
    element("style", { say: style }),
    group(
      "nl-bar",
      "Examples",
      ...examples.map((example) => example.el),
      button("Reset", () => setAll(home)),
    ),
    group("nl-bar", "Picture", ...views.map((view) => view.el), classPlace),
    stage,
    element("div", { class: "nl-bar ns-time" }, go, time.el, logTime),
    words,
    tags,
    group("ns-controls", "Settings", ...controls(false)),
    facts,
    element(
      "details",
      null,
      element("summary", { say: "More settings" }),
      element(
        "div",
        { class: "ns-controls" },
        ...controls(true),
        sharingLabel,
        sliderOf("shared").el,
      ),
    ),
    element("p", { class: "nl-legend", say: LEGEND.join(" ") }),
  );

  // ---- life ----
  root.ntaLab = { lab, set, move, draw };
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
  return () => {
    player.cancel();
    resized.disconnect();
    model.off(EVENTS, followModel);
    root.remove();
  };
}

export default { render };
