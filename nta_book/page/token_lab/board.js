// The league tables: for every track its graph and its scores.

import { total } from "./descent.js";
import { graphPicture } from "./graph_picture.js";
import { scorePicture } from "./score_picture.js";
import { plural } from "./words.js";
import { arrange, element } from "../shared/elements.js";

const MOST_PICTURES = 60; // kept for an undo, or for the next edit of another track

/** The pictures of all tracks; those of a track that an edit left alone are used again. */
export function boardView(lab, compact) {
  const el = element("div", { class: "nl-board" });
  const made = new Map();
  let tracks = [];
  const build = () => {
    if (made.size > MOST_PICTURES) made.clear();
    tracks = lab.theory.graphs.map((graph) => {
      const key = pictureKey(lab, graph);
      if (!made.has(key)) made.set(key, trackPicture(lab, graph, compact));
      return made.get(key);
    });
    arrange(
      el,
      tracks.map((track) => track.el),
    );
  };
  return {
    el,
    build,
    update: () => tracks.forEach((track) => track.update()),
    describe: () => tracks.forEach((track) => track.describe()),
  };
}

/** All that the picture of a track shows besides the weights. */
function pictureKey({ data: { names, K }, theory: { Wsvm, Wfin } }, { last, nodes, edges }) {
  const column = (W) => names.map((_, token) => W[token * K + last].toFixed(9));
  return JSON.stringify([names, last, nodes, edges, column(Wsvm), column(Wfin)]);
}

/** One track: its graph, its scores between leagues, its scores inside leagues. */
function trackPicture(lab, graph, compact) {
  const { leagues, last } = graph;
  const picture = graphPicture(lab, graph);
  const plots = compact ? [] : scorePlots(lab, graph);
  const name = element("b", { say: lab.data.names[last] });
  const count = element("span", { say: ` · ${plural(leagues.length, "league")}` });
  return {
    el: element(
      "figure",
      { class: "nl-track" },
      element("figcaption", null, "After ", name, count),
      element(
        "div",
        { class: "nl-trackrow" },
        picture.el,
        element("div", { class: "nl-plots" }, ...plots.map((plot) => plot.el)),
      ),
    ),
    update: () => [picture, ...plots].forEach((part) => part.update()),
    describe: () => plots.forEach((plot) => plot.describe()),
  };
}

function scorePlots(lab, { leagues, leagueOf, last, strict }) {
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
    plots.push(scorePicture("Between leagues", lanes(ordered, Wsvm), read));
  }
  if (tied.length) {
    plots.push(scorePicture("Inside a league", lanes(tied, Wfin), () => tied.map(inside)));
  }
  return plots;
}
