"""The page of all theorems: complete in the built book, or refused by the build."""

from __future__ import annotations

from pathlib import Path

import pytest

from nta_book.sphinx.theorems import statements
from tests.built_book.crawl import soup
from tests.small_book import write_small_book
from tools.build_book import BuildFailed, build

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "_build" / "html" / "book" / "theorems.html"


def test_the_page_shows_every_statement_with_badge_and_evidence() -> None:
    entries = soup(PAGE).select(".nta-statement")
    wanted = [s for path in sorted((ROOT / "book").glob("[0-9]*.ipynb")) for s in statements(path)]
    assert len(entries) == len(wanted) >= 20
    for entry in entries:
        assert entry.select_one(".nta-badge-kind"), entry.get_text()[:80]
        assert entry.select_one(".nta-checked"), entry.get_text()[:80]
        assert entry.select_one("a[href*='.html#']"), "it leads to its chapter"


CHAPTER = (
    "# Why?\n\n:::{prf:theorem} All is well\n:label: thm-x\n\nLet $x = 1$.\n\n"
    "{proved}`here` {checked}`cell-1`\n:::"
)
THEOREMS = "(theorems)=\n# All theorems\n\n```{nta-theorems}\n```\n"


def write(folder: Path, text: str) -> Path:
    """A small book with a chapter that holds this text, and the page of all theorems."""
    book = write_small_book(folder, ["# A book"], [text, "print(6 * 7)"])
    chapter = book / "book" / "01_chapter.ipynb"
    labelled = chapter.read_text(encoding="utf-8").replace("# Why?", r"(ch-01)=\n# Why?")
    chapter.write_text(labelled, encoding="utf-8")
    (book / "book" / "theorems.md").write_text(THEOREMS, encoding="utf-8")
    with (book / "_toc.yml").open("a", encoding="utf-8") as toc:
        toc.write("  - file: book/theorems\n")
    return book


def test_a_theorem_comes_with_its_conditions(tmp_path: Path) -> None:
    book = write(tmp_path, CHAPTER)
    build(book)
    (entry,) = soup(book / "_build" / "html" / "book" / "theorems.html").select(".nta-statement")
    assert "x=1" in entry.get_text(), "a formula is read out as MathML"
    assert "All is well" in entry.get_text()


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("{proved}`here` ", "", "has no badge"),
        (" {checked}`cell-1`", "", "what checks it"),
        ("{checked}`cell-1`", "{checked}`cell-7`", "no cell cell-7"),
    ],
)
def test_a_planted_fault_stops_the_build(tmp_path: Path, old: str, new: str, fault: str) -> None:
    assert old in CHAPTER
    with pytest.raises(BuildFailed, match=fault):
        build(write(tmp_path, CHAPTER.replace(old, new)))
