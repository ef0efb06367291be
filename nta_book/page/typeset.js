// Set formulas when the book is built: node typeset.js < {options, pages} > [{formulas, style}]
//
// A page is a list of [TeX, whether it stands on a line of its own]; its style sheet knows the
// letters that its formulas use, and no others.  So readers wait for no script, and no line moves.

import process from "node:process";
import { text } from "node:stream/consumers";

import mathjax from "mathjax";

const { options, pages } = JSON.parse(await text(process.stdin));
const { startup, tex2chtmlPromise, chtmlStylesheet } = await mathjax.init({
  loader: { load: ["input/tex", "output/chtml", "adaptors/liteDOM", "a11y/assistive-mml"] },
  tex: { packages: { "[-]": ["noundefined"] } }, // a command that nobody knows is a fault
  chtml: options,
});
const { adaptor, output } = startup;

async function typeset([tex, display]) {
  const formula = await tex2chtmlPromise(tex, { display });
  // Wide ones scroll in their own box, which those without a mouse must be able to reach.
  if (display) adaptor.setAttribute(formula, "tabindex", "0");
  return adaptor.outerHTML(formula);
}

const done = [];
for (const page of pages) {
  output.clearCache();
  const formulas = [];
  for (const formula of page) formulas.push(await typeset(formula));
  done.push({ formulas, style: adaptor.textContent(chtmlStylesheet()) });
}
process.stdout.write(JSON.stringify(done));
