// Take out of style sheets what no page uses: node trim.js < {content, sheets, scripts, fonts}
//
// The theme brings rules for everything it could show and an icon font of 1,400 pictures.  Sheets
// and fonts are written in place; the font keeps the signs that a rule still asks for.  What stays
// of sheets, and the scripts, lose comments and white space; names that scripts share stay.

import { readFile, writeFile } from "node:fs/promises";
import process from "node:process";
import { text } from "node:stream/consumers";

import { transform } from "esbuild";
import { PurgeCSS } from "purgecss";
import subsetFont from "subset-font";

const minified = async (code, loader) => (await transform(code, { loader, minify: true })).code;

const { content, sheets, scripts, fonts } = JSON.parse(await text(process.stdin));
// Words of pages and scripts alike: a class that a script gives is written somewhere in it.
const purged = await new PurgeCSS().purge({ content, css: sheets });
let kept = "";
for (const { file, css } of purged) {
  kept += css;
  await writeFile(file, await minified(css, "css"));
}
for (const script of scripts) {
  await writeFile(script, await minified(await readFile(script, "utf8"), "js"));
}
const signs = [...kept.matchAll(/\\([0-9a-f]{2,6})/gi)].map(([, code]) => parseInt(code, 16));
for (const font of fonts) {
  const whole = await readFile(font);
  const part = await subsetFont(whole, String.fromCodePoint(...signs), { targetFormat: "woff2" });
  await writeFile(font, part);
}
