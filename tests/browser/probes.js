/* What the checks ask of a page, seen from inside it.  Every page gets it before its scripts. */
globalThis.probe = (() => {
  "use strict";
  // ---- what went wrong so far, where the one who asks cannot listen himself ----
  const complaints = [];
  const complain = (words) => complaints.push(String(words));
  addEventListener(
    "error",
    ({ message, target }) => {
      complain(message ?? `failed: ${target.src || target.href}`);
    },
    true,
  );
  addEventListener("unhandledrejection", ({ reason }) => complain(`uncaught: ${reason}`));
  const { error } = console;
  console.error = (...words) => {
    complain(words.join(" "));
    error.apply(console, words);
  };

  const all = (selector) => [...document.querySelectorAll(selector)];
  const alive = () => all(".nta-fig, .nta-explorer, .nta-widget");
  const typeset = (formula) => formula.querySelector("mjx-container");
  const pictures = (el) =>
    [...el.querySelectorAll("svg, canvas")].filter((e) => !e.closest("button"));

  /** True when nothing is still being drawn or typeset. */
  const settled = () =>
    alive().every((e) => ["drawn", "error"].includes(e.dataset.state)) &&
    all(".math").every(typeset);

  function faultOf(el) {
    if (el.dataset.state !== "drawn") return el.dataset.state || "never drawn";
    if (el.closest("details:not([open]), .toggle-hidden")) return ""; // no size while it is closed
    const { width, height } = el.getBoundingClientRect();
    const shows = pictures(el).length > 0 || el.matches(".nta-widget");
    return shows && width > 80 && height > 20 ? "" : "empty";
  }

  function undrawn() {
    const figures = alive().map((e) => [faultOf(e), e.getAttribute("aria-label") || e.className]);
    return [
      ...figures.filter(([fault]) => fault).map(([fault, name]) => `${fault}: ${name}`),
      ...all(".math")
        .filter((m) => !typeset(m))
        .map((m) => `formula not typeset: ${m.textContent}`),
      ...all("mjx-merror").map((m) => `formula in error: ${m.textContent}`),
      ...all('[data-title^="Share chart"]').map(() => "a figure offers to upload itself"),
    ];
  }

  /** What a reader sees of an explorer; plotly numbers its elements afresh with every drawing. */
  const look = (explorer) =>
    [...pictures(explorer), ...explorer.querySelectorAll(".nta-words")]
      .map((e) => e.innerHTML || e.toDataURL?.())
      .join("|")
      .replace(/[a-z]+[0-9a-f]{6}/g, "");

  /** Where the native controls of an explorer stand. */
  const stands = (explorer) =>
    [...explorer.querySelectorAll("input, select")].map((e) => `${e.value}${e.checked}`).join();

  const remember = (explorer) => {
    explorer.seen = { look: look(explorer), stands: stands(explorer) };
  };

  /** Whether an explorer comes to look different from what was remembered, in so many ms. */
  function changed(explorer, patience) {
    return until(() => look(explorer) !== explorer.seen.look, patience, 10);
  }

  /** Back to the starting state, drawn: a late redraw must not pass for an answer to a key. */
  async function reset(explorer) {
    remember(explorer);
    explorer.querySelector("button.nta-reset")?.click();
    await followed(explorer, 100);
  }

  /** The same after a key: where no control has moved, there is nothing to wait for. */
  const followed = (explorer, patience) =>
    changed(explorer, stands(explorer) === explorer.seen.stands ? 20 : patience);

  function nameOf(control) {
    const words =
      control.getAttribute("aria-label") || control.labels?.[0]?.textContent || control.textContent;
    return `${control.type || control.tagName} “${words.trim()}”`;
  }

  // ---- contrast as WCAG 2 defines it ----
  const channels = (colour) =>
    (colour.match(/[\d.]+/g) || [0, 0, 0]).slice(0, 3).map((v) => v / 255);
  const linear = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => {
    const [r, g, b] = channels(colour).map(linear);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  function contrast(one, other) {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  }

  /** The colour that is painted behind an element. */
  function paper(el) {
    const colour = getComputedStyle(el).backgroundColor;
    const clear = colour === "transparent" || /, 0\)$/.test(colour);
    return clear && el.parentElement ? paper(el.parentElement) : colour;
  }

  /** One element of every look that words have on this page: a kind has one contrast. */
  function kindsOfWords() {
    const kinds = new Map();
    for (const el of all("body *")) {
      if (
        ![...el.childNodes].some((node) => node.nodeType === 3 && node.data.trim()) ||
        !el.getClientRects().length
      ) {
        continue;
      }
      const { color, fill, fontSize, fontWeight, opacity } = getComputedStyle(el);
      const kind = [color, fill, fontSize, fontWeight, opacity, paper(el)].join();
      if (!kinds.has(kind)) kinds.set(kind, el);
    }
    return [...kinds.values()];
  }

  function faintWords(least) {
    const behind = getComputedStyle(document.body).backgroundColor;
    return all(".xtick text, .ytick text, .xtitle, .ytitle, .gtitle, .legendtext")
      .map((e) => [contrast(getComputedStyle(e).fill, behind), e.textContent])
      .filter(([ratio]) => ratio < least)
      .map(([ratio, words]) => `contrast ${ratio.toFixed(1)}: ${words}`);
  }

  const coloursOfPictures = () =>
    all(".nta-plot .xtick text, .nta-drawing text").map((e) => getComputedStyle(e).fill);

  // ---- ticks ----
  /** The significant digits of a number as it is written; an integer's last zeros are none. */
  function significant(number) {
    const digits = number.replace(/e.*$/i, "").replace(/[^\d.]/g, "");
    const shown = digits.includes(".") ? digits : digits.replace(/0+$/, "");
    return shown.replace(".", "").replace(/^0+/, "").length;
  }

  /** Numbers that nobody reads: many digits, and not an integer set in groups of three. */
  const NUMBER = /(?<![\w.])[-−]?\d[\d,]*(?:\.\d+)?(?:e[-−+]?\d+)?/gi;
  const GROUPED = /^[-−]?\d{1,3}(?:,\d{3})+$/;
  const longNumbers = (words, most) =>
    (words.match(NUMBER) || []).filter((n) => significant(n) > most && !GROUPED.test(n));

  function longTicks(most) {
    const ticks = all(".xtick text, .ytick text, .cbaxis text").map((e) => e.textContent);
    const drawn = all(".nta-drawing text").map((e) => e.textContent);
    return [...new Set([...ticks, ...drawn])].filter((words) => longNumbers(words, most).length);
  }

  // ---- the first screen ----
  const openingIsDrawn = () =>
    all(".nta-explorer, .nta-widget")
      .slice(0, 1)
      .every((e) => e.dataset.state === "drawn");

  /** Why the first explorer or lab of a page is not seen at once; the page stands at its top. */
  function firstScreen({ start, height, shown }) {
    const [opening] = all(".nta-explorer, .nta-widget");
    if (!opening) return ["no explorer"];
    const top = (el) => el.getBoundingClientRect().top + scrollY;
    const faults = [];
    const check = (holds, words) => holds || faults.push(words);
    check(top(opening) <= start, `the explorer begins at ${Math.round(top(opening))} px`);
    const control = opening.querySelector("input, select, button");
    const below = control ? top(control) + control.getBoundingClientRect().height : Infinity;
    check(below <= height, `the first control ends at ${Math.round(below)} px`);
    const picture = pictures(opening).find((e) => e.getBoundingClientRect().height > 40);
    const from = picture ? top(picture) : Infinity;
    check(from + shown <= height, `the picture begins at ${Math.round(from)} px`);
    return faults;
  }

  // ---- a reader without a driver: every kind of control is moved from inside the page ----
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  async function until(holds, patience, step = 50) {
    const end = performance.now() + patience;
    while (!holds()) {
      if (performance.now() > end) return false;
      await pause(step);
    }
    return true;
  }

  const kindOf = (control) => (control.matches(".nta-play") ? "player" : control.type);
  const heard = (control) => {
    for (const name of ["input", "change"]) {
      control.dispatchEvent(new Event(name, { bubbles: true }));
    }
  };

  /** Move a control to another value, as a hand would; false where there is none. */
  function move(control) {
    if (control.matches("[type=range]")) {
      const [low, high] = [control.min || "0", control.max || "100"];
      control.value = control.value === high ? low : high;
      heard(control);
    } else if (control.matches("select")) {
      control.selectedIndex = (control.selectedIndex + 1) % control.options.length;
      heard(control);
    } else if (!control.checked || control.type === "checkbox") {
      control.click();
    } else {
      return false;
    }
    return true;
  }

  /** The kinds of controls of the explorers here of which none changes anything. */
  async function deadKinds() {
    const dead = [];
    for (const explorer of all(".nta-explorer")) {
      const controls = [...explorer.querySelectorAll("input, select, button:not(.nta-link)")];
      const own = controls.filter((control) => !control.closest(".nta-plot, .nta-zoom"));
      for (const kind of new Set(own.map(kindOf))) {
        const moves = await anyMoves(
          explorer,
          own.filter((control) => kindOf(control) === kind),
        );
        if (!moves) dead.push(`moves nothing: ${kind} of ${called(explorer)}`);
      }
    }
    return dead;
  }

  /** Whether a control of these changes something, from where things stand or from elsewhere. */
  async function anyMoves(explorer, controls) {
    for (const elsewhere of [false, true]) {
      for (const control of controls.flatMap((one) => [one, one])) {
        if (elsewhere) await leaveTheStart(explorer, control);
        remember(explorer);
        if (!move(control)) continue;
        const moved = await changed(explorer, control.matches(".nta-play") ? 8000 : 1500);
        if (control.textContent === "❚❚") control.click();
        if (moved) return true;
      }
    }
    return false;
  }

  /** A control may show the state that one is in: move the others first. */
  async function leaveTheStart(explorer, control) {
    for (const other of explorer.querySelectorAll(":is(input, select):not(.nta-plot *)")) {
      remember(explorer);
      if (other !== control && move(other)) await changed(explorer, 300);
    }
  }

  const START = /train|play|pause|step|draw|▶|❚/i;
  const RUNS = /pause|stop|❚/i;
  const wordsOf = (el) => `${el.getAttribute("aria-label") ?? ""} ${el.textContent}`;

  /** Labs in which nothing can be trained or played. */
  async function idleLabs() {
    const idle = [];
    for (const lab of all(".nta-widget")) {
      const start = [...lab.querySelectorAll("button")].find((b) => START.test(wordsOf(b)));
      remember(lab);
      if (start && !RUNS.test(wordsOf(start))) start.click(); // some begin by themselves
      if (!start || !(await changed(lab, 10_000))) idle.push(`trains nothing: ${called(lab)}`);
      if (start && RUNS.test(wordsOf(start))) start.click();
    }
    return idle;
  }

  /** Questions that do not answer a choice. */
  async function deafQuestions() {
    const asked = all(".nta-predict[data-state=asked]");
    for (const question of asked) {
      question.querySelector(".nta-predict-option input")?.click();
      question.querySelector(".nta-predict-guess")?.click();
    }
    await until(() => asked.every((question) => question.dataset.state !== "asked"), 3000);
    return asked
      .filter((question) => question.dataset.state === "asked")
      .map((question) => `answers nothing: ${called(question)}`);
  }

  /**
   * The first cell with a button that runs it: it must come to an end without an error.  An engine
   * may refuse to start Python from a disk; then it must say what to do.
   */
  async function brokenCells() {
    const cell = all("[data-nta-cell]").find((el) => el.querySelector(".nta-run-run"));
    if (!cell) return [];
    const said = () => cell.querySelector(".nta-run-said")?.textContent ?? "";
    cell.querySelector(".nta-run-run").click();
    const ended = await until(() => said() && !/at work|running/i.test(said()), 120_000);
    const fine = ended && !cell.querySelector(".nta-run-error") && /^Done/.test(said());
    const refused = location.protocol === "file:" && /from a disk\. Serve it/.test(said());
    return fine || refused ? [] : [`does not run: ${cell.dataset.ntaCell}: ${said()}`];
  }

  /** Everything a reader does on a page, and what did not answer. */
  async function use() {
    globalThis.nta?.drawAll();
    await until(settled, 45_000);
    const found = undrawn();
    for (const act of [deadKinds, idleLabs, deafQuestions, brokenCells]) {
      found.push(...(await act()));
    }
    return [...found, ...complaints];
  }

  /** The page as a narrow window shows it. */
  async function useNarrowly() {
    globalThis.nta?.drawAll();
    await until(settled, 45_000);
    await until(narrow, 2000);
    return narrow() ? [] : [`the page scrolls sideways: ${sticksOut()}`];
  }

  // ---- hands ----
  /** Whether an element is seen; what a closed fold, dialog or sidebar holds is not. */
  const shown = (el) =>
    el.checkVisibility({ visibilityProperty: true, opacityProperty: true }) &&
    el.getClientRects().length > 0;

  function called(el) {
    const words = el.getAttribute("aria-label") || el.textContent.trim() || el.value || "";
    const kind = [el.tagName.toLowerCase(), ...el.classList].join(".");
    const place = el.closest(".nta-lab, .nta-explorer, .nta-predict, .nta-fig, aside, header, nav");
    return `${kind} “${words.slice(0, 40)}” in ${place?.classList[0] ?? "the page"}`;
  }

  /** What a finger goes to.  A link in a line of text is no larger than its line: not here. */
  const TOUCHED =
    "button, input, select, textarea, summary, [role=button], [role=slider], " +
    "[role=tab], [role=radio], " +
    "[tabindex='0'], nav a, .prev-next-area a, header a, .toggle-button, .toctree-wrapper a";
  const OTHERS = ".js-plotly-plot svg *, mjx-container, pre, .headerlink, .skip-link";

  /** Whether a finger that misses the middle of an element by `reach` still finds it. */
  function isReached(el, reach) {
    const parts = [el, ...(el.labels ?? [])];
    const isBig = ({ width, height }) => Math.min(width, height) >= 2 * reach - 0.5;
    if (parts.some((part) => isBig(part.getBoundingClientRect()))) return true;
    el.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    const { left, top, width, height } = el.getBoundingClientRect();
    const [x, y, r] = [left + width / 2, top + height / 2, reach - 1];
    const around = [
      [x + r, y],
      [x - r, y],
      [x, y + r],
      [x, y - r],
    ];
    return around.every(([a, b]) => {
      const hit = document.elementFromPoint(a, b);
      return parts.some((part) => part.contains(hit));
    });
  }

  function smallTargets(least) {
    const size = (el) => {
      const { width, height } = el.getBoundingClientRect();
      return `${Math.round(width)}×${Math.round(height)}`;
    };
    const isHidden = (el) => /^[01]×|×[01]$/.test(size(el)); // a native control behind its label
    return all(TOUCHED)
      .filter((el) => shown(el) && !el.disabled && !el.matches(OTHERS) && !isHidden(el))
      .filter((el) => !isReached(el, least / 2))
      .map((el) => `a finger has ${size(el)} px: ${called(el)}`);
  }

  /** The size of words as they are seen: a drawing may be scaled. */
  function seenSize(el) {
    const size = Number.parseFloat(getComputedStyle(el).fontSize);
    if (!el.ownerSVGElement) return size;
    const { a, b, c, d } = el.getScreenCTM();
    return size * Math.sqrt(Math.abs(a * d - b * c));
  }

  /** Words that are too small; an index in a formula belongs to its letter. */
  function smallWords(least) {
    const found = new Map();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const el = walker.currentNode.parentElement;
      const words = walker.currentNode.data.trim();
      if (!words || el.closest("mjx-container, script, style, noscript, title, desc, .nl-hidden")) {
        continue;
      }
      if (seenSize(el) > least - 0.05 || !shown(el)) continue;
      const kind = [el.tagName, ...el.classList, el.closest("[class]")?.classList[0]].join(".");
      if (!found.has(kind)) found.set(kind, `${seenSize(el).toFixed(1)} px: ${kind} “${words}”`);
    }
    return [...found.values()];
  }

  // ---- pictures under a finger ----
  const PICTURE = ".nta-plot, .nta-drawing, .nta-lab svg, .nta-hero svg, .nta-widget canvas";
  const fingered = () =>
    all(PICTURE).filter((el) => shown(el) && el.getBoundingClientRect().height > 60);
  const pictureCount = () => fingered().length;
  const nameOfPicture = (k) => called(fingered()[k]);
  const rangesOf = (k) => rangesIn(fingered()[k]);
  const rangesIn = ({ layout }) =>
    Object.entries(layout ?? {})
      .filter(([name]) => /^[xy]axis/.test(name))
      .map(([name, { range }]) => `${name} ${range}`)
      .join();

  /** Bring a picture to where it can be swiped; a point on it. */
  async function showPicture(k) {
    const el = fingered()[k];
    el.scrollIntoView({ block: "center", behavior: "instant" });
    await pause(50);
    const { left, top, width, height } = el.getBoundingClientRect();
    const low = Math.min(top + height / 2, innerHeight - 40);
    return [left + width / 2, Math.max(low, innerHeight / 2)];
  }

  /** Places on the screen where a plot has drawn something that can be tapped. */
  function pointsOf(plot) {
    plot.scrollIntoView({ block: "center", behavior: "instant" });
    const marks = [...plot.querySelectorAll(".points path, .point path, .heatmaplayer image")];
    const lines = [...plot.querySelectorAll(".lines path.js-line")];
    const onLines = lines.map((line) => {
      const { x, y } = line.getPointAtLength(line.getTotalLength() / 2);
      const at = new DOMPoint(x, y).matrixTransform(line.getScreenCTM());
      return [at.x, at.y];
    });
    const onMarks = marks.map((mark) => {
      const { left, top, width, height } = mark.getBoundingClientRect();
      return [left + width / 2, top + height / 2];
    });
    return [...onMarks, ...onLines].filter(([x, y]) =>
      plot.contains(document.elementFromPoint(x, y)),
    );
  }

  /** What is wrong with the buttons of a plot; a plot whose axes are fixed has none. */
  async function zooms(plot) {
    if (!hasRanges(plot)) return [];
    const [back, closer] = plot.parentElement.querySelectorAll(".nta-zoom button");
    if (!closer || !shown(closer)) return ["no button looks closer"];
    const whole = rangesIn(plot);
    closer.click();
    if (!(await until(() => rangesIn(plot) !== whole, 3000))) return ["it comes no closer"];
    if (!(await until(() => shown(back), 1000))) return ["no button shows all again"];
    back.click();
    return (await until(() => rangesIn(plot) === whole, 3000)) ? [] : ["it stays as it is"];
  }

  const hasRanges = (plot) => /axis\d* -?[\d.]/.test(rangesIn(plot));

  /** The middle of a plot's first panel, in the middle of the screen. */
  function middleOf(plot) {
    const panel = plot.querySelector(".nsewdrag");
    panel.scrollIntoView({ block: "center", behavior: "instant" });
    const { left, top, width, height } = panel.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  }

  /** How much of its first axis a plot shows, in what the axis counts. */
  function widthOfView({ layout }) {
    const free = Object.entries(layout).find(
      ([name, axis]) => /^[xy]axis/.test(name) && axis?.range && !axis.fixedrange,
    );
    const [low, high] = free[1].range.map(Number);
    return Math.abs(high - low);
  }

  // ---- keys ----
  const FOCUSED =
    "a[href], button, input, select, textarea, summary, [tabindex]:not([tabindex='-1'])";

  /** What shows that an element has the focus: rings and rims, its own or its neighbours'. */
  function ring(el) {
    const near = [el, el.parentElement, el.nextElementSibling, el.closest("label")];
    if (el.ownerSVGElement) near.push(...el.querySelectorAll("*"));
    return near
      .filter(Boolean)
      .map((part) => {
        const { outlineStyle, outlineWidth, outlineColor, boxShadow, stroke, strokeWidth } =
          getComputedStyle(part);
        const outline = outlineStyle === "none" ? "" : `${outlineWidth} ${outlineColor}`;
        return [outline, boxShadow, part.ownerSVGElement ? stroke + strokeWidth : ""].join();
      })
      .join("|");
  }

  /** Elements that take the focus and do not show it; the last key must have been a keyboard's. */
  function hiddenFocus() {
    const still = document.createElement("style");
    still.textContent = "*, *::before, *::after { transition: none !important }";
    document.head.append(still);
    const found = all(FOCUSED)
      .filter((el) => shown(el) && !el.disabled && !el.closest("mjx-container"))
      .filter((el) => {
        document.activeElement?.blur();
        const before = ring(el);
        el.focus({ focusVisible: true, preventScroll: true });
        return document.activeElement === el && ring(el) === before;
      })
      .map((el) => `the focus is not seen on ${called(el)}`);
    document.activeElement?.blur();
    still.remove();
    return [...new Set(found)];
  }

  /** Buttons of labs and explorers that lose the focus when they are pressed. */
  async function lostFocus() {
    const lost = [];
    for (const home of all(".nta-widget, .nta-explorer")) {
      const tried = new Set(); // what a button adds has more buttons of the same name
      for (let k = 0; ; k++) {
        const button = [...home.querySelectorAll("button")].filter(shown)[k];
        if (!button) break;
        const name = called(button);
        const known = tried.has(name) || /copy|share|link|screen/i.test(wordsOf(button));
        if (button.disabled || known) continue;
        tried.add(name);
        button.focus({ preventScroll: true });
        button.click();
        await pause(60);
        const now = document.activeElement;
        if (now === document.body || !now.isConnected) lost.push(`the focus is lost after ${name}`);
        if (now.closest?.("dialog")) now.closest("dialog").close();
      }
    }
    return [...new Set(lost)];
  }

  // ---- pointers ----
  const styleRules = (rules) =>
    [...rules].flatMap((rule) => {
      const inside = rule instanceof CSSMediaRule && !matchMedia(rule.conditionText).matches;
      return inside ? [] : [rule, ...(rule.cssRules ? styleRules(rule.cssRules) : [])];
    });

  /** Whether an element itself is without colour or sight, not a fold around it. */
  function isUnseen(el) {
    const { opacity, visibility } = getComputedStyle(el);
    const around = getComputedStyle(el.parentElement).visibility;
    return opacity === "0" || (visibility === "hidden" && around !== "hidden");
  }

  /** What a sheet shows only under a pointer: elements that a rule for :hover brings to sight. */
  function behindHover() {
    const sheets = [...document.styleSheets].filter((sheet) => {
      try {
        return sheet.cssRules;
      } catch {
        return false; // a browser hides the rules of a sheet on file://
      }
    });
    return sheets
      .flatMap((sheet) => styleRules(sheet.cssRules))
      .filter((rule) => rule.selectorText?.includes(":hover"))
      .filter(({ style: { opacity, visibility, display } }) =>
        [opacity, visibility, display].some((v) => v && !["0", "hidden", "none"].includes(v)),
      )
      .flatMap((rule) => all(rule.selectorText.replaceAll(/:hover|::?(before|after)/g, "")))
      .filter((el) => el.getClientRects().length && isUnseen(el));
  }

  /** Words that stand in a `title` alone, on something that no finger presses. */
  const untold = () =>
    all("[title]:not(button, a, input, select, iframe, [role=button])").filter(
      (el) => shown(el) && !el.closest("button, a") && !el.textContent.includes(el.title),
    );

  const onlyOnHover = () => [
    ...new Set([...behindHover(), ...untold()].map((el) => `only on hover: ${called(el)}`)),
  ];

  /** A phone widens its window for what does not fit; its screen stays as it is. */
  const room = () => Math.min(innerWidth, screen.width) + 1;
  const narrow = () => document.documentElement.scrollWidth <= room();
  const sticksOut = () =>
    all("body *")
      .filter((e) => e.getBoundingClientRect().right > room() && shown(e))
      .map((e) => `${e.tagName}.${e.getAttribute("class")}`)
      .slice(-3);

  const weight = () =>
    ["resource", "navigation"]
      .flatMap((kind) => performance.getEntriesByType(kind))
      .reduce((sum, entry) => sum + (entry.decodedBodySize || 0), 0);

  return {
    settled,
    undrawn,
    reset,
    remember,
    changed,
    followed,
    nameOf,
    kindsOfWords,
    faintWords,
    coloursOfPictures,
    longTicks,
    firstScreen,
    openingIsDrawn,
    called,
    pictureCount,
    nameOfPicture,
    rangesOf,
    showPicture,
    pointsOf,
    zooms,
    hasRanges,
    middleOf,
    widthOfView,
    use,
    useNarrowly,
    smallTargets,
    smallWords,
    hiddenFocus,
    lostFocus,
    onlyOnHover,
    narrow,
    sticksOut,
    weight,
  };
})();
