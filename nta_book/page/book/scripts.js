// Scripts that only some pages need, loaded when one of them does.

// Scripts are found beside this one, also on file://.
const home = document.currentScript.src;
const loading = new Map();

/** The address of a file of the book that lies beside this script, or below it. */
export const addressOf = (name) => new URL(name, home).href;

/** Load a script of the book once; a promise.  What could not be loaded may be asked for again. */
export function loadScript(name) {
  if (!loading.has(name)) {
    const script = insertScript(name);
    script.catch(() => loading.delete(name)); // whoever asks again may have a network again
    loading.set(name, script);
  }
  return loading.get(name);
}

function insertScript(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = addressOf(name);
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${name} could not be loaded`));
    document.head.append(script);
  });
}
