// State and actions of a lab; knows nothing about the page.

import { LIMITS, parseText, textInForce } from "./text.js";
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
import { cutRecipe, noteSteps } from "./recipe.js";
import { MAX_STEPS, MID_RUN, SETTINGS } from "./settings.js";
import { encodeState } from "./share.js";
import { dissect } from "./slow_motion.js";
import { describeChange } from "./words.js";

const DECIDED = Math.log(10); // a comparison is decided when the winner is ten times as likely
const LOOKS = 240; // points of a curve at most: beyond, every second one is forgotten
const PIECES = 160; // looks at a run that is repeated

export class Lab {
  constructor(draft) {
    this.settings = { ...SETTINGS };
    this.past = []; // drafts to undo to
    this.future = []; // and to redo
    this.random = mulberry(1);
    this.context = [];
    this.pinned = null; // a run to compare with
    this.say = ""; // the sentence about the last edit
    this.load(draft);
    this.reset();
    this.firstContext();
  }

  /** Read a draft and compute its theory; the weights stay. */
  load(draft) {
    this.draft = draft;
    this.parsed = parseText(draft);
    this.text = textInForce(this.parsed);
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

  get isFull() {
    return this.steps >= MAX_STEPS;
  }

  get hasTies() {
    return this.theory.graphs.some(({ leagues }) =>
      leagues.some(({ members }) => members.length > 1),
    );
  }

  /** Forget what was learned. */
  reset() {
    this.W = startWeights(this.data.K, this.settings.seed);
    this.steps = 0;
    this.recipe = []; // how the weights came about
    this.memory = new Map(); // weights of tokens that left: they may come back
    this.history = [];
    this.decided = new Map(); // key of a comparison -> the step that decided it
    for (const pair of this.pairs) pair.sure = false;
    this.note();
  }

  /** Replace the races.  Unless `fresh`, the layer keeps what it learned about their tokens. */
  edit(draft, { fresh = false, keepPast = false } = {}) {
    if (draft === this.draft) return;
    const before = { data: this.data, theory: this.theory };
    const context = this.contextNames();
    if (!keepPast) {
      this.past.push(this.draft);
      this.future = [];
    }
    const isNew = fresh || this.isAnotherLanguage(draft);
    this.exchange(draft, isNew);
    if (isNew) this.firstContext();
    else this.setContext(context);
    this.say = isNew ? "" : describeChange(before, this);
  }

  /** Whether a draft holds races, and none of its tokens ran before. */
  isAnotherLanguage(draft) {
    const { names, rows } = parseText(draft).data;
    const known = new Set([...this.memory.keys(), ...this.data.names]);
    return rows.length > 0 && known.size > 0 && !names.some((name) => known.has(name));
  }

  /** Put other races in place of these; the weights stay, or start anew. */
  exchange(draft, anew = false) {
    this.remember();
    this.load(draft);
    if (anew || !this.steps) {
      this.reset();
      return;
    }
    this.W = this.recalled();
    const live = new Set(this.pairs.map(({ key }) => key));
    for (const key of this.decided.keys()) {
      if (!live.has(key)) this.decided.delete(key);
    }
    this.decide();
    this.note();
  }

  /** Note every weight under the names of its two tokens. */
  remember() {
    const { names, K } = this.data;
    names.forEach((row, i) => {
      if (!this.memory.has(row)) this.memory.set(row, new Map());
      const weights = this.memory.get(row);
      names.forEach((column, j) => weights.set(column, this.W[i * K + j]));
    });
  }

  /** The weights of the tokens of now; zero for a pair that never met. */
  recalled() {
    const { names } = this.data;
    const weights = names.flatMap((row) =>
      names.map((column) => this.memory.get(row)?.get(column) ?? 0),
    );
    return Float64Array.from(weights);
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
    if (!MID_RUN.includes(name) && name !== "speed") this.reset();
  }

  /** Train for some steps. */
  advance(count) {
    const todo = this.problem.used ? Math.min(count, MAX_STEPS - this.steps) : 0;
    for (let i = 0; i < todo; i++) {
      this.steps++;
      descentStep(this.problem, this.W, this.settings, this.steps);
      this.decide();
    }
    if (todo > 0) noteSteps(this.recipe, this.text, this.settings, todo);
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

  /** The next step seen from one race, taken apart; null if there is no such race. */
  dissect(race) {
    if (!this.data.rows[race]) return null;
    return dissect(this.data, this.problem, this.W, this.settings, this.steps + 1, race);
  }

  /** Repeat a run from its start, then put these races in place. */
  repeat({ loss, seed, recipe }, draft) {
    const { eta, normalized, shrinking, speed } = this.settings;
    this.settings = { ...this.settings, loss, seed };
    this.load(recipe[0]?.text ?? draft);
    this.reset();
    for (const { text, steps, ...settings } of recipe) {
      this.exchange(text);
      Object.assign(this.settings, settings);
      const piece = Math.ceil(steps / PIECES);
      for (let done = 0; done < steps; done += piece) this.advance(Math.min(piece, steps - done));
    }
    this.exchange(draft);
    Object.assign(this.settings, { eta, normalized, shrinking, speed });
  }

  /** Go back some steps of this run. */
  stepBack(count = 1) {
    const recipe = cutRecipe(this.recipe, this.steps - count);
    const { loss, seed } = this.settings;
    this.repeat({ loss, seed, recipe }, this.draft);
  }

  get run() {
    const { loss, seed } = this.settings;
    return { loss, seed, recipe: this.recipe };
  }

  /** Keep this run to compare the next ones with. */
  pin(name) {
    const { run, now, history, settings } = this;
    const recipe = run.recipe.map((stretch) => ({ ...stretch }));
    this.pinned = { ...run, recipe, name, now, history: [...history], settings: { ...settings } };
  }

  unpin() {
    this.pinned = null;
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

  /** The whole state as one word; `view` is what of the lab is open. */
  code(view) {
    const { draft, settings, run, past, future, pinned } = this;
    const context = this.contextNames();
    return encodeState({ draft, settings, run, context, past, future, view, pinned });
  }

  /** Go to a state that `decodeState` has read. */
  restore({ draft, settings, run, context, past, future, pinned }) {
    this.settings = settings;
    this.pinned = null;
    if (pinned) {
      const { eta, normalized, shrinking, text } = pinned.recipe.at(-1) ?? settings;
      this.repeat(pinned, text ?? draft);
      Object.assign(this.settings, { eta, normalized, shrinking });
      this.pin(pinned.name);
      this.settings = settings;
    }
    this.repeat(run, draft);
    this.past = past;
    this.future = future;
    this.say = "";
    this.setContext(context);
  }
}
