// A page that keeps its place: what one reads does not move when things above it get their size.

const PARTS = ".nta-fig, .nta-explorer, .nta-widget";
const MOVES = ["wheel", "touchstart", "keydown", "pointerdown"];

/** The element that the address of the page names, if it is an ordinary anchor. */
function target() {
  try {
    return document.getElementById(decodeURIComponent(location.hash.slice(1)));
  } catch {
    return null; // no name of anything
  }
}

const key = () => `nta-place ${location.href}`;

/** Note where on the screen the anchor is, for a reload and for Back. */
function notePlace() {
  const el = target();
  if (el) sessionStorage.setItem(key(), Math.round(el.getBoundingClientRect().top));
}

/** Where it was when the reader left this page, or null for one who follows a link. */
function placeLeft() {
  const [visit] = performance.getEntriesByType("navigation");
  const again = /reload|back_forward/.test(visit?.type);
  return again ? sessionStorage.getItem(key()) : null;
}

/**
 * Stay where the address leads, or where the reader had gone on to from there, while the page
 * grows, until the reader moves; a signal of that.  Not every browser knows the place again:
 * WebKit goes to the anchor.
 */
function stayInPlace() {
  const moved = new AbortController();
  const { signal } = moved;
  let left = placeLeft();
  const go = () => {
    const el = target();
    if (!el) return;
    if (left === null) el.scrollIntoView({ behavior: "instant" });
    else scrollBy({ top: el.getBoundingClientRect().top - left, behavior: "instant" });
  };
  const growth = new ResizeObserver(go);
  for (const type of MOVES) addEventListener(type, () => moved.abort(), { signal, passive: true });
  addEventListener("hashchange", () => (left = null), { signal });
  addEventListener("load", go, { signal });
  signal.addEventListener("abort", () => growth.disconnect());
  growth.observe(document.body);
  return signal;
}

/** Hold the page still where the browser does not, as WebKit does not; `moved` from an anchor. */
function holdStill(moved) {
  const heights = new Map();
  const keeper = new ResizeObserver((entries) => {
    for (const { target: part } of entries) {
      const { height, bottom } = part.getBoundingClientRect();
      const grown = height - (heights.get(part) ?? height);
      heights.set(part, height);
      if (grown && bottom - grown <= 0 && moved?.aborted !== false) {
        scrollBy({ top: grown, behavior: "instant" });
      }
    }
  });
  for (const part of document.querySelectorAll(PARTS)) keeper.observe(part);
}

/** Keep the place of the reader, and the one an address leads to. */
export function keepPlace() {
  const moved = target() && stayInPlace();
  // Telephones drop a page that is not seen, and do not say when.
  for (const type of ["pagehide", "visibilitychange"]) addEventListener(type, notePlace);
  if (!CSS.supports("overflow-anchor", "auto")) holdStill(moved);
}
