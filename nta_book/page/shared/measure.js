// How wide a text is on the screen, so that nothing has to be cut.

const widths = new Map(); // "font text" -> pixels
let pen = null;

/** Width of a text in pixels; `font` is a CSS font such as "600 14.5px serif". */
export function textWidth(text, font) {
  const key = `${font} ${text}`;
  if (!widths.has(key)) {
    pen ??= document.createElement("canvas").getContext("2d");
    pen.font = font;
    widths.set(key, pen.measureText(text).width);
  }
  return widths.get(key);
}

/** Call `act` when fonts that were still missing have come: what was measured before is wrong. */
export function whenFontsChange(act, signal) {
  const renew = () => {
    widths.clear();
    act();
  };
  document.fonts?.addEventListener?.("loadingdone", renew, { signal });
}
