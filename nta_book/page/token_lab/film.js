// One step in slow motion: scores → softmax → mean → loss → push → step, for a chosen race.

import { FRAMES } from "./share.js";
import { counted, listing, show } from "./words.js";
import { named, sayMarked } from "../shared/marked.js";
import { percent, signed } from "../shared/numbers.js";
import { button, element, setText } from "../shared/elements.js";

const PACE = 2200; // milliseconds per frame when it plays

/** Columns of the table: what stands over it, from which frame on it is shown, its value. */
const COLUMNS = [
  ["score", 1, ({ score }) => signed(score)],
  ["e^score", 2, ({ power }) => show(power, 2)],
  ["share", 2, ({ share }) => `${percent(share)}%`],
  ["should be", 4, ({ wanted }) => `${100 * wanted}%`],
  ["push", 5, ({ push }) => signed(push)],
  ["W moves by", 6, ({ move }) => small(move)],
  ["share after", 7, ({ shareAfter }) => `${percent(shareAfter)}%`],
];
const NEWEST = [[], [0], [1, 2], [2], [3], [4], [5], [6]]; // columns that a frame speaks of

/** A small change with its sign, three decimals. */
const small = (value) =>
  Math.abs(value) < 5e-4 ? "0" : `${value > 0 ? "+" : "−"}${Math.abs(value).toFixed(3)}`;

/** Title and sentence of every frame. */
function scenes(step, names, settings, number) {
  const { runners, last, label, won, loss, runs } = step;
  const winner = named(names[label]);
  const lost =
    settings.loss === "log" ? "minus the logarithm of" : "the square of what is missing in";
  const highest = runners.reduce((a, b) => (b.share > a.share ? b : a));
  const up = runners.filter(({ push }) => push > 5e-4).map(({ token }) => named(names[token]));
  const down = runners.filter(({ push }) => push < -5e-4).map(({ token }) => named(names[token]));
  const shrunk = settings.shrinking ? `${settings.eta}/√${counted(number)}` : `${settings.eta}`;
  const rate = settings.normalized
    ? `step size ${shrunk} divided by the slope's length ${show(step.slope)}`
    : `step size ${shrunk}`;
  const after = runners.find(({ wanted }) => wanted)?.shareAfter ?? 0;
  return [
    ["The race", `The last token is ${named(names[last])}: only its column of W is read.`],
    ["Scores", `Each runner's score is one entry of W, in the column of ${named(names[last])}.`],
    [
      "Softmax",
      `e to each score (less the highest), counted as often as the token runs, over their sum ` +
        `${show(step.sum, 2)}: the shares. ${named(names[highest.token])} gets most, ` +
        `${percent(highest.share)}%.`,
    ],
    [
      "Mean",
      `The layer's output is the mean of the tokens by these shares; with one-hot tokens that is ` +
        `the shares themselves. ${winner} gets ${percent(won)}%.`,
    ],
    [
      "Loss",
      runs
        ? `${winner} should have had all. ` +
          `The loss of this race is ${lost} its share: ${show(loss)}.`
        : `${winner} does not run, so no share can go to it: the race is left out.`,
    ],
    [
      "Push",
      runs
        ? "What each share lacks is the push on its entry: " +
          `${up.length ? `${listing(up)} up` : "nobody up"}, ` +
          `${down.length ? `${listing(down)} down` : "nobody down"}; together zero.`
        : "No push.",
    ],
    [
      "All races",
      `The pushes of all races are averaged and multiplied by ${rate}: ` +
        "so far each entry of W moves.",
    ],
    [
      "Moved",
      `After the step ${winner} gets ${percentChange(won, after)}. ` +
        `Next: step ${counted(number + 1)}.`,
    ],
  ];
}

/** "from 40% to 43%"; where whole percents hide the change, with decimals. */
function percentChange(before, after) {
  if (percent(before) !== percent(after)) {
    return `${percent(after)}% instead of ${percent(before)}%`;
  }
  const digits = (share) => `${(100 * share).toFixed(3)}%`;
  if (digits(before) === digits(after)) return `${digits(after)}, as before to three decimals`;
  return `${digits(after)} instead of ${digits(before)}`;
}

/**
 * The film; `heat` is the map of W on which it points, and which stands beside it.
 * `ui.view.film` is [race, frame] while the film is open, else null.
 */
export function filmView(ui, heat) {
  const { lab } = ui;
  const scene = element("h4");
  const sentence = element("p", { class: "nl-scene", "aria-live": "polite" });
  const head = element("thead");
  const body = element("tbody");
  const raceName = element("p", { class: "nl-note" });
  const beside = element("div"); // room for the map of W while the film is open
  let timer = 0;

  const slider = element("input", {
    type: "range",
    min: 0,
    max: FRAMES - 1,
    "aria-label": "Frame",
    oninput: () => showFrame(Number(slider.value)),
  });
  const back = button("◀ Back", () => move(-1));
  const forward = button("Next ▶", () => move(1));
  const playButton = button("", () => (timer ? pause() : play()), { class: "nl-go" });
  const close = button("Close", () => ui.film(null));
  const picker = element("select", {
    "aria-label": "Race in slow motion",
    onchange: () => ui.film([picker.selectedIndex, 0]),
  });

  /** One frame on or back; beyond the ends lies the next step, or the one before. */
  function move(by) {
    const [race, frame] = ui.view.film;
    const next = frame + by;
    if (next >= FRAMES) {
      if (lab.isFull) return;
      ui.advance(1);
      ui.film([race, 1]);
    } else if (next < 0) {
      if (!lab.steps) return;
      lab.stepBack();
      ui.film([race, FRAMES - 1]);
    } else showFrame(next);
  }
  function showFrame(frame) {
    ui.film([ui.view.film[0], frame]);
  }
  function play() {
    timer = setInterval(() => move(1), PACE);
    update();
  }
  function pause() {
    clearInterval(timer);
    timer = 0;
    update();
  }

  /** Draw the frame; the film follows every edit. */
  function update() {
    el.hidden = !ui.view.film;
    if (!el.hidden && heat.el.parentNode !== beside) beside.append(heat.el);
    if (el.hidden) {
      clearInterval(timer);
      timer = 0;
      heat.point(new Map());
      return;
    }
    const { names, rows } = lab.data;
    const [race, frame] = ui.view.film;
    const step = lab.dissect(Math.min(race, rows.length - 1));
    if (!step) {
      ui.film(null);
      return;
    }
    fillPicker(names, rows, step.race);
    setText(playButton, timer ? "❚❚ Pause" : "▶ Play");
    back.disabled = !frame && !lab.steps;
    slider.value = frame;
    const [title, said] = scenes(step, names, lab.settings, lab.steps + 1)[frame];
    slider.setAttribute("aria-valuetext", title);
    setText(scene, `${frame + 1} of ${FRAMES} · ${title}`);
    setText(raceName, `Step ${counted(lab.steps + 1)}, seen from one race`);
    sayMarked(sentence, said);
    drawTable(step, names, frame);
    pointAt(step, frame);
  }
  function fillPicker(names, rows, race) {
    const said = rows.map(
      ({ tokens, label }) => `${tokens.map((token) => names[token]).join(" ")} → ${names[label]}`,
    );
    if (
      picker.options.length !== said.length ||
      said.some((s, i) => picker.options[i].text !== s)
    ) {
      picker.replaceChildren(...said.map((say) => element("option", { say })));
    }
    picker.selectedIndex = race;
  }
  function drawTable({ runners, label, last }, names, frame) {
    const columns = COLUMNS.filter(([, from]) => from <= frame);
    const fresh = new Set(NEWEST[frame].map((i) => COLUMNS[i]));
    const cellClass = (column) => (fresh.has(column) ? "nl-fresh" : null);
    head.replaceChildren(
      element(
        "tr",
        null,
        element("th", { scope: "col", say: "runner" }),
        ...columns.map((column) =>
          element("th", { scope: "col", class: cellClass(column), say: column[0] }),
        ),
      ),
    );
    body.replaceChildren(
      ...runners.map((runner) => {
        const { token, count } = runner;
        const star = token === label ? "★ " : "";
        const times = count > 1 ? ` ×${count}` : "";
        const name = element("th", {
          scope: "row",
          class: token === last && "nl-lasthead",
          say: `${star}${names[token]}${times}`,
        });
        const cells = columns.map((column) =>
          element("td", { class: cellClass(column), say: column[2](runner) }),
        );
        return element("tr", null, name, ...cells);
      }),
    );
  }
  /** The entries of W that a frame speaks of. */
  function pointAt({ runners, moves }, frame) {
    const marks = new Map();
    if (frame < 5) for (const { cell } of runners) marks.set(cell, "");
    if (frame === 5) for (const { cell, push } of runners) marks.set(cell, push > 0 ? "▲" : "▼");
    if (frame > 5) {
      moves.forEach((by, cell) => {
        if (small(by) !== "0") marks.set(cell, small(by));
      });
    }
    heat.point(marks);
  }

  const el = element(
    "section",
    {
      class: "nl-film",
      "aria-label": "One step in slow motion",
      hidden: "",
      onkeydown: (event) => {
        if (/INPUT|SELECT/.test(event.target.tagName)) return;
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (!by) return;
        event.preventDefault();
        move(by);
      },
    },
    element("div", { class: "nl-bar" }, element("h3", { say: "One step in slow motion" }), close),
    element(
      "div",
      { class: "nl-reel" },
      element(
        "div",
        null,
        element("label", { class: "nl-pick" }, element("span", { say: "Race" }), picker),
        element("div", { class: "nl-bar" }, back, playButton, forward, slider),
        scene,
        sentence,
        element(
          "div",
          { class: "nl-scroll", tabindex: 0, role: "region", "aria-label": "Numbers of the step" },
          element("table", { class: "nl-numbers" }, head, body),
        ),
        raceName,
      ),
      beside,
    ),
  );
  return { el, update, pause, leave: () => clearInterval(timer) };
}
