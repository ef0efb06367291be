// What theory predicts: the league table W_svm and the strengths W_fin, for one-hot embeddings,
// so that W[j * K + k] is the score of token j after last token k.

import { trackGraphs } from "./graphs.js";
import { norm, total } from "./descent.js";

/** Graph-SVM of one track: the shortest scores with ties equal and wins at least 1 apart. */
export function graphSvmScores(graph, K) {
  const wins = graph.reduced.map(([i, j]) => ({
    i: graph.leagueOf.get(i),
    j: graph.leagueOf.get(j),
    multiplier: 0,
  }));
  const scores = new Float64Array(K);
  for (const c of graph.leagues) c.score = 0;
  // Dual ascent, one win at a time (Hildreth): its multiplier grows until the win is 1 apart, or falls to 0.
  for (let sweep = 0, moved = 1; moved > 1e-14 && sweep < 20000; sweep++) {
    moved = 0;
    for (const win of wins) {
      const a = 1 / win.i.members.length;
      const b = 1 / win.j.members.length;
      const next = Math.max(0, win.multiplier + (1 - win.i.score + win.j.score) / (a + b));
      const by = next - win.multiplier;
      win.multiplier = next;
      win.i.score += a * by;
      win.j.score -= b * by;
      moved = Math.max(moved, Math.abs(by));
    }
  }
  for (const c of graph.leagues) for (const t of c.members) scores[t] = c.score;
  return scores;
}

/** Solve A x = b for a positive definite A, by elimination. */
function solve(A, b) {
  const n = b.length;
  const M = A.map((row, i) => [...row, b[i]]);
  for (let c = 0; c < n; c++) {
    for (let r = 0; r < n; r++) {
      const f = M[r][c] / M[c][c];
      if (r !== c) for (let k = c; k <= n; k++) M[r][k] -= f * M[c][k];
    }
  }
  return M.map((row, i) => row[n] / row[i]);
}

/** Luce strengths inside the leagues of one track: log-strengths, mean zero in each league (Newton). */
export function luceStrengths(graph, { rows, K }) {
  const theta = new Float64Array(K);
  for (const { members } of graph.leagues) {
    const m = members.length;
    const races = rows
      .filter(
        ({ tokens, label }) =>
          tokens.at(-1) === graph.last && members.includes(label) && tokens.includes(label),
      )
      .map(({ tokens, label }) => ({
        count: members.map((j) => tokens.filter((t) => t === j).length),
        win: members.indexOf(label),
      }));
    const look = (x) => {
      // value, gradient and Hessian of the choice likelihood
      let f = 0;
      const g = x.map(() => 0);
      const H = x.map(() => x.map(() => 1)); // the added 11ᵀ fixes the mean
      for (const { count, win } of races) {
        const top = Math.max(...x.filter((_, i) => count[i]));
        const e = x.map((v, i) => count[i] && count[i] * Math.exp(v - top));
        const s = total(e);
        const p = e.map((v) => v / s);
        f -= Math.log(p[win]);
        p.forEach((v, i) => {
          g[i] += v - (i === win);
          H[i][i] += v;
          p.forEach((u, j) => {
            H[i][j] -= v * u;
          });
        });
      }
      return { f, g, H };
    };
    let x = members.map(() => 0);
    for (let round = 0; m > 1 && round < 100; round++) {
      const { f, g, H } = look(x);
      const d = solve(H, g);
      const slope = total(g.map((v, i) => v * d[i]));
      const at = (t) => x.map((v, i) => v - t * d[i]);
      if (norm(g) < 1e-13 * races.length) break;
      let t = 1;
      while (t > 1e-4 && look(at(t)).f > f - 0.25 * t * slope + 1e-12) t /= 2;
      x = at(t);
    }
    members.forEach((t, i) => (theta[t] = x[i] - total(x) / m));
  }
  return theta;
}

/** All the theory of a dataset: graphs, W_svm and W_fin (both K × K). */
export function theoryOf(data) {
  const { K } = data;
  const graphs = trackGraphs(data);
  const Wsvm = new Float64Array(K * K);
  const Wfin = new Float64Array(K * K);
  for (const g of graphs) {
    const a = graphSvmScores(g, K);
    const b = luceStrengths(g, data);
    for (let j = 0; j < K; j++) {
      Wsvm[j * K + g.last] = a[j];
      Wfin[j * K + g.last] = b[j];
    }
  }
  return { graphs, Wsvm, Wfin, norm: norm(Wsvm) };
}

/** The automaton on a context: retrieve the best tokens by W_svm, then compose them by strength. */
export function automaton({ Wsvm, Wfin, graphs }, K, context) {
  const last = context.at(-1);
  const distinct = [...new Set(context)].sort((a, b) => a - b);
  const score = (t) => Wsvm[t * K + last];
  const top = Math.max(...distinct.map(score));
  const kept = distinct.filter((t) => score(t) > top - 1e-6);
  const weight = context.map((t) => (kept.includes(t) ? Math.exp(Wfin[t * K + last]) : 0));
  const sum = total(weight);
  const graph = graphs.find((g) => g.last === last);
  let silent = null; // what the data leaves open: [kind, token, token]
  if (distinct.length > 1) {
    const unseen = graph && distinct.find((t) => !graph.nodes.includes(t));
    if (!graph) silent = ["track"];
    else if (unseen !== undefined) silent = ["unseen", unseen];
    else {
      // the first token of every league that no other league present beats
      const best = distinct.filter((t, i) =>
        distinct.every(
          (o, j) =>
            !graph.beats(o, t) && !(j < i && graph.leagueOf.get(o) === graph.leagueOf.get(t)),
        ),
      );
      if (best.length > 1) silent = ["apart", ...best];
    }
  }
  return { kept, probabilities: weight.map((v) => v / sum), silent };
}

/** Length of W, its cosine to W_svm, and the distance of its part inside the leagues to W_fin. */
export function measure(W, theory, K) {
  const length = norm(W);
  let dot = 0;
  let far = 0;
  for (let i = 0; i < W.length; i++) dot += W[i] * theory.Wsvm[i];
  for (const g of theory.graphs) {
    for (const { members } of g.leagues) {
      const mean = total(members.map((t) => W[t * K + g.last])) / members.length;
      for (const t of members) far += (W[t * K + g.last] - mean - theory.Wfin[t * K + g.last]) ** 2;
    }
  }
  return { norm: length, cosine: dot / (length * theory.norm), distance: Math.sqrt(far) };
}
