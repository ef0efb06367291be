// A textarea over highlighted code: the reader types into the one and sees the other.

import { linesOf } from "./highlight.js";
import { dedent, indent, newLine } from "./typing.js";
import { element } from "../shared/elements.js";

const LONGEST = 200_000; // letters
const LONGEST_IN_COLOUR = 20_000; // longer ones would be slow to type

/** Where in a text a click fell, or its end. */
function placeOf(pre, [x, y]) {
  const caret = document.caretPositionFromPoint?.(x, y);
  const range = caret ? null : document.caretRangeFromPoint?.(x, y);
  const node = caret?.offsetNode ?? range?.startContainer;
  if (!node || !pre.contains(node)) return null;
  const before = document.createRange();
  before.selectNodeContents(pre);
  before.setEnd(node, caret?.offset ?? range.startOffset);
  return before.toString().length;
}

/** Draw code in colours; the line with a fault stands out. */
function draw(pre, text, faulty) {
  const isShort = text.length <= LONGEST_IN_COLOUR;
  const lines = isShort ? linesOf(text) : text.split("\n").map((line) => [["", line]]);
  const nodes = lines.flatMap((line, k) => {
    const parts = line.map(([kind, piece]) =>
      kind ? element("span", { class: kind, say: piece }) : piece,
    );
    if (k + 1 !== faulty) return [...parts, "\n"];
    return [element("span", { class: "nta-run-faulty" }, ...parts), "\n"];
  });
  pre.replaceChildren(...nodes);
}

/** Change a textarea as typing does, so that it can be undone. */
function change(area, { from, to, insert, start, end }) {
  area.setSelectionRange(from, to);
  const done = document.execCommand(insert ? "insertText" : "delete", false, insert);
  if (!done) {
    area.setRangeText(insert, from, to, "end");
    area.dispatchEvent(new Event("input"));
  }
  area.setSelectionRange(start, end);
}

/**
 * Make the code of a cell editable.  `acts` has what happens: `typed(text)`, `run()`, `leave()` and
 * `refuse(sentence)`.
 */
export function makeEditor({ pre, input, name, clicked }, acts) {
  const help = element("p", {
    class: "nta-run-help",
    id: `nta-run-help-${Math.random().toString(36).slice(2)}`,
    say: "Ctrl+Enter runs the code, Tab indents, Escape leaves the editor.",
  });
  const area = element("textarea", {
    "aria-label": `Code of ${name}`,
    "aria-describedby": help.id,
    spellcheck: "false",
    autocapitalize: "off",
    autocomplete: "off",
    autocorrect: "off",
    wrap: "off",
    rows: 1,
  });
  let faulty = null;
  let last = pre.textContent.replace(/\n$/, "");
  const place = clicked && placeOf(pre, clicked);
  area.value = last;

  const show = () => draw(pre, area.value, faulty);
  const refuse = (letters) => {
    const kilobytes = Math.round(letters / 1000).toLocaleString("en");
    acts.refuse(`That is too long (${kilobytes} kB; at most ${LONGEST / 1000}). Nothing changed.`);
  };
  const keys = { Tab: indent, Enter: newLine };

  area.addEventListener("input", () => {
    if (area.value.length > LONGEST) {
      refuse(area.value.length);
      area.value = last;
      return;
    }
    last = area.value;
    faulty = null;
    show();
    acts.typed(last);
  });
  area.addEventListener("paste", (event) => {
    const letters = event.clipboardData?.getData("text/plain").length ?? 0;
    const replaced = area.selectionEnd - area.selectionStart;
    if (area.value.length - replaced + letters <= LONGEST) return;
    event.preventDefault();
    refuse(letters);
  });
  area.addEventListener("keydown", (event) => {
    const { key, ctrlKey, metaKey, shiftKey, altKey, isComposing } = event;
    if (isComposing || altKey) return;
    if (key === "Enter" && (ctrlKey || metaKey || shiftKey)) acts.run();
    else if (key === "Escape") acts.leave();
    else if (key in keys && !ctrlKey && !metaKey) {
      const act = key === "Tab" && shiftKey ? dedent : keys[key];
      change(area, act(area.value, area.selectionStart, area.selectionEnd));
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });

  const box = element("div", { class: "nta-run-editor" });
  pre.before(box);
  box.append(pre, area);
  input.append(help);
  pre.setAttribute("aria-hidden", "true");
  pre.removeAttribute("tabindex"); // the theme lets one scroll it by keyboard
  show();

  return {
    text: () => area.value,
    /** Show another text; nothing was typed, and nobody leaves where they are. */
    set(text) {
      area.value = last = text;
      this.mark(null);
    },
    /** Replace the text; Ctrl+Z brings the old one back where the browser can. */
    put(text) {
      const had = document.activeElement;
      area.focus({ preventScroll: true });
      const end = text.length;
      change(area, { from: 0, to: area.value.length, insert: text, start: end, end });
      area.blur(); // where nothing had the focus, nothing has it
      had?.focus?.({ preventScroll: true });
    },
    focus() {
      area.focus({ preventScroll: true });
      if (place !== null && place !== undefined) area.setSelectionRange(place, place);
    },
    /** Mark the line with a fault, or none (null). */
    mark(line) {
      faulty = line;
      area.setAttribute("aria-invalid", line ? "true" : "false");
      show();
    },
  };
}
