// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./token_lab.css";
import { isTaken, keepAddress, linkTo } from "./address.js";
import { boardView } from "./board.js";
import { makeCopying } from "./copying.js";
import { startWeights } from "./descent.js";
import { EXAMPLES, OWN } from "./examples.js";
import { Lab } from "./lab.js";
import { openMenu } from "./menu.js";
import { playView } from "./play.js";
import { racesView, textView } from "./races.js";
import { toPython } from "./share.js";
import { stageView } from "./stage.js";
import { parseText, textInForce } from "./text.js";
import { makeTrainer } from "./trainer.js";
import { describeLab } from "./words.js";
import { button, element, keepKeys, setText } from "../shared/elements.js";

const PAUSE = 250; // milliseconds after which a reader has come to rest
const EVENTS = "change:text change:draft";
const LEGEND = [
  "★ the winner",
  "pink bar: the last token, which names the track",
  "bars and dots: the layer now",
  "◆ where theory says it ends",
  "✓ the step at which a win was decided, ten to one",
];

/** The draft holds what the reader typed; a text set by Python overrules it. */
function draftOf(model) {
  const draft = model.get("draft") ?? "";
  return textInForce(parseText(draft)) === model.get("text") ? draft : model.get("text");
}

const isExample = (draft) => EXAMPLES.some((example) => example.draft === draft);

function render({ model, el }) {
  const compact = Boolean(model.get("compact"));
  const home = model.get("home") || "";
  const lab = new Lab(draftOf(model));
  const keepsAddress = Boolean(model.get("address")) && !isTaken();
  const root = element("div", {
    class: `nta-lab${compact ? " nl-compact" : ""}`,
    role: "group",
    tabindex: -1,
    "aria-label": "Token Lab",
  });
  const words = element("p", {
    class: "nl-words nta-words",
    role: "status",
    "aria-live": "polite",
  });
  let resting = 0; // timer of what waits for a pause; 0: nothing does
  let touched = false; // by the reader
  let typing = false; // the races are shown as text
  let telling = false; // the model, whose events are our own words
  let ownDraft = OWN;

  /** What the parts of the lab ask of it. */
  const ui = {
    lab,
    root,
    running: false,
    closeMenu: () => {},
    menu: (...options) => openMenu(ui, ...options),
    edit: (draft, focus, how) => change(() => lab.edit(draft, how), focus),
    redraw() {
      play?.build();
      frame();
      settle();
    },
    tell(sentence) {
      setText(words, sentence);
      words.classList.add("nl-alarm");
    },
    train(on) {
      ui.running = on && lab.problem.used > 0;
      trainer.stop();
      if (ui.running) {
        lab.say = "";
        trainer.start();
      }
      frame();
      settle();
    },
  };
  const races = racesView(ui);
  const text = textView(ui);
  const stage = stageView(ui, compact);
  const board = boardView(lab, compact);
  const play = compact ? null : playView(ui);
  const trainer = makeTrainer(lab, {
    draw: frame,
    speak: () => setText(words, describeLab(lab)),
    finish: () => ui.train(false),
  });
  const address =
    keepsAddress &&
    keepAddress(lab, {
      changed: () => touched,
      restore: (state) => {
        ui.train(false);
        change(() => lab.restore(state));
      },
      refuse: (sentence) => {
        ui.train(false);
        ui.tell(sentence);
      },
    });

  /** After an edit: draw everything that depends on the races. */
  function rebuild(focus) {
    const hadFocus = root.contains(document.activeElement);
    (typing ? text : races).build(focus);
    board.build();
    undo.disabled = !lab.past.length;
    redo.disabled = !lab.future.length;
    ui.redraw();
    // An element with the focus may be gone; the keys of the lab go on working.
    if (hadFocus && !root.contains(document.activeElement)) root.focus({ preventScroll: true });
  }

  /** After some steps: draw what depends on the weights. */
  function frame() {
    if (!typing) races.update();
    board.update();
    stage.update();
    play?.update();
  }

  /** When things come to rest: speak, and after a pause describe the pictures. */
  function settle() {
    words.classList.remove("nl-alarm");
    setText(words, describeLab(lab));
    const shown = isExample(lab.draft) ? lab.draft : undefined;
    for (const { draft, el: example } of examples) {
      example.setAttribute("aria-pressed", draft === shown);
    }
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (!typing) races.describe();
      board.describe();
      if (address) address.write();
      resting = 0;
    }, PAUSE);
  }

  /** Do something that may change the races, and tell Python. */
  function change(act, focus) {
    act();
    rebuild(focus);
    telling = true;
    model.set("draft", lab.draft);
    model.set("text", textInForce(lab.parsed));
    telling = false;
    model.save_changes();
  }

  function followModel() {
    const draft = draftOf(model);
    if (telling || draft === lab.draft) return;
    lab.edit(draft);
    rebuild();
  }

  // ---- buttons ----
  const examples = [...EXAMPLES, { name: "Your own" }].map(({ name, draft }) => ({
    draft,
    el: button(name, () => {
      ui.train(false);
      if (!isExample(lab.draft)) ownDraft = lab.draft;
      change(() => lab.edit(draft ?? ownDraft, { fresh: true }));
    }),
  }));
  const undo = button("↶", () => change(() => lab.undo()), { "aria-label": "Undo" });
  const redo = button("↷", () => change(() => lab.redo()), { "aria-label": "Redo" });
  const toggleText = () => {
    typing = !typing;
    toggle.setAttribute("aria-pressed", typing);
    races.el.hidden = typing;
    text.el.hidden = !typing;
    rebuild();
    if (typing) text.area.focus();
  };
  const toggle = button("Text", toggleText, { "aria-pressed": "false" });
  text.el.hidden = true;
  const add = button("+ Add a race", () => {
    const { lines } = lab.parsed;
    const last = lines.findLastIndex(({ kind }) => kind === "race");
    const place = last < 0 ? lines.length : last + 1;
    // A copy of the last race: it changes no edge until it is edited.
    const race = lines[last] ?? { raw: "a b -> a" };
    ui.edit(lab.withLines(place, 0, race), { row: place, at: 0 });
  });
  const link = () => linkTo(keepsAddress ? location.href.split("#")[0] : home, lab.code());
  const openFull = element("a", {
    say: "Open the full lab →",
    href: home,
    onclick: () => openFull.setAttribute("href", link()),
  });
  const python = () =>
    toPython({
      text: textInForce(lab.parsed),
      settings: lab.settings,
      steps: lab.steps,
      W0: startWeights(lab.data.K, lab.settings.seed),
    });

  // ---- the page ----
  const bar = (...children) => element("div", { class: "nl-bar" }, ...children);
  const heading = (say) => element("h3", { say });
  const section = (label, ...children) => element("section", { "aria-label": label }, ...children);
  root.append(
    element("style", { say: style }),
    element(
      "div",
      { class: "nl-bar", role: "group", "aria-label": "Examples" },
      ...examples.map((example) => example.el),
    ),
    stage.el,
    words,
    element(
      "div",
      { class: "nl-main" },
      section(
        "Races",
        bar(heading("Races"), undo, redo, !compact && toggle),
        races.el,
        text.el,
        bar(add, compact && home && openFull),
      ),
      section("League tables", bar(heading("League tables")), board.el),
    ),
    stage.float,
    element("p", { class: "nl-legend", say: LEGEND.join(" · ") }),
  );
  if (play) {
    const { shown, copyButton } = makeCopying((sentence) => setText(words, sentence));
    const copyLink = (keepsAddress || home) && copyButton("link", link);
    root.append(play.el, bar(copyLink, copyButton("Python", python)), shown);
  }

  // ---- life ----
  root.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const typed = /INPUT|TEXTAREA/.test(event.target.tagName); // these undo by themselves
    if (!(event.ctrlKey || event.metaKey) || !/^[zy]$/.test(key) || typed) return;
    event.preventDefault();
    (key === "z" && !event.shiftKey ? undo : redo).click();
  });
  const touch = () => {
    touched = true;
  };
  for (const type of ["pointerdown", "keydown"]) root.addEventListener(type, touch, true);
  root.ntaLab = { lab, frame, rebuild, atRest: () => resting === 0 };
  keepKeys(root);
  el.append(root);
  model.on(EVENTS, followModel);
  rebuild();
  if (address) address.recall();
  return () => {
    trainer.stop();
    clearTimeout(resting);
    ui.closeMenu();
    if (address) address.leave();
    model.off(EVENTS, followModel);
    root.remove();
  };
}

export default { render };
