// Scripts that only some pages need, loaded when one of them does.

// Scripts are found beside this one, also on file://.
const home = globalThis.document?.currentScript?.src; // Node has none
const loading = new Map();

/** Something came in the place of a script, such as a page that asks to log in. */
export class Strange extends Error {}

/** The address of a file of the book that lies beside this script, or below it. */
export const addressOf = (name) => new URL(name, home).href;

/** What a reader is told instead of an address. */
const called = (address) => address.replace(addressOf("."), "");

/**
 * Load a script of the book once; a promise.  `found` tells whether what the script leaves behind
 * is there.  What could not be loaded may be asked for again.
 */
export function loadScript(name, found = () => true) {
  if (!loading.has(name)) {
    const script = runScript(addressOf(name), found);
    loading.set(name, script);
    // whoever asks again may have a network again, or have logged in
    script.then(found, () => false).then((isThere) => isThere || loading.delete(name));
  }
  return loading.get(name);
}

/** Run a script; when it leaves nothing behind, once more, past what the browser keeps. */
export async function runScript(address, found) {
  await insertScript(address);
  if (found() || location.protocol === "file:") return;
  const answer = await fetch(address, { cache: "reload" });
  if (!answer.ok || /^\s*</.test(await answer.text())) {
    throw new Strange(`${called(address)} is no script`);
  }
  await insertScript(address);
}

function insertScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${called(address)} could not be loaded`));
    document.head.append(script);
  });
}
