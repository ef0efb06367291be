// Motion: when a drawing changes, what stays moves to its new place, and what is new fades in.
//
// The new drawing is in place at once and only looks as if it came from the old one (Web
// Animations): whoever reads the page meanwhile reads the new state, and nobody waits.

const LONGEST = 240; // milliseconds
const SHORTEST = 60; // below, motion is only flicker
const MOST_MARKS = 600;
const EASING = "cubic-bezier(0.2, 0.7, 0.2, 1)";
const BOXES = { rect: ["x", "y", "width", "height"], circle: ["cx", "cy", "r"] };
const NUMBERS = /-?\d+(?:\.\d+)?/g;

const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** What can move in a drawing, by kind of mark: its attributes and its words. */
function marksOf(svg) {
  const kinds = new Map();
  for (const el of svg?.querySelectorAll("rect, circle, text, polygon, polyline, path") ?? []) {
    const look = Object.fromEntries([...el.attributes].map(({ name, value }) => [name, value]));
    // Bars among bars, stars among stars: marks of one kind are drawn alike.
    const kind = [el.tagName, look.fill, look.stroke, look["stroke-dasharray"]].join(" ");
    if (!kinds.has(kind)) kinds.set(kind, []);
    kinds.get(kind).push({ el, look });
  }
  return kinds;
}

/** Where a mark without width and height stands, and its shape there. */
function placed({ tagName }, look) {
  if (tagName === "text") return { at: [Number(look.x), Number(look.y)], shape: "" };
  const numbers = ((look.points ?? look.d ?? "").match(NUMBERS) ?? []).map(Number);
  const at = numbers.slice(0, 2);
  return { at, shape: numbers.map((value, i) => Math.round(value - at[i % 2])).join(" ") };
}

/** The first frame of a mark that was elsewhere; nothing where it has not changed. */
function cameFrom(old, { el, look }) {
  const box = BOXES[el.tagName];
  if (box) {
    const changed = box.filter((name) => old.look[name] !== look[name]);
    if (!changed.length) return null;
    return Object.fromEntries(changed.map((name) => [name, `${old.look[name]}px`]));
  }
  const [before, now] = [placed(el, old.look), placed(el, look)];
  const [dx, dy] = now.at.map((value, i) => before.at[i] - value);
  if (before.shape !== now.shape) return { opacity: 0.2 };
  return dx || dy ? { transform: `translate(${dx}px, ${dy}px)` } : null;
}

/**
 * Replace a drawing by another and let the marks travel.  `change` puts the new drawing in place;
 * states that follow each other faster than a motion lasts get a shorter one.
 */
export function withMotion(box, change) {
  const now = performance.now();
  const duration = Math.min(LONGEST, now - (box.ntaChanged ?? -Infinity));
  box.ntaChanged = now;
  const old = box.querySelector("svg");
  const still = !old || calm.matches || duration < SHORTEST || document.hidden;
  const before = still ? null : marksOf(old);
  const view = old?.getAttribute("viewBox");
  change();
  if (still) return;
  const svg = box.querySelector("svg");
  const after = marksOf(svg);
  // Another paper: what stands at the same numbers stands elsewhere.
  if (svg?.getAttribute("viewBox") !== view) return;
  const count = [...after.values()].reduce((sum, marks) => sum + marks.length, 0);
  if (count > MOST_MARKS) return;
  for (const [kind, marks] of after) {
    const earlier = before.get(kind) ?? [];
    marks.forEach((mark, i) => {
      const from = earlier.length === marks.length ? cameFrom(earlier[i], mark) : { opacity: 0 };
      if (from) mark.el.animate([from, {}], { duration, easing: EASING });
    });
  }
}
