// Token-priority graphs: one per last token, with their leagues.  Sets of tokens are bit masks.

/** Graph of one last token from its sorted edges [winner, loser]: leagues by mutual reachability. */
export function graphOf(last, nodes, edges, K) {
  const reach = new Int32Array(K);
  const leagueOf = new Map();
  const leagues = [];
  for (const [i, j] of edges) reach[i] |= 1 << j;
  for (let m = 0; m < K; m++) {
    for (let i = 0; i < K; i++) if ((reach[i] >> m) & 1) reach[i] |= reach[m];
  }
  const reaches = (i, j) => !!((reach[i] >> j) & 1);
  for (const i of nodes) {
    if (leagueOf.has(i)) continue;
    const league = { members: nodes.filter((j) => i === j || (reaches(i, j) && reaches(j, i))) };
    for (const j of league.members) leagueOf.set(j, league);
    leagues.push(league);
  }
  const beats = (i, j) => leagueOf.get(i) !== leagueOf.get(j) && reaches(i, j);
  const over = (c, d) => beats(c.members[0], d.members[0]);
  const level = (c) =>
    (c.level ??= Math.max(-1, ...leagues.filter((d) => over(c, d)).map(level)) + 1); // longest chain of wins below
  leagues.forEach(level);
  leagues.sort((a, b) => b.level - a.level || a.members[0] - b.members[0]);
  const strict = edges.filter(([i, j]) => beats(i, j));
  const seen = new Set();
  const reduced = strict.filter(([i, j]) => {
    // one edge per pair of leagues, none that a chain implies
    const a = leagueOf.get(i);
    const b = leagueOf.get(j);
    const key = leagues.indexOf(a) * K + leagues.indexOf(b);
    return !seen.has(key) && seen.add(key) && !leagues.some((c) => over(a, c) && over(c, b));
  });
  return { last, nodes, edges, leagues, leagueOf, strict, reduced, beats };
}

/** All graphs, by last token: every race adds the edges winner → other runner. */
export function trackGraphs({ rows, K }) {
  const tracks = new Map();
  for (const { tokens, label } of rows) {
    if (!tokens.includes(label)) continue; // such a row has zero gradient: it plays no part
    const last = tokens.at(-1);
    if (!tracks.has(last)) tracks.set(last, [new Set(), new Set()]);
    const [nodes, keys] = tracks.get(last);
    for (const t of tokens) {
      nodes.add(t);
      if (t !== label) keys.add(label * K + t);
    }
  }
  const sorted = (set) => [...set].sort((a, b) => a - b);
  return sorted(tracks.keys()).map((last) => {
    const [nodes, keys] = tracks.get(last);
    return graphOf(
      last,
      sorted(nodes),
      sorted(keys).map((key) => [Math.floor(key / K), key % K]),
      K,
    );
  });
}
