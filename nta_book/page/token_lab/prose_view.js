// Paste prose, choose a window, get races.

import { PROSE } from "./examples.js";
import { WINDOWS, cutProse, proseDraft } from "./prose.js";
import { LIMITS } from "./text.js";
import { named, sayMarked } from "../shared/marked.js";
import { button, element, pick } from "../shared/elements.js";

const REST = 200; // milliseconds without a key before a long text is cut again
const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

/** What came out, in sentences. */
function describe(cut, size) {
  const { words, distinct, windows, holding, fitting, races } = cut;
  if (!words) return "Paste a text: every word is asked which of the words before it comes again.";
  if (!windows) {
    return `${count(words, "word")}: too few for a window of ${size} and the next word.`;
  }
  const share = `${((100 * holding) / windows).toFixed(0)}%`;
  const said = [
    `${count(words, "word")}, ${distinct.toLocaleString("en")} of them different, ` +
      `${count(windows, "window")} of ${size}.`,
    `${holding.toLocaleString("en")} (${share}) hold their winner: ` +
      `the next word is one of the ${size}.`,
  ];
  if (!holding) said.push("Choose a longer window, or a text that repeats itself.");
  if (fitting < holding) {
    said.push(
      `The lab holds ${LIMITS.tokens} tokens: with the words that run most often ` +
        `${count(fitting, "race")} remain${fitting === 1 ? "s" : ""}.`,
    );
  }
  if (races.length < fitting) said.push(`It holds ${LIMITS.races} races: the first are taken.`);
  return said.join(" ");
}

export function proseView(ui) {
  const summary = element("p", { "aria-live": "polite" });
  const samples = element("ul");
  const sampleTitle = element("p", { class: "nl-note" });
  let size = 4;
  let cut = null;
  let timer = 0;

  const area = element("textarea", {
    rows: 5,
    "aria-label": "Prose to cut into races",
    placeholder: "Paste a paragraph here",
    maxlength: LIMITS.text,
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(update, REST);
    },
  });
  const use = button(
    "Use these races",
    () => {
      update();
      if (cut.races.length) ui.edit(proseDraft(cut, size), null, { fresh: true });
    },
    { class: "nl-go" },
  );
  function update() {
    cut = cutProse(area.value, size);
    sayMarked(summary, describe(cut, size));
    use.disabled = !cut.races.length;
    use.textContent = cut.races.length
      ? `Use ${count(cut.races.length, "race")}`
      : "Use these races";
    sampleTitle.textContent = cut.others.length
      ? "Some of the others, whose next word is new:"
      : "";
    samples.replaceChildren(
      ...cut.others.map(({ tokens, label }) => {
        const row = element("li");
        sayMarked(row, `${tokens.join(" ")} → ${named(label)}`);
        return row;
      }),
    );
  }
  const window = pick(
    "Window",
    WINDOWS.map((words) => [words, `${words} words`]),
    (value) => {
      size = value;
      update();
    },
  );
  window.set(size);
  const sample = button("Try a sample", () => {
    area.value = PROSE;
    update();
  });
  update();
  return {
    el: element(
      "details",
      { class: "nl-prose" },
      element("summary", { say: "From prose: paste a text and have it cut into races" }),
      area,
      element("div", { class: "nl-bar" }, window.el, sample, use),
      summary,
      sampleTitle,
      samples,
      element("p", {
        class: "nl-note",
        say:
          "Words are lower-cased and punctuation is left out; windows run over the ends of " +
          `sentences. At most ${LIMITS.text.toLocaleString("en")} characters, ${LIMITS.tokens} ` +
          `different words of ${LIMITS.name} letters, ${LIMITS.races} races.`,
      }),
    ),
    leave: () => clearTimeout(timer),
  };
}
