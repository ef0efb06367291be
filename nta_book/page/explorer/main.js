/* Explorers on the built page: native controls over states that were drawn when the book was built.
 *
 * <section class="nta-explorer"> holds the JSON that nta_book.explore.Explorer made.  Pictures are
 * drawn by nta.drawPanel (nta-book.js).  decode() mirrors nta_book/explore/encode.py.
 */
(() => {
  "use strict";

  /** The words and the picture of one state. */
  function decode(code, state) {
    const at = (node) => {
      if ("k" in node) return node.k;
      if ("o" in node) return mapValues(node.o, at);
      if ("a" in node) return node.a.slice(0, at(node.n)).map(at);
      if ("l" in node) return node.l.map(at).join("\n");
      const value = node.t[code.columns[node.c][state]];
      return "p" in node ? value.map((i) => node.p[i]).join("\n") : value;
    };
    const expand = (value) => {
      if (typeof value === "string") {
        return value.replace(/[\ue000-\uf8ff]/g, (sign) => code.short[sign.charCodeAt(0) - 0xe000]);
      }
      if (Array.isArray(value)) return value.map(expand);
      return value && typeof value === "object" ? mapValues(value, expand) : value;
    };
    return code.short.length ? expand(at(code.tree)) : at(code.tree);
  }

  const mapValues = (object, f) =>
    Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value)]));

  let made = 0;

  function element(tag, attributes = {}, ...children) {
    const el = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") el.textContent = value;
      else if (value !== false && value != null) el.setAttribute(key, value === true ? "" : value);
    }
    el.append(...children);
    return el;
  }

  // ---- controls: each has el, index (get), show(index) and tells onMove ------------------------------
  function slider(control, onMove) {
    const id = `nta-control-${++made}`;
    const input = element("input", {
      type: "range",
      id,
      min: 0,
      max: control.values.length - 1,
      step: 1,
    });
    const output = element("output", { for: id, "aria-hidden": "true" }); // aria-valuetext says it already
    const say = () => {
      output.value = control.labels[+input.value];
      input.setAttribute("aria-valuetext", output.value);
    };
    input.addEventListener("input", () => {
      say();
      onMove();
    });
    const el = element(
      "div",
      { class: "nta-control nta-slider" },
      element("label", { for: id, text: control.label }),
      input,
      output,
    );
    const self = {
      el,
      get index() {
        return +input.value;
      },
      show(index) {
        input.value = index;
        say();
      },
    };
    // The widest label decides the width, so that the slider does not jump while it moves.
    output.style.minWidth = `${Math.max(...control.labels.map((label) => label.length))}ch`;
    if (control.play) el.append(playButton(self, control, onMove));
    return self;
  }

  function playButton(handle, control, onMove) {
    const last = control.values.length - 1;
    const button = element("button", {
      type: "button",
      class: "nta-play",
      text: "▶ play",
      "aria-label": `play ${control.label}`,
    });
    let timer = null;
    const stop = () => {
      clearInterval(timer);
      timer = null;
      button.textContent = "▶ play";
    };
    const step = () => {
      if (handle.index >= last || !button.isConnected) return stop();
      handle.show(handle.index + 1);
      onMove();
    };
    button.addEventListener("click", () => {
      if (timer) return stop();
      if (handle.index >= last) {
        handle.show(0);
        onMove();
      }
      button.textContent = "❚❚ pause";
      timer = setInterval(step, Math.max(90, 4000 / last));
    });
    handle.pause = stop;
    return button;
  }

  function choice(control, onMove) {
    if (control.values.length > 4) return select(control, onMove);
    const name = `nta-control-${++made}`;
    const inputs = control.labels.map((_, i) =>
      element("input", { type: "radio", name, value: i }),
    );
    const set = element(
      "fieldset",
      { class: "nta-control nta-choice" },
      element("legend", { text: control.label }),
      ...inputs.map((input, i) =>
        element("label", {}, input, element("span", { text: control.labels[i] })),
      ),
    );
    set.addEventListener("change", onMove);
    return {
      el: set,
      get index() {
        return inputs.findIndex((input) => input.checked);
      },
      show(index) {
        inputs[index].checked = true;
      },
    };
  }

  function select(control, onMove) {
    const id = `nta-control-${++made}`;
    const input = element(
      "select",
      { id },
      ...control.labels.map((label, i) => element("option", { value: i, text: label })),
    );
    input.addEventListener("change", onMove);
    return {
      el: element(
        "div",
        { class: "nta-control" },
        element("label", { for: id, text: control.label }),
        input,
      ),
      get index() {
        return +input.value;
      },
      show(index) {
        input.value = index;
      },
    };
  }

  function switchBox(control, onMove) {
    const input = element("input", { type: "checkbox" });
    input.addEventListener("change", onMove);
    return {
      el: element(
        "label",
        { class: "nta-control nta-switch" },
        input,
        element("span", { text: control.label }),
      ),
      get index() {
        return +input.checked;
      },
      show(index) {
        input.checked = Boolean(index);
      },
    };
  }

  const KINDS = { slider, choice, switch: switchBox };

  // ---- an explorer ---------------------------------------------------------------------------------
  function build(section, spec) {
    const picture = element("div", {
      class: "nta-picture",
      role: "group",
      "aria-label": spec.alt || spec.question,
    });
    const words = element("p", { class: "nta-words", role: "status", "aria-live": "polite" });
    let busy = false;
    let again = false;

    /** One redraw at work; after it only the newest state. */
    async function draw() {
      again = true;
      if (busy) return;
      busy = true;
      while (again) {
        again = false;
        await drawNow();
      }
      busy = false;
    }

    async function drawNow() {
      let state = 0;
      spec.controls.forEach((control, i) => {
        state = state * control.values.length + handles[i].index;
      });
      try {
        const { panel, words: said } = decode(spec.states, state);
        await nta.drawPanel(picture, panel);
        if (picture.dataset.state === "error") throw new Error("the picture could not be drawn");
        if (words.textContent !== said) words.textContent = said;
        section.dataset.index = state;
        section.dataset.state = "drawn";
      } catch (error) {
        section.dataset.state = "error";
        words.textContent = `This state could not be shown: ${error.message}`;
        console.error(error);
      }
    }

    const handles = spec.controls.map((control) => KINDS[control.kind](control, draw));
    const go = (indices) => {
      spec.controls.forEach((control, i) => {
        handles[i].pause?.();
        handles[i].show(indices[control.name] ?? control.default);
      });
      return draw();
    };
    const button = (label, indices) => {
      const el = element("button", { type: "button", text: label });
      el.addEventListener("click", () => go(indices));
      return el;
    };
    const bar = element(
      "div",
      { class: "nta-presets" },
      ...spec.presets.map((preset) => button(preset.label, preset.state)),
      button("reset", {}),
    );
    section.append(
      element("p", { class: "nta-question", text: spec.question }),
      element("div", { class: "nta-controls" }, ...handles.map((handle) => handle.el)),
      bar,
      picture,
      words,
    );
    return go({});
  }

  function start(section) {
    if (section.dataset.state) return undefined;
    section.dataset.state = "drawing";
    try {
      return build(
        section,
        JSON.parse(section.querySelector('script[type="application/json"]').textContent),
      );
    } catch (error) {
      section.dataset.state = "error";
      section.append(
        element("p", {
          class: "nta-error",
          role: "alert",
          text: `This explorer could not start: ${error.message}`,
        }),
      );
      console.error(error);
      return undefined;
    }
  }

  function startAll() {
    for (const section of document.querySelectorAll("section.nta-explorer")) {
      nta.whenNear(section, start);
    }
  }

  globalThis.ntaExplorer = { decode, start };
  // Deferred scripts run before DOMContentLoaded, so nta-book.js is there by then.
  if (document.readyState === "complete") startAll();
  else addEventListener("DOMContentLoaded", startAll);
})();
