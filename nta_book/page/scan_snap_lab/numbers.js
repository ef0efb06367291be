// The numbers of a run at one look, and what each of them says.

import { commonMass, distinctEntropy } from "./reading.js";
import { number, share } from "./words.js";

/** What the lab shows at a look, in full digits: the exported Python prints the same. */
export function measure(lab, look = lab.at) {
  const { classes, n, attention, path, decoder } = lab;
  const now = attention[look][n];
  const leader = lab.leader(look);
  return {
    leader: classes.names[leader],
    share: now[leader],
    common: commonMass(classes, now),
    entropy: distinctEntropy(classes, n, now),
    speed: lab.speed(path.times[look]),
    loss: path.losses[look],
    ...decoder[look],
  };
}

/** The cards below the picture: { label, value, start, about }. */
export function cards(lab) {
  const { classes, n, settings } = lab;
  const now = measure(lab);
  const start = measure(lab, 0);
  const count = classes.distinctOf[n].length;
  const even = `${Math.log(count).toFixed(2)} (ln ${count})`;
  return [
    {
      label: `Leader ${now.leader}`,
      value: share(now.share),
      start: share(lab.attention[0][n][classes.names.indexOf(now.leader)]),
      about: "Attention on the first of the distinct tokens. These tell the class: more is better.",
    },
    settings.common > 0 && {
      label: settings.common > 1 ? `Common, c1 to c${settings.common}` : "Common, c1",
      value: share(now.common),
      start: share(start.common),
      about: "Attention on tokens that every class has. They tell nothing: less is better.",
    },
    {
      label: "Entropy",
      value: now.entropy.toFixed(2),
      start: start.entropy.toFixed(2),
      about:
        `How evenly attention spreads over the distinct tokens: ${even} is even, ` +
        "0 is all on one. Lower is sharper.",
    },
    {
      label: "Speed",
      value: number(now.speed, 2),
      start: number(start.speed, 2),
      about:
        "Attention that changes its place in one step. It grows in the scan and falls in the snap.",
    },
    {
      label: "Loss",
      value: number(now.loss),
      start: number(start.loss),
      about: "How surprised the decoder is by the next token. 0 is good: sure, and right.",
    },
  ].filter(Boolean);
}
