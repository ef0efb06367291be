// Scores of some tokens as moving dots, one row per token, with a diamond where theory puts each.

import { leagueColour } from "./graph_picture.js";
import { textWidth } from "../shared/measure.js";
import { signed } from "../shared/numbers.js";
import { element, line } from "../shared/elements.js";

const ROW = 24;
const AXIS = 20; // height of the numbers below
const REACH = 64; // from the zero line to the farthest diamond
const BEYOND = 1.3; // a dot may stand this much farther out
const GAP = 12;
const AIR = 4; // engines differ by a pixel or two in the width of a name

/**
 * `lanes` are { name, rank, goal } of the tokens from the top; `read()` returns their scores;
 * `about` says in a line what is drawn.
 */
export function scorePicture({ title, about }, lanes, read, fonts) {
  const left = AIR + Math.max(...lanes.map(({ name }) => textWidth(name, fonts.name)));
  const highest = Math.max(0.5, ...lanes.map(({ goal }) => Math.abs(goal)));
  const zero = left + GAP + BEYOND * REACH;
  const width = zero + BEYOND * REACH + 6;
  const bottom = ROW * lanes.length;
  const x = (score) => zero + REACH * Math.max(-BEYOND, Math.min(BEYOND, score / highest));
  const svg = element(
    "svg",
    {
      viewBox: `0 0 ${width.toFixed(0)} ${bottom + AXIS}`,
      role: "img",
      "aria-label": title,
      style: `max-width:${width.toFixed(0)}px`,
    },
    line(zero, 0, zero, bottom, { class: "nl-zero" }),
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
    svg.append(element("text", { x: x(score), y: bottom + 14, class: "nl-axis", say }));
  }
  const moves = lanes.map(({ name, rank, goal }, i) => {
    const y = ROW * (i + 0.5);
    const style = leagueColour(rank);
    const goalX = x(goal);
    const stem = line(zero, y, zero, y, { class: "nl-stem", style });
    const dot = element("circle", { cy: y, r: 5.5, class: "nl-dot", style });
    svg.append(
      line(left + GAP, y, width - 6, y, { class: "nl-grid" }),
      stem,
      dot,
      element("path", { d: `M${goalX} ${y - 6}l6 6l-6 6l-6 -6z`, class: "nl-goal" }),
      element("text", { x: left, y: y + 5, class: "nl-lane", say: name }),
    );
    return (score) => {
      const place = x(score).toFixed(1);
      stem.setAttribute("x2", place);
      dot.setAttribute("cx", place);
    };
  });
  return {
    el: element(
      "div",
      { class: "nl-plot" },
      element("h4", { say: title }),
      element("p", { say: about }),
      svg,
    ),
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
