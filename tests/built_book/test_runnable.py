"""Python in the built pages: marks, files of cells, weight; and proofs that faults are found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.built_book import runnable
from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
TOC = toc_pages(ROOT)
CHAPTER = next(name for name in TOC if "/01_" in name)


@pytest.mark.parametrize("name", TOC)
def test_page(name: str) -> None:
    page = HTML / f"{name}.html"
    problems = [*runnable.unrunnable_marks(page, HTML), *runnable.exercises_without_a_mark(page)]
    assert not problems, "\n".join(problems)
    assert runnable.gained(page, HTML) <= runnable.MOST_BEFORE


def test_the_first_run_stays_within_its_weight() -> None:
    assert runnable.loaded_by_the_first_run(HTML) <= runnable.MOST_AFTER


def test_the_landing_page_has_code_to_run() -> None:
    page = HTML / "book" / "index.html"
    kinds = {cell["kind"] for cell in runnable.page_cells(page, HTML).values()}
    assert {"cell", "exercise"} <= kinds


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda t: t.replace('data-nta-kind="exercise"', 'data-nta-kind="cell"'), "no cell to"),
        (lambda t: re.sub(r' data-nta-why="[^"]*"', "", t), "does not say why"),
        (lambda t: re.sub(r' data-nta-input="[^"]*"', "", t), "has no code on the page"),
        (lambda t: t.replace("nta-run-hint", "hint"), "no sentence on how"),
        (lambda t: t.replace("data-nta-docname=", 'data-nta-docname="x" data-x='), "other code"),
    ],
)
def test_a_fault_of_a_page_is_found(tmp_path: Path, change: object, problem: str) -> None:
    page = _copied(tmp_path)
    text = page.read_text(encoding="utf-8")
    changed = change(text)  # type: ignore[operator]
    assert changed != text
    page.write_text(changed, encoding="utf-8")
    assert any(problem in found for found in _problems(page, tmp_path))


@pytest.mark.parametrize(
    ("pattern", "instead", "problem"),
    [
        (r'"needs":\["', '"needs":["nowhere","', "which is not there"),
        (r'"code":"', '"code":"import os\\\\n', "other code than it shows"),
    ],
)
def test_a_fault_of_a_file_is_found(
    tmp_path: Path, pattern: str, instead: str, problem: str
) -> None:
    page = _copied(tmp_path)
    (cells,) = (tmp_path / "_static" / "python" / "cells").glob("*.js")
    text = cells.read_text(encoding="utf-8")
    cells.write_text(re.sub(pattern, instead, text), encoding="utf-8")
    assert any(problem in found for found in _problems(page, tmp_path))


def _copied(folder: Path) -> Path:
    """A chapter and its cells in a folder of their own."""
    page = folder / f"{CHAPTER}.html"
    page.parent.mkdir(parents=True)
    shutil.copy(HTML / f"{CHAPTER}.html", page)
    name = f"{Path(CHAPTER).name}.js"
    cells = folder / "_static" / "python" / "cells" / name
    cells.parent.mkdir(parents=True)
    shutil.copy(HTML / "_static" / "python" / "cells" / name, cells)
    assert not _problems(page, folder)
    return page


def _problems(page: Path, html: Path) -> list[str]:
    runnable.soup.cache_clear()
    return [*runnable.unrunnable_marks(page, html), *runnable.exercises_without_a_mark(page)]
