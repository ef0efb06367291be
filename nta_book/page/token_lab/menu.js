// A small dialog to choose a token, name a new one, or take an action.

import { LIMITS, parseText } from "./text.js";
import { button, element } from "../shared/elements.js";

const GAP = 4; // pixels between a menu and what it belongs to

/** Whether a name can be a token beside these: one short word, and the vocabulary has room. */
function canBeNamed(name, names) {
  const { problems, data } = parseText(`${name} -> ${name}`);
  const hasRoom = names.length < LIMITS.tokens || names.includes(name);
  return !problems.length && data.K === 1 && hasRoom;
}

/**
 * Open the dialog below `anchor`; `choose(name)` receives the token, `actions` are [words, act]
 * pairs, and the names of `first` stand before the others.
 */
export function openMenu(ui, anchor, title, choose, actions, first = []) {
  ui.closeMenu();
  const { names } = ui.lab.data;
  const close = (then, value) => {
    ui.closeMenu();
    if (anchor.isConnected) anchor.focus();
    then?.(value);
  };
  const create = () => {
    const name = field.value.trim();
    if (canBeNamed(name, names)) {
      close(choose, name);
      return;
    }
    const rule = `one word of at most ${LIMITS.name} characters, ${LIMITS.tokens} tokens in all`;
    ui.tell(`“${name.slice(0, 20)}” cannot name a token here: ${rule}.`);
  };
  const field = element("input", {
    placeholder: "new name",
    "aria-label": "New token",
    maxlength: LIMITS.name,
    onkeydown: (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault(); // else the same key also presses the chip that gets the focus
      create();
    },
  });
  const menu = element(
    "div",
    {
      class: "nl-menu",
      role: "dialog",
      "aria-label": title,
      onkeydown: ({ key }) => key === "Escape" && close(),
    },
    ...[...new Set([...first, ...names])].map((name) => button(name, () => close(choose, name))),
    element("hr"),
    field,
    button("Add", create),
    element("hr"),
    ...actions.filter(Boolean).map(([say, act]) => button(say, () => close(act))),
  );
  const closeOutside = ({ target }) => menu.contains(target) || ui.closeMenu();
  ui.closeMenu = () => {
    menu.remove();
    document.removeEventListener("pointerdown", closeOutside);
    ui.closeMenu = () => {};
  };
  document.addEventListener("pointerdown", closeOutside);
  ui.root.append(menu);
  placeBelow(menu, anchor, ui.root);
  menu.querySelector("button,input").focus();
}

/** Put the menu below its anchor, or above where the screen ends, inside the width of the lab. */
function placeBelow(menu, anchor, root) {
  const box = root.getBoundingClientRect();
  const place = anchor.getBoundingClientRect();
  const left = Math.min(place.left - box.left, box.width - menu.offsetWidth);
  const above = place.top - menu.offsetHeight - GAP;
  const fitsBelow = place.bottom + GAP + menu.offsetHeight <= innerHeight;
  const top = fitsBelow || above < 0 ? place.bottom + GAP : above;
  menu.style.top = `${top - box.top}px`;
  menu.style.left = `${Math.max(0, left)}px`;
  menu.scrollIntoView({ block: "nearest" });
}
