"""Functions and chapters lead to each other, and a lead that is broken stops the build."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.built_book.crawl import soup
from tests.small_book import write_small_book
from tools.build_book import BuildFailed, build

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build" / "html"
CHAPTERS = sorted((ROOT / "book").glob("[0-9][0-9]_*.ipynb"))


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda path: path.stem)
def test_a_chapter_lists_its_functions_and_each_leads_back(chapter: Path) -> None:
    page = HTML / "book" / f"{chapter.stem}.html"
    links = soup(page).select(".nta-functions a[href]")
    assert links, "no list of functions at the end of the chapter"
    for link in links:
        address = urlsplit(str(link["href"]))
        entry = soup((page.parent / address.path).resolve()).find(id=address.fragment)
        assert entry is not None, link["href"]
        places = entry.find_parent("dl").select_one(".nta-places")
        assert places is not None, f"{address.fragment} says nothing about chapters"
        back = [str(a["href"]) for a in places.find_all("a", href=True)]
        assert any(f"{chapter.stem}.html" in href for href in back), address.fragment


def test_the_ledger_shows_every_line() -> None:
    rows = soup(HTML / "book" / "ledger.html").select("table.nta-ledger tbody tr[id]")
    from tests.reproductions.entry import read_ledger

    assert len(rows) == len(read_ledger())
    for row in rows:
        assert row.select_one(".nta-badge-kind"), row.get_text()[:60]
        assert row.select_one("td:last-child a[href]"), row.get_text()[:60]


def test_a_docstring_that_names_a_missing_chapter_stops_the_build(tmp_path: Path) -> None:
    book = write_small_book(tmp_path, ["# A book"])
    (book / "book" / "api").mkdir()
    page = "# Reading\n\nSome words.\n\n```{nta-api} nta_core.reading\n```\n"
    (book / "book" / "api" / "reading.md").write_text(page, encoding="utf-8")
    toc = (book / "_toc.yml").read_text(encoding="utf-8")
    (book / "_toc.yml").write_text(f"{toc}chapters:\n- file: book/api/reading\n", encoding="utf-8")
    with pytest.raises(BuildFailed, match="undefined label: 'ch-07'"):
        build(book)
