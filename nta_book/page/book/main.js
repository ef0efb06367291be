/* The page runtime: draws pictures and hosts widgets with no kernel and no network.
 *
 * window.nta.drawPanel(el, panel)  draw or update a picture in el (a promise)
 * window.nta.whenNear(el, start)   call start(el) once, when el comes near the screen
 *
 * A panel is {kind: "plotly", alt, figure} | {kind: "svg", alt, svg} | {kind: "panels", columns, items}.
 */
(() => {
  "use strict";

  const page = document.documentElement;
  const home = document.currentScript.src; // scripts below are found beside this one, also on file://

  // ---- scripts on demand -------------------------------------------------------------------------
  const loading = new Map();

  function loadScript(name) {
    if (!loading.has(name)) {
      loading.set(
        name,
        new Promise((resolve, reject) => {
          const script = document.createElement("script");
          script.src = new URL(name, home).href;
          script.onload = resolve;
          script.onerror = () => reject(new Error(`${name} is missing from this book`));
          document.head.append(script);
        }),
      );
    }
    return loading.get(name);
  }

  // ---- colours of the page -----------------------------------------------------------------------
  const colour = (name) => getComputedStyle(page).getPropertyValue(name).trim();

  const templates = new Map(); // asking for computed styles while a slider moves would cost a layout

  function template(titled) {
    const key = `${page.dataset.theme} ${titled}`;
    if (!templates.has(key)) templates.set(key, makeTemplate(titled));
    return templates.get(key);
  }

  function makeTemplate(titled) {
    const text = colour("--nta-ink");
    const line = colour("--nta-line");
    const clear = "rgba(0,0,0,0)";
    const axis = {
      gridcolor: colour("--nta-grid"),
      linecolor: line,
      zerolinecolor: line,
      automargin: true,
    };
    const axis3d = { ...axis, showbackground: false };
    return {
      layout: {
        paper_bgcolor: clear,
        plot_bgcolor: clear,
        font: { color: text, family: colour("--pst-font-family-base") || "sans-serif", size: 14 },
        colorway: colour("--nta-colorway").split(/\s*,\s*/),
        xaxis: axis,
        yaxis: axis,
        scene: { xaxis: axis3d, yaxis: axis3d, zaxis: axis3d },
        hoverlabel: {
          bgcolor: colour("--pst-color-surface"),
          bordercolor: line,
          font: { color: text },
        },
        legend: { bgcolor: clear },
        modebar: { bgcolor: clear, color: colour("--nta-muted"), activecolor: text },
        margin: { t: titled ? 48 : 16, r: 16, b: 48, l: 56 },
      },
    };
  }

  // ---- pictures ----------------------------------------------------------------------------------
  const drawings = new Map(); // element -> the panel it shows, to draw it again in other colours
  const busy = new WeakMap();

  /** Never let a fast hand queue up redraws: one at work, and after it only the newest. */
  function drawPanel(el, panel) {
    const slot = busy.get(el);
    if (slot) {
      slot.next = panel;
      return slot.done;
    }
    const mine = { next: panel };
    busy.set(el, mine);
    mine.done = (async () => {
      try {
        while (mine.next) {
          const current = mine.next;
          mine.next = null;
          await drawNow(el, current);
        }
        el.querySelector(":scope > .nta-error")?.remove();
        el.dataset.state = "drawn";
      } catch (error) {
        fail(el, "This picture could not be drawn", error);
      } finally {
        busy.delete(el);
      }
    })();
    return mine.done;
  }

  async function drawNow(el, panel) {
    if (el.dataset.kind !== panel.kind) clear(el);
    el.dataset.kind = panel.kind;
    if (panel.kind === "panels") return drawPanels(el, panel);
    drawings.set(el, panel);
    if (panel.kind === "svg") return drawSvg(el, panel);
    if (panel.kind === "plotly") return drawPlot(el, panel);
    throw new Error(`unknown kind of picture: ${panel.kind}`);
  }

  function clear(el) {
    for (const plot of el.querySelectorAll(".nta-plot")) globalThis.Plotly?.purge(plot);
    for (const child of [...el.children]) {
      if (!child.matches("script, noscript, figcaption")) child.remove();
    }
  }

  function child(el, className) {
    let box = [...el.children].find((c) => c.classList.contains(className));
    if (!box) {
      box = document.createElement("div");
      box.className = className;
      el.append(box);
    }
    return box;
  }

  function drawSvg(el, panel) {
    const box = child(el, "nta-drawing");
    box.setAttribute("role", "img");
    box.setAttribute("aria-label", panel.alt);
    box.innerHTML = panel.svg;
  }

  async function drawPlot(el, panel) {
    await loadScript("plotly.min.js");
    const plot = child(el, "nta-plot");
    // Not role=img: the plot holds buttons.  The group around it carries the description.
    plot.setAttribute("role", "group");
    plot.setAttribute("aria-label", panel.alt);
    const { data, layout } = panel.figure;
    const { shapes = [], meta, ...rest } = layout;
    // Often only a marker of "now" moves: then the curves need not be drawn again.
    const curves = JSON.stringify([data, rest, page.dataset.theme]);
    if (plot.ntaCurves === curves) return Plotly.relayout(plot, { shapes });
    plot.style.height = `${layout.height || 420}px`;
    await Plotly.react(
      plot,
      data,
      {
        ...layout,
        width: undefined,
        autosize: true,
        template: template(Boolean(layout.title?.text)),
      },
      {
        responsive: true,
        displaylogo: false,
        showSendToCloud: false, // plotly.js 4 offers to upload figures
        displayModeBar: matchMedia("(hover: none)").matches ? false : "hover",
        modeBarButtonsToRemove: ["lasso2d", "select2d"],
      },
    );
    plot.ntaCurves = curves;
  }

  async function drawPanels(el, panel) {
    const grid = child(el, "nta-panels");
    grid.style.setProperty("--nta-columns", panel.columns || panel.items.length);
    while (grid.children.length > panel.items.length) grid.lastElementChild.remove();
    while (grid.children.length < panel.items.length) {
      grid.append(Object.assign(document.createElement("div"), { className: "nta-panel" }));
    }
    await Promise.all(panel.items.map((item, i) => drawNow(grid.children[i], item)));
  }

  function fail(el, what, error) {
    el.dataset.state = "error";
    const note = child(el, "nta-error");
    note.setAttribute("role", "alert");
    note.textContent = `${what}: ${error.message}`;
    console.error(error);
  }

  const payload = (el) =>
    JSON.parse(el.querySelector(':scope > script[type="application/json"]').textContent);

  const drawFigure = (figure) => drawPanel(figure, payload(figure));

  // ---- widgets without a kernel ------------------------------------------------------------------
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
      if (!events) return this.#listeners.clear();
      for (const event of events.split(/\s+/)) {
        if (listener) this.#listeners.get(event)?.delete(listener);
        else this.#listeners.delete(event);
      }
    }
    #emit(event, value) {
      for (const listener of [...(this.#listeners.get(event) || [])]) {
        listener({ changed: {} }, value);
      }
    }
  }

  const modules = new Map();

  function loadModule(name) {
    if (!modules.has(name)) {
      modules.set(
        name,
        (async () => {
          await loadScript(`esm/${name}.js`);
          const source = [globalThis.ntaESM[name], `\n//# sourceURL=nta/${name}.js`];
          const url = URL.createObjectURL(new Blob(source, { type: "text/javascript" }));
          const { default: made } = await import(url);
          return typeof made === "function" ? made() : made;
        })(),
      );
    }
    return modules.get(name);
  }

  async function mountWidget(widget) {
    try {
      const model = new Model(payload(widget));
      const { initialize, render } = await loadModule(widget.dataset.module);
      const el = child(widget, "nta-widget-body");
      await initialize?.({ model, experimental: {} });
      await render({ model, el, experimental: {} });
      widget.dataset.state = "drawn";
    } catch (error) {
      fail(widget, "This explorer could not start", error);
    }
  }

  // ---- when ----------------------------------------------------------------------------------------
  const starters = new Map();
  const nearby = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) startNow(target);
    },
    { rootMargin: "600px 0px" },
  );

  function startNow(el) {
    const start = starters.get(el);
    starters.delete(el);
    nearby.unobserve(el);
    return start?.(el);
  }

  /** A closed dropdown is not near the screen: what it holds gets its true width when it opens. */
  function whenNear(el, start) {
    starters.set(el, start);
    nearby.observe(el);
  }

  function followTheme() {
    for (const [el, panel] of drawings) {
      if (!el.isConnected) drawings.delete(el);
      else if (panel.kind === "plotly") drawPanel(el, panel);
    }
  }

  function start() {
    for (const figure of document.querySelectorAll("figure.nta-fig:not([data-state])")) {
      whenNear(figure, drawFigure);
    }
    for (const widget of document.querySelectorAll(".nta-widget:not([data-state])")) {
      whenNear(widget, mountWidget);
    }
    new MutationObserver(followTheme).observe(page, {
      attributes: true,
      attributeFilter: ["data-theme"],
    });
    addEventListener("beforeprint", () => [...starters.keys()].forEach(startNow));
  }

  globalThis.nta = {
    drawPanel,
    whenNear,
    drawAll: () => Promise.all([...starters.keys()].map(startNow)),
  };
  // Deferred scripts run before DOMContentLoaded, so everything this page loads is there by then.
  if (document.readyState === "complete") start();
  else addEventListener("DOMContentLoaded", start);
})();
