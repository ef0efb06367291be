// The article as a screen: as large as its slide allows.

const HEIGHT_OF_BAR = 44; // pixels, at the foot of the screen
const FACTORS = [2, 1.8, 1.6, 1.45, 1.3, 1.2, 1.1, 1, 0.9, 0.8, 0.7, 0.6]; // of 1280 × 720
const SIDE_BY_SIDE = 860; // pixels of the page from which controls stand beside their picture
const PHONE = 700; // pixels of the screen below which nothing is scaled: it scrolls

/** How large the page may be shown, from large to small. */
function scales() {
  if (innerWidth < PHONE) return [1];
  const screen = Math.min(innerWidth / 1280, innerHeight / 720);
  return FACTORS.map((factor) => factor * screen);
}

export const isCut = (article) => article.scrollHeight > article.clientHeight + 1;

/** Show the article at the largest scale at which nothing is cut, at most `limit`. */
export function fit(article, limit = Infinity) {
  const { style, classList } = article;
  let used = 1;
  for (const scale of scales()) {
    if (scale > limit) continue;
    used = scale;
    style.width = `${innerWidth / scale}px`;
    style.height = `${(innerHeight - HEIGHT_OF_BAR) / scale}px`;
    style.transform = `scale(${scale})`;
    classList.toggle("nta-side-by-side", innerWidth / scale >= SIDE_BY_SIDE);
    if (!isCut(article)) break;
  }
  return used;
}

/** Leave the article as it was. */
export function unfit(article) {
  for (const name of ["width", "height", "transform"]) article.style.removeProperty(name);
  if (!article.getAttribute("style")) article.removeAttribute("style");
  article.classList.remove("nta-side-by-side");
}
