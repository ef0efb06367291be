// Which cells run before a cell, so that it finds the names it uses.
//
// A cell is { code, setup, needs }: `setup` is the part that others need of it, if not all of it;
// `needs` lists every cell that must run before, in order, and `gives` the names that a reader may
// ask of it.  Cells stand in the order of the page, imports first.  What has run is a map from a
// cell to { text, turn }: what of it ran, and when.

/** What a cell is for those that need it: what the reader ran there last, or the book's code. */
export function neededText(id, cells, typed) {
  return typed.get(id) ?? cells[id].setup ?? cells[id].code;
}

/**
 * The cells that must run, in order, before a cell can: those that have not run since the worker
 * began, or ran with another text, or ran before something that they need themselves.
 */
export function planned(id, cells, typed, ran) {
  const again = new Set();
  for (const need of cells[id]?.needs ?? []) {
    const before = ran.get(need);
    const isFresh =
      before?.text === neededText(need, cells, typed) &&
      cells[need].needs.every(
        (deep) => !again.has(deep) && (ran.get(deep)?.turn ?? 0) <= before.turn,
      );
    if (!isFresh) again.add(need);
  }
  return [...again];
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
