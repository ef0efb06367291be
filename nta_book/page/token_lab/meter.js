// A number, its past over log time and one line that says what it is and what is good.  The dotted
// line is where theory says it ends; the pale curve is the pinned run.

import { element, line, setText } from "../shared/elements.js";

const WIDTH = 240;
const HEIGHT = 48;
const MARGIN = 4;
const OUT_OF_SIGHT = -9;

const finite = (points) => points.filter(([, number]) => Number.isFinite(number));

export function meter(label) {
  const value = element("b");
  const pinnedValue = element("span", { class: "nl-pinned" });
  const about = element("p", { class: "nl-note" });
  const path = element("path", { class: "nl-spark" });
  const pinnedPath = element("path", { class: "nl-spark nl-sparkpinned" });
  const goal = line(0, 0, WIDTH, 0, { class: "nl-sparkgoal" });
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" };
  const svg = element("svg", { ...size, "aria-hidden": "true" }, goal, pinnedPath, path);
  const el = element(
    "div",
    { class: "nl-meter" },
    element("div", { class: "nl-reading" }, element("span", { say: label }), value, pinnedValue),
    svg,
    about,
  );
  /**
   * Show a text, the [step, value] points behind it, a target (NaN: none), what it means, and the
   * text and points of a pinned run ("" and none without one).
   */
  const update = ({ text, points, target, say, pinned = "", pinnedPoints = [] }) => {
    setText(value, text);
    setText(pinnedValue, pinned && `pinned ${pinned}`);
    setText(about, say);
    const past = finite(points);
    const other = finite(pinnedPoints);
    const heights = [...past, ...other].map(([, number]) => number);
    const hasGoal = Number.isFinite(target);
    if (hasGoal) heights.push(target);
    const low = Math.min(...heights);
    const span = Math.max(...heights) - low || 1;
    const end = Math.log1p(Math.max(past.at(-1)?.[0] || 1, other.at(-1)?.[0] || 1));
    const x = (step) => ((WIDTH * Math.log1p(step)) / end).toFixed(1);
    const y = (number) =>
      (HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (number - low)) / span).toFixed(1);
    const curve = (list) =>
      list.length ? `M${list.map(([step, number]) => `${x(step)} ${y(number)}`).join("L")}` : "";
    path.setAttribute("d", curve(past));
    pinnedPath.setAttribute("d", curve(other));
    goal.setAttribute("transform", `translate(0 ${hasGoal ? y(target) : OUT_OF_SIGHT})`);
  };
  return { el, update };
}
