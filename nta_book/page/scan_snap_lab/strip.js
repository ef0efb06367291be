// Two bars above the time slider: theory's scan and snap, and this run's as far as it is seen.

import { element, setText } from "../shared/elements.js";
import { number } from "./words.js";

const percent = (place) => `${(100 * place).toFixed(2)}%`;

/** A bar with its two phases and the turn between them. */
function phaseBar(kind, label, mark) {
  const part = (say) => element("span", { class: `ns-part ns-${say}` }, element("span", { say }));
  const scan = part("scan");
  const snap = part("snap");
  const turn = element("b", { class: "ns-mark", say: mark });
  const when = element("output", { "aria-hidden": "true" });
  const track = element("div", { class: "ns-track" }, scan, snap, turn);
  const el = element(
    "div",
    { class: `ns-phasebar ${kind}`, role: "img" },
    element("span", { say: label }),
    track,
    when,
  );
  /** Show a turn at a place and an end of what is seen, both from 0 to 1; null: not yet, never. */
  const show = (at, end, say, words) => {
    const place = at ?? end;
    scan.style.width = percent(Math.min(place, end));
    snap.style.left = percent(place);
    snap.style.width = percent(Math.max(0, end - place));
    turn.style.left = percent(place);
    turn.hidden = at === null || at > end;
    setText(when, say);
    el.setAttribute("aria-label", words);
  };
  return { el, show };
}

export function phaseStrip() {
  const theory = phaseBar("ns-predicted", "theory", "◆");
  const run = phaseBar("ns-measured", "this run", "●");
  return {
    el: element("div", { class: "ns-strip" }, theory.el, run.el),
    update(lab) {
      const { snap, marks, time, path } = lab;
      const predicted = marks.snap <= path.times.at(-1) ? lab.placeOf(marks.snap) : 1;
      const turn = number(marks.snap, 2);
      const said = `Theory: scan until step ${turn}, then snap`;
      theory.show(predicted, 1, `turn ${turn}`, `${said}.`);
      const reached = snap && time > snap.peak;
      const words = reached
        ? `This run: scan until step ${snap.peak}, then snap.`
        : `This run: ${snap ? "no turn" : "nothing moves"} so far.`;
      run.show(
        reached ? lab.placeOf(snap.peak) : null,
        lab.placeOf(time),
        reached ? `turn ${snap.peak}` : "turn ?",
        words,
      );
    },
  };
}
