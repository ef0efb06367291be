"""Measure the chapters: how long they are, and whether a word comes before it is explained.

    python -m tools.chapter_measure                            # every chapter
    python -m tools.chapter_measure book/04_strict_order.ipynb

prints a line per chapter and complains (exit code 1) about

* more than 8 sections before the exercises, the closing ones included;
* more than 1,400 running words in chapters 1 to 8, more than 1,700 later: paragraphs, lists and
  open boxes before the exercises; code, formulas, captions, tables, headings, theorems and what
  is folded do not count, and a formula in a sentence is one word;
* more than 60 lines of code that are seen, outside the exercises;
* fewer than two Predict boxes, or one that cannot be asked (`nta_book.sphinx.questions`);
* a word before it is explained.

**Words.**  ``book/glossary.ipynb`` says where a word is explained: each entry ends with a line
"Explained in ``{ref}`chapter 5 <ch-05>` ``.", whose first chapter counts; each row of its notation
has the chapter in its last column.  An earlier chapter may not use the word, in text, captions or
code that is seen; exercises, "Next question" and names of sources (``{cite}``, ``{given}``, badges)
are free.  Looked for are an entry and its plural; hyphen, blank and underscore are alike.  Of the
notation, symbols with a word as index are looked for (W_svm, S_fin): single letters do several
jobs.  ``FORMS`` holds what else counts.  ``KNOWN`` holds entries that are also everyday words,
which no program can tell apart, or that the reader brings along: these are not looked for.  An
entry that does not occur in the chapter that is said to explain it is a fault of the glossary.

**Minutes** to read: 160 running words a minute, a minute for each picture and each Predict box, two
for each explorer, ten seconds for each line of code that is seen, rounded to 5.  A reader who knew
softmax and Python and nothing of the theory felt 25, 25–40, 25–40, 50, 70, 35, 60 and 25 minutes in
chapters 1 to 8, when the formula gave 20, 30, 40, 45, 55, 40, 45 and 30: it is right within 10
where the text was clear, and too small where the reader was lost (chapters 5 and 7), which more
minutes would not mend.  Minutes for the exercises are the sum of what the exercises state.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from nta_book.sphinx.questions import faults
from tools.chapter_text import (
    EXERCISES,
    Chapter,
    count_words,
    is_minutes,
    plain,
    read_chapter,
)

ROOT = Path(__file__).resolve().parents[1]
GLOSSARY = ROOT / "book" / "glossary.ipynb"
SECTIONS, CODE_LINES, PREDICTIONS = 8, 60, 2
WORDS = {8: 1400, 17: 1700, 99: 1500}  # up to this chapter: Part I, Parts II to IV, Part V

# Entries that are everyday words as well (an early "the two tie" needs no glossary), and losses
# that the reader brings along.
KNOWN = {
    *("tie", "support", "conjecture", "query", "scan", "determined", "window"),
    *("squared loss", "cross-entropy"),
}
# What else counts as the use of an entry, and what does not, as regular expressions.
FORMS = {
    "Fig. 3": r"\bFigs?\.[ ]3\b(?!\.\d)|\bFIG3\b",
    "Fig. 8": r"\bFigs?\.[ ]8\b(?!\.\d)|\bFIG8\b",
    "Graph-SVM": r"\bGraph[-‑ _]?SVM\b|\bSVMs?\b",
    "Luce strength": r"\bLuce\b|(?<!the )\bstrengths\b",
    "automaton": r"(?<!Next-Token )(?<!Next‑Token )\bautomat(?:on|a)\b",
    "snap": r"(?<!Scan and )(?<!Scan-and-)\bsnaps?\b(?! judgement)",
    "strongly connected component": r"\bstrongly connected\b|\bSCCs?\b",
    "token-priority graph": r"\b(?:token[-_ ])?priority[-_ ]graphs?\b|\bTPGs?\b",
    "track": r"(?<!keep )(?<!lose )\btracks?\b",
}


@dataclass(frozen=True)
class Term:
    """A word or symbol, the chapter that explains it, and the pattern that finds it."""

    name: str
    chapter: int
    pattern: re.Pattern[str]


@dataclass(frozen=True)
class Measure:
    """What was counted in a chapter."""

    name: str
    number: int
    sections: int
    words: int
    code_lines: int
    predictions: int
    minutes: int
    exercise_minutes: int

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.sections} sections, {self.words:,} running words, "
            f"{self.code_lines} lines of code, {self.predictions} predictions, "
            f"{self.minutes} + {self.exercise_minutes} minutes"
        )


def measure(chapter: Chapter) -> Measure:
    """Count a chapter."""
    before = list(chapter.before_the_exercises())
    words = sum(count_words(p.text) for p in before if p.kind == "text" and not is_minutes(p.text))
    lines = sum(
        1
        for p in chapter.lesson()
        if p.kind == "code"
        for line in p.text.splitlines()
        if line.strip()
    )
    read = words / 160 + lines / 6
    read += chapter.pictures + chapter.predictions + 2 * chapter.explorers
    tasks = "\n".join(p.text for p in chapter.pieces if p.kind == "exercise")
    sections = [*chapter.sections, EXERCISES].index(EXERCISES)
    return Measure(
        chapter.name,
        chapter.number,
        sections,
        words,
        lines,
        chapter.predictions,
        max(5, 5 * round(read / 5)),
        sum(int(minutes) for minutes in re.findall(r"difficulty[^\n]*?· (\d+) min\b", tasks)),
    )


def stated_minutes(chapter: Chapter) -> str:
    """Return how long a chapter takes, as its first screen says it."""
    found = measure(chapter)
    return f"**{found.minutes} minutes to read, {found.exercise_minutes} for the exercises**"


def too_much(found: Measure) -> list[str]:
    """Return the limits that a chapter breaks, each as a sentence."""
    words = next(most for last, most in WORDS.items() if found.number <= last)
    limits = [
        ("sections before the exercises", found.sections, SECTIONS),
        ("running words", found.words, words),
        ("lines of code that are seen", found.code_lines, CODE_LINES),
    ]
    said = [
        f"{count:,} {what}, at most {limit:,}" for what, count, limit in limits if count > limit
    ]
    if found.predictions < PREDICTIONS:
        said.append(f"{found.predictions} Predict boxes, at least {PREDICTIONS}")
    return said


# ---- words before they are explained -------------------------------------------------------------

_ENTRY = re.compile(r"^(?P<name>\S.*)\n(?P<body>(?:[ ]+.*\n?)+)", re.MULTILINE)
_EXPLAINED = re.compile(r"Explained in \{ref\}`chapters? \d+ <ch-(\d\d)>`")
_ROW = re.compile(
    r"^\|(?P<symbols>[^|]*\$[^|]*)\|.*\{ref\}`\d+ <ch-(?P<chapter>\d\d)>`[ ]*\|$", re.M
)
_INDEXED = re.compile(r"(?P<letter>\\\w+(?:\{\w+\})?|\w)_\{\\mathrm\{(?P<index>\w+)\}\}")


class GlossaryError(ValueError):
    """An entry of the glossary does not say where it is explained."""


@cache
def glossary(path: Path = GLOSSARY) -> tuple[Term, ...]:
    """Return the words and symbols of the glossary."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")
    found = []
    for block in re.findall(r"^```\{glossary\}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for entry in _ENTRY.finditer(block):
            where = _EXPLAINED.search(entry["body"])
            if where is None:
                raise GlossaryError(
                    f'{path.name}: "{entry["name"]}" does not end with '
                    '"Explained in {ref}`chapter 5 <ch-05>`."'
                )
            if entry["name"] not in KNOWN:
                found.append(Term(entry["name"], int(where[1]), _pattern(entry["name"])))
    for row in _ROW.finditer(text):
        for symbol in _INDEXED.finditer(row["symbols"]):
            found.append(_symbol(symbol["letter"], symbol["index"], int(row["chapter"])))
    return tuple(found)


def _pattern(name: str) -> re.Pattern[str]:
    if name in FORMS:
        return re.compile(FORMS[name], re.IGNORECASE if name[0].islower() else 0)
    words = r"[-‑ _]".join(map(re.escape, re.split(r"[- ]", name)))
    words = words[:-1] + "(?:y|ies)" if words.endswith("y") else words + "(?:s|es)?"
    return re.compile(rf"(?<![A-Za-z]){words}(?![A-Za-z])", re.IGNORECASE)


def _symbol(letter: str, index: str, chapter: int) -> Term:
    """Return a symbol such as W_{\\mathrm{svm}}, also as W_svm and W<sub>svm</sub>."""
    short = re.sub(r"\\\w+\{(\w+)\}", r"\1", letter)
    letters = {re.escape(letter), re.escape(short), {r"\Pi": "Π"}.get(letter, re.escape(short))}
    ways = (rf"_\{{\\mathrm\{{{index}\}}\}}", rf"_\{{?{index}\b", rf"<sub>{index}</sub>")
    pattern = rf"(?:{'|'.join(sorted(letters))})(?:{'|'.join(ways)})"
    return Term(f"{short}_{index}", chapter, re.compile(pattern))


def too_early(chapter: Chapter, terms: tuple[Term, ...]) -> list[str]:
    """Return the words that a chapter uses before they are explained, each with its sentence."""
    found = []
    for piece in chapter.lesson():
        if piece.kind == "exercise" or is_minutes(piece.text):
            continue
        text = piece.text if piece.kind == "code" else plain(piece.text)
        for term in terms:
            if chapter.number < term.chapter and (match := term.pattern.search(text)):
                line = next(ln for ln in text.splitlines() if match[0].split("\n")[0] in ln)
                found.append(
                    f"{match[0]!r} is explained in chapter {term.chapter} "
                    f"[{piece.cell}] {line.strip()[:100]}"
                )
    return found


def unexplained(chapters: list[Chapter], terms: tuple[Term, ...]) -> list[str]:
    """Return the entries that do not occur in the chapter that is said to explain them."""
    said = []
    by_number = {chapter.number: chapter for chapter in chapters}
    for term in terms:
        chapter = by_number.get(term.chapter)
        if chapter and not any(term.pattern.search(plain(p.text)) for p in chapter.lesson()):
            said.append(f"{term.name!r} does not occur in chapter {term.chapter}")
    return said


# ---- command -------------------------------------------------------------------------------------


def chapters() -> list[Path]:
    """Return every chapter of the book."""
    return sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))


def complaints(path: Path) -> list[str]:
    """Return everything that is to be said against a chapter."""
    chapter = read_chapter(path)
    return [*too_much(measure(chapter)), *faults(path), *too_early(chapter, glossary())]


def main(arguments: list[str] | None = None) -> int:
    """Print the measures of chapters and complaints about them; 0 means there is none."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("chapters", type=Path, nargs="*", help="notebooks of the book (all)")
    paths = [path.resolve() for path in parser.parse_args(arguments).chapters] or chapters()
    count = 0
    for path in paths:
        print(measure(read_chapter(path)))
        for complaint in complaints(path):
            count += 1
            print(f"    {complaint}")
    if len(paths) > 1:
        for complaint in unexplained([read_chapter(path) for path in paths], glossary()):
            count += 1
            print(f"glossary: {complaint}")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
