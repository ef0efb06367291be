// The state of a lab in the address of its page.

import { decodeState } from "./share.js";

const PREFIX = "#lab="; // an ordinary anchor such as #play never starts like this
const REST = 150; // milliseconds after which a page has stopped scrolling
let owner = null; // the one lab of a page that keeps its state in the address

export const isTaken = () => owner !== null;

/** An address that opens this state on a page. */
export const linkTo = (page, code) => page + PREFIX + code;

/**
 * Keep the state of a lab in the address of the page.  `code()` is the state, `changed()` says
 * whether the reader did anything, `restore(state)` receives a state that was found,
 * `refuse(sentence)` why it was not.
 */
export function keepAddress(root, { code, changed, restore, refuse }) {
  const listening = new AbortController();
  const { signal } = listening;
  owner = root;
  const write = () => {
    if (!changed()) return;
    const now = code();
    if (!now) return; // too many changes for an address
    // In the history too: there the state outlives a jump to a heading.
    history.replaceState({ ...history.state, ntaLab: now }, "", PREFIX + now);
  };
  /** The state in the address, or in the history; true if there was one and it is in force now. */
  const recall = () => {
    const { hash } = location;
    const found = hash.startsWith(PREFIX) ? hash.slice(PREFIX.length) : history.state?.ntaLab;
    if (!found || found === code()) return false;
    try {
      restore(decodeState(found));
      return true;
    } catch (error) {
      refuse(error.message);
      return false;
    }
  };
  let scrolling = 0;
  /** Note where on the screen the lab stands, for a reload; when the page goes it is too late. */
  const notePlace = () => {
    clearTimeout(scrolling);
    scrolling = setTimeout(() => {
      const ntaTop = Math.round(root.getBoundingClientRect().top);
      history.replaceState({ ...history.state, ntaTop }, "");
    }, REST);
  };
  /** After a reload: scroll to where the lab stood; without it the page was shorter. */
  const findPlace = () => {
    const place = history.state?.ntaTop;
    const [visit] = performance.getEntriesByType("navigation");
    if (place === undefined || !/reload|back_forward/.test(visit?.type)) return;
    scrollBy({ top: root.getBoundingClientRect().top - place, behavior: "instant" });
  };
  addEventListener("hashchange", recall, { signal });
  addEventListener("pagehide", write, { signal });
  addEventListener("scroll", notePlace, { signal, passive: true });
  const leave = () => {
    clearTimeout(scrolling);
    listening.abort();
    owner = null;
  };
  return { write, recall, findPlace, leave };
}
