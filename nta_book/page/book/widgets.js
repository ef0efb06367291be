// Widgets without a kernel: the ES module that anywidget would load, with a model of its own.

import { boxIn, fail, payload } from "./boxes.js";
import { loadScript } from "./scripts.js";

/** The part of anywidget's model that a page can keep: state and listeners. */
class Model {
  #state;
  #listeners = new Map();

  constructor(state) {
    this.#state = state;
  }

  get(name) {
    return this.#state[name];
  }

  set(name, value) {
    if (Object.is(this.#state[name], value)) return;
    this.#state[name] = value;
    this.#emit(`change:${name}`, value);
    this.#emit("change", value);
  }

  save_changes() {} // there is no one to tell

  on(events, listener) {
    for (const event of events.split(/\s+/)) {
      if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
      this.#listeners.get(event).add(listener);
    }
  }

  off(events, listener) {
    if (!events) this.#listeners.clear();
    for (const event of events?.split(/\s+/) ?? []) {
      if (listener) this.#listeners.get(event)?.delete(listener);
      else this.#listeners.delete(event);
    }
  }

  #emit(event, value) {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) {
      listener({ changed: {} }, value);
    }
  }
}

const modules = new Map();

function loadModule(name) {
  if (!modules.has(name)) modules.set(name, importModule(name));
  return modules.get(name);
}

/** Import from text: browsers refuse to import from file://, so the module comes as a string. */
async function importModule(name) {
  await loadScript(`esm/${name}.js`);
  const source = [globalThis.ntaESM[name], `\n//# sourceURL=nta/${name}.js`];
  const url = URL.createObjectURL(new Blob(source, { type: "text/javascript" }));
  const { default: made } = await import(url);
  return typeof made === "function" ? made() : made;
}

/** Start a widget in its place on the page. */
export async function mountWidget(widget) {
  try {
    const model = new Model(payload(widget));
    const { initialize, render } = await loadModule(widget.dataset.module);
    const el = boxIn(widget, "nta-widget-body");
    await initialize?.({ model, experimental: {} });
    await render({ model, el, experimental: {} });
    widget.dataset.state = "drawn";
  } catch (error) {
    fail(widget, "This explorer could not start", error);
  }
}
