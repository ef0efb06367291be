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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

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
        MyST between the task and its solution: the code a reader starts from.
    solution
        MyST of the solution, text and code in the order of the chapter.
    """

    label: str
    title: str
    text: str
    stub: list[str] = field(default_factory=list)
    solution: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Chapter:
    """The exercises of one page, in order."""

    number: int
    title: str
    exercises: tuple[Exercise, ...]

    @property
    def label(self) -> str:
        """The label in front of the page's title; the start page counts as chapter 0."""
        return f"ch-{self.number:02d}" if self.number else "start"


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
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    prose = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"]
    title = re.search(r"^# (.+)$", "\n".join(prose), re.MULTILINE)
    number = int(notebook.stem[:2]) if notebook.stem[:2].isdigit() else 0
    try:
        exercises = tuple(_exercises(cells))
    except SheetError as error:
        raise SheetError(f"{notebook.name}: {error}") from error
    return Chapter(number, title[1] if title else notebook.stem, exercises)


def _exercises(cells: list[dict[str, Any]]) -> Iterator[Exercise]:
    found: dict[str, Exercise] = {}
    place: list[str] | None = None  # where text and code that follow belong
    for kind, words, body in _pieces(cells):
        if kind == "exercise":
            exercise = _exercise(words, body)
            found[exercise.label] = exercise
            place = exercise.stub
        elif kind in ("solution", "solution-start"):
            if words not in found:
                raise SheetError(f"a solution of {words}, which is no exercise before it")
            place = found[words].solution
            text = _without_options(body)
            place += [text] if text else []
        elif kind == "solution-end" or kind == "heading":
            place = None
        elif kind == "text" and place is not None:
            place.append(body)
        elif kind in ("exercise-start", "exercise-end"):
            raise SheetError(f"write {{exercise}} instead of {{{kind}}}: a task is one directive")
    for exercise in found.values():
        if not exercise.solution:
            raise SheetError(f"{exercise.label} has no solution")
        yield exercise


def _exercise(title: str, body: str) -> Exercise:
    label = re.search(r"^:label: (\S+)$", body, re.MULTILINE)
    if label is None:
        raise SheetError(f'the exercise "{title}" has no label')
    if "{glue" in body:
        raise SheetError(f"{label[1]} shows a glued number, which only its own chapter knows")
    return Exercise(label[1], title, _without_options(body))


def _pieces(cells: list[dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """Yield (kind, words, body): directives about exercises, headings, and what lies between."""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield from _pieces_of_text(source)
        elif cell["cell_type"] == "code" and not _hidden(cell):
            # Sheets are for paper: colours would make the page twice as long.
            yield "text", "", f"```text\n{source}\n```"


def _hidden(cell: dict[str, Any]) -> bool:
    return "remove-cell" in cell["metadata"].get("tags", [])


def _pieces_of_text(source: str) -> Iterator[tuple[str, str, str]]:
    lines, between = iter(source.splitlines()), list[str]()
    fence = ""
    for line in lines:
        opening = _OPENING.fullmatch(line)
        heading = not fence and re.match(r"#{1,6} ", line)
        if not (opening or heading):
            between.append(line)
            # A comment in a block of code looks like a heading.
            fence = _fence_after(fence, line)
            continue
        yield from _text(between)
        between = []
        if opening:
            body = "\n".join(iter(lines.__next__, opening["fence"]))
            yield opening["kind"], opening["words"].strip(), body
        else:
            yield "heading", "", line
    yield from _text(between)


def _fence_after(fence: str, line: str) -> str:
    """Return the fence that is open after this line, if any."""
    if fence:
        return "" if line.strip() == fence else fence
    opened = re.match(r"`{3,}|:{3,}", line)
    return opened[0] if opened else ""


def _text(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    body = "\n".join(lines).strip()
    if body:
        yield "text", "", body


def _without_options(body: str) -> str:
    lines = body.splitlines()
    while lines and re.match(r":[a-z-]+:", lines[0]):
        lines.pop(0)
    return "\n".join(lines).strip()


# ---- writing -------------------------------------------------------------------------------------


def sheet(chapters: list[Chapter], kind: str) -> str:
    """Return a sheet as MyST: a section per chapter, each on paper of its own.

    Parameters
    ----------
    kind
        ``"without"`` or ``"with"`` solutions.
    """
    if kind not in _WRITERS:
        raise SheetError(f"{{nta-sheets}} {kind}: the sheets are {' and '.join(_WRITERS)}")
    chosen = [chapter for chapter in chapters if chapter.exercises]
    links = " · ".join(f"{{ref}}`{_short(c)} <sheet-{kind}-{c.label}>`" for c in chosen)
    sections = (_section(chapter, kind) for chapter in chosen)
    return "\n\n".join([f"Print one chapter: {links}", *sections])


def _short(chapter: Chapter) -> str:
    return str(chapter.number) if chapter.number else "start"


def _section(chapter: Chapter, kind: str) -> str:
    name = f"Chapter {chapter.number}" if chapter.number else "Start"
    head = (
        f"(sheet-{kind}-{chapter.label})=\n## {name}: {chapter.title}\n\n"
        f"{{ref}}`Open the chapter <{chapter.label}>`"
    )
    tasks = (
        f"### {heading}\n\n{_WRITERS[kind](exercise)}"
        for heading, exercise in zip(headings(chapter), chapter.exercises, strict=True)
    )
    return "\n\n".join([head, *tasks])


def headings(chapter: Chapter) -> list[str]:
    """Return the heading of each exercise, with the number that it has in the chapter."""
    prefix = f"{chapter.number}." if chapter.number else ""
    return [f"Exercise {prefix}{k}: {e.title}" for k, e in enumerate(chapter.exercises, start=1)]


def _task(exercise: Exercise) -> str:
    return "\n\n".join([exercise.text, *exercise.stub])


def _with_room(exercise: Exercise) -> str:
    """Return the task with empty paper below it."""
    return f"{_task(exercise)}\n\n:::{{div}} nta-room\n:::"


def _with_solution(exercise: Exercise) -> str:
    solution = "\n\n".join(["**Solution.**", *exercise.solution])
    return f"{_task(exercise)}\n\n::::::::{{div}} nta-solution\n{solution}\n::::::::"


_WRITERS: dict[str, Callable[[Exercise], str]] = {"without": _with_room, "with": _with_solution}
