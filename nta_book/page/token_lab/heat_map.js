// W itself: a table of numbers, each on a shade of its size.  Rows are tokens, columns last tokens.

import { signed } from "../shared/numbers.js";
import { arrange, element, setText } from "../shared/elements.js";

const PATIENCE = 150; // milliseconds between two looks while the layer trains

export function heatMap(lab) {
  const table = element("table", { class: "nl-heat" });
  const note = element("p", { class: "nl-note" });
  const box = element(
    "div",
    { class: "nl-scroll", tabindex: 0, role: "region", "aria-label": "The matrix W" },
    table,
  );
  let cells = [];
  let looked = 0;
  let drawn = "";

  const build = () => {
    const { names, K, rows } = lab.data;
    const tracks = new Set(rows.map(({ tokens }) => tokens.at(-1)));
    const key = JSON.stringify([names, names.map((_, token) => tracks.has(token))]);
    if (key === drawn) return; // most edits leave the table as it is
    drawn = key;
    const columns = names.map((name, column) =>
      element("th", { scope: "col", class: tracks.has(column) && "nl-lasthead", say: name }),
    );
    cells = Array.from({ length: K * K }, (_, cell) => {
      const value = element("span");
      const change = element("small");
      const quiet = tracks.has(cell % K) ? null : "nl-quiet";
      return { el: element("td", { class: quiet }, value, change), value, change, shade: "" };
    });
    const body = names.map((name, row) =>
      element(
        "tr",
        null,
        element("th", { scope: "row", say: name }),
        ...cells.slice(row * K, row * K + K).map(({ el }) => el),
      ),
    );
    const corner = element("th", { scope: "col", say: "after →" });
    const head = element("thead", null, element("tr", null, corner, ...columns));
    arrange(table, [head, element("tbody", null, ...body)]);
    const idle = names.filter((_, column) => !tracks.has(column));
    setText(
      note,
      idle.length
        ? `Column by column: the last token names the column that a race reads and moves. ` +
            `No race ends in ${idle.join(", ")}: ` +
            `${idle.length > 1 ? "those columns never move" : "that column never moves"}.`
        : "Column by column: the last token names the column that a race reads and moves.",
    );
  };
  const update = (atRest = true) => {
    if (!atRest && performance.now() - looked < PATIENCE) return;
    looked = performance.now();
    const { W } = lab;
    let farthest = 1;
    for (let i = 0; i < W.length; i++) farthest = Math.max(farthest, Math.abs(W[i]));
    cells.forEach((cell, i) => {
      const part = W[i] / farthest;
      const shade = `${part < 0 ? "n" : "p"}${Math.round(20 * Math.abs(part))}`;
      setText(cell.value, signed(W[i]));
      if (shade === cell.shade) return;
      cell.shade = shade;
      cell.el.style.setProperty("--s", Math.abs(part).toFixed(2));
      cell.el.classList.toggle("nl-minus", part < 0);
    });
  };
  /** Show which cells one speaks of: a map from cells to what is written below their number. */
  const point = (marks) => {
    cells.forEach(({ el, change }, i) => {
      el.classList.toggle("nl-pointed", marks.has(i));
      setText(change, marks.get(i) ?? "");
    });
  };
  return {
    el: element(
      "figure",
      { class: "nl-track nl-weights" },
      element(
        "figcaption",
        null,
        element("b", { say: "W" }),
        " · the whole layer, number by number",
      ),
      box,
      note,
    ),
    build,
    update,
    point,
  };
}
