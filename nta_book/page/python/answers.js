// What the reader typed into exercises, kept on the reader's machine and nowhere else.
//
// Each exercise has an entry of its own, so that two tabs do not overwrite one another:
// { of, text, ran }.  `of` is the fingerprint of the stub it was written for, `text` what was typed
// last, `ran` what of it was run last, if anything.

import { storageLasts } from "../book/storage.js";

const PREFIX = "nta-answer:";
let unsaved = new Map(); // what a storage that is full or refuses did not take: for this page only

/** A short name for a text; other texts have others, but for bad luck. */
export function fingerprint(text) {
  let one = 0x811c9dc5; // FNV-1a twice, from two beginnings
  let two = 0x1b873593;
  for (let place = 0; place < text.length; place++) {
    one = Math.imul(one ^ text.charCodeAt(place), 0x01000193);
    two = Math.imul(two ^ text.charCodeAt(place), 0x85ebca6b);
  }
  return `${(one >>> 0).toString(36)}-${(two >>> 0).toString(36)}`;
}

/** The answer that a text of the storage holds, or null: it may be anything. */
export function readAnswer(text) {
  try {
    const { of, text: typed, ran } = JSON.parse(text);
    if (typeof of !== "string" || typeof typed !== "string") return null;
    return { of, text: typed, ran: typeof ran === "string" ? ran : null };
  } catch {
    return null;
  }
}

/** The names of all answers that are kept. */
export function answered() {
  const names = new Set(unsaved.keys());
  try {
    for (let place = 0; place < localStorage.length; place++) {
      const key = localStorage.key(place);
      if (key.startsWith(PREFIX) && readAnswer(localStorage.getItem(key))) {
        names.add(key.slice(PREFIX.length));
      }
    }
  } catch {
    // a storage that refuses holds nothing
  }
  return [...names];
}

/** The answer to an exercise, or null; `name` is its chapter and cell. */
export function answerTo(name) {
  if (unsaved.has(name)) return unsaved.get(name);
  try {
    return readAnswer(localStorage.getItem(PREFIX + name));
  } catch {
    return null;
  }
}

/** Keep an answer, or forget it if it is null; false if it lasts only as long as the page. */
export function keepAnswer(name, answer) {
  unsaved.delete(name);
  try {
    if (answer) localStorage.setItem(PREFIX + name, JSON.stringify(answer));
    else localStorage.removeItem(PREFIX + name);
  } catch {
    if (answer) unsaved.set(name, answer);
    return !answer;
  }
  return !answer || storageLasts(PREFIX + name);
}

/** Hear of an answer that another tab keeps, or forgets; `name` is its chapter and cell. */
export function onAnswerElsewhere(name, hear) {
  addEventListener("storage", ({ key }) => {
    if (key === PREFIX + name || key === null) hear(answerTo(name)); // null: all was deleted
  });
}

/** Forget every answer to every exercise of the book. */
export function forgetAnswers() {
  for (const name of answered()) keepAnswer(name, null);
  unsaved = new Map();
}
