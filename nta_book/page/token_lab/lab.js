// State and actions of a lab; knows nothing about the page.

import { LIMITS, parseText } from "./text.js";
import { automaton, measure, theoryOf } from "./theory.js";
import {
  attention,
  compileRows,
  descentStep,
  gradient,
  mulberry,
  startWeights,
  total,
} from "./descent.js";
import { MAX_STEPS, SETTINGS, encodeState } from "./share.js";
import { capital, describeChange, describeTracks, plural, show } from "./words.js";

export const PRESETS = [
  [
    "Fig. 3",
    "e1 e2 e1 -> e2\ne3 e2 e1 -> e3\ne3 e4 e1 -> e4\ne3 e1 e2 -> e3\ne3 e1 e2 -> e2\ne3 e1 e2 -> e1\ne2 e4 e2 -> e4",
  ],
  ["Strict order", "d c a -> d\nc b a -> c\nb a -> b"],
  ["One tie", "d b a -> d\nd c a -> d\nb c a -> b\nb c a -> b\nc b a -> c"],
  [
    "One upset",
    "# the last race is the upset: take it away and look\nd c a -> d\nc b a -> c\nb a -> b\na d a -> a",
  ],
  ["All tied", "a b c -> a\na b c -> b\nb a c -> c\na b c -> a\nb c c -> b"],
  [
    "Tiny grammar",
    "cat dog sat the -> cat\ncat dog sat the -> cat\ncat dog sat the -> dog\nthe dog sat cat -> sat\nthe cat sat dog -> sat\ncat dog the sat -> the",
  ],
];
export const OWN = "# your own little language: one race per line\na b c -> b\nc b a -> a";

const DECIDED = Math.log(10); // a comparison is decided when the winner is ten times as likely

export class Lab {
  constructor(draft) {
    Object.assign(this, {
      settings: { ...SETTINGS },
      past: [],
      future: [],
      random: mulberry(1),
      context: [],
      say: "",
    }); // say: the sentence about the last edit
    this.load(draft);
    this.reset();
    this.firstContext();
  }

  load(draft) {
    this.draft = draft;
    this.parsed = parseText(draft);
    const { rows, K } = (this.data = this.parsed.data);
    const { graphs } = (this.theory = theoryOf(this.data));
    this.problem = compileRows(this.data);
    this.limits = rows.map(({ tokens }) => automaton(this.theory, K, tokens).probabilities); // attention in the limit
    const won = rows.map(({ tokens, label }, r) =>
      total(tokens.map((t, i) => (t === label ? this.limits[r][i] : 0))),
    );
    this.infimum = total(won.map((p) => (p ? -Math.log(p) : 0))) / Math.max(1, rows.length);
    this.pairs = graphs.flatMap((g) =>
      g.strict.map(([i, j]) => ({
        key: this.pairKey(g.last, i, j),
        a: i * K + g.last,
        b: j * K + g.last,
      })),
    );
  }

  pairKey(...tokens) {
    return tokens.map((t) => this.data.names[t]).join(" ");
  }

  reset() {
    this.W = startWeights(this.data.K, this.settings.seed);
    this.steps = 0;
    this.history = [];
    this.decided = new Map();
    for (const pair of this.pairs) pair.sure = false;
    this.note();
  }

  /** Replace the races.  Unless `fresh`, the layer keeps what it learned about the tokens that stay. */
  edit(draft, { fresh = false, keepPast = false } = {}) {
    if (draft === this.draft) return;
    const before = { data: this.data, theory: this.theory };
    const old = this.data.names;
    const W = this.W;
    const context = this.context.map((t) => old[t]);
    if (!keepPast) {
      this.past.push(this.draft);
      this.future = [];
    }
    this.load(draft);
    const { names, K } = this.data;
    const from = names.map((name) => old.indexOf(name));
    this.W = new Float64Array(K * K).map((_, c) => {
      const j = from[Math.floor(c / K)];
      const k = from[c % K];
      return j < 0 || k < 0 ? 0 : W[j * old.length + k];
    });
    if (fresh) {
      this.reset();
      this.firstContext();
    } else this.setContext(context);
    const live = new Set(this.pairs.map((p) => p.key));
    for (const key of this.decided.keys()) if (!live.has(key)) this.decided.delete(key);
    this.decide();
    this.note();
    this.say = fresh ? "" : describeChange(before, this);
  }
  undo() {
    if (this.past.length) {
      this.future.push(this.draft);
      this.edit(this.past.pop(), { keepPast: true });
    }
  }
  redo() {
    if (this.future.length) {
      this.past.push(this.draft);
      this.edit(this.future.pop(), { keepPast: true });
    }
  }

  /** The draft with lines i … i + n − 1 replaced by `races`; names new to a header are added to it. */
  withLines(i, n, ...races) {
    const { lines } = this.parsed;
    const raws = lines.map((l) => l.raw);
    const header = lines.findIndex((l) => l.kind === "header");
    const missing =
      header < 0
        ? []
        : races
            .flatMap((r) => [...(r.tokens ?? []), r.label])
            .filter((t) => t && !lines[header].tokens.includes(t));
    if (missing.length) raws[header] = [raws[header], ...new Set(missing)].join(" ");
    return raws
      .toSpliced(i, n, ...races.map((r) => r.raw ?? `${r.tokens.join(" ")} -> ${r.label}`))
      .join("\n");
  }

  setContext(names) {
    this.context = names
      .map((name) => this.data.names.indexOf(name))
      .filter((t) => t >= 0)
      .slice(-LIMITS.runners);
  }
  firstContext() {
    this.context = [...(this.data.rows.at(-1)?.tokens ?? [])];
  }

  set(name, value) {
    this.settings[name] = value;
    if (name === "seed" || name === "loss") this.reset();
  }

  advance(count) {
    for (let i = 0; i < count && this.steps < MAX_STEPS; i++) {
      descentStep(this.problem, this.W, this.settings);
      this.steps++;
      this.decide();
    }
    this.note();
  }
  decide() {
    for (const pair of this.pairs) {
      const sure = this.W[pair.a] - this.W[pair.b] >= DECIDED;
      if (sure === pair.sure) continue;
      pair.sure = sure;
      if (!sure) this.decided.delete(pair.key);
      else if (!this.decided.has(pair.key)) this.decided.set(pair.key, this.steps);
    }
  }
  note() {
    this.now = {
      steps: this.steps,
      loss: gradient(this.problem, this.W, this.settings.loss),
      ...measure(this.W, this.theory, this.data.K),
    };
    if (this.history.at(-1)?.steps === this.steps) this.history.pop();
    this.history.push(this.now);
    if (this.history.length > 240) this.history = this.history.filter((_, i) => i % 2 === 0);
  }

  /** Sample the next token of the context from the automaton or the network, and append it. */
  speak(who) {
    const {
      data: { K },
      context,
    } = this;
    const p =
      who === "network"
        ? attention(this.W, K, context)
        : automaton(this.theory, K, context).probabilities;
    let r = this.random();
    let i = 0;
    while (i < p.length - 1 && (r -= p[i]) >= 0) i++;
    this.context = [...context, context[i]].slice(-LIMITS.runners);
  }

  code() {
    return encodeState({ ...this, context: this.context.map((t) => this.data.names[t]) });
  }
  restore({ draft, settings, steps, W, context }) {
    this.settings = settings;
    this.edit(draft, { fresh: true });
    this.reset();
    if (W) {
      this.W = W;
      this.steps = steps;
      this.history = [];
      this.decide();
      for (const key of this.decided.keys()) this.decided.set(key, 0);
      this.note();
    } // 0: decided, nobody knows when
    this.setContext(context);
  }

  inWords() {
    const {
      data: { names, rows },
      theory,
      now,
      settings,
      pairs,
      decided,
    } = this;
    const bad = this.parsed.problems.length;
    const last = Math.max(...decided.values());
    const wrong = bad
      ? `${capital(plural(bad, "line"))} cannot be read and ${bad === 1 ? "is" : "are"} left out.`
      : "";
    if (!rows.length) return `No race yet: add one, or choose an example. ${wrong}`;
    const said = this.steps
      ? [
          this.say,
          `Step ${this.steps}: loss ${show(now.loss)}${settings.loss === "log" ? `, it can fall to ${show(this.infimum)}` : ""}.`,
          theory.norm
            ? `Cosine ${show(now.cosine, 4)} with the league table.`
            : "Nothing is strictly ordered: the league table is zero and W stays finite.",
          pairs.length &&
            (decided.size < pairs.length
              ? `${decided.size} of ${pairs.length} comparisons decided.`
              : `All ${pairs.length} comparisons decided${last ? `, the last at step ${last}` : ""}.`),
          settings.loss === "squared" &&
            "Theorem 2 is about the log loss; with the squared loss the end may lie elsewhere.",
        ]
      : [
          this.say ||
            `${capital(plural(rows.length, "race"))} on ${plural(theory.graphs.length, "track")}.`,
          describeTracks(names, theory.graphs),
        ];
    return [...said, wrong].filter(Boolean).join(" ");
  }
}
