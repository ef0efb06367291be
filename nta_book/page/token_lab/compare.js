// Two runs side by side: the pinned one and the one that is under way.

import { counted, show } from "./words.js";
import { button, element } from "../shared/elements.js";

/** The settings of a run in a few words. */
export function describeSettings({ normalized, eta, shrinking, loss, seed }) {
  const descent = normalized ? "normalized" : "plain";
  const steps = shrinking ? `${eta}/√t` : `${eta}`;
  const start = seed === null ? "from W = 0" : `from random ${seed}`;
  return `${descent} steps of ${steps}, ${loss} loss, ${start}`;
}

/** What is compared: its name, how it reads in a run { name, settings, now }. */
const LINES = [
  ["Races", ({ name }) => name],
  ["Settings", ({ settings }) => describeSettings(settings)],
  ["Steps", ({ now }) => counted(now.steps)],
  ["Loss", ({ now }) => show(now.loss)],
  ["Cosine", ({ now }) => show(now.cosine, 4)],
  ["Soft part", ({ now }) => show(now.distance)],
];

/** `nameOf(draft)` says which races a draft holds. */
export function compareView(ui, nameOf) {
  const { lab } = ui;
  const cells = LINES.map(([title]) => ({
    title,
    pinned: element("td"),
    now: element("td"),
  }));
  const rows = cells.map(({ title, pinned, now }) =>
    element("tr", null, element("th", { scope: "row", say: title }), pinned, now),
  );
  const heads = ["", "Pinned", "Now"].map((say) => element("th", { scope: "col", say }));
  const table = element(
    "table",
    null,
    element("thead", null, element("tr", null, ...heads)),
    element("tbody", null, ...rows),
  );
  const release = button("Unpin", () => ui.pin(false));
  const el = element(
    "section",
    { class: "nl-compare", "aria-label": "Two runs compared", hidden: "" },
    element(
      "div",
      { class: "nl-scroll", tabindex: 0, role: "region", "aria-label": "Both runs" },
      table,
    ),
    release,
  );
  const update = () => {
    el.hidden = !lab.pinned;
    if (el.hidden) return;
    const { settings, now, draft } = lab;
    const current = { name: nameOf(draft), settings, now };
    LINES.forEach(([, read], i) => {
      const [before, after] = [read(lab.pinned), read(current)];
      if (cells[i].pinned.textContent !== before) cells[i].pinned.textContent = before;
      if (cells[i].now.textContent !== after) cells[i].now.textContent = after;
      cells[i].now.classList.toggle("nl-differs", before !== after);
    });
  };
  return { el, update };
}
