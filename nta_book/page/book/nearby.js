// Things start when they come near the screen, the nearest first and each in a task of its own.

import { atOnce, turn } from "./slices.js";

const MARGIN = "600px 0px";
const starters = new Map(); // element -> what starts it
const observer = new IntersectionObserver(
  (entries) => {
    const near = entries.filter(({ isIntersecting }) => isIntersecting);
    near.sort((one, other) => distance(one) - distance(other));
    for (const { target } of near) turn().then(() => startNow(target));
  },
  { rootMargin: MARGIN },
);

/** How far down a reader meets it; what lies above the screen comes last. */
const distance = ({ boundingClientRect: { top, bottom } }) =>
  bottom < 0 ? innerHeight - bottom : top;

function startNow(el) {
  const start = starters.get(el);
  starters.delete(el);
  observer.unobserve(el);
  return start?.(el);
}

/**
 * Call start(el) once, when el comes near the screen.  A closed dropdown is not near: what it holds
 * gets its true width when it opens.
 */
export function whenNear(el, start) {
  starters.set(el, start);
  observer.observe(el);
}

/** Call start(el) once, when el comes near the screen or else when the page has come to rest. */
export function whenIdle(el, start) {
  whenNear(el, start);
  const rest = globalThis.requestIdleCallback ?? setTimeout; // which WebKit has not
  whenComplete(() => rest(() => turn().then(() => startNow(el))));
}

function whenComplete(act) {
  if (document.readyState === "complete") act();
  else addEventListener("load", act);
}

/** Start everything that waits; a promise of all of it. */
export const startAll = () => atOnce(() => Promise.all([...starters.keys()].map(startNow)));
