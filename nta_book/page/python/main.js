// Python in the page: what a page shows before anybody runs anything.  Editor, Python and all that
// belongs to them come with the first click (run.js).
//
// A cell of the page is marked by nta_book/sphinx/runnable.py:
// data-nta-cell   its name
// data-nta-kind   exercise, cell, or heavy: data-nta-why says why it does not run in a page

import style from "./controls.css";
import { answerTo } from "./answers.js";
import { NEW_ENOUGH } from "./words.js";
import { loadScript } from "../book/scripts.js";
import { button, element } from "../shared/elements.js";
import { whenLoaded } from "../shared/page.js";

const TOO_OLD = `This browser is too old to run Python in a page. ${NEW_ENOUGH}`;
const LOST = "The editor could not be loaded: is there a network? Try again.";
const LAUNCH = ".dropdown-launch-buttons a[href]";

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
      try {
        await loadScript("nta-python-run.js");
      } catch {
        said.textContent = LOST;
        return null;
      }
      if (!globalThis.ntaPythonRun) {
        said.textContent = TOO_OLD;
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

whenLoaded(() => {
  const marked = [...document.querySelectorAll("[data-nta-cell]")];
  if (!marked.length) return;
  document.head.append(element("style", { say: style }));
  const page = document.querySelector("[data-nta-docname]")?.dataset ?? {};
  const exercises = [...document.querySelectorAll(".exercise.admonition")];
  const cells = marked
    .map((el, k) => offer(el, k, page.ntaDocname ?? "", exercises))
    .filter(Boolean);
  const { ntaDocname: docname = "", ntaCells: script } = page;
  globalThis.ntaPythonPage = { cells, docname, script };
  // What was typed before is shown again: only then something is loaded before the first click.
  if (cells.some(({ isExercise, key }) => isExercise && answerTo(key))) {
    loadScript("nta-python-run.js").then(
      () => globalThis.ntaPythonRun?.showAnswers(),
      () => {},
    );
  }
});
