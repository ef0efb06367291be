// What every page offers at once: a key and a button that turn it into slides, and links to share.
// The scripts behind them are loaded when they are asked for.

import { loadScript } from "../book/scripts.js";
import { button, element } from "../shared/elements.js";

const SHOWN = ":is(.nta-explorer, .nta-fig, .nta-widget, .predict, .say)";
const NAME = "Present this page as slides (p)";
const TYPING = "input, select, textarea, [contenteditable]";

/** Copy a link and show it as a QR code; a promise. */
export async function shareLink(address) {
  await loadScript("nta-share.js");
  return globalThis.ntaShare.open(address);
}

/** Turn the page into slides, at the place that is read now or at a slide; a promise. */
export async function present(number) {
  await loadScript("nta-present.js");
  return globalThis.ntaPresent.start(number);
}

/** Offer slides where there is something to show. */
export function offerSlides() {
  if (!document.querySelector(`article ${SHOWN}`)) return;
  const icon = element("i", { class: "fa-solid fa-person-chalkboard", "aria-hidden": "true" });
  const open = button("", () => present(), {
    class: "btn btn-sm pst-navbar-icon nta-present-button",
    title: NAME,
    "aria-label": NAME,
  });
  open.append(icon);
  document.querySelector(".article-header-buttons")?.prepend(open);
  addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== "p" || ctrlKey || metaKey || altKey || event.defaultPrevented) return;
    if (target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    present();
  });
  const asked = new URLSearchParams(location.search).get("present");
  if (asked !== null) present(Number.parseInt(asked, 10) || 1);
}
