// A dialog that passes a link on: copied, written out, and as a QR code drawn here.

import { renderSVG } from "uqr";
import style from "./share.css";
import { button, element, setText } from "../shared/elements.js";

const HERE = "It leads to a file on this machine: elsewhere it opens nothing.";
const LONG = "It is too long for a QR code.";
const QUIET = 4; // modules of white around a code, as its standard asks

/** The code as a drawing, or null for a link that is too long for one. */
function drawCode(address) {
  try {
    const svg = renderSVG(address, { ecc: "L", boostEcc: true, border: QUIET });
    const code = element("div", {
      class: "nta-code",
      role: "img",
      "aria-label": "The link as a QR code",
    });
    code.innerHTML = svg;
    return code;
  } catch {
    return null;
  }
}

async function copy(address) {
  try {
    await navigator.clipboard.writeText(address);
    return true;
  } catch {
    return false;
  }
}

/** Show a link; a promise that is kept when the dialog is there. */
async function open(address) {
  document.querySelector("dialog.nta-share")?.remove();
  const before = document.activeElement;
  const said = element("p", { role: "status" });
  const field = element("input", {
    readonly: "",
    value: address,
    "aria-label": "The link",
    onfocus: () => field.select(),
  });
  const code = drawCode(address);
  const hints = [!code && LONG, address.startsWith("file:") && HERE].filter(Boolean).join(" ");
  const tell = async () => {
    const copied = await copy(address);
    if (!copied) field.select();
    setText(said, copied ? "The link is copied." : "Press Ctrl+C to copy the link.");
  };
  const dialog = element(
    "dialog",
    { class: "nta-share", "aria-label": "A link to what you see" },
    element("style", { say: style }),
    code,
    field,
    element(
      "div",
      { class: "nta-share-buttons" },
      button("Copy", tell),
      button("Close", () => dialog.close()),
    ),
    said,
    hints && element("p", { say: hints }),
  );
  dialog.addEventListener("close", () => {
    dialog.remove();
    before?.focus({ preventScroll: true });
  });
  dialog.addEventListener("click", ({ target }) => target === dialog && dialog.close());
  document.body.append(dialog);
  dialog.showModal();
  await tell();
}

globalThis.ntaShare = { open };
