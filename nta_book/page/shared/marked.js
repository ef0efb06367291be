// Sentences in which the names of tokens stand out from the words around them.

const OPEN = "\u2068"; // the two characters that isolate a piece of text: no reader sees them
const CLOSE = "\u2069";
const PIECES = new RegExp(`${OPEN}([^${OPEN}${CLOSE}]*)${CLOSE}`);

/** A token's name as part of a sentence. */
export const named = (name) => `${OPEN}${name}${CLOSE}`;

/** A sentence without its marks, for labels and screen readers. */
export const plain = (sentence) => sentence.replaceAll(OPEN, "").replaceAll(CLOSE, "");

const shown = new WeakMap(); // node -> the sentence it shows

/** Show a sentence, its tokens set apart; a node that says it already is left alone. */
export function sayMarked(node, sentence) {
  if (shown.get(node) === sentence) return;
  shown.set(node, sentence);
  const parts = sentence.split(PIECES).map((part, i) => {
    if (i % 2 === 0) return part;
    const token = document.createElement("b");
    token.className = "nl-token";
    token.textContent = part;
    return token;
  });
  node.replaceChildren(...parts.filter((part) => part !== ""));
}
