// The graph of one track: its leagues as boxes, its tokens as pills, its wins as arrows.

import { total } from "./descent.js";
import { short, shownLength } from "./names.js";
import { element, setText } from "../shared/elements.js";

const PILL = 24; // height of a token
const LEAGUE_GAP = 28; // between two rows of leagues
const NARROWEST = 96;

/** The style that gives a thing the colour of its league. */
export const leagueColour = (rank) => `--c:var(--l${(rank % 4) + 1})`;

/** Rank and title of each league: 1, then 2a and 2b when two stand on one level. */
function rankLeagues(leagues) {
  const levels = [...new Set(leagues.map(({ level }) => level))];
  for (const league of leagues) {
    const peers = leagues.filter(({ level }) => level === league.level);
    const letter = peers.length > 1 ? String.fromCharCode(97 + peers.indexOf(league)) : "";
    league.rank = levels.indexOf(league.level);
    league.title = `${league.rank + 1}${letter}`;
  }
}

/** Size of a league's box, radii of the ring its tokens stand on, room for its title beside it. */
function boxOf(count, widestPill) {
  if (count < 3) {
    const width = count * widestPill + 18 * count - 4;
    return { width, height: 34, radiusX: (count - 1) * (widestPill / 2 + 9), radiusY: 0, room: 56 };
  }
  return {
    width: 24 * count + 26 + widestPill,
    height: 14 * count + 50,
    radiusX: 12 * count + 6,
    radiusY: 7 * count + 6,
    room: 0,
  };
}

/**
 * Places of the tokens: one row per level, the strongest on top; the tokens of a league on a ring,
 * those that lose to a higher league first.
 */
function layout({ leagues, strict }, names) {
  const halfWidth = (token) => 9 + 4 * shownLength(names[token]);
  const lossesLessWins = (token) =>
    total(strict.map(([winner, loser]) => Number(loser === token) - Number(winner === token)));
  const rows = [];
  for (const league of leagues) {
    const { members, rank } = league;
    league.box = boxOf(members.length, 2 * Math.max(...members.map(halfWidth)));
    (rows[rank] ??= []).push(league);
  }
  const filled = (row, gap) => total(row.map(({ box }) => box.width + box.room + gap));
  const width = Math.max(NARROWEST, ...rows.map((row) => filled(row, 6)));
  const place = new Map();
  let y = 4;
  for (const row of rows) {
    const tallest = Math.max(...row.map(({ box }) => box.height));
    const gap = (width - filled(row, 0)) / (row.length + 1);
    let x = gap;
    for (const { members, box } of row) {
      box.x = x;
      box.y = y + (tallest - box.height) / 2;
      const start = members.length < 3 ? Math.PI : Math.PI / 2; // left of the middle, or on top
      const ring = members.toSorted((a, b) => lossesLessWins(b) - lossesLessWins(a));
      ring.forEach((token, i) => {
        const angle = (2 * Math.PI * i) / members.length - start;
        place.set(token, {
          x: x + box.width / 2 + box.radiusX * Math.cos(angle),
          y: y + tallest / 2 + box.radiusY * Math.sin(angle),
          halfWidth: halfWidth(token),
        });
      });
      x += box.width + box.room + gap;
    }
    y += tallest + LEAGUE_GAP;
  }
  return { place, width, height: y - LEAGUE_GAP + 4 };
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
    const part = 1 / Math.hypot(towardsX / (halfWidth + 2), towardsY / 14);
    return [x + towardsX * part, y + towardsY * part];
  };
  const [x1, y1] = edgeOf(from);
  const [x2, y2] = edgeOf(to);
  const last = Math.hypot(x2 - middleX, y2 - middleY) || 1;
  const headX = (7 * (x2 - middleX)) / last;
  const headY = (7 * (y2 - middleY)) / last;
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
export function graphPicture(lab, graph) {
  const { names } = lab.data;
  const { last, leagues, leagueOf, edges } = graph;
  rankLeagues(leagues);
  const { place, width, height } = layout(graph, names);
  const rankOf = (token) => leagueOf.get(token).rank;
  const svg = element("svg", {
    viewBox: `0 0 ${width} ${height}`,
    style: `max-width:${width * 1.25}px;flex-basis:${0.8 * width}px`,
    role: "img",
    "aria-label": describe(graph, names),
  });
  svg.append(...leagues.flatMap(drawLeague));
  const arrows = edges.map((edge) => drawEdge(graph, edge, place, rankOf));
  svg.append(...arrows.map(({ el }) => el));
  for (const [token, spot] of place) {
    svg.append(...drawToken(short(names[token]), spot, rankOf(token)));
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

function describe({ last, leagues, edges }, names) {
  const nameOf = (token) => names[token];
  const members = leagues.map(
    (league) => `league ${league.title}: ${league.members.map(nameOf).join(" ")}`,
  );
  const wins = edges.map((edge) => edge.map(nameOf).join(" beat "));
  return `Graph after ${names[last]}; ${members.join(", ")}; ${wins.join(", ")}.`;
}

function drawLeague({ box: { x, y, width, height, room }, title, rank }) {
  const style = leagueColour(rank);
  const beside = { x: x + width + 4, y: y + 20 };
  const below = { x: x + 7, y: y + height - 5 };
  return [
    element("rect", { x, y, width, height, rx: 12, class: "nl-box", style }),
    element("text", { ...(room ? beside : below), class: "nl-small", say: `League ${title}` }),
  ];
}

/** The bend of an arrow: far around the leagues between, slightly beside its way back in a tie. */
function bendOf(strict, ranksBetween) {
  if (ranksBetween > 1) return 13 * ranksBetween + 8;
  return strict ? 0 : 7;
}

function drawEdge({ beats, reduced }, edge, place, rankOf) {
  const [winner, loser] = edge;
  const strict = beats(winner, loser);
  const isKey = reduced.some(([i, j]) => i === winner && j === loser);
  const bend = bendOf(strict, rankOf(loser) - rankOf(winner));
  const { line, head, x, y } = arrow(place.get(winner), place.get(loser), bend);
  const when = element("text", { x: x + 5, y: y + 3, class: "nl-small nl-when" });
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
  const size = { x: x - halfWidth, y: y - PILL / 2, width: 2 * halfWidth, height: PILL, rx: 12 };
  return [
    element("rect", { ...size, class: "nl-node", style: leagueColour(rank) }),
    element("text", { x, y: y + 4.5, say: name }),
  ];
}

/** The bar below the last token, which names the track. */
function drawLastBar({ x, y, halfWidth }) {
  const size = { x: x - halfWidth + 5, y: y + 13, width: 2 * halfWidth - 10, height: 3 };
  return element("rect", { ...size, class: "nl-lastbar" });
}
