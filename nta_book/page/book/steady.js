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

/** Stay where the address leads while the page grows, until the reader moves; a signal of that. */
function stayAtAnchor() {
  const moved = new AbortController();
  const { signal } = moved;
  const growth = new ResizeObserver(() => target()?.scrollIntoView({ behavior: "instant" }));
  for (const type of MOVES) addEventListener(type, () => moved.abort(), { signal, passive: true });
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
  const moved = target() && stayAtAnchor();
  if (!CSS.supports("overflow-anchor", "auto")) holdStill(moved);
}
