// Storage that throws, is full, or holds what nobody wrote.  The theme remembers there whether the
// page is dark; its buttons would be dead on a page whose storage the browser refuses.

const MODES = ["auto", "light", "dark"];

/** What a storage offers, for as long as the page is open. */
class Memory {
  #kept = new Map();

  get length() {
    return this.#kept.size;
  }

  key(place) {
    return [...this.#kept.keys()][place] ?? null;
  }

  getItem(name) {
    return this.#kept.get(String(name)) ?? null;
  }

  setItem(name, value) {
    this.#kept.set(String(name), String(value));
  }

  removeItem(name) {
    this.#kept.delete(String(name));
  }

  clear() {
    this.#kept.clear();
  }
}

/** Put memory in the place of a storage that takes nothing. */
function mend(kind) {
  try {
    globalThis[kind].setItem("nta-trial", "1");
    globalThis[kind].removeItem("nta-trial");
  } catch {
    Reflect.defineProperty(globalThis, kind, { value: new Memory(), configurable: true });
  }
}

/** Let the theme's scripts, which come later, find a storage that works and holds a known mode. */
export function mendStorage() {
  mend("localStorage");
  mend("sessionStorage");
  const { dataset } = document.documentElement;
  if (!MODES.includes(dataset.mode)) dataset.mode = "auto"; // the theme's scripts do the rest
}

/** Whether what is stored outlives the page. */
export const storageLasts = () =>
  Object.prototype.toString.call(globalThis.localStorage) === "[object Storage]";
