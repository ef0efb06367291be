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
import { describeChange } from "./words.js";

const DECIDED = Math.log(10); // a comparison is decided when the winner is ten times as likely
const LOOKS = 240; // points of a curve at most: beyond, every second one is forgotten

export class Lab {
  constructor(draft) {
    this.settings = { ...SETTINGS };
    this.past = []; // drafts to undo to
    this.future = []; // and to redo
    this.random = mulberry(1);
    this.context = [];
    this.say = ""; // the sentence about the last edit
    this.load(draft);
    this.reset();
    this.firstContext();
  }

  /** Read a draft and compute its theory; the weights stay. */
  load(draft) {
    this.draft = draft;
    this.parsed = parseText(draft);
    this.data = this.parsed.data;
    this.theory = theoryOf(this.data);
    this.problem = compileRows(this.data);
    const { rows, K } = this.data;
    /** Attention of every race in the limit of training. */
    this.limits = rows.map(({ tokens }) => automaton(this.theory, K, tokens).probabilities);
    const losses = rows.map(({ tokens, label }, race) => {
      const won = total(this.limits[race].filter((_, i) => tokens[i] === label));
      return won ? -Math.log(won) : 0;
    });
    this.infimum = total(losses) / Math.max(1, rows.length);
    /** Comparisons that training has to decide, with the cells of W they compare. */
    this.pairs = this.theory.graphs.flatMap(({ last, strict }) =>
      strict.map(([winner, loser]) => ({
        key: this.pairKey(last, winner, loser),
        winnerCell: winner * K + last,
        loserCell: loser * K + last,
        sure: false,
      })),
    );
  }

  /** A comparison by names, which an edit does not renumber. */
  pairKey(...tokens) {
    return tokens.map((token) => this.data.names[token]).join(" ");
  }

  /** Forget what was learned. */
  reset() {
    this.W = startWeights(this.data.K, this.settings.seed);
    this.steps = 0;
    this.history = [];
    this.decided = new Map(); // key of a comparison -> the step that decided it
    for (const pair of this.pairs) pair.sure = false;
    this.note();
  }

  /** Replace the races.  Unless `fresh`, the layer keeps what it learned about tokens that stay. */
  edit(draft, { fresh = false, keepPast = false } = {}) {
    if (draft === this.draft) return;
    const before = { data: this.data, theory: this.theory };
    const context = this.contextNames();
    if (!keepPast) {
      this.past.push(this.draft);
      this.future = [];
    }
    this.load(draft);
    this.W = this.carriedOver(before.data.names);
    if (fresh) {
      this.reset();
      this.firstContext();
    } else {
      this.setContext(context);
    }
    const live = new Set(this.pairs.map(({ key }) => key));
    for (const key of this.decided.keys()) {
      if (!live.has(key)) this.decided.delete(key);
    }
    this.decide();
    this.note();
    this.say = fresh ? "" : describeChange(before, this);
  }

  /** The weights for the tokens of now, zero for those that are new. */
  carriedOver(oldNames) {
    const { names, K } = this.data;
    const from = names.map((name) => oldNames.indexOf(name));
    return new Float64Array(K * K).map((_, cell) => {
      const row = from[Math.floor(cell / K)];
      const column = from[cell % K];
      return row < 0 || column < 0 ? 0 : this.W[row * oldNames.length + column];
    });
  }

  undo() {
    if (!this.past.length) return;
    this.future.push(this.draft);
    this.edit(this.past.pop(), { keepPast: true });
  }

  redo() {
    if (!this.future.length) return;
    this.past.push(this.draft);
    this.edit(this.future.pop(), { keepPast: true });
  }

  /** The draft with `count` lines from `first` on replaced by races; a header takes new names. */
  withLines(first, count, ...races) {
    const { lines } = this.parsed;
    const drafts = lines.map(({ raw }) => raw);
    const header = lines.findIndex(({ kind }) => kind === "header");
    if (header >= 0) {
      const named = races.flatMap(({ tokens = [], label }) => [...tokens, label]).filter(Boolean);
      const missing = named.filter((name) => !lines[header].tokens.includes(name));
      drafts[header] = [drafts[header], ...new Set(missing)].join(" ");
    }
    const written = races.map(({ raw, tokens, label }) => raw ?? `${tokens.join(" ")} -> ${label}`);
    return drafts.toSpliced(first, count, ...written).join("\n");
  }

  contextNames() {
    return this.context.map((token) => this.data.names[token]);
  }

  setContext(names) {
    this.context = names
      .map((name) => this.data.names.indexOf(name))
      .filter((token) => token >= 0)
      .slice(-LIMITS.runners);
  }

  firstContext() {
    this.context = [...(this.data.rows.at(-1)?.tokens ?? [])];
  }

  set(name, value) {
    this.settings[name] = value;
    if (name === "seed" || name === "loss") this.reset();
  }

  /** Train for some steps. */
  advance(count) {
    for (let i = 0; i < count && this.steps < MAX_STEPS; i++) {
      descentStep(this.problem, this.W, this.settings);
      this.steps++;
      this.decide();
    }
    this.note();
  }

  /** Keep book of the comparisons that are decided, and since when. */
  decide() {
    for (const pair of this.pairs) {
      const sure = this.W[pair.winnerCell] - this.W[pair.loserCell] >= DECIDED;
      if (sure === pair.sure) continue;
      pair.sure = sure;
      if (!sure) this.decided.delete(pair.key);
      else if (!this.decided.has(pair.key)) this.decided.set(pair.key, this.steps);
    }
  }

  /** Measure the present weights and add them to the history. */
  note() {
    this.now = {
      steps: this.steps,
      loss: gradient(this.problem, this.W, this.settings.loss),
      ...measure(this.W, this.theory, this.data.K),
    };
    if (this.history.at(-1)?.steps === this.steps) this.history.pop();
    this.history.push(this.now);
    if (this.history.length > LOOKS) this.history = this.history.filter((_, i) => i % 2 === 0);
  }

  /** Sample the next token of the context from the automaton or the network, and append it. */
  speak(who) {
    const { context } = this;
    const { K } = this.data;
    const odds =
      who === "network"
        ? attention(this.W, K, context)
        : automaton(this.theory, K, context).probabilities;
    let rest = this.random() - odds[0];
    let chosen = 0;
    while (chosen < odds.length - 1 && rest >= 0) rest -= odds[++chosen];
    this.context = [...context, context[chosen]].slice(-LIMITS.runners);
  }

  /** The whole state as one word. */
  code() {
    const { draft, settings, steps, W } = this;
    return encodeState({ draft, settings, steps, W, context: this.contextNames() });
  }

  /** Go back to a state that `decodeState` has read. */
  restore({ draft, settings, steps, W, context }) {
    this.settings = settings;
    this.edit(draft, { fresh: true });
    this.reset();
    if (W) {
      this.W = W;
      this.steps = steps;
      this.history = [];
      this.decide();
      for (const key of this.decided.keys()) this.decided.set(key, 0); // nobody knows since when
      this.note();
    }
    this.setContext(context);
  }
}
