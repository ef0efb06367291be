// Python in the page: what a page shows before anybody runs anything.  Editor, Python and all that
// belongs to them come with the first click (run.js).
//
// A cell of the page is marked by nta_book/sphinx/runnable.py:
// data-nta-cell   its name
// data-nta-kind   exercise, cell, or heavy: data-nta-why says why it does not run in a page

import style from "./controls.css";
import { answerTo } from "./answers.js";
import { NEW_ENOUGH } from "./words.js";
import { Strange, loadScript } from "../book/scripts.js";
import { button, element } from "../shared/elements.js";
import { whenLoaded } from "../shared/page.js";

const TOO_OLD = `This browser is too old to run Python in a page. ${NEW_ENOUGH}`;
const STRANGE =
  "Something else came instead of the editor: perhaps this site asks you to log in. " +
  "Reload the page.";
const LOST = "The editor could not be loaded: is there a network? Try again.";
const KEPT = "Your answer is kept on this machine, and not shown.";
const LAUNCH = ".dropdown-launch-buttons a[href]";

/** Load the editor and all that belongs to it; a sentence if that fails. */
async function load() {
  try {
    await loadScript(globalThis.ntaPythonPage.run, () => globalThis.ntaPythonRun);
  } catch (error) {
    return error instanceof Strange ? STRANGE : LOST;
  }
  return globalThis.ntaPythonRun ? null : TOO_OLD;
}

/** The code of a marked cell: its own, or what was folded with the code of its neighbours. */
function inputOf(el) {
  const away = `[data-nta-input="${CSS.escape(el.dataset.ntaCell)}"]`;
  return el.querySelector(":scope > .cell_input") ?? document.querySelector(away);
}

/** What a cell is called: by the exercise it belongs to, or by its number on the page. */
function nameOf(el, number, exercises) {
  const above = exercises.filter(
    (box) => box.compareDocumentPosition(el) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const title = above[above.length - 1]?.querySelector(".caption-number")?.textContent.trim();
  return el.dataset.ntaKind === "exercise" && title ? title : `code ${number + 1}`;
}

/** Say why a cell does not run here, and where it does. */
function explain(el, input) {
  const links = [...document.querySelectorAll(LAUNCH)].map((link) =>
    element("a", { href: link.href, say: link.textContent.trim() || "Binder" }),
  );
  const where = links.length
    ? [" Open this page in ", ...links.flatMap((link, k) => (k ? [" or ", link] : [link])), "."]
    : [" It runs in JupyterLab: ", element("code", { say: "make lab" }), "."];
  const why = `Not run in the page: ${el.dataset.ntaWhy}`;
  const words = element("p", { class: "nta-run-why", say: why });
  words.append(...where);
  input.after(words);
}

/** Before the first run an exercise shows what its stub gets: it must not look like a result. */
function nameStubsOutput(el) {
  const output = el.querySelector(":scope > .cell_output");
  if (!output?.querySelector(".nta-verdict")) return;
  output.prepend(
    element("p", { class: "nta-run-example", say: "Unchanged, the code above gives this:" }),
  );
}

/** Give a cell its controls. */
function offer(el, number, docname, exercises) {
  const input = inputOf(el);
  const pre = input?.querySelector("pre");
  if (!pre) return null;
  const { ntaCell: id, ntaKind: kind } = el.dataset;
  if (kind === "heavy") {
    explain(el, input);
    return null;
  }
  const isExercise = kind === "exercise";
  const name = nameOf(el, number, exercises);
  const said = element("p", { class: "nta-run-said", role: "status" });
  const act = (say, what) => {
    const start = async () => {
      const failure = await load();
      if (failure) {
        said.textContent = failure;
        return null;
      }
      return globalThis.ntaPythonRun.open(cell)[what]();
    };
    return button(say, start, { class: `nta-run-${what}`, "aria-label": `${say}: ${name}` });
  };
  const go = act(isExercise ? "Run and check" : "Run", "run");
  const edit = act("Edit", "edit");
  const bar = element("div", { class: `nta-run nta-run-${kind}` }, go, edit, said);
  const cell = { el, id, isExercise, name, key: `${docname}/${id}`, docname, input, pre };
  Object.assign(cell, { bar, go, edit, said });
  input.after(bar);
  input.classList.add("nta-run-input");
  if (isExercise) nameStubsOutput(el);
  // A click into the code opens the editor there; selecting something does not.
  pre.addEventListener("click", (event) => {
    if (cell.isOpen || !getSelection().isCollapsed || event.detail > 1) return;
    cell.clicked = [event.clientX, event.clientY];
    edit.click();
  });
  return cell;
}

/** Show again what was typed before: only then something is loaded before the first click. */
async function showAnswers(cells) {
  const answered = cells.filter(({ isExercise, key }) => isExercise && answerTo(key));
  const failure = answered.length ? await load() : null;
  if (failure) for (const { said } of answered) said.textContent = `${failure} ${KEPT}`;
}

whenLoaded(() => {
  const marked = [...document.querySelectorAll("[data-nta-cell]")];
  if (!marked.length) return;
  document.head.append(element("style", { say: style }));
  for (const hint of document.querySelectorAll(".nta-run-hint")) hint.hidden = false;
  const page = document.querySelector("[data-nta-docname]")?.dataset ?? {};
  const exercises = [...document.querySelectorAll(".exercise.admonition")];
  const cells = marked
    .map((el, k) => offer(el, k, page.ntaDocname ?? "", exercises))
    .filter(Boolean);
  const { ntaDocname: docname = "", ntaCells: script, ntaRun: run } = page;
  globalThis.ntaPythonPage = { cells, docname, script, run };
  showAnswers(cells);
});
