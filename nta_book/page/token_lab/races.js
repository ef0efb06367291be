// The races, as rows of chips or as text.  `build` follows an edit, `update` a step of training.

import { LIMITS, winnersMissing } from "./text.js";
import { attention, total } from "./descent.js";
import { chipRow } from "./chips.js";
import { describeMissing } from "./words.js";
import { sayMarked } from "../shared/marked.js";
import { percent } from "../shared/numbers.js";
import { arrange, button, element, setText } from "../shared/elements.js";

const MOST_SAID = 6; // races without their winner that are named one by one
const BURST = 900; // milliseconds: typing without a longer pause is one thing to undo

/** The races as rows of chips; lines that cannot be read stay, with what is wrong. */
export function racesView(ui) {
  const { lab } = ui;
  const el = element("ol", { class: "nl-races" });
  let rows = []; // one per line of the draft; null for lines that show nothing

  const forEachRace = (act) =>
    lab.data.rows.forEach(({ tokens, line }, race) => {
      act(rows[line], attention(lab.W, lab.data.K, tokens), lab.limits[race], tokens);
    });
  const build = (focus) => {
    const spare = new Map(rows.filter(Boolean).map((row) => [row.key, row]));
    rows = lab.parsed.lines.map((line, i) => {
      const key = `${i} ${line.kind} ${line.raw}`;
      const row = spare.get(key) ?? makeRow(ui, line, i); // rows that stay keep their elements
      return row && { ...row, key };
    });
    const shown = rows.filter(Boolean);
    arrange(
      el,
      shown.map((row) => row.el),
    );
    if (focus) rows[Math.min(focus.row, rows.length - 1)]?.chips?.focus(focus.at);
  };
  /** Where the focus is: line of the draft and chip, or null. */
  const whereFocused = () => {
    const row = rows.findIndex((one) => one?.el.contains(document.activeElement));
    if (row < 0) return null;
    return { row, at: rows[row].chips?.placeOf(document.activeElement) ?? 0 };
  };
  const update = () => forEachRace((row, now, limit) => row.chips.update(now, limit));
  const describe = () =>
    forEachRace((row, now, limit, tokens) => {
      const said = tokens.map((token, i) => {
        const name = lab.data.names[token];
        return `${name} ${percent(now[i])} percent, limit ${percent(limit[i])}`;
      });
      setText(row.about, `Attention: ${said.join("; ")}.`);
    });
  return { el, build, update, describe, whereFocused };
}

/** What one line of the draft looks like, or null if it shows nothing. */
function makeRow(ui, line, i) {
  const { lab } = ui;
  const title = `race ${i + 1}`;
  const remove = button("✕", () => ui.edit(lab.withLines(i, 1), { row: i, at: 0 }), {
    class: "nl-tool",
    "aria-label": `Remove ${title}`,
  });
  if (line.kind === "comment") return commentRow(line, remove);
  if (line.kind === "bad") return badRow(ui, line, i, title, remove);
  if (line.kind === "race") return raceRow(ui, line, i, title, remove);
  return null;
}

function commentRow({ raw }, remove) {
  const text = element("span", { say: raw.replace(/^[\s#]+/, "") });
  return { el: element("li", { class: "nl-comment" }, text, remove) };
}

function badRow(ui, { raw, column, problem }, i, title, remove) {
  const field = element("input", {
    value: raw,
    "aria-label": title,
    "aria-invalid": "true",
    onchange: () => ui.edit(ui.lab.withLines(i, 1, { raw: field.value })),
  });
  const say = `Line ${i + 1}, column ${column}: ${problem}.`;
  return {
    el: element(
      "li",
      null,
      element("div", { class: "nl-row" }, field, remove),
      element("p", { class: "nl-problem", say }),
    ),
  };
}

function raceRow(ui, { raw, tokens, label }, i, title, remove) {
  const { lab } = ui;
  const chips = chipRow(ui, { tokens, label }, title, (race, at) => {
    const races = race.tokens.length ? [race] : []; // without its last chip the race is gone
    ui.edit(lab.withLines(i, 1, ...races), { row: i, at });
  });
  const again = button("+1", () => ui.edit(lab.withLines(i, 0, { raw }), { row: i + 1, at: 0 }), {
    class: "nl-tool",
    "aria-label": `Run ${title} again`,
  });
  const about = element("span", { class: "nl-hidden" });
  const tools = element("span", { class: "nl-tools" }, again, remove);
  return {
    chips,
    about,
    el: element(
      "li",
      null,
      element("div", { class: "nl-row" }, chips.el, tools),
      !tokens.includes(label) && missingWinner(ui, { line: i, tokens, label }, "p"),
      about,
    ),
  };
}

/** What is wrong with a race whose winner does not run, and the way to mend it. */
function missingWinner(ui, { line, tokens, label }, tag) {
  const sentence = element("span");
  sayMarked(sentence, describeMissing(label));
  const mend = button(
    `Let ${label} run`,
    () => {
      const race = { tokens: [label, ...tokens], label };
      ui.edit(ui.lab.withLines(line, 1, race), { row: line, at: 0 });
    },
    { class: "nl-mend" },
  );
  return element(tag, { class: "nl-problem" }, sentence, " ", mend);
}

/** The races as text; below it, a way to every line that cannot be read. */
export function textView(ui) {
  const { lab } = ui;
  const problems = element("ul");
  let typed = 0;
  const area = element("textarea", {
    spellcheck: "false",
    rows: 12,
    "aria-label": "Races as text, one per line: a b c -> b",
    maxlength: LIMITS.text,
    oninput: () => {
      const keepPast = performance.now() - typed < BURST;
      typed = performance.now();
      ui.edit(area.value, null, { keepPast });
    },
  });
  const select = (line, column) => {
    const before = lab.draft.split("\n").slice(0, line - 1);
    const start = total(before.map((text) => text.length + 1));
    area.focus();
    area.setSelectionRange(start + column - 1, start + lab.parsed.lines[line - 1].raw.length);
  };
  const problemRow = ({ line, column, message }) => {
    const say = `Line ${line}, column ${column}: ${message}.`;
    const link = button(say, () => select(line, column), { class: "nl-link" });
    return element("li", { class: "nl-problem" }, link);
  };
  const missingRow = (race) => {
    const row = missingWinner(ui, race, "li");
    row.prepend(`Line ${race.line + 1}: `);
    return row;
  };
  return {
    el: element("div", { class: "nl-text" }, area, problems),
    area,
    build: () => {
      if (area.value !== lab.draft) area.value = lab.draft;
      problems.replaceChildren(
        ...lab.parsed.problems.map(problemRow),
        ...winnersMissing(lab.parsed).slice(0, MOST_SAID).map(missingRow),
      );
    },
  };
}
