// The whole state as one word for the address, and as Python.

import { LIMITS, parseText } from "./text.js";

export const SETTINGS = { normalized: true, eta: 0.1, loss: "log", seed: null, speed: 1 };
export const SPEEDS = [6, 30, 120, 600, 3000, 12000]; // steps per second
export const ETAS = [0.01, 0.03, 0.1, 0.3, 1, 2];
export const MAX_STEPS = 100000;
const LOSSES = ["log", "squared"];
const VERSION = 1;

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

/** The state as [A-Za-z0-9_-]: text, settings, steps, weights (as float32), context. */
export function encodeState({ draft, settings, steps, W, context }) {
  const weights = steps ? toBase64(new Uint8Array(Float32Array.from(W).buffer)) : "";
  const state = [VERSION, draft, settings, steps, weights, context];
  return toBase64(new TextEncoder().encode(JSON.stringify(state)));
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

/** Read a state and trust nothing: what is odd in any field is refused with a sentence. */
export function decodeState(code) {
  must(code.length <= LIMITS.code, "it is too long to be a lab");
  must(/^[A-Za-z0-9_-]+$/.test(code), "it holds characters that no lab writes");
  const state = attempt(() =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(code))),
  );
  const sound = Array.isArray(state) && state.length === 6 && state[0] === VERSION;
  must(sound, "it is damaged, or made by another version");
  const [, draft, given, steps, weights, context] = state;
  must(typeof draft === "string" && draft.length <= LIMITS.text, "its races are not a short text");
  return {
    draft,
    settings: checkedSettings(given ?? {}),
    context: checkedContext(context),
    steps,
    W: checkedWeights(weights, steps, parseText(draft).data.K),
  };
}

function checkedSettings({ normalized, eta, loss, seed, speed }) {
  const known = typeof normalized === "boolean" && ETAS.includes(eta) && LOSSES.includes(loss);
  const possible = isWhole(speed, SPEEDS.length) && (seed === null || isWhole(seed, 1e6));
  must(known && possible, "its settings are out of range");
  return { normalized, eta, loss, seed, speed };
}

function checkedContext(context) {
  const short = Array.isArray(context) && context.length <= LIMITS.runners;
  must(short && context.every((name) => typeof name === "string"), "its context is damaged");
  return context;
}

/** The K × K weights after some steps; null before the first. */
function checkedWeights(weights, steps, K) {
  if (steps === 0) return null;
  const W = attempt(() => Float64Array.from(new Float32Array(fromBase64(weights).buffer)));
  const fits = W?.length === K * K && W.every((weight) => Math.abs(weight) < 1e6);
  must(fits && isWhole(steps, MAX_STEPS + 1), "its weights do not fit its races");
  return W;
}

/** Python that recreates the lab: the dataset, the theory and the same training run. */
export function toPython({ text, settings: { eta, normalized, loss, seed }, steps, W0 }) {
  const K = Math.sqrt(W0.length);
  const start =
    seed === null
      ? ["W0 = np.zeros((data.K, data.K))"]
      : [
          "W0 = np.array([",
          ...Array.from({ length: K }, (_, j) => `    [${W0.slice(j * K, j * K + K).join(", ")}],`),
          "])",
        ];
  const races = text
    .split("\n")
    .map((line, i, all) => `    ${JSON.stringify(line + (i < all.length - 1 ? "\n" : ""))}`);
  const options = [
    `steps=${steps || 1000}`,
    `step_size=${eta}`,
    `normalized=${normalized ? "True" : "False"}`,
    `loss="${loss}"`,
    "W0=W0",
  ];
  return [
    "import numpy as np",
    "",
    "from nta_core import Dataset, gradient_descent, solve_graph_svm, token_priority_graphs",
    "",
    "data = Dataset.from_text(",
    ...races,
    ")",
    "E = np.eye(data.K)  # one-hot embeddings, as in the lab",
    ...start,
    "league_table = solve_graph_svm(token_priority_graphs(data), E)",
    `run = gradient_descent(data, E, ${options.join(", ")})`,
    "",
  ].join("\n");
}
