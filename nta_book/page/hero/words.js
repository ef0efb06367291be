// What the picture says, in words.

const NEAR = 0.02; // a runner this close to its mark has reached it

const listed = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** What the league table says about its top. */
function topWords(names, { leagues }) {
  const best = leagues.filter(({ rank }) => rank === 0);
  const words = listed(best.flatMap(({ members }) => members).map((token) => names[token]));
  const begin = words.replace(/^./u, (letter) => letter.toUpperCase());
  if (best.length > 1) return `Nobody beat ${words}, and nothing compares them.`;
  if (best[0].members.length === 1) return `Nobody beat ${words}: it takes all.`;
  if (leagues.length === 1) return "All beat each other in a circle: all share.";
  return `${begin} beat each other: they share.`;
}

/** The sentence about one frame of a run. */
export function describe({ names, rows, run }, frame, { crowned = null, last = false } = {}) {
  const step = frame.step.toLocaleString("en-US");
  if (frame.step === 0) return "Step 0. Nothing is learned: the layer looks at every word alike.";
  const points = Math.max(1, Math.round(100 * frame.gap));
  const now =
    crowned === null
      ? ""
      : `Now ${names[rows[crowned].label]} follows “${rows[crowned].tokens.map((t) => names[t]).join(" ")}”. `;
  if (last && frame.gap < NEAR) {
    return `${now}Every runner stands at its diamond, where the league table alone puts it. ${topWords(names, run.graph)}`;
  }
  const far = `the farthest runner is ${points} ${points === 1 ? "point" : "points"} from its diamond`;
  return `${now}Step ${step}: ${far}. ${topWords(names, run.graph)}`;
}
