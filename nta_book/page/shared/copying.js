// Buttons that copy something; what was copied is shown too, for where copying is refused.

import { button, element, setText } from "./elements.js";

/** `say` speaks a sentence in the lab; returns the place of the text and a maker of buttons. */
export function makeCopying(say) {
  const shown = element("textarea", {
    class: "nl-copy",
    readonly: "",
    rows: 8,
    hidden: "",
    "aria-label": "To copy",
  });
  const beside = element("span", { class: "nl-note", "aria-hidden": "true" });
  /** Whether the browser took the text. */
  const copied = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return false;
    }
  };
  const copyButton = (what, make) =>
    button(`Copy ${what}`, async ({ target }) => {
      shown.value = make();
      if (!shown.value) {
        say(`This run has too many changes for a ${what}: copy the Python instead.`);
        return;
      }
      shown.hidden = false;
      shown.select();
      const done = await copied(shown.value);
      const sentence = done ? `The ${what} is copied.` : `Press Ctrl+C to copy the ${what}.`;
      say(sentence);
      target.after(beside); // the lab's words stand far above: say it here as well
      setText(beside, sentence);
    });
  /** Put away what was copied: it is no longer what the lab shows. */
  const forget = () => {
    shown.hidden = true;
    setText(beside, "");
  };
  return { shown, copyButton, forget };
}
