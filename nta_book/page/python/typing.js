// What keys do in the editor.  A change is { from, to, insert, start, end }: the piece of the text
// that is replaced, what replaces it, and the selection afterwards.

const STEP = 4; // spaces

/** Where the line begins that holds a place of a text. */
const lineStart = (text, place) => text.lastIndexOf("\n", place - 1) + 1;

/** Change the first spaces of every line that a selection touches; the selection stays on them. */
function shiftLines(text, start, end, shift) {
  const from = lineStart(text, start);
  // A selection that ends at the beginning of a line does not touch it.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const found = text.indexOf("\n", last);
  const to = found < 0 ? text.length : found;
  const lines = text.slice(from, to).split("\n");
  const shifted = lines.map(shift);
  const grown = shifted.map((line, k) => line.length - lines[k].length);
  const sum = grown.reduce((all, some) => all + some, 0);
  return {
    from,
    to,
    insert: shifted.join("\n"),
    start: Math.max(from, start + grown[0]),
    end: Math.max(from, end + sum),
  };
}

const dedented = (line) => line.replace(new RegExp(`^(?: {1,${STEP}}|\\t)`), "");
const indented = (line) => (line ? " ".repeat(STEP) + line : line);

function putIn(start, end, insert) {
  const after = start + insert.length;
  return { from: start, to: end, insert, start: after, end: after };
}

/** Tab: to the next stop, or every selected line one step to the right. */
export function indent(text, start, end) {
  if (text.slice(start, end).includes("\n")) return shiftLines(text, start, end, indented);
  const column = start - lineStart(text, start);
  return putIn(start, end, " ".repeat(STEP - (column % STEP)));
}

/** Shift+Tab: every line that is touched one step to the left. */
export const dedent = (text, start, end) => shiftLines(text, start, end, dedented);

/** Enter: the new line is indented as this one is, and further below a colon. */
export function newLine(text, start, end) {
  const before = text.slice(lineStart(text, start), start);
  const [spaces] = before.match(/^[ \t]*/);
  const opens = /:\s*(?:#.*)?$/.test(before);
  return putIn(start, end, `\n${spaces}${opens ? " ".repeat(STEP) : ""}`);
}
