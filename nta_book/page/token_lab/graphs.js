// Token-priority graphs: one per last token, with their leagues.  Sets of tokens are bit masks.

const ascending = (values) => [...values].sort((a, b) => a - b);

/** Whether a path leads from token i to token j, for all pairs (Warshall's closure). */
function reachability(edges, K) {
  const reached = new Int32Array(K);
  for (const [winner, loser] of edges) reached[winner] |= 1 << loser;
  for (let through = 0; through < K; through++) {
    for (let i = 0; i < K; i++) {
      if ((reached[i] >> through) & 1) reached[i] |= reached[through];
    }
  }
  return (i, j) => ((reached[i] >> j) & 1) === 1;
}

/**
 * Where each league stands: `rank`, the longest chain of wins above it (0: nobody beat it), and
 * `first` … `final`, the places that the wins leave open to it, counted from the top.
 */
function placeLeagues(leagues, above) {
  const rankOf = (league) => {
    const higher = leagues.filter((other) => above(other, league));
    league.rank ??= Math.max(-1, ...higher.map(rankOf)) + 1;
    return league.rank;
  };
  for (const league of leagues) {
    rankOf(league);
    league.first = 1 + leagues.filter((other) => above(other, league)).length;
    league.final = leagues.length - leagues.filter((other) => above(league, other)).length;
  }
}

/** Pairs of leagues of which neither is above the other. */
function pairsApart(leagues, above) {
  return leagues.flatMap((league, i) =>
    leagues
      .slice(i + 1)
      .filter((other) => !above(league, other) && !above(other, league))
      .map((other) => [league, other]),
  );
}

/** Graph of one last token from its sorted edges [winner, loser]; leagues reach each other. */
export function graphOf(last, nodes, edges, K) {
  const reaches = reachability(edges, K);
  const leagueOf = new Map();
  const leagues = [];
  for (const i of nodes) {
    if (leagueOf.has(i)) continue;
    const league = { members: nodes.filter((j) => i === j || (reaches(i, j) && reaches(j, i))) };
    for (const member of league.members) leagueOf.set(member, league);
    leagues.push(league);
  }
  const beats = (i, j) => leagueOf.get(i) !== leagueOf.get(j) && reaches(i, j);
  const above = (league, other) => beats(league.members[0], other.members[0]);
  placeLeagues(leagues, above);
  leagues.sort((a, b) => a.rank - b.rank || a.members[0] - b.members[0]);
  const strict = edges.filter(([winner, loser]) => beats(winner, loser));
  // One edge stands for each pair of leagues, and none for a pair that a chain implies.
  const seen = new Set();
  const reduced = strict.filter(([winner, loser]) => {
    const upper = leagueOf.get(winner);
    const lower = leagueOf.get(loser);
    const pair = leagues.indexOf(upper) * K + leagues.indexOf(lower);
    if (seen.has(pair)) return false;
    seen.add(pair);
    return !leagues.some((between) => above(upper, between) && above(between, lower));
  });
  const apart = pairsApart(leagues, above);
  return { last, nodes, edges, leagues, leagueOf, strict, reduced, beats, apart };
}

/** All graphs, by last token: every race adds the edges winner → other runner. */
export function trackGraphs({ rows, K }) {
  const tracks = new Map();
  for (const { tokens, label } of rows) {
    if (!tokens.includes(label)) continue; // such a row has zero gradient: it plays no part
    const last = tokens.at(-1);
    if (!tracks.has(last)) tracks.set(last, { nodes: new Set(), edges: new Set() });
    const { nodes, edges } = tracks.get(last);
    for (const token of tokens) {
      nodes.add(token);
      if (token !== label) edges.add(label * K + token); // one number, so that a Set can hold it
    }
  }
  return ascending(tracks.keys()).map((last) => {
    const { nodes, edges } = tracks.get(last);
    const pairs = ascending(edges).map((edge) => [Math.floor(edge / K), edge % K]);
    return graphOf(last, ascending(nodes), pairs, K);
  });
}
