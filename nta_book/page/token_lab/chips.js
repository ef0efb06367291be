// Rows of token chips to click, drag and type, each chip with its attention bar.

import { LIMITS } from "./text.js";
import { startDrag } from "./drag.js";
import { percent } from "../shared/numbers.js";
import { button, element, setText } from "../shared/elements.js";

/**
 * What a reader can do to a race; `change(race, place)` receives what it becomes,
 * `refuse(sentence)` why it cannot be.
 */
function editsOf(race, change, refuse) {
  const { tokens, label } = race;
  const edited = (next, place) => change({ ...race, ...next }, place);
  /** Replace `count` chips by names.  A win stays with its chip, or goes to the first one. */
  const swap = (place, count, ...names) => {
    const next = tokens.toSpliced(place, count, ...names);
    const lost = label !== undefined && count && label === tokens[place] && !next.includes(label);
    const winner = lost ? next[names.length ? place : 0] : label;
    edited({ tokens: next, label: winner }, Math.min(place, next.length - 1));
  };
  return {
    swap,
    insert: (place, name) => {
      if (tokens.length < LIMITS.runners) swap(place, 0, name);
      else refuse(`A race of this lab has at most ${LIMITS.runners} tokens.`);
    },
    move: (from, to) => {
      if (to < 0 || to >= tokens.length) return;
      edited({ tokens: tokens.toSpliced(from, 1).toSpliced(to, 0, tokens[from]) }, to);
    },
    win: (name, place = -1) => edited({ label: name }, place),
  };
}

/** One chip: a button with the bar of its attention and the mark of its limit. */
function makeChip(ui, { tokens, label }, place, { swap, move, win }, focusChip) {
  const name = tokens[place];
  const isLast = place === tokens.length - 1;
  const wins = name === label;
  const canWin = label !== undefined;
  const roles = `${wins ? ", winner" : ""}${isLast ? ", last token" : ""}`;
  const bar = element("i", { class: "nl-fill" });
  const mark = element("i", { class: "nl-tick" });
  const value = element("span", { class: "nl-pc" });

  const actions = [
    canWin && !wins && ["★ Winner", () => win(name, place)],
    place > 0 && ["← Move", () => move(place, place - 1)],
    !isLast && ["Move →", () => move(place, place + 1)],
    ["Remove", () => swap(place, 1)],
  ];
  const nextName = (by) => {
    const { names } = ui.lab.data;
    return names[(names.indexOf(name) + by + names.length) % names.length];
  };
  const onkeydown = (event) => {
    const { key, altKey, ctrlKey, metaKey } = event;
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    const turn = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (ctrlKey || metaKey) return;
    if (step && altKey) move(place, place + step);
    else if (step) focusChip(place + step);
    else if (turn) swap(place, 1, nextName(turn));
    else if (key === "Delete" || key === "Backspace") swap(place, 1);
    else if (key === "w" && canWin) win(name, place);
    else return;
    event.preventDefault();
  };
  const chip = element(
    "button",
    {
      type: "button",
      class: `nl-chip${wins ? " nl-win" : ""}${isLast ? " nl-last" : ""}`,
      tabindex: place ? -1 : 0,
      "aria-haspopup": "dialog",
      "aria-label": `${name}, ${place + 1} of ${tokens.length}${roles}`,
      onclick: () => ui.menu(chip, `Change ${name}`, (other) => swap(place, 1, other), actions),
      onpointerdown: (event) =>
        startDrag(event, chip, name, (to) => move(place, to > place ? to - 1 : to)),
      onkeydown,
    },
    element("span", { class: "nl-col" }, bar, value, mark),
    element("span", { class: "nl-nm" }, wins && element("small", { say: "★" }), name),
  );
  return { chip, update: barUpdater(bar, value, mark) };
}

/** A function that shows attention and its limit; styles are touched only when they change. */
function barUpdater(bar, value, mark) {
  let height = null;
  let limit = null;
  return (attention, goal) => {
    const rounded = attention.toFixed(3);
    if (height !== rounded) {
      height = rounded;
      bar.style.transform = `scaleY(${rounded})`;
      setText(value, percent(attention));
    }
    if (limit !== goal) {
      limit = goal;
      mark.style.bottom = `${(100 * goal).toFixed(1)}%`;
    }
  };
}

/**
 * A row of chips for `race` = { tokens, label } in names; without a label it is a context.
 * `change(race, place)` receives the edited race and the chip to focus (−1: the winner).
 */
export function chipRow(ui, race, title, change) {
  const { tokens, label } = race;
  const edits = editsOf(race, change, ui.tell);
  const focusChip = (place) => chips[place]?.chip.focus();
  const chips = tokens.map((_, place) => makeChip(ui, race, place, edits, focusChip));
  const add = button("+", () => ui.menu(add, "Add a token", (name) => edits.insert(0, name), []), {
    class: "nl-add",
    "aria-label": `Add a token to ${title}`,
  });
  const el = element(
    "div",
    { class: "nl-chips", role: "group", "aria-label": title },
    add,
    ...chips.map(({ chip }) => chip),
  );
  let winner = null;
  if (label !== undefined) {
    winner = button(label, () => ui.menu(winner, "Who wins?", edits.win, [], tokens), {
      class: "nl-chip nl-winner",
      "aria-haspopup": "dialog",
      "aria-label": `${title}: ${label} wins`,
    });
    winner.ntaWin = edits.win;
    const arrow = element("span", { class: "nl-arrow", "aria-hidden": "true", say: "→" });
    el.append(element("span", { class: "nl-goes" }, arrow, winner));
  }
  el.ntaDrop = { chips: chips.map(({ chip }) => chip), winner, insert: edits.insert };
  return {
    el,
    /** Focus a chip (−1: the winner), or the first if there is none at this place. */
    focus: (place) => (place < 0 ? winner : (chips[place] ?? chips[0])?.chip)?.focus(),
    /** The place of a chip (−1: the winner), or 0 for anything else. */
    placeOf: (node) => {
      if (node === winner) return -1;
      return Math.max(
        0,
        chips.findIndex(({ chip }) => chip === node),
      );
    },
    update: (attention, goal) => chips.forEach((chip, i) => chip.update(attention[i], goal[i])),
  };
}
