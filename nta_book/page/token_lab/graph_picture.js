// The graph of one track: its leagues as boxes, its tokens as pills, its wins as arrows.  One unit
// is one pixel; names are measured, never cut, and rows that are too wide are broken.

import { total } from "./descent.js";
import { describeApart, describeOrder, placeOf } from "./words.js";
import { plain } from "../shared/marked.js";
import { textWidth } from "../shared/measure.js";
import { element, setText } from "../shared/elements.js";

const PILL = 26; // height of a token
const ROW_GAP = 34; // between two rows of leagues
const BOX_GAP = 24; // between two leagues of a row
const MEMBER_GAP = 34; // between the two tokens of a tie: room for its arrows
const TITLE_GAP = 7;
const INSET = 9;
const NARROWEST = 150;

/** The style that gives a thing the colour of its league. */
export const leagueColour = (rank) => `--c:var(--l${(rank % 4) + 1})`;

export const NAME_SIZE = 14.5;
export const NOTE_SIZE = 13;

/** Size of a league's box, and the ring its tokens stand on; at most `room` wide if possible. */
function boxOf({ members }, title, widestPill, room) {
  const count = members.length;
  if (count < 3) {
    const width = count * widestPill + (count - 1) * MEMBER_GAP + title + TITLE_GAP + 2 * INSET;
    const radiusX = ((count - 1) * (widestPill + MEMBER_GAP)) / 2;
    return { width, height: 40, radiusX, radiusY: 0, left: INSET + title + TITLE_GAP };
  }
  const radiusX = Math.max(20, Math.min(14 * count + 8, (room - widestPill) / 2 - INSET - 4));
  const radiusY = radiusX < 14 * count ? 17 * count : 8 * count + 12;
  return {
    width: 2 * (radiusX + INSET) + widestPill,
    height: 2 * radiusY + PILL + 2 * INSET + 18,
    radiusX,
    radiusY,
    left: INSET,
    top: 18, // the title stands above the ring
  };
}

/** Rows of leagues by rank, each broken where it would become wider than `room`. */
function rowsOf(leagues, room) {
  const rows = [];
  let filled = 0;
  let rank = -1;
  for (const league of leagues) {
    const width = league.box.width + BOX_GAP;
    if (league.rank !== rank || filled + width > room + BOX_GAP) {
      rows.push([]);
      filled = 0;
      rank = league.rank;
    }
    rows.at(-1).push(league);
    filled += width;
  }
  return rows;
}

/**
 * Places of the tokens: one row per rank, who was never beaten on top; the tokens of a league side
 * by side or on a ring, those that lose to a higher league first.
 */
function layout({ leagues, strict }, names, room, fonts) {
  const halfWidth = (token) => 10 + textWidth(names[token], fonts.name) / 2;
  const lossesLessWins = (token) =>
    total(strict.map(([winner, loser]) => Number(loser === token) - Number(winner === token)));
  for (const league of leagues) {
    const widest = 2 * Math.max(...league.members.map(halfWidth));
    league.title = placeOf(league);
    league.box = boxOf(league, textWidth(league.title, fonts.note), widest, room);
  }
  const rows = rowsOf(leagues, room);
  const filled = (row) => total(row.map(({ box }) => box.width)) + BOX_GAP * (row.length - 1);
  const width = Math.max(NARROWEST, ...rows.map(filled)) + 4;
  const place = new Map();
  let y = 3;
  for (const row of rows) {
    const tallest = Math.max(...row.map(({ box }) => box.height));
    let x = (width - filled(row)) / 2;
    for (const { members, box } of row) {
      box.x = x;
      box.y = y + (tallest - box.height) / 2;
      const middleX = x + box.left + (box.width - box.left - INSET) / 2;
      const middleY = box.y + ((box.top ?? 0) + box.height) / 2;
      const start = members.length < 3 ? Math.PI : Math.PI / 2; // left of the middle, or on top
      const ring = members.toSorted((a, b) => lossesLessWins(b) - lossesLessWins(a));
      ring.forEach((token, i) => {
        const angle = (2 * Math.PI * i) / members.length - start;
        place.set(token, {
          x: middleX + box.radiusX * Math.cos(angle),
          y: middleY + box.radiusY * Math.sin(angle),
          halfWidth: halfWidth(token),
        });
      });
      x += box.width + BOX_GAP;
    }
    y += tallest + ROW_GAP;
  }
  return { place, rows, width, height: y - ROW_GAP + 5 };
}

/** Letters and numbers as the path of an SVG. */
const pathOf = (...parts) =>
  parts.map((part) => (typeof part === "number" ? `${part.toFixed(1)} ` : part)).join("");

/** An arrow between two places, bent sideways by `bend`: its line, its head, its middle. */
function arrow(from, to, bend) {
  const dx = to.x - from.x;
  const dy = to.y - from.y;
  const distance = Math.hypot(dx, dy);
  const middleX = (from.x + to.x) / 2 - (bend * dy) / distance;
  const middleY = (from.y + to.y) / 2 + (bend * dx) / distance;
  /** Where the line between the middle and a pill meets the pill's edge, about an ellipse. */
  const edgeOf = ({ x, y, halfWidth }) => {
    const towardsX = middleX - x;
    const towardsY = middleY - y;
    const part = 1 / Math.hypot(towardsX / (halfWidth + 2), towardsY / 16);
    return [x + towardsX * part, y + towardsY * part];
  };
  const [x1, y1] = edgeOf(from);
  const [x2, y2] = edgeOf(to);
  const last = Math.hypot(x2 - middleX, y2 - middleY) || 1;
  const headX = (8.5 * (x2 - middleX)) / last;
  const headY = (8.5 * (y2 - middleY)) / last;
  const left = [x2 - headX - headY / 2, y2 - headY + headX / 2];
  const right = [x2 - headX + headY / 2, y2 - headY - headX / 2];
  return {
    line: pathOf("M", x1, y1, "Q", middleX, middleY, x2, y2),
    head: pathOf("M", x2, y2, "L", ...left, ...right, "z"),
    x: (x1 + 2 * middleX + x2) / 4,
    y: (y1 + 2 * middleY + y2) / 4,
  };
}

/** Graph of one track; `update` darkens the arrows that are decided and says since when. */
export function graphPicture(lab, graph, { room, fonts }) {
  const { names } = lab.data;
  const { last, leagues, leagueOf, edges } = graph;
  const { place, rows, width, height } = layout(graph, names, room, fonts);
  const rankOf = (token) => leagueOf.get(token).rank;
  const svg = element("svg", {
    viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`,
    style: `max-width:${width.toFixed(0)}px;flex-basis:${width.toFixed(0)}px`,
    role: "img",
    "aria-label": describe(graph, names),
  });
  svg.append(...leagues.flatMap(drawLeague), ...rows.flatMap((row) => drawApart(row, graph)));
  const arrows = edges.map((edge) => drawEdge(graph, edge, place, rankOf));
  svg.append(...arrows.map(({ el }) => el));
  for (const [token, spot] of place) {
    svg.append(...drawToken(names[token], spot, rankOf(token)));
    if (token === last) svg.append(drawLastBar(spot));
  }
  const comparisons = arrows
    .filter(({ strict }) => strict)
    .map(({ el, when, edge }) => ({ el, when, key: lab.pairKey(last, ...edge) }));
  const update = () => {
    for (const { el, when, key } of comparisons) {
      const step = lab.decided.get(key);
      el.classList.toggle("nl-decided", step !== undefined);
      setText(when, step === undefined ? "" : `✓${step || ""}`);
    }
  };
  return { el: svg, update };
}

function describe(graph, names) {
  const wins = graph.edges.map((edge) => edge.map((token) => names[token]).join(" beat "));
  const order = `${describeOrder(graph, names)} ${describeApart(graph, names)}`;
  return plain(`Graph after ${names[graph.last]}. ${order} Wins: ${wins.join(", ")}.`);
}

function drawLeague({ box: { x, y, width, height, top }, title, rank }) {
  const baseline = top ? y + 19 : y + height / 2 + 4.5;
  return [
    element("rect", { x, y, width, height, rx: 10, class: "nl-box", style: leagueColour(rank) }),
    element("text", { x: x + INSET, y: baseline, class: "nl-small", say: title }),
  ];
}

/** A question mark between two neighbours of a row: the data never compares them. */
function drawApart(row, { apart }) {
  return row.slice(1).flatMap((league, i) => {
    const neighbour = row[i];
    if (!apart.some((pair) => pair.includes(league) && pair.includes(neighbour))) return [];
    const x = (neighbour.box.x + neighbour.box.width + league.box.x) / 2;
    const y = league.box.y + league.box.height / 2 + 5;
    return [element("text", { x, y, class: "nl-apart", say: "?" })];
  });
}

/**
 * The bend of an arrow: far around the leagues between, on the side it goes to (straight down, to
 * the right: places stand at the left), slightly beside its way back in a tie.
 */
function bendOf(strict, ranksBetween, dx) {
  if (ranksBetween > 1) return (dx < -4 ? 1 : -1) * (16 * ranksBetween + 8);
  return strict ? 0 : 7;
}

function drawEdge({ beats, reduced }, edge, place, rankOf) {
  const [winner, loser] = edge;
  const strict = beats(winner, loser);
  const isKey = reduced.some(([i, j]) => i === winner && j === loser);
  const [from, to] = [place.get(winner), place.get(loser)];
  const bend = bendOf(strict, rankOf(loser) - rankOf(winner), to.x - from.x);
  const { line, head, x, y } = arrow(from, to, bend);
  const when = element("text", { x: x - 6, y: y + 4, class: "nl-small nl-when" });
  let kind = "nl-tie";
  if (strict) kind = isKey ? "" : "nl-implied";
  const el = element(
    "g",
    { class: `nl-edge ${kind}` },
    element("path", { d: line }),
    element("path", { d: head, class: "nl-head" }),
    isKey && when,
  );
  return { el, when, edge, strict };
}

function drawToken(name, { x, y, halfWidth }, rank) {
  const size = { x: x - halfWidth, y: y - PILL / 2, width: 2 * halfWidth, height: PILL, rx: 7 };
  return [
    element("rect", { ...size, class: "nl-node", style: leagueColour(rank) }),
    element("text", { x, y: y + 5, say: name }),
  ];
}

/** The bar below the last token, which names the track. */
function drawLastBar({ x, y, halfWidth }) {
  const size = {
    x: x - halfWidth + 5,
    y: y + PILL / 2 + 1.5,
    width: 2 * halfWidth - 10,
    height: 3,
  };
  return element("rect", { ...size, class: "nl-lastbar" });
}
