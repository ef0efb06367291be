// Play walks evenly over the time slider: on a log axis it walks in log time.

const DURATION = 9000; // milliseconds from the first step to the last
const SPEAKING_PAUSE = 1500; // milliseconds between two sentences

/** A player: `move(speak)` follows each step, `changed(playing)` each start and end. */
export function makePlayer(lab, { move, changed }) {
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let request = 0; // 0: at rest
  let began = 0; // when the first place would have been shown
  let spoken = 0;
  const tick = (now) => {
    const last = lab.frames.length - 1;
    began ||= now - DURATION * lab.placeOf(lab.time);
    const place = (now - began) / DURATION;
    const next = lab.frames.findIndex((time) => lab.placeOf(time) > place);
    const frame = Math.max(lab.frame, next < 0 ? last : next - 1);
    const speak = now - spoken > SPEAKING_PAUSE;
    // Who prefers little motion sees a new picture with every sentence.
    if (frame !== lab.frame && (!calm.matches || speak)) {
      lab.frame = frame;
      move(speak);
      if (speak) spoken = now;
    }
    if (lab.frame < last) request = requestAnimationFrame(tick);
    else stop();
  };
  const cancel = () => {
    cancelAnimationFrame(request);
    request = 0;
    began = 0;
  };
  const stop = () => {
    if (!request) return;
    cancel();
    changed(false);
    move(true);
  };
  const start = () => {
    cancel();
    changed(true);
    if (lab.frame === lab.frames.length - 1) lab.frame = 0;
    request = requestAnimationFrame(tick);
  };
  return { toggle: () => (request ? stop() : start()), stop, cancel };
}
