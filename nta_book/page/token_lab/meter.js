// A number with its past over log time; the dotted line is where theory says it ends.

import { element, line, setText } from "../shared/elements.js";

const WIDTH = 120;
const HEIGHT = 28;
const MARGIN = 3;
const OUT_OF_SIGHT = -9;

export function meter(label, title) {
  const value = element("b");
  const path = element("path", { class: "nl-spark" });
  const goal = line(0, 0, WIDTH, 0, { class: "nl-sparkgoal" });
  const size = { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none" };
  const svg = element("svg", { ...size, "aria-hidden": "true" }, goal, path);
  const el = element(
    "div",
    { class: "nl-meter", title },
    element("span", { say: label }),
    value,
    svg,
  );
  /** Show a text, the [step, value] points behind it, and a target (NaN: none). */
  const update = (text, points, target) => {
    setText(value, text);
    const past = points.filter(([, number]) => Number.isFinite(number));
    const heights = past.map(([, number]) => number);
    const hasGoal = Number.isFinite(target);
    if (hasGoal) heights.push(target);
    const low = Math.min(...heights);
    const span = Math.max(...heights) - low || 1;
    const end = Math.log1p(past.at(-1)?.[0] || 1);
    const x = (step) => ((WIDTH * Math.log1p(step)) / end).toFixed(1);
    const y = (number) =>
      (HEIGHT - MARGIN - ((HEIGHT - 2 * MARGIN) * (number - low)) / span).toFixed(1);
    const points2d = past.map(([step, number]) => `${x(step)} ${y(number)}`);
    path.setAttribute("d", points2d.length ? `M${points2d.join("L")}` : "");
    goal.setAttribute("transform", `translate(0 ${hasGoal ? y(target) : OUT_OF_SIGHT})`);
  };
  return { el, update };
}
