// The widget: `export default { render }` is what anywidget and the book's page call.

import style from "./token_lab.css";
import { isTaken, keepAddress, linkTo } from "./address.js";
import { autoplay } from "./autoplay.js";
import { boardView } from "./board.js";
import { compareView } from "./compare.js";
import { makeCopying } from "../shared/copying.js";
import { EXAMPLES, OWN, nameOf } from "./examples.js";
import { filmView } from "./film.js";
import { heatMap } from "./heat_map.js";
import { Lab } from "./lab.js";
import { openMenu } from "./menu.js";
import { playView } from "./play.js";
import { proseView } from "./prose_view.js";
import { toPython } from "./python.js";
import { racesView, textView } from "./races.js";
import { stageView } from "./stage.js";
import { LIMITS, parseText, textInForce } from "./text.js";
import { makeTrainer } from "./trainer.js";
import { describeLab } from "./words.js";
import { plain, sayMarked } from "../shared/marked.js";
import { whenFontsChange } from "../shared/measure.js";
import { button, element, keepKeys, setText } from "../shared/elements.js";

const PAUSE = 250; // milliseconds after which a reader has come to rest
const EVENTS = "change:text change:draft";
const LEGEND = [
  "★ the winner",
  "pink bar: the last token, which names the track",
  "bars and dots: the layer now",
  "◆ where theory says it ends",
  "1st, 2nd …: places from the top, a range where the races leave it open",
  "dashed arrows: wins inside a league, where nobody ranks above anybody",
  "✓ the step at which a win was decided, ten to one",
  "+1 runs a race once more, ✕ removes it, + adds a token",
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
  const listening = new AbortController();
  const root = element("div", {
    class: `nta-lab nl-tokens${compact ? " nl-compact" : ""}`,
    role: "group",
    tabindex: -1,
    "aria-label": "Token Lab",
  });
  const words = element("p", { class: "nl-words nta-words" });
  // What is read out: the same words, but only when they have come to rest.
  const live = element("p", { class: "nl-hidden", role: "status" });
  let resting = 0; // timer of what waits for a pause; 0: nothing does
  let touched = false; // by the reader
  let telling = false; // the model, whose events are our own words
  let ownDraft = OWN;
  let beforeFilm = null; // what had the focus when the slow motion was opened
  let room = 0; // for a graph, when the board was built

  /** What the parts of the lab ask of it. */
  const ui = {
    lab,
    root,
    running: false,
    view: { typing: false, film: null }, // what of the lab is open
    closeMenu: () => {},
    menu: (...options) => openMenu(ui, ...options),
    edit: (draft, focus, how) => change(() => lab.edit(draft, how), focus),
    redraw() {
      play?.build();
      frame();
      settle();
    },
    tell(sentence) {
      for (const place of [words, live]) sayMarked(place, sentence);
      words.classList.add("nl-alarm");
    },
    train(on) {
      ui.running = on && lab.problem.used > 0 && !lab.isFull;
      trainer.stop();
      if (ui.running) {
        lab.say = "";
        film?.pause();
        trainer.start();
      }
      frame();
      settle();
    },
    advance(count) {
      ui.train(false);
      lab.advance(count);
    },
    /** Open the slow motion at [race, frame], or close it (null). */
    film(place) {
      if (ui.running) ui.train(false);
      const opens = Boolean(place) && !ui.view.film;
      const turns = Boolean(place) !== Boolean(ui.view.film);
      const leaves = !place && film.el.contains(document.activeElement);
      if (opens) beforeFilm = document.activeElement;
      ui.view.film = place;
      if (turns) buildBoard();
      ui.redraw();
      if (leaves) (root.contains(beforeFilm) ? beforeFilm : root).focus({ preventScroll: true });
      if (opens) film.el.scrollIntoView({ block: "nearest" });
    },
    pin(on) {
      if (on) lab.pin(nameOf(lab.draft));
      else lab.unpin();
      ui.redraw();
    },
  };
  const races = racesView(ui);
  const text = textView(ui);
  const stage = stageView(ui, compact);
  const board = boardView(lab, compact, root);
  const heat = compact ? null : heatMap(lab);
  const film = compact ? null : filmView(ui, heat);
  const compare = compact ? null : compareView(ui, nameOf);
  const play = compact ? null : playView(ui);
  const prose = compact ? null : proseView(ui);
  const { shown, copyButton, forget } = makeCopying((sentence) => {
    for (const place of [words, live]) sayMarked(place, sentence);
  });
  const trainer = makeTrainer(lab, {
    draw: () => {
      frame();
      sayMarked(words, describeLab(lab));
      player.check();
    },
    speak: () => setText(live, plain(describeLab(lab))),
    finish: () => ui.train(false),
  });
  const code = () => lab.code(ui.view);
  const address =
    keepsAddress &&
    keepAddress(root, {
      code,
      changed: () => touched,
      restore: (state) => {
        ui.train(false);
        change(() => lab.restore(state));
        showText(state.view.typing);
        if (film) ui.film(state.view.film);
      },
      refuse: (sentence) => {
        ui.train(false);
        ui.tell(sentence);
      },
    });
  let player = { stop: () => {}, check: () => {} };

  /** After an edit: draw everything that depends on the races. */
  function rebuild(focus) {
    const hadFocus = root.contains(document.activeElement);
    const place = focus ?? (hadFocus && races.whereFocused());
    (ui.view.typing ? text : races).build(focus);
    heat?.build();
    buildBoard();
    const pressed = document.activeElement;
    undo.disabled = !lab.past.length;
    redo.disabled = !lab.future.length;
    // A button that can do no more gives the focus to its pair: the browser would drop it.
    if (pressed === undo && undo.disabled) redo.focus({ preventScroll: true });
    if (pressed === redo && redo.disabled) undo.focus({ preventScroll: true });
    ui.redraw();
    if (!hadFocus || root.contains(document.activeElement)) return;
    // The element with the focus is gone: its place takes over, or else the lab.
    if (place && !ui.view.typing) races.build(place);
    if (!root.contains(document.activeElement)) root.focus({ preventScroll: true });
  }

  /** The league tables, and W beside them unless the slow motion has it. */
  function buildBoard() {
    room = board.build(heat && !ui.view.film ? [heat.el] : []);
  }

  /** After some steps: draw what depends on the weights. */
  function frame() {
    if (!ui.view.typing) races.update();
    board.update();
    heat?.update(!ui.running);
    stage.update();
    compare?.update();
    play?.update();
    forget();
  }

  /** When things come to rest: speak, and after a pause describe the pictures. */
  function settle() {
    words.classList.remove("nl-alarm");
    sayMarked(words, describeLab(lab));
    setText(live, plain(describeLab(lab)));
    film?.update();
    const current = isExample(lab.draft) ? lab.draft : undefined;
    for (const { draft, el: example } of examples) {
      example.setAttribute("aria-pressed", draft === current);
    }
    clearTimeout(resting);
    resting = setTimeout(() => {
      if (!ui.view.typing) races.describe();
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

  /** Show the races as text, or as chips. */
  function showText(typing) {
    ui.view.typing = typing;
    toggle.setAttribute("aria-pressed", typing);
    races.el.hidden = typing;
    text.el.hidden = !typing;
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
  const toggle = button(
    "Text",
    () => {
      showText(!ui.view.typing);
      if (ui.view.typing) text.area.focus();
    },
    { "aria-pressed": "false" },
  );
  text.el.hidden = true;
  const add = button("+ Add a race", () => {
    const { lines } = lab.parsed;
    if (lab.data.rows.length >= LIMITS.races) {
      ui.tell(`The lab holds at most ${LIMITS.races} races.`);
      return;
    }
    const last = lines.findLastIndex(({ kind }) => kind === "race");
    const place = last < 0 ? lines.length : last + 1;
    // A copy of the last race: it changes no edge until it is edited.
    const race = lines[last] ?? { raw: "a b -> a" };
    ui.edit(lab.withLines(place, 0, race), { row: place, at: 0 });
  });
  /** The address of this state, or "" if it is too long for one. */
  const link = () => {
    const word = code();
    return word && linkTo(keepsAddress ? location.href.split("#")[0] : home, word);
  };
  const openFull = element("a", {
    say: "Open the full lab →",
    href: home,
    onclick: () => openFull.setAttribute("href", link() || home),
  });
  const python = () => toPython({ text: textInForce(lab.parsed), ...lab.run });

  // ---- the page ----
  const bar = (...children) => element("div", { class: "nl-bar" }, ...children);
  const heading = (say) => element("h3", { say });
  const section = (label, ...children) => element("section", { "aria-label": label }, ...children);
  root.append(
    element("style", { say: style }),
    element(
      "div",
      { class: "nl-bar nl-examples", role: "group", "aria-label": "Examples" },
      ...examples.map((example) => example.el),
    ),
    stage.el,
    live,
    words,
    ...[film?.el, compare?.el].filter(Boolean),
    element(
      "div",
      { class: "nl-main" },
      section(
        "Races",
        bar(heading("Races"), undo, redo, !compact && toggle),
        !compact &&
          element("p", {
            class: "nl-note",
            say: "The tokens of a row run, the next token wins (★). Click any to change it.",
          }),
        races.el,
        text.el,
        bar(add, compact && home && openFull),
        ...[prose?.el].filter(Boolean),
      ),
      section("League tables", bar(heading("League tables")), board.el),
    ),
    stage.float,
    element("p", { class: "nl-legend", say: LEGEND.join(" · ") }),
  );
  if (play) {
    const copyLink = (keepsAddress || home) && copyButton("link", link);
    root.append(play.el, bar(copyLink, copyButton("Python", python)), shown);
  }

  // ---- life ----
  root.addEventListener("keydown", (event) => {
    const key = event.key.toLowerCase();
    const typed = /INPUT|TEXTAREA/.test(event.target.tagName); // these undo by themselves
    if (!(event.ctrlKey || event.metaKey) || !/^[zy]$/.test(key) || typed) return;
    event.preventDefault();
    change(() => (key === "z" && !event.shiftKey ? lab.undo() : lab.redo()));
  });
  const touch = () => {
    touched = true;
    player.stop();
  };
  for (const type of ["pointerdown", "keydown"]) root.addEventListener(type, touch, true);
  root.ntaLab = { lab, ui, frame, rebuild, atRest: () => resting === 0 };
  keepKeys(root);
  el.append(root);
  model.on(EVENTS, followModel);
  rebuild();
  const redrawBoard = () => {
    board.forget();
    rebuild();
  };
  whenFontsChange(redrawBoard, listening.signal);
  const resized = new ResizeObserver(() => {
    if (board.room() !== room) rebuild();
  });
  resized.observe(root);
  const restored = address && address.recall();
  if (address) address.findPlace();
  if (model.get("play") && !restored) player = autoplay(lab, stage.el, ui.train);
  return () => {
    trainer.stop();
    player.stop();
    stage.leave();
    film?.leave();
    prose?.leave();
    clearTimeout(resting);
    listening.abort();
    resized.disconnect();
    ui.closeMenu();
    if (address) address.leave();
    model.off(EVENTS, followModel);
    root.remove();
  };
}

export default { render };
