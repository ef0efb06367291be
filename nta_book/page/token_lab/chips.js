// Rows of token chips to click, drag and type, each chip with its attention bar.

import { LIMITS, parseText } from "./text.js";
import { percent } from "./words.js";
import { button, h, put } from "../shared/elements.js";
import { short } from "./pictures.js";

/**
 * A row of chips for `race` = { tokens, label } in names; without a label it is a context.
 * `change(race, at)` receives the edited race and the chip to focus (−1: the winner).
 */
export function chipRow(ui, race, title, change) {
  const { tokens, label } = race;
  const chips = [];
  const named = label !== undefined;
  const edited = (next, at) => change({ ...race, ...next }, at);
  const swap = (i, n, ...names) => {
    // the win stays with its chip, or goes to the first
    const next = tokens.toSpliced(i, n, ...names);
    edited(
      {
        tokens: next,
        label:
          named && n && label === tokens[i] && !next.includes(label)
            ? next[names.length ? i : 0]
            : label,
      },
      Math.min(i, next.length - 1),
    );
  };
  const insert = (i, name) => tokens.length < LIMITS.runners && swap(i, 0, name);
  const move = (i, to) =>
    to >= 0 &&
    to < tokens.length &&
    edited({ tokens: tokens.toSpliced(i, 1).toSpliced(to, 0, tokens[i]) }, to);
  const win = (name, at = -1) => edited({ label: name }, at);
  tokens.forEach((name, i) => {
    const fill = h("i", { class: "nl-fill" });
    const tick = h("i", { class: "nl-tick" });
    const value = h("span", { class: "nl-pc" });
    const last = i === tokens.length - 1;
    const wins = name === label;
    const actions = () => [
      named && !wins && ["★ Winner", () => win(name, i)],
      i > 0 && ["← Move", () => move(i, i - 1)],
      !last && ["Move →", () => move(i, i + 1)],
      ["Remove", () => swap(i, 1)],
    ];
    const chip = h(
      "button",
      {
        type: "button",
        class: `nl-chip${wins ? " nl-win" : ""}${last ? " nl-last" : ""}`,
        tabindex: i ? -1 : 0,
        "aria-haspopup": "dialog",
        "aria-label": `${name}, ${i + 1} of ${tokens.length}${wins ? ", winner" : ""}${last ? ", last token" : ""}`,
        onclick: () => ui.menu(chip, `Change ${name}`, (other) => swap(i, 1, other), actions()),
        onpointerdown: (e) => startDrag(e, chip, name, (to) => move(i, to > i ? to - 1 : to)),
        onkeydown: (e) => {
          const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
          const turn = { ArrowUp: -1, ArrowDown: 1 }[e.key];
          const { names } = ui.lab.data;
          if (e.ctrlKey || e.metaKey) return;
          if (step && e.altKey) move(i, i + step);
          else if (step) chips[i + step]?.chip.focus();
          else if (turn) {
            swap(i, 1, names[(names.indexOf(name) + turn + names.length) % names.length]);
          } else if (e.key === "Delete" || e.key === "Backspace") swap(i, 1);
          else if (e.key === "w" && named) win(name, i);
          else return;
          e.preventDefault();
        },
      },
      h("span", { class: "nl-col" }, fill, value, tick),
      h("span", { class: "nl-nm" }, wins && h("small", { say: "★" }), short(name)),
    );
    chips.push({ chip, fill, tick, value });
  });
  const add = button("+", () => ui.menu(add, "Add a token", (name) => insert(0, name), []), {
    class: "nl-add",
    "aria-label": `Add a token to ${title}`,
  });
  const el = h(
    "div",
    { class: "nl-chips", role: "group", "aria-label": title },
    add,
    ...chips.map((c) => c.chip),
  );
  el.ntaDrop = { chips, insert };
  if (named) {
    const winner = button(short(label), () => ui.menu(winner, "Who wins?", win, [], tokens), {
      class: "nl-chip nl-winner",
      "aria-haspopup": "dialog",
      "aria-label": `${title}: ${label} wins`,
    });
    winner.ntaWin = win;
    el.append(h("span", { class: "nl-arrow", "aria-hidden": "true", say: "→" }), winner);
    chips.winner = winner;
  }
  return {
    el,
    chips,
    update: (values, goal) =>
      chips.forEach(({ fill, tick, value }, i) => {
        const v = values[i].toFixed(3);
        if (fill.ntaValue !== v) {
          fill.ntaValue = v;
          fill.style.transform = `scaleY(${v})`;
          put(value, percent(values[i]));
        }
        if (tick.ntaValue !== goal[i]) {
          tick.ntaValue = goal[i];
          tick.style.bottom = `${(100 * goal[i]).toFixed(1)}%`;
        }
      }),
  };
}

/** A small dialog below `anchor`: choose a token, name a new one, or take one of the actions. */
export function openMenu(ui, anchor, title, choose, actions, first = []) {
  ui.closeMenu();
  const close = (then, value) => {
    ui.closeMenu();
    if (anchor.isConnected) anchor.focus();
    then?.(value);
  };
  const { names } = ui.lab.data;
  const create = () => {
    const name = field.value.trim();
    const { problems, data } = parseText(`${name} -> ${name}`);
    if (
      problems.length ||
      data.K !== 1 ||
      (names.length >= LIMITS.tokens && !names.includes(name))
    ) {
      ui.tell(
        `“${name.slice(0, 20)}” cannot name a token here: one word of at most ${LIMITS.name} characters, ${LIMITS.tokens} tokens in all.`,
      );
    } else close(choose, name);
  };
  const field = h("input", {
    placeholder: "new name",
    "aria-label": "New token",
    maxlength: LIMITS.name,
    onkeydown: (e) => {
      if (e.key === "Enter") create();
    },
  });
  const menu = h(
    "div",
    {
      class: "nl-menu",
      role: "dialog",
      "aria-label": title,
      onkeydown: (e) => {
        if (e.key === "Escape") close();
      },
    },
    ...[...new Set([...first, ...names])].map((name) => button(name, () => close(choose, name))),
    h("hr"),
    field,
    button("Add", create),
    h("hr"),
    ...actions.filter(Boolean).map(([say, act]) => button(say, () => close(act))),
  );
  const box = ui.root.getBoundingClientRect();
  const at = anchor.getBoundingClientRect();
  const outside = (e) => menu.contains(e.target) || ui.closeMenu();
  ui.closeMenu = () => {
    menu.remove();
    document.removeEventListener("pointerdown", outside);
    ui.closeMenu = () => {};
  };
  document.addEventListener("pointerdown", outside);
  ui.root.append(menu);
  menu.style.top = `${at.bottom - box.top + 4}px`;
  menu.style.left = `${Math.max(0, Math.min(at.left - box.left, box.width - menu.offsetWidth))}px`;
  menu.querySelector("button,input").focus();
}

/** Drag a chip: inside its row it moves, onto another row it is copied, onto a winner it wins. */
function startDrag(event, chip, name, moveTo) {
  if (event.button) return;
  const { clientX: x0, clientY: y0 } = event;
  const home = chip.parentNode;
  const gone = new AbortController();
  const { signal } = gone;
  let ghost = null;
  let drop = null;
  let marked = null;
  const mark = (node, kind) => {
    marked?.classList.remove("nl-drop", "nl-dropwin");
    marked = node;
    node?.classList.add(kind);
  };
  document.addEventListener(
    "pointermove",
    (e) => {
      if (!ghost) {
        if (Math.hypot(e.clientX - x0, e.clientY - y0) < 7) return;
        ghost = chip.cloneNode(true);
        ghost.classList.add("nl-ghost");
        ghost.style.width = `${chip.offsetWidth}px`;
        home.append(ghost);
        chip.addEventListener(
          "click",
          (c) => {
            c.stopImmediatePropagation();
          },
          { once: true, capture: true },
        ); // a drag is no click
      }
      // a container is a containing block for fixed boxes, so the place is relative to the lab
      const lab = home.closest(".nta-lab").getBoundingClientRect();
      ghost.style.left = `${e.clientX - lab.left - 20}px`;
      ghost.style.top = `${e.clientY - lab.top - 30}px`;
      const under = document.elementFromPoint(e.clientX, e.clientY);
      const winner = under?.closest(".nl-winner");
      const row = under?.closest(".nl-chips");
      drop = null;
      if (winner) {
        drop = () => winner.ntaWin(name);
        mark(winner, "nl-dropwin");
      } else if (row) {
        const { chips, insert } = row.ntaDrop;
        const i = chips.findIndex((c) => {
          const r = c.chip.getBoundingClientRect();
          return e.clientX < r.left + r.width / 2;
        });
        const to = i < 0 ? chips.length : i;
        drop = () => (row === home ? moveTo(to) : insert(to, name));
        mark(chips[to]?.chip ?? chips.winner, "nl-drop");
      } else mark(null);
    },
    { signal },
  );
  const end = (e) => {
    gone.abort();
    mark(null);
    ghost?.remove();
    if (ghost && e.type === "pointerup") setTimeout(() => drop?.()); // after the click that ends the drag
  };
  for (const type of ["pointerup", "pointercancel"]) {
    document.addEventListener(type, end, { signal });
  }
}
