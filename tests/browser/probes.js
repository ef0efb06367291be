/* What the checks ask of a page, seen from inside it.  Every page gets it before its scripts. */
globalThis.probe = (() => {
  "use strict";
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
  async function changed(explorer, patience) {
    const until = performance.now() + patience;
    while (look(explorer) === explorer.seen.look) {
      if (performance.now() > until) return false;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return true;
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

  const narrow = () => document.documentElement.scrollWidth <= innerWidth + 1;
  const sticksOut = () =>
    all("body *")
      .filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
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
    narrow,
    sticksOut,
    weight,
  };
})();
