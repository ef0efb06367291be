"""Every number in the prose of a chapter has an origin that its reader can see."""

from __future__ import annotations

from pathlib import Path

import pytest

from nta_book.sphinx.executed import Executed
from tools.check_numbers import strays

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))


@pytest.fixture(scope="module")
def executed() -> Executed:
    return Executed(ROOT)


def test_there_are_chapters() -> None:
    assert len(CHAPTERS) >= 16


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_numbers_have_a_visible_origin(chapter: Path, executed: Executed) -> None:
    notebook = executed.notebook(chapter)
    assert notebook is not None, "its outputs are missing or old: run make book first"
    found = strays(notebook)
    assert not found, "\n".join(map(str, found))
