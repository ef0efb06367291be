// The picture: on the left runners on their lanes, distance = attention; on the right the league
// table.  A function of what is to be shown and of the width there is; letters never scale.

import { shape } from "./shapes.js";
import { runnersOf } from "./training.js";

const STACKED_BELOW = 640; // pixels
const FINGER = 44; // pixels that a runner has where it is touched
const touched = globalThis.matchMedia?.("(pointer: coarse)");
const CHIP = 16; // height of a runner
const LETTER = 7.2; // pixels, a generous width
const TABLE_CHIP = 28;
const BADGE = 30;
const REACHED = 0.015; // a runner this close to its mark wears it
const HEAP = 17; // pixels between tokens that know no order yet
const COLOURS = {
  ink: "#1b1f24",
  paper: "#ffffff",
  muted: "#5c6670",
  line: "#c9ced6",
  winner: "#d55e00",
  input: "#5f6b7a",
  last: "#cc79a7",
  theory: "#1b1f24",
  "league-1": "#0072b2",
  "league-2": "#009e73",
  "league-3": "#b97f00",
  "league-4": "#66758a",
};
const colour = (role) => `var(--nta-${role}, ${COLOURS[role]})`;
const leagueColour = (rank) => colour(`league-${(rank % 4) + 1}`);

const mix = (a, b, part) => a + (b - a) * part;
const smooth = (part) => part * part * (3 - 2 * part);
const chipWidth = (name, size = 1) => Math.max(26, size * LETTER * [...name].length + 14);
const percent = (share) => `${Math.round(100 * share)}`;
const say = (key, x, y, text, more) =>
  shape(key, "text", { x, y, fill: colour("ink"), "font-size": 13, ...more }, text);
const note = (key, x, y, text, more) => say(key, x, y, text, { fill: colour("muted"), ...more });

/** A star around the origin. */
const STAR = Array.from({ length: 10 }, (_, k) => {
  const radius = k % 2 ? 2.9 : 6.4;
  const angle = (k * Math.PI) / 5;
  return `${(radius * Math.sin(angle)).toFixed(1)},${(-radius * Math.cos(angle)).toFixed(1)}`;
}).join(" ");
const star = (key, x, y) =>
  shape(key, "polygon", {
    points: STAR,
    transform: `translate(${x} ${y})`,
    fill: colour("winner"),
    stroke: colour("paper"),
    "stroke-width": 1.4,
    "paint-order": "stroke",
  });
const diamond = (key, x, y) =>
  shape(key, "polygon", {
    points: "0,-5 5,0 0,5 -5,0",
    transform: `translate(${rounded(x)} ${rounded(y)})`,
    fill: colour("theory"),
    stroke: colour("paper"),
    "stroke-width": 1.2,
  });
const rounded = (value) => Math.round(value * 10) / 10;

/** Where everything stands in a picture of some width. */
export function plan(names, rows, graph, width) {
  const stacked = width < STACKED_BELOW;
  const lane = stacked ? 24 : 18;
  const line = touched?.matches ? FINGER : lane;
  const longest = Math.max(...names.map((name) => chipWidth(name)));
  const written = rows.map(({ tokens }) => tokens.map((token) => names[token]).join(" "));
  const text = stacked ? 0 : Math.max(...written.map((words) => LETTER * words.length * 0.86)) + 12;
  const table = stacked ? width : Math.min(300, 0.29 * width);
  const lanes = stacked ? width : width - table - 24;
  const start = text + 6;
  const flag = lanes - longest - 32;
  let y = 26;
  const blocks = rows.map((race) => {
    const top = y;
    if (stacked) y += 20;
    const heights = runnersOf(race).map((_, i) => y + (i + 0.5) * line);
    y += heights.length * line + (stacked ? 12 : 8);
    return { top, heights, bottom: y };
  });
  const bottom = y;
  const area = stacked
    ? { x: 0, y: bottom + 36, width, height: 66 * graph.leagues.length }
    : { x: width - table, y: 26, width: table, height: bottom - 34 };
  return {
    ...{ stacked, line, start, flag, written, blocks, bottom, area, lanes, width },
    height: stacked ? area.y + area.height : bottom + 14,
    table: tablePlan(names, graph, area),
  };
}

/** Boxes of the leagues and places of their tokens, the strongest on top. */
function tablePlan(names, graph, area) {
  const ranks = [...new Set(graph.leagues.map(({ rank }) => rank))];
  const floor = area.height / ranks.length;
  const middle = area.x + area.width / 2;
  const boxes = [];
  const places = new Map();
  for (const rank of ranks) {
    const here = graph.leagues.filter((league) => league.rank === rank);
    const widths = here.map(({ members }) =>
      members.reduce((sum, token) => sum + chipWidth(names[token], 1.1) + 30, BADGE - 8),
    );
    let x = middle - (widths.reduce((sum, one) => sum + one, 0) + 12 * (here.length - 1)) / 2;
    const y = area.y + (rank + 0.5) * floor;
    here.forEach((league, i) => {
      boxes.push({ league, x, y: y - 24, width: widths[i], height: 48 });
      let left = x + BADGE + 8;
      for (const token of league.members) {
        const width = chipWidth(names[token], 1.1);
        places.set(token, { x: left + width / 2, y, width });
        left += width + 30;
      }
      x += widths[i] + 12;
    });
  }
  return { boxes, places, middle: { x: middle, y: area.y + area.height / 2 } };
}

/** One race: its words, and a runner for each of its tokens. */
function raceShape(r, scene, shares, at) {
  const { names, rows, run, current } = scene;
  const race = rows[r];
  const { start, flag, blocks, stacked, line, written } = at;
  const { heights, top, bottom } = blocks[r];
  const next = names[race.label];
  const words = stacked
    ? [say("words", start + 6, top + 13, `${written[r]} → ${next}`)]
    : [
        say("words", 0, heights[0] + 4.5, written[r]),
        note("next", 0, heights[1] + 4.5, `→ ${next}`, {
          fill: colour("winner"),
          "font-weight": 600,
        }),
      ];
  const runners = runnersOf(race).map((token, i) => {
    const y = heights[i];
    const tip = start + shares[r][i] * (flag - start);
    const wins = token === race.label;
    const role = colour(wins ? "winner" : "input");
    const wide = chipWidth(names[token]);
    const limit = run.limits[r][i];
    const body = [
      shape("reach", "rect", {
        ...{ x: start, y: y - line / 2, width: flag - start + wide, height: line },
        fill: "transparent",
      }),
      shape("trail", "rect", {
        ...{ x: start, y: y - 4, width: Math.max(0, tip - start), height: 8, rx: 1 },
        fill: role,
        "fill-opacity": wins ? 0.85 : 0.4,
      }),
      shape(
        "chip",
        "g",
        { transform: `translate(${rounded(tip)} ${rounded(y)})`, class: "nh-chip" },
        shape("paper", "rect", {
          ...{ x: 0, y: -CHIP / 2, width: wide, height: CHIP, rx: 5 },
          fill: colour("paper"),
        }),
        shape("rim", "rect", {
          ...{ x: 0, y: -CHIP / 2, width: wide, height: CHIP, rx: 5, fill: role },
          ...{ "fill-opacity": wins ? 0.18 : 0.08, stroke: role, "stroke-width": wins ? 2 : 1.2 },
        }),
        say("name", wide / 2, 4.5, names[token], { "text-anchor": "middle", "font-weight": 600 }),
        note("share", wide + (wins ? 10 : 5), 4.5, percent(shares[r][i])),
        ...(token === race.tokens.at(-1)
          ? [
              shape("last", "rect", {
                ...{ x: 3, y: CHIP / 2 - 1.5, width: wide - 6, height: 3, rx: 1.5 },
                fill: colour("last"),
              }),
            ]
          : []),
        ...(wins ? [star("star", wide, -CHIP / 2 + 1)] : []),
      ),
    ];
    // On the way the mark lies on the track; who reaches it wears it.
    const reached = Math.abs(shares[r][i] - limit) < REACHED;
    body.splice(reached ? 3 : 2, 0, diamond("mark", start + limit * (flag - start), y));
    return shape(
      token,
      "g",
      {
        class: "nh-runner",
        role: "radio",
        tabindex: wins ? 0 : -1,
        "aria-checked": String(wins),
        "aria-label": `${names[token]}, ${percent(shares[r][i])} percent`,
        "data-race": r,
        "data-token": token,
      },
      ...body,
    );
  });
  const label = `${written[r]}: which word comes next?`;
  return shape(
    `race ${r}`,
    "g",
    { role: "radiogroup", "aria-label": label, class: current === r ? "nh-current" : null },
    ...words,
    ...runners,
    shape("line", "path", {
      d: `M0 ${rounded(bottom - (stacked ? 6 : 4))}H${rounded(flag)}`,
      stroke: colour("line"),
      "stroke-width": r === rows.length - 1 ? 0 : 0.75,
    }),
  );
}

/** Start, half way, and the flag at all of the attention. */
function trackShape({ start, flag, bottom }) {
  const upright = (key, x, more) =>
    shape(key, "path", {
      d: `M${rounded(x)} 20V${rounded(bottom - 2)}`,
      stroke: colour("line"),
      "stroke-width": 0.75,
      ...more,
    });
  const squares = [0, 1, 2, 3].map((k) =>
    shape(`square ${k}`, "rect", {
      ...{ x: flag + (k % 2) * 5 + (k > 1 ? 10 : 0), y: 6 + (k % 2) * 5, width: 5, height: 5 },
      fill: colour("ink"),
    }),
  );
  return shape(
    "track",
    "g",
    { "aria-hidden": "true" },
    upright("start", start, { stroke: colour("ink"), "stroke-width": 1.5 }),
    upright("half", (start + flag) / 2, { "stroke-dasharray": "2 4" }),
    upright("flag", flag, {
      stroke: colour("ink"),
      "stroke-width": 1.5,
      "stroke-dasharray": "4 4",
    }),
    ...squares,
    note("attention", start, 14, "distance = attention"),
    note("all", flag - 6, 14, "100 %", { "text-anchor": "end" }),
  );
}

/** An arrow between two points, from a lane to the table as it is learned. */
function arrowShape(key, from, to, tie, opacity) {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const bow = tie ? 4 : 0;
  const middle = {
    x: (from.x + to.x) / 2 + bow * 2 * uy,
    y: (from.y + to.y) / 2 - bow * 2 * ux,
  };
  const angle = (Math.atan2(to.y - middle.y, to.x - middle.x) * 180) / Math.PI;
  const role = colour(tie ? "muted" : "ink");
  const at = ({ x, y }) => `${rounded(x)} ${rounded(y)}`;
  return shape(
    key,
    "g",
    { opacity: rounded(opacity), class: "nh-arrow" },
    shape("line", "path", {
      d: `M${at(from)}Q${at(middle)} ${at(to)}`,
      fill: "none",
      stroke: role,
      "stroke-width": 1.5,
      "stroke-dasharray": tie ? "4 3" : null,
    }),
    shape("head", "path", {
      d: "M0 0L-9 -3.8L-9 3.8Z",
      transform: `translate(${at(to)}) rotate(${rounded(angle)})`,
      fill: role,
    }),
  );
}

/** Ends of an arrow in the table: beside each other for a tie, from box to box otherwise. */
function endsInTable({ winner, loser, tie }, { places }) {
  const [a, b] = [places.get(winner), places.get(loser)];
  if (tie) {
    const side = a.x < b.x ? 1 : -1;
    return [
      { x: a.x + (side * a.width) / 2 + side, y: a.y - side * 4 },
      { x: b.x - (side * b.width) / 2 - side, y: b.y - side * 4 },
    ];
  }
  return [
    { x: a.x, y: a.y + TABLE_CHIP / 2 + 10 },
    { x: b.x, y: b.y - TABLE_CHIP / 2 - 12 },
  ];
}

/** The league table, as far as the layer has learned it. */
function tableShape(scene, frame, at) {
  const { names, rows, run } = scene;
  const { boxes, places, middle } = at.table;
  const settled = (token) => {
    const parts = run.arrows
      .map(({ winner, loser }, i) =>
        winner === token || loser === token ? frame.learned[i] : null,
      )
      .filter((part) => part !== null);
    return smooth(parts.length ? Math.min(...parts) : 1);
  };
  const frames = boxes.map(({ league, ...box }, i) => {
    const part = Math.min(...league.members.map(settled));
    const hue = leagueColour(league.rank);
    return shape(
      `box ${i}`,
      "g",
      { opacity: rounded(part) },
      shape("box", "rect", {
        ...{ ...box, rx: 9, fill: hue, "fill-opacity": 0.1, stroke: hue, "stroke-width": 1.5 },
      }),
      shape("badge", "circle", {
        ...{ cx: box.x + 19, cy: box.y + 24, r: 9, fill: hue, "fill-opacity": 0.25 },
      }),
      say("rank", box.x + 19, box.y + 28.5, String(league.rank + 1), {
        "text-anchor": "middle",
        "font-weight": 600,
      }),
    );
  });
  const chips = [...places].map(([token, place], i) => {
    const part = settled(token);
    const around = (i * 2.4 + 0.6) % (2 * Math.PI);
    const x = mix(middle.x + HEAP * Math.cos(around) * 2, place.x, part);
    const y = mix(middle.y + HEAP * Math.sin(around), place.y, part);
    const turn = (1 - part) * (i % 2 ? -1 : 1) * (9 + 7 * i);
    const hue = leagueColour(run.graph.leagueOf.get(token).rank);
    const rim = { x: -place.width / 2, y: -TABLE_CHIP / 2, width: place.width, height: TABLE_CHIP };
    return shape(
      `chip ${token}`,
      "g",
      {
        transform: `translate(${rounded(x)} ${rounded(y)}) rotate(${rounded(turn)})`,
        class: "nh-chip",
      },
      shape("paper", "rect", { ...rim, rx: 7, fill: colour("paper") }),
      shape("grey", "rect", {
        ...{ ...rim, rx: 7, fill: colour("input"), "fill-opacity": 0.12 * (1 - part) },
        ...{ stroke: colour("input"), "stroke-opacity": 1 - part },
      }),
      shape("hue", "rect", {
        ...{ ...rim, rx: 7, fill: hue, "fill-opacity": 0.16 * part },
        ...{ stroke: hue, "stroke-width": 1.5, "stroke-opacity": part },
      }),
      say("name", 0, 5, names[token], {
        "text-anchor": "middle",
        "font-weight": 600,
        "font-size": 14.5,
      }),
    );
  });
  const thrown = run.arrows.map((arrow, i) => {
    const part = frame.learned[i];
    const [from, to] = endsInTable(arrow, at.table);
    const lane = (token) => {
      const place = runnersOf(rows[arrow.race]).indexOf(token);
      const share = frame.shares[arrow.race][place];
      return {
        x: at.start + share * (at.flag - at.start) + 40,
        y: at.blocks[arrow.race].heights[place],
      };
    };
    const way = smooth(part);
    const between = (a, b) => ({ x: mix(a.x, b.x, way), y: mix(a.y, b.y, way) });
    return arrowShape(
      `arrow ${arrow.winner} ${arrow.loser}`,
      between(lane(arrow.winner), from),
      between(lane(arrow.loser), to),
      arrow.tie,
      part <= 0.02 ? 0 : Math.min(1, 0.25 + part),
    );
  });
  return shape(
    "table",
    "g",
    { "aria-hidden": "true" },
    note("title", at.area.x + at.area.width / 2, at.area.y - 12, "the league table", {
      "text-anchor": "middle",
    }),
    ...frames,
    ...thrown,
    ...chips,
  );
}

/** The whole picture at one frame of a run. */
export function picture(scene, frame, at) {
  return shape(
    "picture",
    "svg",
    {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${rounded(at.width)} ${rounded(at.height)}`,
      width: at.width,
      height: at.height,
      role: "group",
      "aria-label": "Runners and league table",
      class: "nh-picture",
    },
    trackShape(at),
    ...scene.rows.map((_, r) => raceShape(r, scene, frame.shares, at)),
    tableShape(scene, frame, at),
  );
}
