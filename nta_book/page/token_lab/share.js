// The whole state as one word for the address, and as Python.

import { LIMITS, parseText } from "./text.js";

export const SETTINGS = { normalized: true, eta: 0.1, loss: "log", seed: null, speed: 1 };
export const SPEEDS = [6, 30, 120, 600, 3000, 12000]; // steps per second
export const ETAS = [0.01, 0.03, 0.1, 0.3, 1, 2];
export const MAX_STEPS = 100000;

const toBase64 = (bytes) =>
  btoa(Array.from(bytes, (b) => String.fromCharCode(b)).join(""))
    .replace(/\+/g, "-")
    .replace(/\//g, "_")
    .replace(/=+$/, "");
const fromBase64 = (text) =>
  Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));

/** The state as [A-Za-z0-9_-]: text, settings, steps, weights (as float32), context. */
export function encodeState({ draft, settings, steps, W, context }) {
  const weights = steps ? toBase64(new Uint8Array(Float32Array.from(W).buffer)) : "";
  return toBase64(
    new TextEncoder().encode(JSON.stringify([1, draft, settings, steps, weights, context])),
  );
}

/** Read a state and trust nothing: every field is checked, anything odd is refused with a sentence. */
export function decodeState(code) {
  const must = (good, why) => {
    if (!good) throw new Error(`The link was not loaded: ${why}.`);
  };
  const whole = (v, end) => Number.isInteger(v) && v >= 0 && v < end;
  const attempt = (f) => {
    try {
      return f();
    } catch {
      return null;
    }
  };
  must(code.length <= LIMITS.code, "it is too long to be a lab");
  must(/^[A-Za-z0-9_-]+$/.test(code), "it holds characters that no lab writes");
  const state = attempt(() =>
    JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(fromBase64(code))),
  );
  must(
    Array.isArray(state) && state.length === 6 && state[0] === 1,
    "it is damaged, or made by another version",
  );
  const [, draft, given, steps, weights, context] = state;
  must(typeof draft === "string" && draft.length <= LIMITS.text, "its races are not a short text");
  const { normalized, eta, loss, seed, speed } = given ?? {};
  must(
    typeof normalized === "boolean" &&
      ETAS.includes(eta) &&
      /^(log|squared)$/.test(loss) &&
      whole(speed, SPEEDS.length) &&
      (seed === null || whole(seed, 1e6)),
    "its settings are out of range",
  );
  must(
    Array.isArray(context) &&
      context.length <= LIMITS.runners &&
      context.every((t) => typeof t === "string"),
    "its context is damaged",
  );
  const { K } = parseText(draft).data;
  const W = steps
    ? attempt(() => Float64Array.from(new Float32Array(fromBase64(weights).buffer)))
    : null;
  must(
    steps === 0 ||
      (whole(steps, MAX_STEPS + 1) && W?.length === K * K && W.every((v) => Math.abs(v) < 1e6)),
    "its weights do not fit its races",
  );
  return {
    draft,
    settings: { normalized, eta, loss: String(loss), seed, speed },
    steps,
    W,
    context,
  };
}

/** Python that recreates the lab: the dataset, the theory and the same training run. */
export function toPython({ text, settings: { eta, normalized, loss, seed }, steps, W0 }) {
  const K = Math.sqrt(W0.length);
  const rows = Array.from(
    { length: K },
    (_, j) => `    [${W0.slice(j * K, j * K + K).join(", ")}],`,
  );
  const lines = text
    .split("\n")
    .map((line, i, all) => `    ${JSON.stringify(line + (i < all.length - 1 ? "\n" : ""))}`);
  return [
    "import numpy as np",
    "",
    "from nta_core import Dataset, gradient_descent, solve_graph_svm, token_priority_graphs",
    "",
    "data = Dataset.from_text(",
    ...lines,
    ")",
    "E = np.eye(data.K)  # one-hot embeddings, as in the lab",
    ...(seed === null ? ["W0 = np.zeros((data.K, data.K))"] : ["W0 = np.array([", ...rows, "])"]),
    "league_table = solve_graph_svm(token_priority_graphs(data), E)",
    `run = gradient_descent(data, E, steps=${steps || 1000}, step_size=${eta}, normalized=${normalized ? "True" : "False"}, loss="${loss}", W0=W0)`,
    "",
  ].join("\n");
}
