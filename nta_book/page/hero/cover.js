// The last frame of the picture as a file: the cover of the book, drawn without a browser.

import { picture, plan } from "./scene.js";
import { markup } from "./shapes.js";
import { train } from "./training.js";

/** The picture of some races after training, `width` pixels wide: { markup, width, height }. */
export function lastFrame({ names, rows, width }) {
  const races = rows.map(([tokens, label]) => ({ tokens, label }));
  const run = train(races, names.length);
  const at = plan(names, races, run.graph, width);
  const drawn = picture({ names, rows: races, run }, run.frames.at(-1), at);
  // Who opens a file can choose nothing: runners are no controls there.
  const text = markup(drawn).replaceAll(/ (role|tabindex|aria-[a-z]+|data-[a-z]+)="[^"]*"/g, "");
  return { markup: text, width: at.width, height: at.height };
}
