// The league tables: for every track its graph and its scores; beside them W itself.

import { total } from "./descent.js";
import { NAME_SIZE, NOTE_SIZE, graphPicture } from "./graph_picture.js";
import { scorePicture } from "./score_picture.js";
import { describeApart, describeOrder, plural } from "./words.js";
import { sayMarked } from "../shared/marked.js";
import { arrange, element } from "../shared/elements.js";

const MOST_PICTURES = 60; // kept for an undo, or for the next edit of another track
const NARROWEST = 250;
const WIDEST = 440; // of a graph: beyond, its rows are broken
const GRAIN = 8; // pixels by which a board may grow before its pictures are drawn anew
const BETWEEN = {
  title: "Between leagues",
  about: "Scores, with W at the length of theory's: only its direction is known.",
};
const INSIDE = {
  title: "Inside a league",
  about: "Scores as they are, less their mean: here theory knows the values.",
};

/** The pictures of all tracks; those of a track that an edit left alone are used again. */
export function boardView(lab, compact, root) {
  const el = element("div", { class: "nl-board" });
  const made = new Map();
  let tracks = [];
  const build = (more = []) => {
    if (made.size > MOST_PICTURES) made.clear();
    const style = measures(el, root);
    tracks = lab.theory.graphs.map((graph) => {
      const key = `${style.room} ${pictureKey(lab, graph)}`;
      if (!made.has(key)) made.set(key, trackPicture(lab, graph, compact, style));
      return made.get(key);
    });
    arrange(el, [...tracks.map((track) => track.el), ...more]);
    return style.room;
  };
  return {
    el,
    build,
    room: () => measures(el, root).room,
    /** Fonts have come: pictures with measured names are drawn anew. */
    forget: () => made.clear(),
    update: () => tracks.forEach((track) => track.update()),
    describe: () => tracks.forEach((track) => track.describe()),
  };
}

/** Fonts of the pictures, and the width that a graph may take. */
function measures(el, root) {
  const { fontFamily } = getComputedStyle(root);
  const wide = el.clientWidth || WIDEST;
  const room = Math.max(NARROWEST, Math.min(WIDEST, wide - 28));
  return {
    room: Math.floor(room / GRAIN) * GRAIN,
    fonts: { name: `600 ${NAME_SIZE}px ${fontFamily}`, note: `${NOTE_SIZE}px ${fontFamily}` },
  };
}

/** All that the picture of a track shows besides the weights. */
function pictureKey({ data: { names, K }, theory: { Wsvm, Wfin } }, { last, nodes, edges }) {
  const column = (W) => names.map((_, token) => W[token * K + last].toFixed(9));
  return JSON.stringify([names, last, nodes, edges, column(Wsvm), column(Wfin)]);
}

/** One track: its graph, its scores between leagues, its scores inside leagues. */
function trackPicture(lab, graph, compact, style) {
  const { leagues, last } = graph;
  const { names } = lab.data;
  const picture = graphPicture(lab, graph, style);
  const plots = compact ? [] : scorePlots(lab, graph, style);
  const name = element("b", { say: names[last] });
  const count = element("span", { say: ` · ${plural(leagues.length, "league")}` });
  const order = element("p", { class: "nl-note" });
  sayMarked(order, [describeOrder(graph, names), describeApart(graph, names)].join(" "));
  return {
    el: element(
      "figure",
      { class: "nl-track" },
      element("figcaption", null, "After ", name, count),
      element("div", { class: "nl-trackrow" }, picture.el, ...plots.map((plot) => plot.el)),
      order,
    ),
    update: () => [picture, ...plots].forEach((part) => part.update()),
    describe: () => plots.forEach((plot) => plot.describe()),
  };
}

function scorePlots(lab, { leagues, leagueOf, last, strict }, { fonts }) {
  const { names, K } = lab.data;
  const { Wsvm, Wfin } = lab.theory;
  const cell = (token) => token * K + last;
  const lanes = (tokens, goals) =>
    tokens.map((token) => ({
      name: names[token],
      rank: leagueOf.get(token).rank,
      goal: goals[cell(token)],
    }));
  // W grows without end: what theory knows is its direction, so it is shown at the length of W_svm.
  const between = (token) => (lab.W[cell(token)] * lab.theory.norm) / (lab.now.norm || 1);
  const inside = (token) => {
    const { members } = leagueOf.get(token);
    return lab.W[cell(token)] - total(members.map((o) => lab.W[cell(o)])) / members.length;
  };
  const ordered = leagues.flatMap(({ members }) => members);
  const tied = leagues.flatMap(({ members }) => (members.length > 1 ? members : []));
  const plots = [];
  if (strict.length) {
    const read = () => ordered.map(between);
    plots.push(scorePicture(BETWEEN, lanes(ordered, Wsvm), read, fonts));
  }
  if (tied.length) {
    const read = () => tied.map(inside);
    plots.push(scorePicture(INSIDE, lanes(tied, Wfin), read, fonts));
  }
  return plots;
}
