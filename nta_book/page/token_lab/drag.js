// Chips that are dragged: inside its row one moves, onto another row it is copied, onto a winner
// it wins.

const SLACK = 7; // pixels a pointer may wander in a click

/** Follow the pointer from a press on a chip; `moveTo(place)` moves it inside its own row. */
export function startDrag({ button, clientX: startX, clientY: startY }, chip, name, moveTo) {
  if (button) return;
  const home = chip.parentNode;
  const listening = new AbortController();
  const { signal } = listening;
  let ghost = null;
  let drop = null;
  let marked = null;

  const mark = (node, kind) => {
    marked?.classList.remove("nl-drop", "nl-dropwin");
    marked = node;
    node?.classList.add(kind);
  };
  const follow = ({ clientX, clientY }) => {
    if (!ghost) {
      if (Math.hypot(clientX - startX, clientY - startY) < SLACK) return;
      ghost = makeGhost(chip);
      home.append(ghost);
    }
    // A container is a containing block for fixed boxes, so the place is relative to the lab.
    const lab = home.closest(".nta-lab").getBoundingClientRect();
    ghost.style.left = `${clientX - lab.left - 20}px`;
    ghost.style.top = `${clientY - lab.top - 30}px`;
    aim(document.elementFromPoint(clientX, clientY), clientX);
  };
  /** Find out what a release here would do, and show it. */
  const aim = (under, x) => {
    const winner = under?.closest(".nl-winner");
    const row = under?.closest(".nl-chips");
    drop = null;
    if (winner) {
      drop = () => winner.ntaWin(name);
      mark(winner, "nl-dropwin");
    } else if (row) {
      const { chips, winner: after, insert } = row.ntaDrop;
      const place = placeAt(chips, x);
      drop = () => (row === home ? moveTo(place) : insert(place, name));
      mark(chips[place] ?? after, "nl-drop");
    } else {
      mark(null);
    }
  };
  const end = ({ type }) => {
    listening.abort();
    mark(null);
    ghost?.remove();
    // The click that ends the drag comes first: it must find the chip that was pressed.
    if (ghost && type === "pointerup") setTimeout(() => drop?.());
  };
  document.addEventListener("pointermove", follow, { signal });
  for (const type of ["pointerup", "pointercancel"]) {
    document.addEventListener(type, end, { signal });
  }
}

/** A copy of the chip to carry; the chip itself takes the end of the drag for no click. */
function makeGhost(chip) {
  const ghost = chip.cloneNode(true);
  ghost.classList.add("nl-ghost");
  ghost.style.width = `${chip.offsetWidth}px`;
  const once = { once: true, capture: true };
  chip.addEventListener("click", (event) => event.stopImmediatePropagation(), once);
  return ghost;
}

/** The place in a row that is nearest to x. */
function placeAt(chips, x) {
  const place = chips.findIndex((chip) => {
    const { left, width } = chip.getBoundingClientRect();
    return x < left + width / 2;
  });
  return place < 0 ? chips.length : place;
}
