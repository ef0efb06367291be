// The page of one's own predictions: how many were asked, answered and right at the first try, by
// chapter; save, load and delete.  The questions stand in the page as links.  What was typed into
// exercises is counted there, too.

import {
  choiceOf,
  choices,
  forgetAll,
  keep,
  lasts,
  readChoices,
  writeChoices,
} from "./prediction_store.js";
import { answered as typedAnswers, forgetAnswers } from "../python/answers.js";

const FILE = "my-predictions.json";
const COLUMNS = ["chapter", "asked", "answered", "right at first try"];

const element = (tag, properties, ...children) => {
  const el = Object.assign(document.createElement(tag), properties);
  el.append(...children);
  return el;
};

const isAnswer = (said) => said !== undefined && said !== null && said !== "shown";

/** Counts for each chapter, in the order of the page. */
function countByChapter(links) {
  const counts = new Map();
  for (const { dataset } of links) {
    const count = counts.get(dataset.chapter) ?? { asked: 0, answered: 0, right: 0 };
    const first = choiceOf(dataset)?.first;
    count.asked += 1;
    count.answered += isAnswer(first);
    count.right += first === dataset.right;
    counts.set(dataset.chapter, count);
  }
  return counts;
}

function sumOf(counts) {
  const sum = { asked: 0, answered: 0, right: 0 };
  for (const count of counts.values()) {
    for (const key of Object.keys(sum)) sum[key] += count[key];
  }
  return sum;
}

function row(tag, ...words) {
  const [head, ...rest] = words;
  const first = element("th", { scope: tag === "th" ? "col" : "row" }, head);
  const cells = rest.map((word) =>
    element(tag, tag === "th" ? { scope: "col" } : {}, String(word)),
  );
  return element("tr", {}, first, ...cells);
}

function table(counts) {
  const { asked, answered, right } = sumOf(counts);
  const lines = [...counts].map(([chapter, count]) =>
    row("td", chapter, count.asked, count.answered, count.right),
  );
  return element(
    "table",
    {},
    element("thead", {}, row("th", ...COLUMNS)),
    element("tbody", {}, ...lines, row("td", "all", asked, answered, right)),
  );
}

function sentence(counts) {
  const { asked, answered, right } = sumOf(counts);
  const kept = lasts() ? "" : " Your browser refuses to keep anything: it is gone with this page.";
  if (!answered) return `You have answered none of the ${asked} questions yet.${kept}`;
  const rightly = `${right} of them right at the first try`;
  return `You answered ${answered} of ${asked} questions, ${rightly}.${kept}`;
}

function wordsOn({ right, ...question }) {
  const first = choiceOf(question)?.first;
  if (!first) return "";
  if (first === "shown") return " · shown";
  return first === right ? " · right at first try" : ` · you said (${first}), it is (${right})`;
}

/** What was said to a question, behind its link. */
function note(link) {
  const said =
    link.parentElement.querySelector(".nta-question-said") ??
    element("span", { className: "nta-question-said" });
  said.textContent = wordsOn(link.dataset);
  link.after(said);
}

function save() {
  const url = URL.createObjectURL(
    new Blob([writeChoices(choices())], { type: "application/json" }),
  );
  element("a", { href: url, download: FILE }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** A button that asks once more before it acts. */
function deleteButton(words, act) {
  const remove = element("button", { type: "button" }, words);
  let sure = false;
  const ask = (isSure) => {
    sure = isSure;
    remove.textContent = sure ? `Really ${words[0].toLowerCase()}${words.slice(1)}?` : words;
  };
  remove.onclick = () => {
    if (sure) act();
    ask(!sure);
  };
  remove.onblur = () => ask(false);
  return remove;
}

/** How many answers to exercises are kept, and a way to delete them. */
function typedPart() {
  const words = element("output", { tabIndex: -1 }); // read out when it changes
  const remove = deleteButton("Delete all my answers", () => {
    forgetAnswers();
    show("Deleted. ");
    words.focus(); // the button that was pressed is gone
  });
  function show(said = "") {
    const count = typedAnswers().length;
    const many = count === 1 ? "1 exercise" : `${count} exercises`;
    words.textContent = count
      ? `What you typed into ${many} is kept, too.`
      : `${said}You have typed no answer to an exercise.`;
    remove.hidden = !count;
  }
  show();
  addEventListener("storage", () => show());
  return element("p", { className: "nta-answers" }, words, " ", remove);
}

/** Show the counts in the place that the page has for them. */
export function showPredictions() {
  const place = document.querySelector(".nta-predictions");
  if (!place) return;
  const links = [...document.querySelectorAll("a.nta-question")];
  const words = element("p", {});
  words.setAttribute("role", "status");
  const counted = element("div", {});
  const remove = deleteButton("Delete all", () => {
    forgetAll();
    show("Deleted.");
  });
  const file = element("input", { type: "file", accept: "application/json,.json" });

  function show(said = "") {
    const counts = countByChapter(links);
    words.textContent = [said, sentence(counts)].filter(Boolean).join(" ");
    counted.replaceChildren(table(counts));
    links.forEach(note);
  }

  file.onchange = async () => {
    const found = readChoices(await file.files[0].text());
    const count = Object.keys(found).length;
    if (count) keep({ ...choices(), ...found });
    show(count ? `Loaded ${count} choices.` : "That file holds no predictions.");
    file.value = "";
  };
  place.replaceChildren(
    words,
    counted,
    element(
      "div",
      { className: "nta-predictions-buttons" },
      element("button", { type: "button", onclick: save }, "Save as a file"),
      element("label", { className: "nta-file" }, "Load a file", file),
      remove,
    ),
    typedPart(),
  );
  show();
  addEventListener("storage", () => show()); // another tab answered
}
