// How a run came about: the stretches of training between two changes, each with its races and
// settings.  Whoever repeats them from the same start gets the same weights, here and in Python.

import { MID_RUN } from "./settings.js";

const sameSettings = (stretch, settings) =>
  MID_RUN.every((name) => stretch[name] === settings[name]);

/** Note `count` more steps; a stretch ends where the races or the settings change. */
export function noteSteps(recipe, text, settings, count) {
  const last = recipe.at(-1);
  if (last && last.text === text && sameSettings(last, settings)) {
    last.steps += count;
    return;
  }
  const { eta, normalized, shrinking } = settings;
  recipe.push({ text, eta, normalized, shrinking, steps: count });
}

/** The first `steps` steps of a recipe. */
export function cutRecipe(recipe, steps) {
  const kept = [];
  let left = steps;
  for (const stretch of recipe) {
    if (left <= 0) break;
    kept.push({ ...stretch, steps: Math.min(left, stretch.steps) });
    left -= stretch.steps;
  }
  return kept;
}

/** How many characters two texts share at their beginnings, at most `most`. */
function sharedStart(a, b, most) {
  let count = 0;
  while (count < most && a[count] === b[count]) count++;
  return count;
}

/** Texts, each as what differs from the one before: [kept at the start, kept at the end, new]. */
export function packTexts(texts) {
  return texts.map((text, i) => {
    const before = i ? texts[i - 1] : "";
    const most = Math.min(before.length, text.length);
    const start = sharedStart(before, text, most);
    let end = 0;
    while (end < most - start && before.at(-1 - end) === text.at(-1 - end)) end++;
    return [start, end, text.slice(start, text.length - end)];
  });
}

/** The texts again. */
export function unpackTexts(packed) {
  let before = "";
  return packed.map(([start, end, middle]) => {
    before = before.slice(0, start) + middle + (end ? before.slice(-end) : "");
    return before;
  });
}
