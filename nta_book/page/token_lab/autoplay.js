// A lab that begins to learn when it comes into view, and stops when it has learned.

const LONGEST = 900; // steps of a run that nobody asked for
const SHORTEST = 300;
const IN_VIEW = 0.3; // of the stage

/** Whether there is nothing more to see: all is decided, and the rest is patience. */
const hasLearned = ({ steps, pairs, decided }) =>
  steps >= LONGEST || (steps >= SHORTEST && decided.size === pairs.length);

/**
 * Train while `el` is in view, until the lab has learned or `stop` is called; whoever prefers
 * little motion starts training by hand.
 */
export function autoplay(lab, el, train) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  if (calm.matches) return { stop: () => {}, check: () => {} };
  let alive = true;
  const watcher = new IntersectionObserver(
    ([{ isIntersecting }]) => {
      if (alive) train(isIntersecting);
    },
    { threshold: IN_VIEW },
  );
  const stop = () => {
    alive = false;
    watcher.disconnect();
  };
  watcher.observe(el);
  return {
    stop,
    /** After some steps: is it time to stop? */
    check: () => {
      if (!alive || !hasLearned(lab)) return;
      stop();
      train(false);
    },
  };
}
