// What the reader chose, kept on the reader's machine and nowhere else.
//
// One entry of the storage holds everything: { version, choices: { name: choice } } with choice
// { of, first, chosen }.  `of` is the fingerprint of the question that was asked, `first` the
// letter of the first try, `chosen` that of the last one; "shown" stands for a reader who did not
// choose, null for one who wants to be asked again.

import { storageLasts } from "./storage.js";

const KEY = "nta-predictions";
const VERSION = 1;
const SAID = /^(?:[a-d]|shown)$/;

let unsaved = null; // what a storage that is full or refuses did not take: for this page only

const isSound = (choice) =>
  typeof choice?.of === "string" &&
  SAID.test(choice.first) &&
  (choice.chosen === null || SAID.test(choice.chosen));

/** The sound choices of a text that may be anything. */
export function readChoices(text) {
  try {
    const kept = JSON.parse(text);
    if (kept.version !== VERSION) return {};
    return Object.fromEntries(Object.entries(kept.choices).filter(([, choice]) => isSound(choice)));
  } catch {
    return {};
  }
}

export const writeChoices = (all) => JSON.stringify({ version: VERSION, choices: all }, null, 1);

/** All choices; those of another tab included. */
export function choices() {
  if (unsaved) return unsaved;
  try {
    return readChoices(localStorage.getItem(KEY));
  } catch {
    return {};
  }
}

/** Keep all choices; false if they last only as long as the page. */
export function keep(all) {
  try {
    if (Object.keys(all).length) localStorage.setItem(KEY, writeChoices(all));
    else localStorage.removeItem(KEY);
    unsaved = null;
  } catch {
    unsaved = all;
  }
  return lasts();
}

/** Whether choices outlive the page; storage.js puts memory in the place of a refused storage. */
export const lasts = () => !unsaved && storageLasts();

/** What was chosen when this very question was asked, if it was. */
export function choiceOf({ name, of }) {
  const all = choices();
  return Object.hasOwn(all, name) && all[name].of === of ? all[name] : null;
}

/** Note a letter, "shown", or null to be asked again; the first try stays the first. */
export function choose({ name, of }, said) {
  const first = choiceOf({ name, of })?.first ?? said;
  return keep({ ...choices(), [name]: { of, first, chosen: said } });
}

export const forgetAll = () => keep({});
