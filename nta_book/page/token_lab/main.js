// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./token_lab.css";
import { parseText, textInForce } from "./text.js";
import { startWeights } from "./descent.js";
import { MAX_STEPS, SPEEDS, decodeState, toPython } from "./share.js";
import { Lab, OWN, PRESETS } from "./lab.js";
import { arrange, button, h, keepKeys, put } from "../shared/elements.js";
import { trackPicture } from "./pictures.js";
import { openMenu } from "./chips.js";
import { playView, racesView, stageView, textView } from "./views.js";

const PREFIX = "#lab="; // an ordinary anchor such as #play never starts like this
let owner = null; // the one lab of a page that keeps its state in the address

function render({ model, el }) {
  const compact = !!model.get("compact");
  const home = model.get("home") || "";
  // the draft holds what the reader typed; a text set by Python overrules it
  const given = () =>
    textInForce(parseText(model.get("draft") ?? "")) === model.get("text")
      ? model.get("draft")
      : model.get("text");
  const lab = new Lab(given());
  const keeps = !!model.get("address") && !owner;
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  const gone = new AbortController();
  const root = h("div", {
    class: `nta-lab${compact ? " nl-compact" : ""}`,
    role: "group",
    tabindex: -1,
    "aria-label": "Token Lab",
  });
  const cache = new Map();
  let raf = 0;
  let clock = 0;
  let debt = 0;
  let drawn = 0;
  let spoken = 0;
  let later = 0;
  let touched = false;
  let typing = false;
  let telling = false;
  let tracks = [];
  let ownDraft = OWN;
  const ui = {
    lab,
    root,
    running: false,
    closeMenu: () => {},
    menu: (...args) => openMenu(ui, ...args),
    edit(draft, focus, how) {
      change(() => lab.edit(draft, how), focus);
    },
    redraw() {
      play?.build();
      frame();
      settle();
    },
    tell(text) {
      put(words, text);
      words.classList.add("nl-alarm");
    },
    train(on) {
      ui.running = on && lab.problem.used > 0;
      cancelAnimationFrame(raf);
      if (ui.running) {
        lab.say = "";
        clock = debt = 0;
        raf = requestAnimationFrame(tick);
      }
      frame();
      settle();
    },
  };
  const words = h("p", { class: "nl-words nta-words", role: "status", "aria-live": "polite" });
  const board = h("div", { class: "nl-board" });
  const races = racesView(ui);
  const text = textView(ui);
  const stage = stageView(ui, compact);
  const play = compact ? null : playView(ui);

  // `rebuild` follows an edit, `frame` a few steps of training; `settle` speaks when things come to rest
  function rebuild(focus) {
    const {
      data: { names },
      theory,
    } = lab;
    const inside = root.contains(document.activeElement);
    (typing ? text : races).build(focus);
    if (cache.size > 60) cache.clear();
    tracks = theory.graphs.map((g) => {
      const key = JSON.stringify([
        names,
        g.last,
        g.nodes,
        g.edges,
        ...[theory.Wsvm, theory.Wfin].map((W) =>
          names.map((_, t) => W[t * names.length + g.last].toFixed(9)),
        ),
      ]);
      if (!cache.has(key)) cache.set(key, trackPicture(lab, g, compact));
      return cache.get(key);
    });
    arrange(
      board,
      tracks.map((t) => t.el),
    );
    undo.disabled = !lab.past.length;
    redo.disabled = !lab.future.length;
    ui.redraw();
    if (inside && !root.contains(document.activeElement)) root.focus({ preventScroll: true }); // keys go on working
  }
  function frame() {
    if (!typing) races.update();
    for (const t of tracks) t.update();
    stage.update();
    play?.update();
  }
  function settle() {
    words.classList.remove("nl-alarm");
    put(words, lab.inWords());
    const name = PRESETS.find(([, draft]) => draft === lab.draft)?.[0] ?? "Your own";
    for (const b of presets) b.setAttribute("aria-pressed", b.textContent === name);
    clearTimeout(later);
    later = setTimeout(() => {
      // what can wait for a pause: the pictures in words, the address
      if (!typing) races.describe();
      for (const t of tracks) t.describe();
      if (keeps && touched) write();
    }, 250);
  }
  function tick(time) {
    debt += (SPEEDS[lab.settings.speed] * Math.min(100, clock ? time - clock : 16)) / 1000;
    clock = time;
    let todo = Math.floor(debt);
    debt -= todo;
    for (const until = performance.now() + 11; todo > 0 && performance.now() < until; todo -= 20) {
      lab.advance(Math.min(20, todo));
    }
    if (!calm.matches || time - drawn > 600) {
      drawn = time;
      frame();
    }
    if (time - spoken > 1500) {
      spoken = time;
      put(words, lab.inWords());
    }
    if (lab.steps < MAX_STEPS) raf = requestAnimationFrame(tick);
    else ui.train(false);
  }

  // the kernel and the address
  function change(act, focus) {
    act();
    rebuild(focus);
    telling = true; // our own words come back as events
    model.set("draft", lab.draft);
    model.set("text", textInForce(lab.parsed));
    telling = false;
    model.save_changes();
  }
  const fromModel = () => {
    if (!telling && given() !== lab.draft) {
      lab.edit(given());
      rebuild();
    }
  };
  function write() {
    const code = lab.code();
    history.replaceState({ ...history.state, ntaLab: code }, "", PREFIX + code); // the state outlives a jump to a heading
  }
  function recall() {
    const { hash } = location;
    const code = hash.startsWith(PREFIX) ? hash.slice(PREFIX.length) : history.state?.ntaLab;
    if (!code || code === lab.code()) return;
    ui.train(false);
    try {
      const state = decodeState(code);
      change(() => lab.restore(state));
    } catch (error) {
      ui.tell(error.message);
    }
  }
  const link = () => (keeps ? location.href.split("#")[0] : home) + PREFIX + lab.code();

  // the frame around it
  const presets = [...PRESETS, ["Your own"]].map(([name, draft]) =>
    button(name, () => {
      ui.train(false);
      if (!PRESETS.some(([, d]) => d === lab.draft)) ownDraft = lab.draft;
      change(() => lab.edit(draft ?? ownDraft, { fresh: true }));
    }),
  );
  const undo = button("↶", () => change(() => lab.undo()), { "aria-label": "Undo" });
  const redo = button("↷", () => change(() => lab.redo()), { "aria-label": "Redo" });
  const toggle = button(
    "Text",
    () => {
      typing = !typing;
      toggle.setAttribute("aria-pressed", typing);
      races.el.hidden = typing;
      text.el.hidden = !typing;
      rebuild();
      if (typing) text.area.focus();
    },
    { "aria-pressed": "false" },
  );
  const add = button("+ Add a race", () => {
    // a copy of the last race: it changes no edge until it is edited
    const { lines } = lab.parsed;
    const last = lines.findLastIndex((l) => l.kind === "race");
    const at = last < 0 ? lines.length : last + 1;
    ui.edit(lab.withLines(at, 0, lines[last] ?? { raw: "a b -> a" }), { row: at, at: 0 });
  });
  const told = h("span", { class: "nl-legend", "aria-hidden": "true" });
  const copied = h("textarea", {
    class: "nl-copy",
    readonly: "",
    rows: 8,
    hidden: "",
    "aria-label": "To copy",
  });
  const copy = (what, make) =>
    button(`Copy ${what}`, async ({ target }) => {
      copied.hidden = false;
      copied.value = make();
      copied.select();
      put(
        words,
        (await navigator.clipboard?.writeText(copied.value).then(
          () => `The ${what} is copied.`,
          () => "",
        )) || `Press Ctrl+C to copy the ${what}.`,
      );
      target.after(told); // the sentence stands far above: say it here as well
      put(told, words.textContent);
    });
  const python = () =>
    toPython({
      text: textInForce(lab.parsed),
      settings: lab.settings,
      steps: lab.steps,
      W0: startWeights(lab.data.K, lab.settings.seed),
    });
  const more = h("a", {
    say: "Open the full lab →",
    href: home,
    onclick: () => more.setAttribute("href", link()),
  });
  text.el.hidden = true;
  root.append(
    h("style", { say: style }),
    h("div", { class: "nl-bar", role: "group", "aria-label": "Examples" }, ...presets),
    stage.el,
    words,
    h(
      "div",
      { class: "nl-main" },
      h(
        "section",
        { "aria-label": "Races" },
        h("div", { class: "nl-bar" }, h("h3", { say: "Races" }), undo, redo, !compact && toggle),
        races.el,
        text.el,
        h("div", { class: "nl-bar" }, add, compact && home && more),
      ),
      h(
        "section",
        { "aria-label": "League tables" },
        h("div", { class: "nl-bar" }, h("h3", { say: "League tables" })),
        board,
      ),
    ),
    stage.float,
    h("p", {
      class: "nl-legend",
      say: "★ the winner · pink bar: the last token, which names the track · bars and dots: the layer now · ◆ where theory says it ends · ✓ the step at which a win was decided, ten to one",
    }),
  );
  if (play) {
    root.append(
      play.el,
      h("div", { class: "nl-bar" }, (keeps || home) && copy("link", link), copy("Python", python)),
      copied,
    );
  }
  root.addEventListener("keydown", (e) => {
    const key = e.key.toLowerCase();
    if (
      !(e.ctrlKey || e.metaKey) ||
      !/^[zy]$/.test(key) ||
      /INPUT|TEXTAREA/.test(e.target.tagName)
    ) {
      return;
    }
    e.preventDefault();
    (key === "z" && !e.shiftKey ? undo : redo).click();
  });
  for (const type of ["pointerdown", "keydown"]) {
    root.addEventListener(
      type,
      () => {
        touched = true;
      },
      true,
    );
  }
  root.ntaLab = { lab, frame, rebuild };
  keepKeys(root);
  el.append(root);
  model.on("change:text change:draft", fromModel);
  rebuild();
  if (keeps) {
    owner = root;
    addEventListener("hashchange", recall, { signal: gone.signal });
    addEventListener("pagehide", () => touched && write(), { signal: gone.signal });
    recall();
  }
  return () => {
    cancelAnimationFrame(raf);
    clearTimeout(later);
    ui.closeMenu();
    gone.abort();
    model.off("change:text change:draft", fromModel);
    if (owner === root) owner = null;
    root.remove();
  };
}
export default { render };
