// Storage that throws, is full, or holds what nobody wrote.  The theme remembers there whether the
// page is dark; its buttons would be dead on a page whose storage the browser refuses.

const MODES = ["auto", "light", "dark"];

/**
 * What a storage offers, never throwing.  What the one below it, if there is one, does not take is
 * kept for as long as the page is open; what that one holds can be read and removed.
 */
class Memory {
  #kept = new Map();
  #below;

  constructor(below) {
    this.#below = below;
  }

  #names() {
    const { length } = this.#below ?? [];
    const below = Array.from({ length }, (_, place) => this.#below.key(place));
    return [...new Set([...below, ...this.#kept.keys()])];
  }

  get length() {
    return this.#names().length;
  }

  key(place) {
    return this.#names()[place] ?? null;
  }

  getItem(name) {
    return this.#kept.get(String(name)) ?? this.#below?.getItem(name) ?? null;
  }

  setItem(name, value) {
    this.#kept.set(String(name), String(value));
    try {
      this.#below?.setItem(name, value);
      if (this.#below) this.#kept.delete(String(name));
    } catch {
      // it is still full
    }
  }

  removeItem(name) {
    this.#kept.delete(String(name));
    this.#below?.removeItem(name);
  }

  clear() {
    this.#kept.clear();
    this.#below?.clear();
  }

  /** Whether what was stored under a name outlives the page. */
  lasts(name) {
    return !this.#kept.has(name) && this.getItem(name) !== null;
  }
}

/** A storage of the browser, if it can at least be read. */
function readable(kind) {
  try {
    return globalThis[kind].length ? globalThis[kind] : null;
  } catch {
    return null;
  }
}

/** Put memory in the place of a storage that takes nothing, and before one that is full. */
function mend(kind) {
  try {
    globalThis[kind].setItem("nta-trial", "1");
    globalThis[kind].removeItem("nta-trial");
  } catch {
    const value = new Memory(readable(kind));
    Reflect.defineProperty(globalThis, kind, { value, configurable: true });
  }
}

/** Let the theme's scripts, which come later, find a storage that works and holds a known mode. */
export function mendStorage() {
  mend("localStorage");
  mend("sessionStorage");
  const { dataset } = document.documentElement;
  if (!MODES.includes(dataset.mode)) dataset.mode = "auto"; // the theme's scripts do the rest
}

/** Whether what is stored, or was stored under a name, outlives the page. */
export const storageLasts = (name) =>
  Object.prototype.toString.call(globalThis.localStorage) === "[object Storage]" ||
  globalThis.localStorage.lasts(name);
