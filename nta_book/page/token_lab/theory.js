// What theory predicts: the league table W_svm and the strengths W_fin, for one-hot embeddings,
// so that W[j * K + k] is the score of token j after last token k.

import { trackGraphs } from "./graphs.js";
import { norm, total } from "./descent.js";

/** Graph-SVM of one track: the shortest scores with ties equal and wins at least 1 apart. */
export function graphSvmScores({ leagues, leagueOf, reduced }, K) {
  for (const league of leagues) league.score = 0;
  const wins = reduced.map(([winner, loser]) => ({
    upper: leagueOf.get(winner),
    lower: leagueOf.get(loser),
    multiplier: 0,
  }));
  // Dual ascent, one win at a time (Hildreth): a win's multiplier grows until the win is 1 apart,
  // or falls to 0.
  for (let sweep = 0, moved = 1; moved > 1e-14 && sweep < 20000; sweep++) {
    moved = 0;
    for (const win of wins) {
      const { upper, lower, multiplier } = win;
      const up = 1 / upper.members.length;
      const down = 1 / lower.members.length;
      const missing = 1 - upper.score + lower.score;
      const next = Math.max(0, multiplier + missing / (up + down));
      const change = next - multiplier;
      win.multiplier = next;
      upper.score += up * change;
      lower.score -= down * change;
      moved = Math.max(moved, Math.abs(change));
    }
  }
  const scores = new Float64Array(K);
  for (const { members, score } of leagues) {
    for (const token of members) scores[token] = score;
  }
  return scores;
}

/** Solve A x = b for a positive definite A, by elimination. */
function solve(A, b) {
  const n = b.length;
  const M = A.map((row, i) => [...row, b[i]]);
  for (let column = 0; column < n; column++) {
    for (let row = 0; row < n; row++) {
      if (row === column) continue;
      const factor = M[row][column] / M[column][column];
      for (let k = column; k <= n; k++) M[row][k] -= factor * M[column][k];
    }
  }
  return M.map((row, i) => row[n] / row[i]);
}

/** Value, gradient and Hessian of the choice likelihood at the log-strengths x of a league. */
function likelihood(races, x) {
  let value = 0;
  const gradient = x.map(() => 0);
  const hessian = x.map(() => x.map(() => 1)); // the added 11ᵀ fixes the mean
  for (const { count, winner } of races) {
    const top = Math.max(...x.filter((_, i) => count[i]));
    const weights = x.map((v, i) => count[i] && count[i] * Math.exp(v - top));
    const sum = total(weights);
    const odds = weights.map((v) => v / sum);
    value -= Math.log(odds[winner]);
    odds.forEach((p, i) => {
      gradient[i] += i === winner ? p - 1 : p;
      hessian[i][i] += p;
      odds.forEach((q, j) => {
        hessian[i][j] -= p * q;
      });
    });
  }
  return { value, gradient, hessian };
}

/** Log-strengths that make the races of a league most likely: Newton with halved steps. */
function strongest(races, size) {
  let x = Array(size).fill(0);
  for (let round = 0; size > 1 && round < 100; round++) {
    const { value, gradient, hessian } = likelihood(races, x);
    if (norm(gradient) < 1e-13 * races.length) break;
    const step = solve(hessian, gradient);
    const slope = total(gradient.map((v, i) => v * step[i]));
    const after = (part) => x.map((v, i) => v - part * step[i]);
    const enough = (part) =>
      likelihood(races, after(part)).value <= value - 0.25 * part * slope + 1e-12;
    let part = 1;
    while (part > 1e-4 && !enough(part)) part /= 2;
    x = after(part);
  }
  return x;
}

/** Luce strengths inside the leagues of one track: log-strengths, mean zero in each league. */
export function luceStrengths(graph, { rows, K }) {
  const theta = new Float64Array(K);
  const track = rows.filter(
    ({ tokens, label }) => tokens.at(-1) === graph.last && tokens.includes(label),
  );
  for (const { members } of graph.leagues) {
    const races = track
      .filter(({ label }) => members.includes(label))
      .map(({ tokens, label }) => ({
        count: members.map((member) => tokens.filter((token) => token === member).length),
        winner: members.indexOf(label),
      }));
    const x = strongest(races, members.length);
    const mean = total(x) / members.length;
    members.forEach((token, i) => {
      theta[token] = x[i] - mean;
    });
  }
  return theta;
}

/** All the theory of a dataset: graphs, W_svm and W_fin (both K × K). */
export function theoryOf(data) {
  const { K } = data;
  const graphs = trackGraphs(data);
  const Wsvm = new Float64Array(K * K);
  const Wfin = new Float64Array(K * K);
  for (const graph of graphs) {
    const scores = graphSvmScores(graph, K);
    const strengths = luceStrengths(graph, data);
    for (let token = 0; token < K; token++) {
      Wsvm[token * K + graph.last] = scores[token];
      Wfin[token * K + graph.last] = strengths[token];
    }
  }
  return { graphs, Wsvm, Wfin, norm: norm(Wsvm) };
}

/** What the data leaves open about a context, as [kind, token, token], or null. */
function silence(graph, distinct) {
  if (distinct.length < 2) return null;
  if (!graph) return ["track"];
  const unseen = distinct.find((token) => !graph.nodes.includes(token));
  if (unseen !== undefined) return ["unseen", unseen];
  // One token, the first, of every league that no other league of the context beats.
  const { beats, leagueOf } = graph;
  const best = distinct.filter(
    (token, i) =>
      !distinct.some((other) => beats(other, token)) &&
      !distinct.slice(0, i).some((other) => leagueOf.get(other) === leagueOf.get(token)),
  );
  return best.length > 1 ? ["apart", ...best] : null;
}

/** The automaton on a context: retrieve the best tokens by W_svm, compose them by strength. */
export function automaton({ Wsvm, Wfin, graphs }, K, context) {
  const last = context.at(-1);
  const distinct = [...new Set(context)].sort((a, b) => a - b);
  const score = (token) => Wsvm[token * K + last];
  const top = Math.max(...distinct.map(score));
  const kept = distinct.filter((token) => score(token) > top - 1e-6);
  const weights = context.map((token) =>
    kept.includes(token) ? Math.exp(Wfin[token * K + last]) : 0,
  );
  const sum = total(weights);
  const graph = graphs.find((candidate) => candidate.last === last);
  return {
    kept,
    probabilities: weights.map((weight) => weight / sum),
    silent: silence(graph, distinct),
  };
}

/** Length of W, its cosine to W_svm, and the distance of its part inside the leagues to W_fin. */
export function measure(W, theory, K) {
  const length = norm(W);
  let dot = 0;
  let squares = 0;
  for (let i = 0; i < W.length; i++) dot += W[i] * theory.Wsvm[i];
  for (const { last, leagues } of theory.graphs) {
    for (const { members } of leagues) {
      const cells = members.map((token) => token * K + last);
      const mean = total(cells.map((cell) => W[cell])) / members.length;
      for (const cell of cells) squares += (W[cell] - mean - theory.Wfin[cell]) ** 2;
    }
  }
  return { norm: length, cosine: dot / (length * theory.norm), distance: Math.sqrt(squares) };
}
