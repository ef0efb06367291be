// The whole state as one word for the address.
//
// The word holds no weights: it holds how they came about (recipe.js), and who opens it repeats
// the run.  So a link is short, exact, and agrees with the Python that the lab writes.

import { LIMITS, parseText } from "./text.js";
import { packTexts, unpackTexts } from "./recipe.js";
import { ETAS, LOSSES, MAX_STEPS, SPEEDS } from "./settings.js";

const VERSION = 2;
const MOST_UNDOS = 60; // that travel with a link
const MOST_STRETCHES = 4000;
const MOST_TEXTS = 2000; // of a run with all its changes
export const FRAMES = 8; // of a step in slow motion

/** Base64 in the letters that an address can hold. */
const toBase64 = (bytes) =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) =>
    letter.charCodeAt(0),
  );

/** A run as rows of numbers; `numberOf` turns its texts into numbers. */
const packRun = ({ loss, seed, recipe }, numberOf) => [
  loss,
  seed,
  recipe.map(({ text, eta, normalized, shrinking, steps }) => [
    numberOf(text),
    eta,
    Number(normalized),
    Number(shrinking),
    steps,
  ]),
];

/**
 * The state as [A-Za-z0-9_-].  `run` and `pinned` are { loss, seed, recipe }; past and future are
 * the drafts to undo and to redo to, of which the farthest are left behind when the word gets long.
 * A run with more changes than an address can hold has no word: "".
 */
export function encodeState(state, undos = MOST_UNDOS) {
  const { draft, settings, run, context, past, future, view, pinned } = state;
  const numbers = new Map(); // text -> its number
  const numberOf = (text) => {
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text);
  };
  const packed = [
    VERSION,
    numberOf(draft),
    settings,
    packRun(run, numberOf),
    context,
    (undos ? past.slice(-undos) : []).map(numberOf),
    (undos ? future.slice(-undos) : []).map(numberOf),
    view,
    pinned && [pinned.name, packRun(pinned, numberOf)],
  ];
  const text = JSON.stringify([...packed, packTexts([...numbers.keys()])]);
  const code = toBase64(new TextEncoder().encode(text));
  const short = numbers.size <= MOST_TEXTS && run.recipe.length <= MOST_STRETCHES;
  const fits = short && code.length <= LIMITS.code;
  if (fits) return code;
  return undos ? encodeState(state, Math.floor(undos / 2)) : "";
}

/** The value of a function, or null if it throws. */
function attempt(make) {
  try {
    return make();
  } catch {
    return null;
  }
}

function must(holds, why) {
  if (!holds) throw new Error(`The link was not loaded: ${why}.`);
}

const isWhole = (value, end) => Number.isInteger(value) && value >= 0 && value < end;
const isListOf = (list, most, fits) =>
  Array.isArray(list) && list.length <= most && list.every(fits);

/** Read a state and trust nothing: what is odd in any field is refused with a sentence. */
export function decodeState(code) {
  must(code.length <= LIMITS.code, "it is too long to be a lab");
  must(/^[A-Za-z0-9_-]+$/.test(code), "it holds characters that no lab writes");
  const state = attempt(() =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(code))),
  );
  const sound = Array.isArray(state) && state.length === 10 && state[0] === VERSION;
  must(sound, "it is damaged, or made by another version");
  const [, draft, settings, run, context, past, future, view, pinned, packed] = state;
  const texts = checkedTexts(packed);
  const textOf = (number) => {
    must(isWhole(number, texts.length), "its races are not a short text");
    return texts[number];
  };
  const drafts = (numbers) => {
    must(isListOf(numbers, MOST_UNDOS, Number.isInteger), "its changes are damaged");
    return numbers.map(textOf);
  };
  return {
    draft: textOf(draft),
    settings: checkedSettings(settings ?? {}),
    run: checkedRun(run, textOf),
    context: checkedContext(context),
    past: drafts(past),
    future: drafts(future),
    view: checkedView(view),
    pinned: checkedPin(pinned, textOf),
  };
}

function checkedTexts(packed) {
  const isPacked = (row) =>
    Array.isArray(row) &&
    isWhole(row[0], LIMITS.text) &&
    isWhole(row[1], LIMITS.text) &&
    typeof row[2] === "string";
  must(isListOf(packed, MOST_TEXTS, isPacked), "its races are not a short text");
  const texts = unpackTexts(packed);
  must(
    texts.every((text) => text.length <= LIMITS.text),
    "its races are not a short text",
  );
  return texts;
}

function checkedSettings({ normalized, eta, shrinking, loss, seed, speed }) {
  const known = ETAS.includes(eta) && LOSSES.includes(loss);
  const flags = typeof normalized === "boolean" && typeof shrinking === "boolean";
  const possible = isWhole(speed, SPEEDS.length) && isSeed(seed);
  must(known && flags && possible, "its settings are out of range");
  return { normalized, eta, shrinking, loss, seed, speed };
}

const isSeed = (seed) => seed === null || isWhole(seed, 1e6);

/** A run: its loss, its start and its stretches, which one page can repeat. */
function checkedRun(run, textOf) {
  const isStretch = (row) =>
    Array.isArray(row) &&
    ETAS.includes(row[1]) &&
    [0, 1].includes(row[2]) &&
    [0, 1].includes(row[3]) &&
    isWhole(row[4], MAX_STEPS + 1) &&
    row[4] > 0;
  const sound =
    Array.isArray(run) &&
    LOSSES.includes(run[0]) &&
    isSeed(run[1]) &&
    isListOf(run[2], MOST_STRETCHES, isStretch);
  must(sound, "its run is damaged");
  const [loss, seed, stretches] = run;
  const recipe = stretches.map(([text, eta, normalized, shrinking, steps]) => ({
    text: textOf(text),
    eta,
    normalized: normalized === 1,
    shrinking: shrinking === 1,
    steps,
  }));
  const steps = recipe.reduce((sum, stretch) => sum + stretch.steps, 0);
  must(steps <= MAX_STEPS, "its run is longer than any of this lab");
  must(
    recipe.every(({ text }) => parseText(text).data.rows.length),
    "its run has no races",
  );
  return { loss, seed, recipe };
}

function checkedContext(context) {
  const fits = isListOf(context, LIMITS.runners, (name) => typeof name === "string");
  must(fits, "its context is damaged");
  return context;
}

/** What was open: the text, and the race and frame of the slow motion. */
function checkedView(view) {
  const { typing, film } = view ?? {};
  const isFilm = isListOf(film, 2, Number.isInteger) && isWhole(film[0], LIMITS.races);
  const sound = typeof typing === "boolean" && (film === null || (isFilm && film[1] < FRAMES));
  must(sound, "its view is damaged");
  return { typing, film };
}

function checkedPin(pinned, textOf) {
  if (pinned === null) return null;
  const sound = Array.isArray(pinned) && typeof pinned[0] === "string" && pinned[0].length < 80;
  must(sound, "its pinned run is damaged");
  return { name: pinned[0], ...checkedRun(pinned[1], textOf) };
}
