// What the urn says, in words.

import { takers } from "./chain.js";
import { percent } from "../shared/numbers.js";

const listed = (items) =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

/** What becomes of a text that never ends. */
export function fate(names, settings) {
  const { strengths, again, temperature } = settings;
  const able = takers(settings).map((word) => names[word]);
  const best = Math.max(...strengths);
  const rest = Math.max(0, ...strengths.filter((one) => one < best));
  const slowly = again < 1 && again * best === rest ? ", but very slowly" : ""; // level
  if (able.length === 1) return `In the end ${able[0]} takes all${slowly}.`;
  if (temperature < 1 && again < 1) return "Several ends are possible: the first draws decide.";
  if (able.length > 1) return `Each of ${listed(able)} can take all: the first draws decide.`;
  const rests = "Nobody takes all: the shares come to rest, in the end the same in every text.";
  if (temperature > 1) return rests;
  const top = names.filter((_, word) => strengths[word] === best);
  if (again === 1) return `Nothing pulls ${listed(top)} apart or together: any shares can stay.`;
  return rests;
}

/** What is said while words are drawn: no numbers, which would be old before they are read. */
export const NARRATION = "Every word drawn is one more ticket for the same word.";

/** What a text shows after `length` words; `others` are shares of the first word elsewhere. */
export function describe(names, settings, shares, others) {
  const now = names.map((name, word) => `${name} ${percent(shares[word])}%`);
  const low = percent(Math.min(...others));
  const high = percent(Math.max(...others));
  const said = `Here ${listed(now)}; in the other texts ${names[0]} has ${low}% to ${high}%.`;
  return `${said} ${fate(names, settings)}`;
}
