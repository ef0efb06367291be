// Everything the lab says in sentences.

const NUMBER = "no one two three four five six seven eight nine ten eleven twelve".split(" ");
export const words = (n) => NUMBER[n] ?? String(n);
export const plural = (n, one) => `${words(n)} ${one}${n === 1 ? "" : "s"}`;
export const listing = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;
export const capital = (s) => s.charAt(0).toUpperCase() + s.slice(1);
export const percent = (p) =>
  p > 0 && p < 0.005 ? "<1" : p < 1 && p > 0.995 ? ">99" : String(Math.round(100 * p));
export const signed = (v) =>
  Math.abs(v) < 0.005 ? "0" : (v > 0 ? "+" : "−") + Math.abs(v).toFixed(2);
export const show = (v, digits = 3) =>
  Number.isFinite(v)
    ? v !== 0 && Math.abs(v) < 1e-3
      ? v.toExponential(1).replace("-", "−")
      : v.toFixed(digits)
    : "–";

/** What an edit did to the graphs, in one sentence a reader can say aloud. */
export function describeChange(before, after) {
  const named = ({ data: { names, K }, theory }) =>
    new Map(
      theory.graphs.map((g) => [
        names[g.last],
        {
          edges: g.edges.map(([i, j]) => `${names[i]} ${names[j]}`),
          count: g.leagues.length,
          leagues: g.leagues
            .map((c) =>
              c.members
                .map((t) => names[t])
                .sort()
                .join(" "),
            )
            .join("|"),
          strength: new Map(g.nodes.map((t) => [names[t], theory.Wfin[t * K + g.last]])),
        },
      ]),
    );
  const old = named(before);
  const now = named(after);
  const parts = [];
  const { names, rows } = after.data;
  const beat = (track, edge) => {
    const [i, j] = edge.split(" ");
    const n = rows.filter(
      ({ tokens, label }) =>
        names[tokens.at(-1)] === track && names[label] === i && tokens.includes(names.indexOf(j)),
    ).length;
    return `${i} beat ${j} ${["", "once", "twice"][n] ?? `${words(n)} times`}`;
  };
  for (const track of new Set([...old.keys(), ...now.keys()])) {
    const a = old.get(track);
    const b = now.get(track);
    if (!b) parts.push(`no race ends in ${track} any more`);
    else if (!a) {
      parts.push(`races now end in ${track}, a new track with ${plural(b.count, "league")}`);
    } else {
      const said = [
        ...b.edges.filter((e) => !a.edges.includes(e)).map((e) => beat(track, e)),
        ...a.edges
          .filter((e) => !b.edges.includes(e))
          .map((e) => e.replace(" ", " no longer beats ")),
      ];
      if (!said.length) continue;
      const effect =
        a.count !== b.count
          ? `${plural(a.count, "league")} became ${words(b.count)}`
          : `still ${plural(b.count, "league")}${a.leagues === b.leagues ? "" : ", in another order"}`;
      parts.push(
        `after ${track}, ${listing(said.length > 3 ? [...said.slice(0, 2), `${words(said.length - 2)} more`] : said)}: ${effect}`,
      );
    }
  }
  if (parts.length) {
    return `${capital(parts.slice(0, 2).join("; "))}${parts.length > 2 ? "; and more" : ""}.`;
  }
  const moves = [...now].flatMap(([track, { strength }]) =>
    [...strength].map(([token, v]) => [track, token, old.get(track).strength.get(token), v]),
  );
  const [track, token, was, is] = moves.reduce(
    (a, b) => (Math.abs(b[3] - b[2]) > Math.abs(a[3] - a[2]) ? b : a),
    ["", "", 0, 0],
  );
  if (Math.abs(is - was) > 0.005) {
    return `No edge changed, but strengths did: after ${track}, ${token} moved from ${signed(was)} to ${signed(is)} inside its league.`;
  }
  return before.data.rows.length === rows.length
    ? ""
    : "No edge changed: the graph does not count how often a race is run.";
}

/** The leagues of every track. */
export function describeTracks(names, graphs) {
  return graphs
    .map(({ last, leagues }) => {
      const tied = leagues
        .filter((c) => c.members.length > 1)
        .map((c) => `, ${listing(c.members.map((t) => names[t]))} tie`)
        .join("");
      return `After ${names[last]}: ${plural(leagues.length, "league")}${tied}.`;
    })
    .join(" ");
}

/** What the automaton does with a context, and whether the data alone decides it. */
export function describeContext(names, context, { kept, silent }) {
  const last = names[context.at(-1)];
  const does = `Retrieve ${listing(kept.map((t) => names[t]))}${kept.length > 1 ? ", then compose by strength" : ""}.`;
  if (!silent) return `${does} The data decides this context.`;
  const [kind, a, b] = silent;
  const why =
    kind === "track"
      ? `no race ends in ${last}`
      : kind === "unseen"
        ? `${names[a]} never ran in a race that ends in ${last}`
        : `after ${last} the data never compares ${names[a]} with ${names[b]}, not even through others`;
  return `Undetermined: ${why}. What follows is only the shortest W's guess. ${does}`;
}
