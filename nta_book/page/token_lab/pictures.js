// Pictures: graphs with leagues, score axes with theory's diamonds, meters.

import { plural, signed } from "./words.js";
import { total } from "./descent.js";
import { h, line, put } from "../shared/elements.js";

export const short = (name) => ([...name].length > 8 ? `${[...name].slice(0, 7).join("")}…` : name);
const colour = (rank) => `--c:var(--l${(rank % 4) + 1})`;

/** Rank and name of each league: 1, then 2a and 2b when two stand on one level. */
function rankLeagues(leagues) {
  const levels = [...new Set(leagues.map((c) => c.level))];
  for (const c of leagues) {
    const same = leagues.filter((o) => o.level === c.level);
    c.rank = levels.indexOf(c.level);
    c.title = `${c.rank + 1}${same[1] ? String.fromCharCode(97 + same.indexOf(c)) : ""}`;
  }
}

/** Places of the tokens: one row per level, strongest on top; the tokens of a league on a ring, those that lose to a higher league first. */
function layout({ leagues, strict }, names) {
  const half = (t) => 9 + 4 * [...short(names[t])].length;
  const place = new Map();
  const rows = [];
  const falls = (t) => total(strict.map(([i, j]) => (j === t) - (i === t)));
  let y = 4;
  let width = 96;
  for (const c of leagues) {
    const n = c.members.length;
    const w = 2 * Math.max(...c.members.map(half));
    c.box =
      n < 3
        ? { w: n * w + 18 * n - 4, h: 34, rx: (n - 1) * (w / 2 + 9), ry: 0, room: 56 }
        : { w: 24 * n + 26 + w, h: 14 * n + 50, rx: 12 * n + 6, ry: 7 * n + 6, room: 0 };
    (rows[c.rank] ??= []).push(c);
  }
  for (const row of rows) width = Math.max(width, total(row.map((c) => c.box.w + c.box.room + 6)));
  for (const row of rows) {
    const tall = Math.max(...row.map((c) => c.box.h));
    const gap = (width - total(row.map((c) => c.box.w + c.box.room))) / (row.length + 1);
    let x = gap;
    for (const { members, box } of row) {
      Object.assign(box, { x, y: y + (tall - box.h) / 2 });
      members
        .toSorted((a, b) => falls(b) - falls(a))
        .forEach((t, i) => {
          const turn =
            (2 * Math.PI * i) / members.length - (members.length < 3 ? Math.PI : Math.PI / 2);
          place.set(t, {
            x: x + box.w / 2 + box.rx * Math.cos(turn),
            y: y + tall / 2 + box.ry * Math.sin(turn),
            half: half(t),
          });
        });
      x += box.w + box.room + gap;
    }
    y += tall + 28;
  }
  return { place, width, height: y - 24 };
}

/** An arrow from token p to token q, bent sideways by `bend`: its line, its head, its middle. */
function arrow(p, q, bend) {
  const dx = q.x - p.x;
  const dy = q.y - p.y;
  const d = Math.hypot(dx, dy);
  const mx = (p.x + q.x) / 2 - (bend * dy) / d;
  const my = (p.y + q.y) / 2 + (bend * dx) / d;
  const leave = (from) => {
    const ux = mx - from.x;
    const uy = my - from.y;
    const r = 1 / Math.hypot(ux / (from.half + 2), uy / 14);
    return [from.x + ux * r, from.y + uy * r];
  };
  const [x1, y1] = leave(p);
  const [x2, y2] = leave(q);
  const l = Math.hypot(x2 - mx, y2 - my) || 1;
  const ux = (7 * (x2 - mx)) / l;
  const uy = (7 * (y2 - my)) / l;
  const path = (...v) => v.map((a) => (typeof a === "number" ? `${a.toFixed(1)} ` : a)).join("");
  return {
    line: path("M", x1, y1, "Q", mx, my, x2, y2),
    head: path(
      "M",
      x2,
      y2,
      "L",
      x2 - ux - uy / 2,
      y2 - uy + ux / 2,
      x2 - ux + uy / 2,
      y2 - uy - ux / 2,
      "z",
    ),
    x: (x1 + 2 * mx + x2) / 4,
    y: (y1 + 2 * my + y2) / 4,
  };
}

/** Graph of one track with its leagues; `update` darkens the arrows that are decided and says when. */
function graphPicture(lab, graph) {
  const { names } = lab.data;
  const { last, leagues, leagueOf, edges, reduced } = graph;
  const arrows = [];
  rankLeagues(leagues);
  const { place, width, height } = layout(graph, names);
  const rank = (t) => leagueOf.get(t).rank;
  const order = leagues
    .map((c) => `league ${c.title}: ${c.members.map((t) => names[t]).join(" ")}`)
    .join(", ");
  const svg = h("svg", {
    viewBox: `0 0 ${width} ${height}`,
    style: `max-width:${width * 1.25}px;flex-basis:${0.8 * width}px`,
    role: "img",
    "aria-label": `Graph after ${names[last]}; ${order}; ${edges.map(([i, j]) => `${names[i]} beat ${names[j]}`).join(", ")}.`,
  });
  for (const { box, title, rank: r } of leagues) {
    svg.append(
      h("rect", {
        x: box.x,
        y: box.y,
        width: box.w,
        height: box.h,
        rx: 12,
        class: "nl-box",
        style: colour(r),
      }),
      h("text", {
        x: box.x + (box.room ? box.w + 4 : 7),
        y: box.y + (box.room ? 20 : box.h - 5),
        class: "nl-small",
        say: `League ${title}`,
      }),
    );
  }
  for (const [i, j] of edges) {
    const strict = graph.beats(i, j);
    const key = reduced.some(([a, b]) => a === i && b === j);
    const gap = rank(j) - rank(i);
    const {
      line: d,
      head,
      x,
      y,
    } = arrow(place.get(i), place.get(j), gap > 1 ? 13 * gap + 8 : strict ? 0 : 7);
    const when = h("text", { x: x + 5, y: y + 3, class: "nl-small nl-when" });
    const g = h(
      "g",
      { class: `nl-edge ${strict ? (key ? "" : "nl-implied") : "nl-tie"}` },
      h("path", { d }),
      h("path", { d: head, class: "nl-head" }),
      key && when,
    );
    svg.append(g);
    if (strict) arrows.push({ g, when, pair: lab.pairKey(last, i, j) });
  }
  for (const [t, { x, y, half }] of place) {
    svg.append(
      h("rect", {
        x: x - half,
        y: y - 12,
        width: 2 * half,
        height: 24,
        rx: 12,
        class: "nl-node",
        style: colour(rank(t)),
      }),
      h("text", { x, y: y + 4.5, say: short(names[t]) }),
    );
    if (t === last) {
      svg.append(
        h("rect", {
          x: x - half + 5,
          y: y + 13,
          width: 2 * half - 10,
          height: 3,
          class: "nl-lastbar",
        }),
      );
    }
  }
  return {
    el: svg,
    update: () => {
      for (const { g, when, pair } of arrows) {
        const at = lab.decided.get(pair);
        g.classList.toggle("nl-decided", at !== undefined);
        put(when, at === undefined ? "" : `✓${at || ""}`);
      }
    },
  };
}

/** Scores of some tokens as moving dots, with a diamond where theory puts each; `read` gives them. */
function scorePicture(title, tokens, names, rank, goal, read) {
  const lane = Math.max(22, ...tokens.map((t) => 8 * [...short(names[t])].length + 7));
  const high = Math.max(0.5, ...goal.map(Math.abs));
  const width = 36 + lane * tokens.length;
  const mark = signed(high)
    .slice(1)
    .replace(/\.?0+$/, "");
  const y = (v) => 62 - 54 * Math.max(-1, Math.min(1, v / high / 1.3));
  const svg = h(
    "svg",
    {
      viewBox: `0 0 ${width} 136`,
      role: "img",
      "aria-label": title,
      style: `max-width:${width * 1.15}px`,
    },
    line(34, 62, width, 62, { class: "nl-zero" }),
  );
  for (const [v, say] of [
    [high, `+${mark}`],
    [0, "0"],
    [-high, `−${mark}`],
  ]) {
    svg.append(h("text", { x: 31, y: y(v) + 4, class: "nl-small", style: "text-anchor:end", say }));
  }
  const dots = tokens.map((t, i) => {
    const x = 36 + lane * (i + 0.5);
    const style = colour(rank(t));
    const at = y(goal[i]);
    const stem = line(x, 62, x, 62, { class: "nl-stem", style });
    const dot = h("circle", { cx: x, r: 5, class: "nl-dot", style });
    svg.append(
      stem,
      line(x - 10, at, x + 10, at, { class: "nl-goal" }),
      h("path", { d: `M${x} ${at - 4}l4 4l-4 4l-4 -4z`, class: "nl-goal" }),
      dot,
      h("text", { x, y: 132, say: short(names[t]) }),
    );
    return (v) => {
      const place = y(v).toFixed(1);
      stem.setAttribute("y2", place);
      dot.setAttribute("cy", place);
    };
  });
  return {
    el: h("div", { class: "nl-plot" }, h("p", { say: title }), svg),
    update: () => read().forEach((v, i) => dots[i](v)),
    describe: () =>
      svg.setAttribute(
        "aria-label",
        `${title}: ${read()
          .map((v, i) => `${names[tokens[i]]} ${signed(v)}, theory ${signed(goal[i])}`)
          .join("; ")}`,
      ),
  };
}

/** One track: its graph, its scores between leagues, its scores inside leagues. */
export function trackPicture(lab, graph, compact) {
  const { names, K } = lab.data;
  const { leagues, leagueOf, last } = graph;
  const picture = graphPicture(lab, graph);
  const plots = [];
  const cell = (t) => t * K + last;
  const rank = (t) => leagueOf.get(t).rank;
  const members = (list) => list.flatMap((c) => c.members);
  const ordered = members(leagues);
  const tied = members(leagues.filter((c) => c.members[1] !== undefined));
  if (graph.strict.length) {
    plots.push(
      scorePicture(
        "Between leagues",
        ordered,
        names,
        rank,
        ordered.map((t) => lab.theory.Wsvm[cell(t)]),
        () => ordered.map((t) => (lab.W[cell(t)] * lab.theory.norm) / (lab.now.norm || 1)),
      ),
    );
  }
  if (tied.length) {
    plots.push(
      scorePicture(
        "Inside a league",
        tied,
        names,
        rank,
        tied.map((t) => lab.theory.Wfin[cell(t)]),
        () =>
          tied.map(
            (t) =>
              lab.W[cell(t)] -
              total(leagueOf.get(t).members.map((o) => lab.W[cell(o)])) /
                leagueOf.get(t).members.length,
          ),
      ),
    );
  }
  if (compact) plots.length = 0;
  return {
    el: h(
      "figure",
      { class: "nl-track" },
      h(
        "figcaption",
        null,
        "After ",
        h("b", { say: names[last] }),
        h("span", { say: ` · ${plural(leagues.length, "league")}` }),
      ),
      h(
        "div",
        { class: "nl-trackrow" },
        picture.el,
        h("div", { class: "nl-plots" }, ...plots.map((p) => p.el)),
      ),
    ),
    update: () => [picture, ...plots].forEach((p) => p.update()),
    describe: () => plots.forEach((p) => p.describe()),
  };
}

/** A number with its past over log time; the dotted line is where theory says it ends. */
export function meter(label, title) {
  const value = h("b");
  const path = h("path", { class: "nl-spark" });
  const goal = line(0, 0, 120, 0, { class: "nl-sparkgoal" });
  const el = h(
    "div",
    { class: "nl-meter", title },
    h("span", { say: label }),
    value,
    h(
      "svg",
      { viewBox: "0 0 120 28", preserveAspectRatio: "none", "aria-hidden": "true" },
      goal,
      path,
    ),
  );
  return {
    el,
    update: (text, points, target) => {
      put(value, text);
      const past = points.filter(([, v]) => Number.isFinite(v));
      const all = [...past.map(([, v]) => v), ...(Number.isFinite(target) ? [target] : [])];
      const low = Math.min(...all);
      const span = Math.max(...all) - low || 1;
      const end = Math.log1p(past.at(-1)?.[0] || 1);
      const y = (v) => (25 - (22 * (v - low)) / span).toFixed(1);
      path.setAttribute(
        "d",
        past
          .map(([t, v], i) => `${i ? "L" : "M"}${((120 * Math.log1p(t)) / end).toFixed(1)} ${y(v)}`)
          .join(""),
      );
      goal.setAttribute("transform", `translate(0 ${Number.isFinite(target) ? y(target) : -9})`);
    },
  };
}
