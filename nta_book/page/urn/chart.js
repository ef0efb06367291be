// The picture: the shares of all words in one text, and of the first word in the other texts.

import { shape } from "../hero/shapes.js";
import { percent } from "../shared/numbers.js";
import { LENGTH } from "./chain.js";

const HEIGHT = 250;
const MARGIN = { left: 44, right: 104, top: 12, bottom: 40 };
const APART = 17; // pixels between two names
export const ROLES = { practice: "#3a93c8", "compare-1": "#454e59", "compare-2": "#717b87" };
const NAMES = Object.keys(ROLES);
const PLAIN = { ink: "#1b1f24", muted: "#5c6670", line: "#c9ced6" };
const colour = (role) => `var(--nta-${role}, ${ROLES[role] ?? PLAIN[role]})`;

/** The role of a word's colour. */
export const roleOf = (word) => NAMES[word % NAMES.length];
const DASHES = [null, "7 4", "2 3"]; // a word is told by more than its colour

/** Heights of names that keep apart, in the order of the words. */
function spread(wanted) {
  const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
  const heights = [...wanted];
  order.forEach((i, k) => {
    if (k) heights[i] = Math.max(heights[i], heights[order[k - 1]] + APART);
  });
  // Pushed out below: move up again, the lowest first.
  let floor = HEIGHT - MARGIN.bottom + 4;
  for (const i of order.toReversed()) {
    heights[i] = Math.min(heights[i], floor);
    floor = heights[i] - APART;
  }
  return heights;
}

/** `paths` are the shares of each word, `others` of the first one; `count` words are drawn. */
export function chart({ names, paths, others, count }, width) {
  const right = width - MARGIN.right;
  const bottom = HEIGHT - MARGIN.bottom;
  const x = (t) => MARGIN.left + (t / LENGTH) * (right - MARGIN.left);
  const y = (share) => MARGIN.top + (1 - share) * (bottom - MARGIN.top);
  const stride = Math.max(1, Math.floor(LENGTH / (right - MARGIN.left)));
  const line = (path) => {
    const points = [];
    for (let t = 0; t < count; t += stride) {
      points.push(`${x(t).toFixed(1)} ${y(path[t]).toFixed(1)}`);
    }
    points.push(`${x(count).toFixed(1)} ${y(path[count]).toFixed(1)}`);
    return `M${points.join("L")}`;
  };
  const note = (key, at, up, text, more) =>
    shape(key, "text", { x: at, y: up, fill: colour("muted"), "font-size": 13, ...more }, text);
  const grid = [0, 0.5, 1].flatMap((share) => [
    shape(`rule ${share}`, "path", {
      d: `M${MARGIN.left} ${y(share)}H${right}`,
      stroke: colour("line"),
      "stroke-width": 0.75,
    }),
    note(`share ${share}`, MARGIN.left - 8, y(share) + 4.5, `${100 * share}%`, {
      "text-anchor": "end",
    }),
  ]);
  const ticks = [0, LENGTH / 2, LENGTH].map((t) =>
    note(`tick ${t}`, x(t), bottom + 17, String(t), { "text-anchor": "middle" }),
  );
  const pen = { fill: "none", "stroke-linejoin": "round" };
  const ghosts = others.map((path, i) =>
    shape(`other ${i}`, "path", {
      ...{ ...pen, d: line(path), stroke: colour(roleOf(0)) },
      ...{ "stroke-width": 1, "stroke-opacity": 0.45 },
    }),
  );
  const lines = paths.map((path, word) =>
    shape(`word ${word}`, "path", {
      ...{ ...pen, d: line(path), stroke: colour(roleOf(word)) },
      ...{ "stroke-width": word ? 2.5 : 4, "stroke-dasharray": DASHES[word] },
    }),
  );
  const heights = spread(paths.map((path) => y(path[count]) + 5));
  const labels = names.map((name, word) =>
    shape(
      `name ${word}`,
      "text",
      {
        ...{ x: Math.min(x(count) + 8, right + 8), y: heights[word], "font-size": 14.5 },
        ...{ fill: colour("ink"), "font-weight": word ? 400 : 600 },
      },
      `${name} ${percent(paths[word][count])}%`,
    ),
  );
  return shape(
    "picture",
    "svg",
    {
      ...{ width, height: HEIGHT, viewBox: `0 0 ${width} ${HEIGHT}`, role: "img" },
      ...{ "aria-label": `Shares of ${names.join(", ")} while the text grows`, class: "nu-chart" },
    },
    ...grid,
    ...ticks,
    note("axis", (MARGIN.left + right) / 2, HEIGHT - 6, "words written", {
      "text-anchor": "middle",
    }),
    ...ghosts,
    ...lines.toReversed(),
    ...labels,
  );
}
