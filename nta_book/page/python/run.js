// Cells at work: editor, Run, Stop, Reset, what is kept.  Loaded with the first click.
//
// ntaPythonRun.open(cell)       the controls of a cell of ntaPythonPage.cells: edit(), run(), ...
// ntaPythonRun.runCell(id, text) run a cell with a text: a promise of the runner's own words

import style from "./editor.css";
import {
  answerTo,
  answered,
  fingerprint,
  forgetAnswers,
  keepAnswer,
  onAnswerElsewhere,
} from "./answers.js";
import { makeEditor } from "./editor.js";
import { LoadError, megabytes } from "./files.js";
import { makeOutputs } from "./outputs.js";
import { Ended, makeSession } from "./session.js";
import { LEFT, NO_MEMORY, STOPPED } from "./words.js";
import { addressOf } from "../book/scripts.js";
import { button, element, setText } from "../shared/elements.js";

const LONG = 10; // seconds after which one wonders
const NOT_KEPT = "Your browser does not keep this: what you type is gone when you leave this page.";
const ELSEWHERE =
  "This page is open in another tab, where another answer stands here. Kept is what is typed last.";
const STUB_CHANGED =
  "The book has changed this exercise since you wrote your answer. " +
  "Yours is kept; Reset shows the new code.";
const { cells, docname, script } = globalThis.ntaPythonPage;
const python = addressOf("python/");
const session = makeSession(python, docname, new URL(script, python).href);
const opened = new Map(); // cell -> its controls
let storageSaid = false; // that nothing is kept: once on a page, and there it stays

/** A cell as a reader finds it on the page: by its exercise, or by how it begins. */
function placeOf(id) {
  const cell = cells.find((one) => one.id === id);
  if (!cell) return "one that is not shown";
  const [line] = cell.pre.textContent.trim().split("\n");
  return cell.isExercise ? cell.name : `it begins with: ${line.slice(0, 60)}`;
}

/** The bar that shows how far the loading is. */
function makeProgress() {
  const fill = element("div");
  const bar = element(
    "div",
    { class: "nta-run-bar", role: "progressbar", "aria-label": "Loading Python" },
    fill,
  );
  const words = element("span");
  const el = element("div", { class: "nta-run-progress", hidden: "" }, bar, words);
  return {
    el,
    hide: () => (el.hidden = true),
    /** How many bytes of what have come, or what else is going on. */
    show({ progress, phase }) {
      el.hidden = false;
      bar.hidden = !progress;
      if (progress) {
        const { done, total, what } = progress;
        const count = `${megabytes(done)} of ${megabytes(total)} MB`;
        bar.setAttribute("aria-valuemin", 0);
        bar.setAttribute("aria-valuemax", total);
        bar.setAttribute("aria-valuenow", done);
        bar.setAttribute("aria-valuetext", count);
        fill.style.width = `${(100 * done) / total}%`;
        setText(words, what ? `Loading ${what}: ${count}` : `Loaded ${count}`);
      } else setText(words, `${phase} …`);
    },
  };
}

/** Two clicks that forget every answer. */
function makeForget({ go, said: status }) {
  const words = "Delete all my answers";
  const forget = button(words, async () => {
    if (forget.textContent === words) {
      forget.textContent = `Really delete all ${answered().length}?`;
      return;
    }
    forgetAnswers();
    forget.textContent = words;
    for (const [cell, controls] of opened) if (cell.isExercise) controls.reset();
    await new Promise((done) => setTimeout(done)); // what was stopped says so
    for (const { said } of cells) setText(said, "");
    setText(status, "All answers are deleted.");
    go.focus(); // the button that was pressed is gone
  });
  forget.className = "nta-run-forget";
  forget.addEventListener("blur", () => (forget.textContent = words));
  return forget;
}

function makeControls(cell) {
  const { isExercise, key, bar, go, edit, said, id } = cell;
  const stub = cell.pre.textContent.replace(/\n$/, "");
  const of = fingerprint(stub);
  const kept = isExercise ? answerTo(key) : null;
  const outputs = makeOutputs(cell);
  const progress = makeProgress();
  const note = element("p", { class: "nta-run-note", role: "status" });
  const warning = element("p", { class: "nta-run-warning", role: "status" }); // typing leaves it
  const stop = button("Stop", () => session.stop(id), {
    class: "nta-run-stop",
    "aria-label": `Stop: ${cell.name}`,
    hidden: "",
  });
  const resetButton = button("Reset", reset, { "aria-label": `Reset: ${cell.name}`, hidden: "" });
  const forget = isExercise ? makeForget(cell) : null;
  let isRunning = false;
  let isTyped = false; // since the page was opened, or since another tab was followed

  cell.isOpen = true;
  const editor = makeEditor(cell, {
    typed(text) {
      isTyped = true;
      setText(note, "");
      keep(text);
      refresh();
    },
    run,
    leave: () => (isRunning ? stop : go).focus(), // a button that is off takes no focus
    refuse: (sentence) => setText(note, sentence),
  });
  edit.hidden = true;
  edit.after(stop, resetButton);
  said.after(progress.el, note, warning);
  if (forget) bar.append(forget);

  const isChanged = () => editor.text() !== stub;

  /** Keep what was typed; the stub itself is not worth keeping. */
  function keep(text, ran = answerTo(key)?.ran ?? null) {
    if (!isExercise) return;
    const isWorthIt = text !== stub || (ran !== null && ran !== stub);
    const lasts = keepAnswer(key, isWorthIt ? { of, text, ran } : null);
    if (lasts || storageSaid) return;
    storageSaid = true;
    setText(warning, NOT_KEPT);
  }

  /** Show an answer that was kept. */
  function show(answer) {
    editor.set(answer?.text ?? stub);
    session.count(id, answer?.ran ?? null);
    setText(note, answer && answer.of !== of ? STUB_CHANGED : "");
  }

  function warnOfOther(isThere) {
    if (warning.textContent !== NOT_KEPT) setText(warning, isThere ? ELSEWHERE : "");
  }

  /** Follow what is typed in another tab, unless something else was typed here. */
  function follow(answer) {
    const isOther = (answer?.text ?? stub) !== editor.text();
    const isFree = !isTyped && !isRunning;
    if (isOther && isFree) show(answer);
    warnOfOther(isOther && !isFree);
    refresh();
  }

  function refresh() {
    stop.hidden = !isRunning;
    go.disabled = isRunning;
    resetButton.hidden = isRunning || !(isChanged() || !outputs.isAsStored());
    if (forget) forget.hidden = !answered().length;
  }

  function reset() {
    if (isRunning) session.stop(id);
    if (isChanged()) editor.put(stub);
    editor.mark(null);
    outputs.restore();
    if (isExercise) keepAnswer(key, null);
    isTyped = false;
    warnOfOther(false);
    session.count(id, null);
    session.forget();
    setText(said, "");
    setText(note, "");
    if (document.activeElement === resetButton) go.focus();
    refresh();
  }

  /** Say what came of a run, in one sentence that is read out. */
  function sayEnd(result, seconds) {
    const { error, cell: other } = result;
    if (error && other) {
      return `A cell above that this one needs (${placeOf(other)}) stopped: ${error.kind}.`;
    }
    if (error?.kind === "MemoryError") return `${NO_MEMORY} The next Run starts it afresh.`;
    if (error) return `${error.kind}${error.line ? ` in line ${error.line}` : ""}.`;
    return outputs.verdict() || `Done in ${seconds < 0.1 ? "under 0.1" : seconds.toFixed(1)} s.`;
  }

  async function run() {
    if (isRunning) return null;
    const text = editor.text();
    const hadFocus = document.activeElement === go;
    isRunning = true;
    refresh();
    if (hadFocus) stop.focus({ preventScroll: true });
    editor.mark(null);
    setText(note, "");
    said.classList.remove("nta-run-hidden");
    setText(said, "Python is at work.");
    keep(text, text);
    let began = performance.now();
    let wonder = null;
    try {
      const result = await session.run(id, text, {
        tell(what) {
          progress.show(what);
          if (!what.runs) return;
          outputs.clear();
          began = performance.now();
          wonder = setTimeout(
            () => setText(said, `Still running after ${LONG} s; Stop ends it.`),
            1000 * LONG,
          );
        },
        onPrint: outputs.print,
      });
      if (result.cell) outputs.clear();
      outputs.show(result);
      const isOfThis = !result.cell && editor.text() === text;
      if (result.error && isOfThis) editor.mark(result.error.line);
      const sentence = sayEnd(result, (performance.now() - began) / 1000);
      said.classList.toggle("nta-run-hidden", sentence === outputs.verdict());
      setText(said, sentence);
      return result;
    } catch (error) {
      if (!(error instanceof Ended || error instanceof LoadError)) console.error(error);
      const isOver = error instanceof Ended && ![STOPPED, LEFT].includes(error.message);
      said.classList.remove("nta-run-hidden");
      setText(said, isOver ? `${error.message} The next Run starts it afresh.` : error.message);
      return { ok: false, error: { kind: error.constructor.name, text: error.message } };
    } finally {
      clearTimeout(wonder);
      progress.hide();
      const hadStop = document.activeElement === stop;
      isRunning = false;
      refresh();
      if (hadStop) go.focus({ preventScroll: true });
    }
  }

  if (kept) show(kept);
  if (isExercise) {
    onAnswerElsewhere(key, follow);
    // A page that comes back from the browser's history has heard nothing in between.
    addEventListener("pageshow", ({ persisted }) => {
      if (!persisted) return;
      isTyped = false; // what was typed here is older
      follow(answerTo(key));
    });
  }
  refresh();
  return { edit: editor.focus, run, reset, put: editor.put };
}

function open(cell) {
  if (!opened.has(cell)) opened.set(cell, makeControls(cell));
  return opened.get(cell);
}

/** Open the exercises of this page that the reader has answered before. */
function showAnswers() {
  for (const cell of cells) if (cell.isExercise && answerTo(cell.key)) open(cell);
}

/** Run a cell, with another text if one is given: what the runner says of it. */
function runCell(id, text) {
  const controls = open(cells.find((cell) => cell.id === id));
  if (text !== undefined) controls.put(text);
  return controls.run();
}

document.head.append(element("style", { say: style }));
globalThis.ntaPythonRun = { open, runCell };
showAnswers();
