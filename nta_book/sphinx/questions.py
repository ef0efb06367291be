"""The questions of the Predict boxes as plain data, read from the notebooks; Sphinx is not needed.

A question and its answer stand in one text cell, with nothing between them::

    ```{admonition} Predict
    :class: predict
    Two tokens share the highest score.
    Where does the output end?

    - (a) In the corner of one of them.
    - (b) In the middle of the edge between them.
    ```

    ```{admonition} Answer
    :class: dropdown answer
    (b) Growing weights multiply differences, and here is none.

    - (a) Rounding could only choose if there were a difference.
    ```

Two to four options, exactly one of them right; every wrong one has a line that says why it tempts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

LETTERS = "abcd"
HOW_TO = (
    'write "```{admonition} Predict" with ":class: predict", the question, a blank line and one '
    'line "- (a) ..." per option; then, with nothing between, "```{admonition} Answer" with '
    '":class: dropdown answer", "(c) why", a blank line and one line "- (a) why it tempts" per '
    "wrong option"
)

_BOX = re.compile(
    r"^(?P<fence>`{3,}|:{3,})\{admonition\}[ ]*(?P<title>[^\n]*)\n(?P<body>.*?)\n?(?P=fence)[ ]*$",
    re.MULTILINE | re.DOTALL,
)
_EXAMPLE = re.compile(r"^(`{4,})\w*\n.*?^\1[ ]*$", re.MULTILINE | re.DOTALL)
_OPTIONS = re.compile(r"\A(?::[a-z-]+:[^\n]*(?:\n|\Z))+")
_CLASS = re.compile(r"^:class:[ ]*(.*)$", re.MULTILINE)
_LETTER = re.compile(rf"\(([{LETTERS}])\)\s+(?=\S)")


class QuestionError(ValueError):
    """A Predict box that cannot be asked; the message says where, what is wrong and what to do."""

    def __init__(self, page: str, cell: str, what: str) -> None:
        super().__init__(f"{page}, cell {cell}: {what}; {HOW_TO}")
        self.what = f"[{cell}] {what}"


@dataclass(frozen=True)
class Question:
    """One question of the book.

    Attributes
    ----------
    page, cell, number
        The stem of the notebook, the name of the cell, and the place among the page's questions,
        from 1.
    asked
        The question, MyST.
    options
        What can be chosen, by letter, MyST.
    right
        The letter of the right option.
    answer
        Why it is right, MyST.
    tempting
        For each wrong letter, why it tempts and where it fails, MyST.
    """

    page: str
    cell: str
    number: int
    asked: str
    options: dict[str, str]
    right: str
    answer: str
    tempting: dict[str, str]

    @property
    def chapter(self) -> int | None:
        """The number of the chapter, if the page is one."""
        return int(self.page[:2]) if self.page[:2].isdigit() else None

    @property
    def name(self) -> str:
        """How the page and the reader's storage call it: the same while its cell keeps its name."""
        return f"{self.page}/{self.cell}"


@dataclass(frozen=True)
class _Box:
    classes: frozenset[str]
    body: str
    start: int
    end: int


def questions(notebook: Path) -> list[Question]:
    """Return the questions of a notebook; one that cannot be asked raises `QuestionError`."""
    found: list[Question] = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            for question in read_cell("".join(cell["source"]), notebook.stem, cell.get("id", "")):
                found.append(replace(question, number=len(found) + 1))
    return found


def faults(notebook: Path) -> list[str]:
    """Return what is wrong with the Predict boxes of a notebook, one sentence per cell."""
    found = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "markdown":
            try:
                list(read_cell("".join(cell["source"]), notebook.stem, cell.get("id", "")))
            except QuestionError as error:
                found.append(error.what)
    return found


def read_cell(source: str, page: str, cell: str) -> Iterator[Question]:
    """Yield the questions of one text cell, in order."""
    boxes = list(_boxes(source))
    number = 0
    for place, box in enumerate(boxes):
        if "answer" in box.classes and not (place and "predict" in boxes[place - 1].classes):
            raise QuestionError(page, cell, "an Answer without its Predict box right before it")
        if "predict" not in box.classes:
            continue
        after = boxes[place + 1] if place + 1 < len(boxes) else None
        if after is None or "answer" not in after.classes:
            raise QuestionError(page, cell, "a Predict box without its Answer in the same cell")
        if source[box.end : after.start].strip():
            raise QuestionError(page, cell, "something stands between a Predict box and its Answer")
        number += 1
        name = cell if number == 1 else f"{cell}-{number}"
        try:
            yield read_boxes(page, name, box.body, after.body)
        except ValueError as error:
            raise QuestionError(page, cell, str(error)) from error


def read_boxes(page: str, cell: str, predict: str, answer: str) -> Question:
    """Return the question of the bodies of two boxes; `ValueError` says what is wrong with them."""
    asked, options = _with_lines(predict)
    said, tempting = _with_lines(answer)
    if not asked:
        raise ValueError("no question stands before the options")
    if not 2 <= len(options) <= len(LETTERS):
        raise ValueError(f"a question has two to four options, this has {len(options)}")
    if list(options) != list(LETTERS[: len(options)]):
        raise ValueError(f"the options are lettered in order, these are {_listed(options)}")
    right = _LETTER.match(said)
    if right is None or right[1] not in options:
        raise ValueError("the Answer does not begin with the letter of one of the options")
    wrong = set(options) - {right[1]}
    if set(tempting) != wrong:
        raise ValueError(
            f"({right[1]}) is right, so the Answer has one line for each of "
            f"{_listed(sorted(wrong))}; it has {_listed(tempting) or 'none'}"
        )
    return Question(page, cell, 1, asked, options, right[1], said[right.end() :], tempting)


def _with_lines(body: str) -> tuple[str, dict[str, str]]:
    """Split a body into what stands before its lettered lines, and these by letter."""
    text = _OPTIONS.sub("", body).strip()
    head, *items = re.split(rf"^[-*][ ]+(?=\([{LETTERS}]\)\s)", text, flags=re.MULTILINE)
    lines: dict[str, str] = {}
    for item in items:
        letter = item[1]
        if letter in lines:
            raise ValueError(f"({letter}) stands there twice")
        words, _, below = item[3:].partition("\n\n")
        if below.strip():
            raise ValueError(f"something stands below the lettered lines: {below.strip()[:40]!r}")
        lines[letter] = " ".join(words.split())
    return head.strip(), lines


def _boxes(source: str) -> Iterator[_Box]:
    # A box that is shown as an example, inside a longer fence, asks nobody.
    shown = _EXAMPLE.sub(lambda match: " " * len(match[0]), source)
    for match in _BOX.finditer(shown):
        stated = _CLASS.search(match["body"])
        classes = frozenset(stated[1].split() if stated else ())
        yield _Box(classes, match["body"], match.start(), match.end())


def _listed(letters: Iterable[str]) -> str:
    return ", ".join(f"({letter})" for letter in letters)
