// What the picture says, in words.

const REACHED = 0.02; // runners this close to their marks stand at them
const UNDER_WAY = 0.9; // of the first distance: above, nothing has been learned yet

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

/** What a run does that is being played: no numbers, which would be old before they are read. */
export function narrate({ run }, frame) {
  if (frame.gap > UNDER_WAY * run.frames[0].gap) return "The layer looks at every word alike.";
  if (frame.gap > REACHED) {
    return "The words that came next pull away, and their wins make the league table.";
  }
  return "The table stands. Every runner comes to rest at its diamond.";
}

/** What one frame shows; `crowned` is the race whose winner was changed last. */
export function describe({ names, rows, run }, frame, crowned = null) {
  if (frame.step === 0) return "Nothing is learned: the layer looks at every word alike.";
  const race = rows[crowned];
  const now = race
    ? `Now ${names[race.label]} follows “${race.tokens.map((token) => names[token]).join(" ")}”. `
    : "";
  const points = Math.max(1, Math.round(100 * frame.gap));
  const far =
    frame.gap < REACHED
      ? "Every runner stands at its diamond, where the league table alone puts it."
      : `The farthest runner is ${points} points from its diamond.`;
  return `${now}${far} ${topWords(names, run.graph)}`;
}
