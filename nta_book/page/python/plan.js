// Which cells run before a cell, so that it finds the names it uses.
//
// A cell is { code, setup, needs }: `setup` is the part that others need of it, if not all of it;
// `needs` lists every cell that must run before, in order, and `gives` the names that a reader may
// ask of it.  Cells stand in the order of the page, imports first.

/** What runs for a cell: the text of each cell that it needs, in order, and its own. */
export function textsFor(id, text, cells, typed) {
  // What the reader ran in a cell last, or the book's code.
  const textOf = (need) => typed.get(need) ?? cells[need].setup ?? cells[need].code;
  return new Map([...cells[id].needs.map((need) => [need, textOf(need)]), [id, text]]);
}

/**
 * The cells that must run, in order, before the last of `texts` can: those that have not run since
 * the worker began, or ran with another text, or ran before something that they need themselves, or
 * bound a name that is wanted here and that a cell bound since which is not to come after them.
 *
 * What Python holds: `ran` is a map from a cell to { text, turn, bound }, what of it ran, when, and
 * which names that bound; `bound` one from a name to the cell that bound it last.
 */
export function planned(texts, wanted, cells, { ran, bound }) {
  const needs = [...texts.keys()].slice(0, -1);
  const again = new Set();
  const isFresh = (need, place) => {
    const before = ran.get(need);
    if (before?.text !== texts.get(need)) return false;
    const isHeld = (name) => {
      const last = needs.indexOf(bound.get(name));
      return last >= place && !again.has(needs[last]);
    };
    return (
      cells[need].needs.every(
        (deep) => !again.has(deep) && (ran.get(deep)?.turn ?? 0) <= before.turn,
      ) && before.bound.every((name) => !wanted.has(name) || isHeld(name))
    );
  };
  for (let known = -1; known < again.size;) {
    known = again.size;
    needs.forEach((need, place) => {
      if (!again.has(need) && !isFresh(need, place)) again.add(need);
    });
  }
  return needs.filter((need) => again.has(need));
}

/**
 * Let a cell, and all that need it, need the last one above that gives a name: the reader wrote
 * what the book did not foresee.  False when there is none, or when it is needed already.
 */
export function needAlso(name, id, cells) {
  const ids = Object.keys(cells);
  const above = ids.slice(0, ids.indexOf(id));
  const giver = above.findLast((one) => cells[one].gives?.includes(name));
  if (!giver || cells[id].needs.includes(giver)) return false;
  const more = [...cells[giver].needs, giver];
  for (const one of ids.filter((other) => other === id || cells[other].needs.includes(id))) {
    const wanted = new Set([...cells[one].needs, ...more]);
    cells[one].needs = ids.filter((other) => wanted.has(other));
  }
  return true;
}
