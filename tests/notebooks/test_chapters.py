"""Every chapter keeps the promises of the house style, as far as a program can tell."""

import ast
import json
import re
from pathlib import Path

import pytest

from nta_book.sphinx.captions import taken_off
from nta_book.sphinx.questions import questions
from tools import first_cell

BOOK = Path(__file__).parents[2] / "book"
CHAPTERS = sorted(BOOK.glob("[0-9][0-9]_*.ipynb"))
CLOSING = [
    "## Say it in three sentences",
    "## What would break it?",
    "## Exercises",
    "## Next question",
]
PACKAGES = {"nta_core", "nta_beyond", "nta_book"}
ALLOWED = PACKAGES | {"numpy", "networkx", "myst_nb", "math", "itertools"}


def cells(chapter: Path) -> list[dict]:
    """The cells of a chapter that are its own: the first cell is the same in all."""
    every = json.loads(chapter.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in every if cell["id"] != first_cell.NAME]


def source(cell: dict) -> str:
    return "".join(cell["source"])


def text(chapter: Path) -> str:
    return "\n\n".join(source(cell) for cell in cells(chapter) if cell["cell_type"] == "markdown")


def test_there_are_chapters():
    assert CHAPTERS


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_asks_predicts_and_closes(chapter):
    prose = text(chapter)
    title = re.search(r"^# (.+)$", prose, re.MULTILINE).group(1)
    assert title.endswith("?"), f"the title is a question: {title}"
    assert f"(ch-{chapter.stem[:2]})=" in prose
    assert "You will be able to" in prose
    assert len(questions(chapter)) >= 2
    assert 2 <= prose.count(":class: say") <= 4
    positions = [prose.find(heading) for heading in CLOSING]
    assert -1 not in positions, f"missing: {CLOSING[positions.index(-1)]}"
    assert positions == sorted(positions)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_shows_its_evidence(chapter):
    prose, code = text(chapter), [source(c) for c in cells(chapter) if c["cell_type"] == "code"]
    assert re.search(r"\{(proved|measured|open)\}`", prose), "no badge"
    assert any("Explorer(" in cell or "_explorer(" in cell for cell in code), "no explorer"
    assert any(taken_off(cell)[0] for cell in code), "no figure with a caption"
    assert any(cell.startswith("assert") or "\nassert" in cell for cell in code), "no check"


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_nothing_stands_between_the_lead_and_the_opening_explorer(chapter):
    assert not before_the_opening(cells(chapter))


OPENS = re.compile(r"\bExplorer\(|_explorer\(|Lab\(|_lab\(")
MOST_OF_A_LEAD = 60  # words: two or three sentences, or four short ones


def before_the_opening(chapter: list[dict]) -> list[str]:
    """What would push the opening explorer of a chapter off the first screen."""
    lead, *others = chapter
    words = source(lead).partition("\n# ")[2].partition("\n")[2].split()
    found = [f"a lead of {len(words)} words"] if len(words) > MOST_OF_A_LEAD else []
    for cell in others:
        tags = cell["metadata"].get("tags", [])
        if cell["cell_type"] == "markdown":
            return [*found, f"text before the explorer: {source(cell)[:60]}"]
        if "hide-input" not in tags:
            found.append(f"{cell['id']} has the tags {tags}: tag it hide-input")
        if OPENS.search(source(cell)):
            return found
    return [*found, "no explorer"]


def some_cell(text: str, *tags: str) -> dict:
    kind = "markdown" if text.startswith("(") or text.startswith("#") else "code"
    return {"cell_type": kind, "id": "x", "source": text, "metadata": {"tags": list(tags)}}


LEAD = some_cell("(ch-01)=\n# Who?\n\nOne.\nTwo.\nThree.")
HELPER, OPENING = some_cell("x = 1", "hide-input"), some_cell("Explorer('Who?')", "hide-input")


def test_an_opening_that_is_pushed_down_would_be_found():
    assert not before_the_opening([LEAD, HELPER, OPENING])
    for planted in (
        [LEAD, some_cell("x = 1", "remove-input"), OPENING],
        [LEAD, some_cell("x = 1"), OPENING],
        [LEAD, some_cell("assert x", "remove-cell"), OPENING],
        [LEAD, HELPER, some_cell("# Words"), OPENING],
        [some_cell(source(LEAD) + "\nFour." * 58), OPENING],
        [LEAD, HELPER, some_cell("Explorer('Who?')")],
        [LEAD, HELPER],
    ):
        assert before_the_opening(planted)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_exercises_have_a_stub_a_checker_and_a_closed_solution(chapter):
    prose = text(chapter)
    exercises = re.findall(r"\{exercise\}.*\n:label: (\S+)", prose)
    assert len(exercises) >= 3
    assert prose.count("difficulty") >= len(exercises)
    for label in exercises:
        start = re.search(rf"\{{solution-start\}} {label}\n:class: dropdown", prose)
        assert start, f"{label} has no closed solution"
    tests = [source(c) for c in cells(chapter) if "remove-cell" in c["metadata"].get("tags", [])]
    assert sum(test.strip() == "assert not _" for test in tests) >= len(exercises)
    assert sum(test.strip() == "assert _" for test in tests) >= len(exercises)


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_code_in_a_chapter_is_short_and_imports_only_our_packages(chapter):
    for cell in cells(chapter):
        if cell["cell_type"] == "code":
            code = taken_off(source(cell))[1]
            assert len(code.splitlines()) <= 25, f"a long cell:\n{code}"
            assert imported(code) <= ALLOWED, sorted(imported(code) - ALLOWED)
            assert "go.Figure" not in code, "figures come from nta_book.viz"


def imported(code: str) -> set[str]:
    """The packages that a cell imports, wherever in its code."""
    found = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            found.add((node.module or "").split(".")[0])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
    return found


def test_a_foreign_import_would_be_found():
    code = "import numpy as np, pandas\ndef f():\n    from torch.nn import Linear"
    assert imported(code) - ALLOWED == {"pandas", "torch"}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_words_a_careful_author_avoids(chapter):
    found = re.findall(r"\b(clearly|of course|obviously|it is easy to see)\b", text(chapter), re.I)
    assert not found
