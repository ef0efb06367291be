"""Every chapter keeps the promises of the house style, as far as a program can tell."""

import ast
import json
import re
from pathlib import Path

import pytest

from nta_book.sphinx.captions import taken_off

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
    return json.loads(chapter.read_text(encoding="utf-8"))["cells"]


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
    assert prose.count(":class: predict") >= 2
    assert prose.count(":class: say") >= 2
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
