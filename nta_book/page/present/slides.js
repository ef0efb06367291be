// What of a page becomes which slide: { title, nodes }, the nodes being those of the page itself.
//
// The title and the lead; the opening explorer; then for every section its question with the
// prediction, each picture, and the statements.  An element with the class nta-slide is a slide of
// its own, one with nta-no-slide never is.

const PICTURES = ".nta-slide, .nta-explorer, .nta-widget, figure, .nta-fig";
const STATEMENTS = ".say, .proof.admonition";
const QUESTION = ".nta-predict, .predict";
const UNITS = `${QUESTION}, ${PICTURES}, ${STATEMENTS}`;
// Exercises are for hands, and what is folded is for those who unfold it.
const NEVER =
  ".nta-no-slide, .nta-put-away, .exercise, .solution, .dropdown, details, .nta-functions";
const WORDS = ":scope > :is(p, ul, ol, dl)";
const MOST_LETTERS = 900; // of a section that has nothing but words

/** The outermost elements that a slide is made for, outside the sections below. */
function unitsOf(section) {
  return [...section.querySelectorAll(UNITS)].filter(
    (unit) =>
      ownerOf(unit) === section &&
      !unit.closest(NEVER) &&
      !unit.parentElement.closest(UNITS) &&
      (!unit.matches("figure") || unit.querySelector(".nta-fig, img, svg") || unit.dataset.state),
  );
}

/** The section with a heading that an element belongs to; pictures are sections too. */
function ownerOf(el) {
  const section = el.parentElement.closest("section:not(.nta-explorer)");
  const heading = section?.querySelector(":scope > :is(h1, h2, h3, h4)");
  return !section || heading ? section : ownerOf(section);
}

const textOf = (heading) => {
  const copy = heading.cloneNode(true);
  copy.querySelector(".headerlink")?.remove();
  return copy.textContent.trim();
};

/** Words of a section that has neither question nor picture nor statement. */
function wordsOf(section) {
  const all = [...section.querySelectorAll(WORDS)].filter((el) => !el.closest(NEVER));
  const letters = all.reduce((sum, el) => sum + el.textContent.length, 0);
  return letters > MOST_LETTERS ? all.slice(0, 1) : all;
}

/** The sections with headings directly below one; what follows a prediction lies in a box. */
const sectionsOf = (section) =>
  [...section.querySelectorAll("section:not(.nta-explorer)")].filter(
    (below) => below.querySelector(":scope > :is(h2, h3, h4)") && ownerOf(below) === section,
  );

function slidesOfSection(section) {
  const heading = section.querySelector(":scope > :is(h2, h3, h4)");
  const title = textOf(heading);
  const exercises = [...section.querySelectorAll(".exercise")];
  if (exercises.some((exercise) => ownerOf(exercise) === section)) return [];
  const units = unitsOf(section).map((unit) => [unit]);
  const words = units.length ? [] : wordsOf(section);
  if (words.length) units.push(words);
  return [
    ...units.map((nodes) => ({ title, nodes: [heading, ...nodes] })),
    ...sectionsOf(section).flatMap(slidesOfSection),
  ];
}

/** The slides of an article, in the order of the page. */
export function slidesOf(article) {
  const page = article.querySelector(":scope > section");
  const heading = page?.querySelector(":scope > h1");
  if (!heading) return [];
  const title = textOf(heading);
  const lead = page.querySelector(":scope > p");
  return [
    { title, nodes: [heading, lead].filter(Boolean) },
    ...unitsOf(page).map((unit) => ({ title, nodes: [heading, unit] })),
    ...sectionsOf(page).flatMap(slidesOfSection),
  ];
}
