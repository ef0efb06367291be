// The state of a lab in the address of its page.

import { decodeState } from "./share.js";

const PREFIX = "#lab="; // an ordinary anchor such as #play never starts like this
let owner = null; // the one lab of a page that keeps its state in the address

export const isTaken = () => owner !== null;

/** An address that opens this state on a page. */
export const linkTo = (page, code) => page + PREFIX + code;

/**
 * Keep the state of a lab in the address of the page.  `changed()` says whether the reader did
 * anything, `restore(state)` receives a state that was found, `refuse(sentence)` why it was not.
 */
export function keepAddress(lab, { changed, restore, refuse }) {
  const listening = new AbortController();
  const { signal } = listening;
  owner = lab;
  const write = () => {
    if (!changed()) return;
    const code = lab.code();
    // In the history too: there the state outlives a jump to a heading.
    history.replaceState({ ...history.state, ntaLab: code }, "", PREFIX + code);
  };
  const recall = () => {
    const { hash } = location;
    const code = hash.startsWith(PREFIX) ? hash.slice(PREFIX.length) : history.state?.ntaLab;
    if (!code || code === lab.code()) return;
    try {
      restore(decodeState(code));
    } catch (error) {
      refuse(error.message);
    }
  };
  addEventListener("hashchange", recall, { signal });
  addEventListener("pagehide", write, { signal });
  const leave = () => {
    listening.abort();
    owner = null;
  };
  return { write, recall, leave };
}
