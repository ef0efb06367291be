"""Exercise sheets: every exercise of every chapter on a page made for paper.

A page asks for a sheet; while Sphinx reads it, the line is replaced by the exercises::

    ```{nta-sheets} without
    ```

``without`` gives the tasks, ``with`` adds the solutions.  Both are read from the chapters, so a
sheet cannot disagree with its chapter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from nta_book.sphinx.captions import taken_off
from nta_book.sphinx.chapterlinks import label_of_page

_PAGE = re.compile(r"^```\{nta-sheets\} (\S+)\n```$", re.MULTILINE)
_OPENING = re.compile(
    r"(?P<fence>`{3,}|:{3,})\{(?P<kind>(?:exercise|solution)(?:-start|-end)?)\} ?(?P<words>.*)"
)


class SheetError(ExtensionError):
    """A chapter's exercises cannot be put on a sheet; the message says which and why."""


@dataclass
class Exercise:
    """One task, as the chapter has it.

    Attributes
    ----------
    label, title, text
        Of the directive ``{exercise}``; the text is MyST.
    stub
        Lines of MyST between the task and its solution: the code a reader starts from.
    solution
        Lines of MyST of the solution, text and code in the order of the chapter.
    """

    label: str
    title: str
    text: str
    stub: list[str] = field(default_factory=list)
    solution: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        if "{glue" in self.text:
            raise SheetError(f"{self.label} shows a glued number, which only its own chapter knows")


@dataclass(frozen=True)
class Chapter:
    """The exercises of one page, in order; `number` is empty for the start page."""

    number: str
    label: str
    title: str
    exercises: tuple[Exercise, ...]


def register(app: Sphinx) -> None:
    """Let pages ask for sheets."""
    app.connect("source-read", _expand)


def sources(book: Path) -> list[Path]:
    """Return the notebooks that may hold exercises, in the order of the book."""
    return [book / "index.ipynb", *sorted(book.glob("[0-9][0-9]_*.ipynb"))]


def _expand(app: Sphinx, docname: str, content: list[str]) -> None:
    """Write the sheet that a page asks for."""
    if not _PAGE.search(content[0]):
        return
    # Chapters that are not part of this book have no page that a sheet could lead to.
    inside = {Path(app.env.doc2path(name)).resolve() for name in app.env.found_docs}
    paths = [path for path in sources(Path(app.srcdir) / "book") if path.resolve() in inside]
    for path in paths:
        app.env.note_dependency(str(path))
    chapters = [read_chapter(path) for path in paths]
    content[0] = _PAGE.sub(lambda match: sheet(chapters, match[1]), content[0])


# ---- reading -------------------------------------------------------------------------------------


def read_chapter(notebook: Path) -> Chapter:
    """Return the exercises of a notebook with their stubs and solutions."""
    text = _as_markdown(notebook)
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    number = str(int(notebook.stem[:2])) if notebook.stem[:2].isdigit() else ""
    try:
        exercises = tuple(_exercises(text.splitlines()))
    except SheetError as error:
        raise SheetError(f"{notebook.name}: {error}") from error
    label = label_of_page(notebook) or ""
    return Chapter(number, label, title[1] if title else notebook.stem, exercises)


def _as_markdown(notebook: Path) -> str:
    """Return a notebook as one text, without the cells that a page does not show."""
    parts = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        elif "remove-cell" not in cell["metadata"].get("tags", []):
            # Sheets are for paper: colours would make the page twice as long.
            parts.append(f"```text\n{taken_off(source)[1]}\n```")
    return "\n\n".join(parts)


def _exercises(text: list[str]) -> Iterator[Exercise]:
    found: dict[str, Exercise] = {}
    place: list[str] | None = None  # where lines that follow belong
    fence = ""  # of a block of code: a comment in it looks like a heading
    lines = iter(text)
    for line in lines:
        if not fence and (opening := _OPENING.fullmatch(line)):
            body = "\n".join(iter(lines.__next__, opening["fence"]))
            place = _opened(opening["kind"], opening["words"].strip(), body, found)
        elif not fence and re.match(r"#{1,6} ", line):
            place = None
        else:
            fence = _fence_after(fence, line)
            if place is not None:
                place.append(line)
    for exercise in found.values():
        if not exercise.solution:
            raise SheetError(f"{exercise.label} has no solution")
        yield exercise


def _opened(kind: str, words: str, body: str, found: dict[str, Exercise]) -> list[str] | None:
    """Take in a directive, and return where the lines behind it belong."""
    if kind == "solution-end":
        return None
    if kind.startswith("solution"):
        if words not in found:
            raise SheetError(f"a solution of {words}, which is no exercise before it")
        found[words].solution.append(_without_options(body))
        return found[words].solution
    if kind != "exercise":
        raise SheetError(f"write {{exercise}} instead of {{{kind}}}: a task is one directive")
    label = re.search(r"^:label: (\S+)$", body, re.MULTILINE)
    if label is None:
        raise SheetError(f'the exercise "{words}" has no label')
    found[label[1]] = Exercise(label[1], words, _without_options(body))
    return found[label[1]].stub


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after this line, if any."""
    if fence:
        return "" if line.strip() == fence else fence
    opened = re.match(r"`{3,}|:{3,}", line)
    return opened[0] if opened else ""


def _without_options(body: str) -> str:
    return re.sub(r"\A(?::[a-z-]+:.*(?:\n|\Z))+", "", body).strip()


# ---- writing -------------------------------------------------------------------------------------

# What stands below a task: empty paper, or its solution.
_BELOW = {
    "without": ":::{{div}} nta-room\n:::",
    "with": "::::::::{{div}} nta-solution\n**Solution.**\n\n{}\n::::::::",
}


def sheet(chapters: list[Chapter], kind: str) -> str:
    """Return a sheet as MyST: a section per chapter, each on paper of its own.

    Parameters
    ----------
    kind
        ``"without"`` or ``"with"`` solutions.
    """
    if kind not in _BELOW:
        raise SheetError(f"{{nta-sheets}} {kind}: the sheets are {' and '.join(_BELOW)}")
    chosen = [chapter for chapter in chapters if chapter.exercises]
    links = (f"{{ref}}`{c.number or 'start'} <sheet-{kind}-{c.label}>`" for c in chosen)
    parts = [f"Print one chapter: {' · '.join(links)}"]
    for chapter in chosen:
        name = f"Chapter {chapter.number}" if chapter.number else "Start"
        parts.append(f"(sheet-{kind}-{chapter.label})=\n## {name}: {chapter.title}")
        parts.append(f"{{ref}}`Open the chapter <{chapter.label}>`")
        for heading, exercise in zip(headings(chapter), chapter.exercises, strict=True):
            below = _BELOW[kind].format(joined(exercise.solution))
            parts += [f"### {heading}", exercise.text, joined(exercise.stub), below]
    return "\n\n".join(filter(None, parts))


def joined(lines: list[str]) -> str:
    """Return lines as a text."""
    return "\n".join(lines).strip()


def headings(chapter: Chapter) -> list[str]:
    """Return the heading of each exercise, with the number that it has in the chapter."""
    prefix = f"{chapter.number}." if chapter.number else ""
    return [f"Exercise {prefix}{k}: {e.title}" for k, e in enumerate(chapter.exercises, start=1)]
