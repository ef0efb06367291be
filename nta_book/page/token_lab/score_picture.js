// Scores of some tokens as moving dots, with a diamond where theory puts each.

import { leagueColour } from "./graph_picture.js";
import { short, shownLength } from "./names.js";
import { signed } from "../shared/numbers.js";
import { element, line } from "../shared/elements.js";

const HEIGHT = 136;
const ZERO = 62; // height of the zero line
const REACH = 54; // from it to the highest dot
const LEFT = 36; // room for the numbers

/**
 * `lanes` are { name, rank, goal } of the tokens from left to right; `read()` returns their scores.
 */
export function scorePicture(title, lanes, read) {
  const laneWidth = Math.max(22, ...lanes.map(({ name }) => 8 * shownLength(name) + 7));
  const highest = Math.max(0.5, ...lanes.map(({ goal }) => Math.abs(goal)));
  const width = LEFT + laneWidth * lanes.length;
  const y = (score) => ZERO - REACH * Math.max(-1, Math.min(1, score / highest / 1.3));
  const svg = element(
    "svg",
    {
      viewBox: `0 0 ${width} ${HEIGHT}`,
      role: "img",
      "aria-label": title,
      style: `max-width:${width * 1.15}px`,
    },
    line(LEFT - 2, ZERO, width, ZERO, { class: "nl-zero" }),
  );
  const digits = signed(highest)
    .slice(1)
    .replace(/\.?0+$/, "");
  const marks = [
    [highest, `+${digits}`],
    [0, "0"],
    [-highest, `−${digits}`],
  ];
  for (const [score, say] of marks) {
    const style = "text-anchor:end";
    svg.append(element("text", { x: LEFT - 5, y: y(score) + 4, class: "nl-small", style, say }));
  }
  const moves = lanes.map(({ name, rank, goal }, i) => {
    const x = LEFT + laneWidth * (i + 0.5);
    const style = leagueColour(rank);
    const goalY = y(goal);
    const stem = line(x, ZERO, x, ZERO, { class: "nl-stem", style });
    const dot = element("circle", { cx: x, r: 5, class: "nl-dot", style });
    svg.append(
      stem,
      line(x - 10, goalY, x + 10, goalY, { class: "nl-goal" }),
      element("path", { d: `M${x} ${goalY - 4}l4 4l-4 4l-4 -4z`, class: "nl-goal" }),
      dot,
      element("text", { x, y: HEIGHT - 4, say: short(name) }),
    );
    return (score) => {
      const place = y(score).toFixed(1);
      stem.setAttribute("y2", place);
      dot.setAttribute("cy", place);
    };
  });
  return {
    el: element("div", { class: "nl-plot" }, element("p", { say: title }), svg),
    update: () => read().forEach((score, i) => moves[i](score)),
    describe: () => {
      const said = read().map((score, i) => {
        const { name, goal } = lanes[i];
        return `${name} ${signed(score)}, theory ${signed(goal)}`;
      });
      svg.setAttribute("aria-label", `${title}: ${said.join("; ")}`);
    },
  };
}
