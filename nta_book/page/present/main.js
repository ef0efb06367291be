// Present mode: the page as slides.  Nothing is copied or moved; what is not on a slide is hidden.

import style from "./present.css";
import { fit, isCut, unfit } from "./fit.js";
import { listen } from "./hands.js";
import { slidesOf } from "./slides.js";
import { button, element, setText } from "../shared/elements.js";

const ALIVE = ".nta-explorer, .nta-fig, .nta-widget";
const OWN = ".nta-present-bar, .nta-present-said, dialog, style, script";
const MARK = "data-nta-slide";
const page = document.documentElement;

let running = false;

/** Mark what is on a slide, what leads to it, and what is off. */
function mark(parent, nodes) {
  for (const child of parent.children) {
    if (child.matches(OWN)) continue;
    const on = nodes.includes(child);
    const leads = !on && nodes.some((node) => child.contains(node));
    let place = "off";
    if (on) place = "on";
    else if (leads) place = "path";
    child.setAttribute(MARK, place);
    if (leads) mark(child, nodes);
  }
}

function unmark() {
  for (const el of document.querySelectorAll(`[${MARK}]`)) el.removeAttribute(MARK);
}

const isDrawn = ({ nodes }) =>
  nodes
    .flatMap((node) => [...(node.matches(ALIVE) ? [node] : []), ...node.querySelectorAll(ALIVE)])
    .every(({ dataset }) => ["drawn", "error"].includes(dataset.state));

/** The slide of the place that is being read; at the top of a page it is the first. */
function slideInView(slides) {
  if (scrollY < innerHeight / 4) return 0;
  const beyond = slides.findIndex(
    ({ nodes }) => nodes.at(-1).getBoundingClientRect().top > innerHeight / 2,
  );
  return beyond < 0 ? slides.length - 1 : Math.max(0, beyond - 1);
}

/** Write the number of the slide into the address, or take it out. */
function writeAddress(number) {
  const address = new URL(location.href);
  if (number) address.searchParams.set("present", number);
  else address.searchParams.delete("present");
  try {
    history.replaceState(history.state, "", address);
  } catch (error) {
    console.warn(error); // the slides go on without it
  }
}

let emptied = Promise.resolve(); // when the browser has back the screen that slides had filled

function empty() {
  if (document.fullscreenElement) emptied = document.exitFullscreen().catch(() => {});
}

/** Present the page, from slide `number` on or from the place that is being read. */
function start(number) {
  const article = document.querySelector("article.bd-article, article");
  const slides = article ? slidesOf(article) : [];
  if (running || !slides.length) return;
  running = true;
  const before = { y: scrollY, focus: document.activeElement };
  const asked = Math.max(1, Math.min(number, slides.length)) - 1;
  const first = number ? asked : slideInView(slides);
  const leaving = new AbortController();
  const { signal } = leaving;
  let current = -1;
  let scale = 1;
  let filled = false; // the screen, by these slides

  const said = element("p", { class: "nta-present-said", role: "status" });
  const count = element("span", { "aria-hidden": "true" });
  const sheet = element("style", { say: style });
  const quiet = (icon, name, act) => {
    const made = button("", act, { "aria-label": name, title: name });
    made.append(element("i", { class: `fa-solid fa-${icon}`, "aria-hidden": "true" }));
    return made;
  };
  const back = quiet("chevron-left", "Previous slide", () => step(-1));
  const next = quiet("chevron-right", "Next slide", () => step(1));
  const bar = element(
    "div",
    { class: "nta-present-bar", role: "group", "aria-label": "Slides" },
    back,
    count,
    next,
    quiet("list", "All slides (o)", overview),
    quiet("expand", "Full screen (f)", () => fullScreen()),
    quiet("xmark", "Leave the slides (Escape)", leave),
  );

  /** Give the slide its size, and plots theirs. */
  function layOut(limit) {
    scale = fit(article, limit);
    dispatchEvent(new Event("resize"));
  }
  const grown = new ResizeObserver(() => {
    if (isCut(article)) layOut(scale - 0.001);
  });

  async function show(index) {
    if (index === current) return;
    current = index;
    const slide = slides[index];
    grown.disconnect();
    unmark();
    mark(document.body, slide.nodes);
    article.scrollTop = 0;
    article.focus({ preventScroll: true });
    back.disabled = index === 0;
    next.disabled = index === slides.length - 1;
    setText(count, `${index + 1} / ${slides.length}`);
    setText(said, `Slide ${index + 1} of ${slides.length}: ${slide.title}`);
    writeAddress(index + 1);
    layOut();
    while (!isDrawn(slide)) {
      await new Promise(requestAnimationFrame);
      if (current !== index || signal.aborted) return;
    }
    layOut();
    for (const node of slide.nodes) grown.observe(node);
    page.dataset.ntaSlide = index + 1; // it is ready
  }

  function step(by) {
    show(Math.max(0, Math.min(slides.length - 1, current + by)));
  }

  function overview() {
    const list = element(
      "ol",
      null,
      ...slides.map(({ title }, i) => {
        const go = () => {
          dialog.close();
          show(i);
        };
        const here = { "aria-current": i === current && "true" };
        return element("li", null, button(title, go, here));
      }),
    );
    const dialog = element("dialog", { class: "nta-overview", "aria-label": "All slides" }, list);
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  async function fullScreen(wanted = !document.fullscreenElement) {
    try {
      await emptied;
      await (wanted ? page.requestFullscreen() : document.exitFullscreen());
      filled ||= wanted; // by these: a change may still come from slides left just before
      if (!running) empty(); // left while the screen was being filled
    } catch {
      setText(said, "This browser shows the slides in its window only.");
    }
  }

  function leave() {
    leaving.abort();
    grown.disconnect();
    unmark();
    unfit(article);
    article.removeAttribute("tabindex");
    page.classList.remove("nta-presenting");
    delete page.dataset.ntaSlide;
    for (const el of [bar, said, sheet]) el.remove();
    document.querySelector("dialog.nta-overview")?.remove();
    writeAddress(null);
    running = false;
    dispatchEvent(new Event("resize"));
    if (current === first && !number) scrollTo({ top: before.y, behavior: "instant" });
    else slides[current].nodes.at(-1).scrollIntoView({ block: "center", behavior: "instant" });
    before.focus?.focus?.({ preventScroll: true });
    empty();
  }

  article.setAttribute("tabindex", -1);
  document.head.append(sheet);
  document.body.append(bar, said);
  page.classList.add("nta-presenting");
  listen(signal, step, { Escape: leave, o: overview, f: () => fullScreen(), p: leave });
  addEventListener("resize", (event) => event.isTrusted && layOut(), { signal });
  document.addEventListener(
    "fullscreenchange",
    () => {
      if (filled && !document.fullscreenElement) leave(); // the browser took the Escape
    },
    { signal },
  );
  show(first);
  if (!number) fullScreen(true);
}

globalThis.ntaPresent = { start, slidesOf, isCut };
