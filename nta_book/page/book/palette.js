// Colours of plots.  A figure names its colours by values that are readable on any paper, one for
// each role of nta_book/viz/theme.py (a test compares the two); the page draws the role in the
// colours of its theme.

const ROLES = {
  "#ffffff": "paper",
  "#6e7074": "ink",
  "#6c7680": "muted",
  "#c9ced6": "line",
  "#d55e00": "winner",
  "#5f6b7a": "input",
  "#cc79a7": "last",
  "#0072b2": "league-1",
  "#009e73": "league-2",
  "#b97f00": "league-3",
  "#66758a": "league-4",
  "#3a93c8": "practice",
  "#707070": "theory",
  "#6b7480": "compare-1",
  "#717b87": "compare-2",
  "#8b949f": "compare-3",
  "#3a94c8": "loss-log",
  "#7a5ba8": "loss-squared",
  "#8f5d3d": "loss-squared-softmax",
  "#b8375c": "loss-cross-entropy",
  "#6a7a1c": "loss-correlation",
  "#f0e442": "highlight",
  "#1b1f25": "on-highlight",
};
const HEX = /^#[0-9a-f]{6}$/i;
const RGBA = /^rgba\((\d+), ?(\d+), ?(\d+), ?([\d.]+)\)$/;

const twoDigits = (channel) => Number(channel).toString(16).padStart(2, "0");
const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

/** One colour in the theme's own; what names no role stays. */
function translated(value, colourOf) {
  if (HEX.test(value)) {
    const role = ROLES[value.toLowerCase()];
    return role ? colourOf(role) : value;
  }
  const [, red, green, blue, strength] = RGBA.exec(value) ?? [];
  if (strength === undefined) return value;
  const role = ROLES[`#${[red, green, blue].map(twoDigits).join("")}`];
  return role ? `rgba(${channels(colourOf(role)).join(",")},${strength})` : value;
}

/**
 * A figure, or a part of it, with its colours translated; `colourOf` gives the hex value of a role.
 * Arrays of numbers (also plotly's packed ones) are handed on as they are.
 */
export function inTheme(part, colourOf) {
  if (typeof part === "string") return translated(part, colourOf);
  if (Array.isArray(part)) {
    return typeof part[0] === "number" ? part : part.map((item) => inTheme(item, colourOf));
  }
  if (part === null || typeof part !== "object" || "bdata" in part) return part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, inTheme(value, colourOf)]),
  );
}
