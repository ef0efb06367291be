// Things start when they come near the screen.

const MARGIN = "600px 0px";
const starters = new Map(); // element -> what starts it
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) {
      if (isIntersecting) startNow(target);
    }
  },
  { rootMargin: MARGIN },
);

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

/** Start everything that waits; a promise of all of it. */
export const startAll = () => Promise.all([...starters.keys()].map(startNow));
