// Scripts that only some pages need, loaded when one of them does.

// Scripts are found beside this one, also on file://.
const home = document.currentScript.src;
const loading = new Map();

/** Load a script of the book once; a promise. */
export function loadScript(name) {
  if (!loading.has(name)) loading.set(name, insertScript(name));
  return loading.get(name);
}

function insertScript(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL(name, home).href;
    script.onload = resolve;
    script.onerror = () => reject(new Error(`${name} is missing from this book`));
    document.head.append(script);
  });
}
