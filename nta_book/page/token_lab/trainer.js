// Training in the rhythm of the screen.

import { SPEEDS } from "./settings.js";

const BUDGET = 11; // milliseconds of a frame for steps; the rest is for drawing
const CHUNK = 20; // steps between two looks at the clock
const LONGEST_FRAME = 100; // milliseconds: a page that was away does not catch up
const FIRST_FRAME = 16;
const CALM_PAUSE = 600; // milliseconds between two pictures for who prefers little motion
const SPEAKING_PAUSE = 1500; // milliseconds between two sentences

/** A trainer: `draw` follows each frame, `speak` now and then, `finish` the last step. */
export function makeTrainer(lab, { draw, speak, finish }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let request = 0;
  let lastTime = 0;
  let owed = 0; // steps, and parts of steps, that time has passed for
  let drawn = 0;
  let spoken = 0;
  const tick = (time) => {
    const elapsed = lastTime ? Math.min(LONGEST_FRAME, time - lastTime) : FIRST_FRAME;
    owed += (SPEEDS[lab.settings.speed] * elapsed) / 1000;
    lastTime = time;
    let todo = Math.floor(owed);
    owed -= todo;
    const until = performance.now() + BUDGET;
    for (; todo > 0 && performance.now() < until; todo -= CHUNK) {
      lab.advance(Math.min(CHUNK, todo));
    }
    if (!calm.matches || time - drawn > CALM_PAUSE) {
      drawn = time;
      draw();
    }
    if (time - spoken > SPEAKING_PAUSE) {
      spoken = time;
      speak();
    }
    if (!lab.isFull) request = requestAnimationFrame(tick);
    else finish();
  };
  const stop = () => cancelAnimationFrame(request);
  const start = () => {
    stop();
    lastTime = 0;
    owed = 0;
    request = requestAnimationFrame(tick);
  };
  return { start, stop };
}
