// The parts of the page: races, text, training, play.  `build` follows an edit, `update` a step.

import { LIMITS } from "./text.js";
import { automaton } from "./theory.js";
import { attention, total } from "./descent.js";
import { ETAS, SPEEDS } from "./share.js";
import { describeContext, percent, show } from "./words.js";
import { arrange, button, h, pick, put } from "../shared/elements.js";
import { meter } from "./pictures.js";
import { chipRow } from "./chips.js";

/** The races as rows of chips; lines that cannot be read stay where they are, with what is wrong. */
export function racesView(ui) {
  const { lab } = ui;
  const el = h("ol", { class: "nl-races" });
  let rows = [];
  const make = (i) => {
    const { kind, raw, tokens, label, problem, column } = lab.parsed.lines[i];
    const title = `race ${i + 1}`;
    const drop = button("✕", () => ui.edit(lab.withLines(i, 1), { row: i, at: 0 }), {
      class: "nl-tool",
      "aria-label": `Remove ${title}`,
    });
    if (kind === "comment") {
      return {
        el: h("li", { class: "nl-comment" }, h("span", { say: raw.replace(/^[\s#]+/, "") }), drop),
      };
    }
    if (kind === "bad") {
      const field = h("input", {
        value: raw,
        "aria-label": title,
        "aria-invalid": "true",
        onchange: () => ui.edit(lab.withLines(i, 1, { raw: field.value })),
      });
      return {
        el: h(
          "li",
          null,
          h("div", { class: "nl-row" }, field, drop),
          h("p", { class: "nl-problem", say: `Line ${i + 1}, column ${column}: ${problem}.` }),
        ),
      };
    }
    if (kind !== "race") return null;
    const chips = chipRow(ui, { tokens, label }, title, (race, at) =>
      ui.edit(lab.withLines(i, 1, ...(race.tokens.length ? [race] : [])), { row: i, at }),
    );
    const about = h("span", { class: "nl-hidden" });
    const again = button("+1", () => ui.edit(lab.withLines(i, 0, { raw }), { row: i + 1, at: 0 }), {
      class: "nl-tool",
      title: "Run this race once more",
      "aria-label": `Run ${title} again`,
    });
    return {
      chips,
      about,
      el: h(
        "li",
        null,
        h("div", { class: "nl-row" }, chips.el, h("span", { class: "nl-tools" }, again, drop)),
        !tokens.includes(label) &&
          h("p", {
            class: "nl-problem",
            say: `${label} does not run here, so this race teaches nothing (Assumption 2).`,
          }),
        about,
      ),
    };
  };
  const each = (f) =>
    lab.data.rows.forEach(({ tokens, line }, r) =>
      f(rows[line], tokens, attention(lab.W, lab.data.K, tokens), lab.limits[r]),
    );
  return {
    el,
    build: (focus) => {
      const spare = new Map(rows.filter(Boolean).map((row) => [row.key, row])); // rows that stay keep their elements
      rows = lab.parsed.lines.map(({ kind, raw }, i) => {
        const key = `${i} ${kind} ${raw}`;
        const row = spare.get(key) ?? make(i);
        return row && Object.assign(row, { key });
      });
      arrange(
        el,
        rows.filter(Boolean).map((row) => row.el),
      );
      const { chips } = rows[Math.min(focus?.row, rows.length - 1)]?.chips ?? {};
      if (chips) (focus.at < 0 ? chips.winner : (chips[focus.at] ?? chips[0]).chip).focus();
    },
    update: () => each((row, tokens, p, goal) => row.chips.update(p, goal)),
    describe: () =>
      each((row, tokens, p, goal) =>
        put(
          row.about,
          `Attention: ${tokens.map((t, i) => `${lab.data.names[t]} ${percent(p[i])} percent, limit ${percent(goal[i])}`).join("; ")}.`,
        ),
      ),
  };
}

/** The races as text; below it, a way to every line that cannot be read. */
export function textView(ui) {
  const { lab } = ui;
  const errors = h("ul");
  let typed = 0;
  const area = h("textarea", {
    spellcheck: "false",
    rows: 12,
    "aria-label": "Races as text, one per line: a b c -> b",
    maxlength: LIMITS.text,
    oninput: () => {
      const keepPast = performance.now() - typed < 900; // one undo for one burst of typing
      typed = performance.now();
      ui.edit(area.value, null, { keepPast });
    },
  });
  return {
    el: h("div", { class: "nl-text" }, area, errors),
    area,
    build: () => {
      if (area.value !== lab.draft) area.value = lab.draft;
      errors.replaceChildren(
        ...lab.parsed.problems.map(({ line, column, message }) =>
          h(
            "li",
            { class: "nl-problem" },
            button(
              `Line ${line}, column ${column}: ${message}.`,
              () => {
                const start = total(
                  lab.draft
                    .split("\n")
                    .slice(0, line - 1)
                    .map((l) => l.length + 1),
                );
                area.focus();
                area.setSelectionRange(
                  start + column - 1,
                  start + lab.parsed.lines[line - 1].raw.length,
                );
              },
              { class: "nl-link" },
            ),
          ),
        ),
      );
    },
  };
}

/** The controls of a training run and the numbers it moves. */
export function stageView(ui, compact) {
  const { lab } = ui;
  const goes = ["nl-go", "nl-go nl-float"].map((name) =>
    button("", () => ui.train(!ui.running), { class: name }),
  );
  const stop = (act) => () => {
    ui.train(false);
    act();
    ui.redraw();
  };
  const loss = meter("Loss", "Mean loss; the dotted line is what it can fall to");
  const turn = meter("Cosine", "Cosine of W with the league table W_svm");
  const far = meter(
    "Soft part",
    "Distance of the scores inside the leagues to the strengths W_fin",
  );
  const count = h("b", { class: "nl-count" });
  const speed = h("input", {
    type: "range",
    min: 0,
    max: SPEEDS.length - 1,
    oninput: () => {
      lab.settings.speed = +speed.value;
      ui.redraw();
    },
  });
  const options = compact
    ? []
    : [
        [
          "normalized",
          "Descent",
          [
            [true, "normalized"],
            [false, "plain"],
          ],
        ],
        ["eta", "Step size", ETAS.map((v) => [v, v])],
        [
          "loss",
          "Loss",
          [
            ["log", "log"],
            ["squared", "squared"],
          ],
        ],
        ["seed", "Start", [[null, "W = 0"], ...[1, 2, 3, 4, 5].map((s) => [s, `random ${s}`])]],
      ].map(([name, label, values]) => [
        name,
        pick(label, values, (v) => {
          lab.set(name, v);
          ui.redraw();
        }),
      ]);
  return {
    float: goes[1], // on a narrow screen the button stays in sight
    el: h(
      "div",
      { class: "nl-stage" },
      h(
        "div",
        { class: "nl-bar" },
        goes[0],
        button(
          "Step",
          stop(() => lab.advance(1)),
        ),
        button(
          "Reset",
          stop(() => lab.reset()),
        ),
        h("label", { class: "nl-pick" }, h("span", { say: "Speed" }), speed),
        count,
      ),
      h("div", { class: "nl-meters" }, loss.el, turn.el, far.el),
      h("div", { class: "nl-bar" }, ...options.map(([, o]) => o.el)),
    ),
    update: () => {
      const past = (key) => lab.history.map((p) => [p.steps, p[key]]);
      const { settings, now } = lab;
      for (const go of goes) put(go, ui.running ? "❚❚ Pause" : "▶ Train");
      put(count, `step ${lab.steps}`);
      speed.value = settings.speed;
      speed.setAttribute("aria-valuetext", `${SPEEDS[settings.speed]} steps per second`);
      loss.update(show(now.loss), past("loss"), settings.loss === "log" ? lab.infimum : NaN);
      turn.update(show(now.cosine, 4), past("cosine"), lab.theory.norm ? 1 : NaN);
      far.update(show(now.distance), past("distance"), 0);
      for (const [name, option] of options) option.set(settings[name]);
    },
  };
}

/** Play: any context, the automaton's answer beside the network's, and a continuation. */
export function playView(ui) {
  const { lab } = ui;
  const holder = h("div");
  const answers = h("tbody");
  const verdict = h("p", { class: "nl-verdict", "aria-live": "polite" });
  let who = "automaton";
  let row = null;
  let bars = [];
  const speak = (count) => {
    for (let i = 0; i < count && lab.context.length; i++) lab.speak(who);
    ui.redraw();
  };
  const shuffle = () => {
    const { K } = lab.data;
    lab.context = Array.from({ length: K && 4 }, () => Math.floor(lab.random() * K));
    ui.redraw();
  };
  return {
    el: h(
      "section",
      { class: "nl-play", "aria-label": "Play" },
      h("h3", { say: "Play: which token comes next?" }),
      holder,
      h(
        "div",
        { class: "nl-answer" },
        h(
          "table",
          null,
          h(
            "thead",
            null,
            h(
              "tr",
              null,
              ...["Token", "Automaton", "Network"].map((say) => h("th", { scope: "col", say })),
            ),
          ),
          answers,
        ),
        verdict,
      ),
      h(
        "div",
        { class: "nl-bar" },
        button("Next token", () => speak(1)),
        button("Eight more", () => speak(8)),
        pick(
          "by",
          [
            ["automaton", "the automaton"],
            ["network", "the network"],
          ],
          (v) => {
            who = v;
          },
        ).el,
        button("Another context", shuffle),
      ),
    ),
    build: () => {
      const {
        context,
        data: { names, K },
      } = lab;
      row = chipRow(ui, { tokens: context.map((t) => names[t]) }, "the context", (race, at) => {
        lab.setContext(race.tokens);
        ui.redraw();
        row.chips[at]?.chip.focus();
      });
      holder.replaceChildren(row.el);
      bars = [...new Set(context)]
        .sort((a, b) => a - b)
        .map((t) => [
          t,
          ...["nl-theory", ""].map((kind) => ({
            fill: h("i", { class: `nl-hfill ${kind}` }),
            value: h("span"),
          })),
        ]);
      answers.replaceChildren(
        ...bars.map(([t, ...pair]) =>
          h(
            "tr",
            null,
            h("th", { scope: "row", say: names[t] }),
            ...pair.map(({ fill, value }) =>
              h("td", null, h("span", { class: "nl-hbar" }, fill), value),
            ),
          ),
        ),
      );
      put(
        verdict,
        context.length
          ? describeContext(names, context, automaton(lab.theory, K, context))
          : "Add tokens: the last one is the query.",
      );
    },
    update: () => {
      const {
        context,
        data: { K },
      } = lab;
      if (!context.length) return;
      const p = attention(lab.W, K, context);
      const { probabilities: q } = automaton(lab.theory, K, context);
      row.update(p, q);
      for (const [t, ...pair] of bars) {
        pair.forEach(({ fill, value }, i) => {
          const mass = total(context.map((x, j) => (x === t ? [q, p][i][j] : 0)));
          fill.style.transform = `scaleX(${mass.toFixed(3)})`;
          put(value, `${percent(mass)}%`);
        });
      }
    },
  };
}
