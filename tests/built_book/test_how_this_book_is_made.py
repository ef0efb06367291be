"""The small chapter on the page "How this book is made" is one: it builds, strictly."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.built_book.crawl import soup, undescribed_pictures
from tests.small_book import write_small_book
from tools.build_book import build

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "how_this_book_is_made.ipynb"


def cells_of_the_example() -> list[str]:
    """Return the fenced blocks of the section "Add a chapter", in order."""
    notebook = json.loads(PAGE.read_text(encoding="utf-8"))
    texts = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    prose = "\n".join(texts)
    section = prose.partition("## Add a chapter")[2].partition("\n## ")[0]
    return re.findall(r"^```(?:markdown|python)\n(.*?)\n```$", section, re.DOTALL | re.MULTILINE)


def test_the_example_is_a_chapter(tmp_path: Path) -> None:
    cells = cells_of_the_example()
    assert len(cells) == 4
    book = write_small_book(tmp_path, ["# A book"], cells)
    build(book)
    page = book / "_build" / "html" / "book" / "01_chapter.html"
    assert soup(page).select_one("figure.nta-fig .nta-drawing")
    assert not undescribed_pictures(page)
    assert "frozenset({3})" in soup(page).select_one(".cell_output pre").get_text()


def test_the_map_is_drawn() -> None:
    page = ROOT / "_build" / "html" / "book" / "how_this_book_is_made.html"
    (picture,) = soup(page).select("figure.nta-fig .nta-drawing[aria-label*='boxes']")
    rooms = [text.get_text() for text in picture.select("text")]
    assert rooms[0] == "errors"
    assert {"graphs", "svm", "automaton", "viz"} <= set(rooms)
