// Keys and fingers that walk through slides, without taking a key from what has the focus.

const ROLES = ["slider", "radio", "tab", "menuitem", "option", "spinbutton", "application"];
const WITH_ROLES = ROLES.map((role) => `[role="${role}"]`).join();
const OWN_ARROWS = `input, select, textarea, [contenteditable], .nta-lab, ${WITH_ROLES}`;
const OWN_SPACE = `${OWN_ARROWS}, button, summary, a[href]`;
const OWN_SWIPES = "input, .nta-plot, .nta-lab, .nta-widget";
const SHORTEST_SWIPE = 60; // pixels

const STEPS = {
  ArrowRight: 1,
  ArrowDown: 1,
  PageDown: 1,
  " ": 1,
  ArrowLeft: -1,
  ArrowUp: -1,
  PageUp: -1,
  Home: -Infinity,
  End: Infinity,
};

/** Whether the key belongs to what has the focus.  The page keys of a remote never do. */
function isTaken({ key, target }) {
  if (key.startsWith("Page")) return Boolean(target.closest("textarea"));
  return Boolean(target.closest(key === " " ? OWN_SPACE : OWN_ARROWS));
}

/**
 * Listen until `signal` is aborted: `step(by)` walks, by one or to an end; `others` are what other
 * keys do.
 */
export function listen(signal, step, others) {
  addEventListener(
    "keydown",
    (event) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented, target } = event;
      if (ctrlKey || metaKey || altKey || !target.closest) return;
      // The theme claims every Escape for its search; a lab does so for what it has opened.
      if (defaultPrevented && (key !== "Escape" || target.closest(".nta-lab"))) return;
      if (document.querySelector("dialog[open]")) return;
      if (key in STEPS && !isTaken(event)) {
        event.preventDefault();
        step(key === " " && shiftKey ? -1 : STEPS[key]);
      } else if (
        key in others &&
        !target.closest("textarea, [contenteditable], input[type=text]")
      ) {
        event.preventDefault();
        others[key]();
      }
    },
    { signal },
  );
  let began = null;
  addEventListener(
    "touchstart",
    ({ target, touches }) => {
      began = touches.length === 1 && !target.closest(OWN_SWIPES) ? touches[0] : null;
    },
    { signal, passive: true },
  );
  addEventListener(
    "touchend",
    ({ changedTouches: [end] }) => {
      if (!began) return;
      const across = end.clientX - began.clientX;
      const along = end.clientY - began.clientY;
      began = null;
      if (Math.abs(across) > Math.max(SHORTEST_SWIPE, 2 * Math.abs(along))) {
        step(-Math.sign(across));
      }
    },
    { signal, passive: true },
  );
}
