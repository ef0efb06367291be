// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./scan_snap_lab.css";
import { arrange, button, element, keepKeys, pick, setText } from "../shared/elements.js";
import { CHOICES, SLIDERS } from "./settings.js";
import { Experiment, VIEWS } from "./experiment.js";
import { badges, inWords, number } from "./words.js";
import { PICTURES } from "./views.js";

const PLAY = 9; // seconds from the first step to the last

/** Write η_Y and η_Z with their letter below the line. */
function typeset(node, text) {
  const plain = text.replaceAll("_", "");
  if (node.textContent !== plain) {
    node.replaceChildren(
      ...text
        .split(/(_[YZ])/)
        .map((part) => (part[0] === "_" ? element("sub", { say: part[1] }) : part)),
    );
  }
  return node;
}
/** A slider over some values, with its value in words. */
function slider(label, count, oninput) {
  const value = element("output");
  const input = element("input", {
    type: "range",
    min: 0,
    max: count - 1,
    step: 1,
    "aria-label": label.replace("_", ""),
    oninput: () => oninput(+input.value),
  });
  return {
    input,
    el: element("label", { class: "ns-slider" }, typeset(element("span"), label), value, input),
    set: (index, say) => {
      input.value = index;
      input.setAttribute("aria-valuetext", say);
      setText(value, say);
    },
  };
}
const nearest = (values, v) =>
  values.reduce((best, x, i) => (Math.abs(x - v) < Math.abs(values[best] - v) ? i : best), 0);
const same = (a, b) => Object.keys(a).every((name) => a[name] === b[name]);

function render({ model, el }) {
  const presets = model.get("presets");
  const home = { ...model.get("settings") };
  const lab = new Experiment(
    home,
    VIEWS.includes(model.get("view")) ? model.get("view") : VIEWS[0],
  );
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const root = element("div", {
    class: "nta-lab nta-scan",
    role: "group",
    "aria-label": "Scan and Snap explorer",
  });
  let shown = null;
  let raf = 0;
  let clock = 0;
  let spoken = 0;
  let width = 640;
  let r = home.shared ?? 0.3;
  let telling = false;

  // `retrain` follows the settings, `draw` the choice of picture, `move` the time slider
  function retrain(act) {
    act();
    if (lab.settings.shared !== null) r = lab.settings.shared;
    for (const { name, values, set } of sliders) {
      const v = name === "shared" ? r : lab.settings[name];
      set(nearest(values, v), number(v, 4));
    }
    const { K, shared } = lab.settings;
    bySetting.queries.input.max = K - 1;
    bySetting.shared.input.disabled = shared === null;
    sharing.checked = shared !== null;
    for (const { name, choice } of choices) choice.set(lab.settings[name]);
    typeset(
      facts,
      `η_Y/η_Z = ${number(lab.settings.eta_y / lab.settings.eta_z)} · M = ${lab.classes.M} tokens · K ln M/η_Y = ${number(lab.marks.scan)} steps`,
    );
    for (const [b, settings] of examples) {
      b.setAttribute("aria-pressed", same(settings, lab.settings));
    }
    if (classPick?.count !== K) {
      classPick = Object.assign(
        pick(
          "Class",
          Array.from({ length: K }, (_, n) => [n, n + 1]),
          (n) => {
            lab.n = n;
            draw();
          },
        ),
        { count: K },
      );
      arrange(classPlace, [classPick.el]);
    }
    draw();
  }
  function draw() {
    classPick.set(lab.n);
    for (const [b, view] of views) b.setAttribute("aria-pressed", view === lab.view);
    log.setAttribute("aria-pressed", lab.axis === "log");
    time.input.max = lab.frames.length - 1;
    shown = PICTURES[lab.view][1](lab, width);
    stage.replaceChildren(shown.svg);
    move();
  }
  function move(speak = true) {
    time.set(lab.frame, `step ${lab.time}`);
    shown.update(lab.at);
    if (!speak) return;
    setText(words, inWords(lab));
    words.classList.toggle("nl-alarm", lab.path.broken !== null);
    arrange(
      tags,
      badges(lab).map(([holds, say], i) => {
        const tag = tags.children[i] ?? element("li");
        typeset(tag, `${holds ? "✓" : "✗"} ${say}`);
        tag.className = holds ? "ns-holds" : "ns-fails";
        return tag;
      }),
    );
  }

  // play walks over the frames of the slider, so on a log axis it walks in log time
  function play(on) {
    cancelAnimationFrame(raf);
    raf = clock = 0;
    setText(go, on ? "❚❚ Pause" : "▶ Play");
    if (!on) {
      move();
      return;
    }
    if (lab.frame === lab.frames.length - 1) lab.frame = 0;
    raf = requestAnimationFrame(tick);
  }
  function tick(now) {
    clock ||= now - (1000 * PLAY * lab.frame) / (lab.frames.length - 1);
    const last = lab.frames.length - 1;
    const frame = Math.min(last, Math.floor(((now - clock) / 1000 / PLAY) * last));
    const speak = now - spoken > 1500;
    if (frame !== lab.frame && (!calm.matches || speak)) {
      lab.frame = frame;
      move(speak);
      if (speak) spoken = now;
    }
    if (lab.frame < last) raf = requestAnimationFrame(tick);
    else play(false);
  }
  const playing = () => raf !== 0;

  // what the reader sets, and what Python hears and says
  function set(act) {
    if (playing()) play(false);
    retrain(act);
    telling = true; // our own words come back as events
    model.set("settings", { ...lab.settings });
    telling = false;
    model.save_changes();
  }
  const show = (view) => {
    lab.show(view);
    draw();
    telling = true;
    model.set("view", view);
    telling = false;
    model.save_changes();
  };
  const fromModel = () => {
    if (telling) return;
    const settings = model.get("settings");
    const view = model.get("view");
    if (view !== lab.view) lab.show(view);
    if (same(settings, lab.settings)) draw();
    else retrain(() => lab.load({ ...settings }));
  };

  const sliders = SLIDERS.map((s) => ({
    ...s,
    ...slider(s.label, s.values.length, (i) => set(() => lab.set(s.name, s.values[i]))),
  }));
  const bySetting = Object.fromEntries(sliders.map((s) => [s.name, s]));
  const choices = CHOICES.map((c) => ({
    ...c,
    choice: pick(c.label, c.options, (v) => set(() => lab.set(c.name, v))),
  }));
  const sharing = element("input", {
    type: "checkbox",
    onchange: () => set(() => lab.set("shared", sharing.checked ? r : null)),
  });
  const examples = presets.map(([, name, settings]) => [
    button(name, () =>
      set(() => {
        lab.load({ ...settings });
        lab.end();
      }),
    ),
    settings,
  ]);
  const views = VIEWS.map((view) => [button(PICTURES[view][0], () => show(view)), view]);
  const log = button("Log time", () => {
    if (playing()) play(false);
    lab.axis = lab.axis === "log" ? "linear" : "log";
    draw();
  });
  const go = button("▶ Play", () => play(!playing()), { class: "nl-go" });
  const time = slider("Time", 2, (i) => {
    if (playing()) play(false);
    lab.frame = i;
    move();
  });
  const stage = element("div", { class: "ns-stage" });
  const words = element("p", {
    class: "nl-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  const tags = element("ul", { class: "ns-tags", "aria-label": "What theory assumes" });
  const facts = element("p", { class: "nl-legend" });
  const classPlace = element("span");
  let classPick = null;
  const part = (more) => [
    ...sliders.filter((s) => !s.more === !more && s.name !== "shared").map((s) => s.el),
    ...choices.filter((c) => !c.more === !more).map((c) => c.choice.el),
  ];
  root.append(
    element("style", { say: style }),
    element(
      "div",
      { class: "nl-bar", role: "group", "aria-label": "Examples" },
      ...examples.map(([b]) => b),
      button("Reset", () =>
        set(() => {
          lab.load({ ...home });
          lab.end();
        }),
      ),
    ),
    element(
      "div",
      { class: "nl-bar", role: "group", "aria-label": "Picture" },
      ...views.map(([b]) => b),
      classPlace,
    ),
    stage,
    element("div", { class: "nl-bar ns-time" }, go, time.el, log),
    words,
    tags,
    element(
      "div",
      { class: "ns-controls", role: "group", "aria-label": "Settings" },
      ...part(false),
    ),
    facts,
    element(
      "details",
      null,
      element("summary", { say: "More settings" }),
      element(
        "div",
        { class: "ns-controls" },
        ...part(true),
        element(
          "label",
          { class: "nl-pick" },
          sharing,
          element("span", { say: "One shared token, weights 1 and r" }),
        ),
        bySetting.shared.el,
      ),
    ),
    element("p", {
      class: "nl-legend",
      say: "Exact training on the whole population: all classes at once, infinitely long contexts. Bars and solid lines: this run; ticks: its start; dotted lines and grey bands: theory, for plain descent.",
    }),
  );
  root.ntaLab = { lab, set, move, draw };
  keepKeys(root);
  el.append(root);
  const sized = new ResizeObserver(([{ contentRect }]) => {
    const room = Math.max(260, Math.min(900, Math.floor(contentRect.width)));
    if (contentRect.width > 0 && room !== width) {
      width = room;
      draw();
    }
  });
  retrain(() => {});
  sized.observe(stage);
  model.on("change:settings change:view", fromModel);
  return () => {
    cancelAnimationFrame(raf);
    sized.disconnect();
    model.off("change:settings change:view", fromModel);
    root.remove();
  };
}
export default { render };
