"""The exercise sheets as pages: every exercise is there, rendered, and solutions only on one."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from nta_book.sphinx import sheets

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "_build" / "html" / "book"
SOURCES = sheets.sources(ROOT / "book")


def soup(name: str) -> BeautifulSoup:
    return BeautifulSoup((PAGES / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def built() -> dict[str, BeautifulSoup]:
    return {kind: soup(f"sheets_{kind}_solutions") for kind in ("without", "with")}


def titles(page: BeautifulSoup) -> list[str]:
    return [" ".join(h.get_text().rstrip("#").split()) for h in page.select("article h3")]


def test_numbers_on_the_sheets_are_those_of_the_chapters(built: dict[str, BeautifulSoup]) -> None:
    expected = []
    for path in SOURCES:
        captions = soup(path.stem).select("div.exercise > p.admonition-title")
        said = [" ".join(caption.get_text().split()) for caption in captions]
        expected += [caption.replace(" (", ": ", 1).removesuffix(")") for caption in said]
    assert len(expected) >= 33
    for page in built.values():
        assert titles(page) == expected


def test_solutions_are_on_one_sheet_only(built: dict[str, BeautifulSoup]) -> None:
    tasks = len(titles(built["with"]))
    assert len(built["with"].select(".nta-solution")) == tasks
    assert len(built["without"].select(".nta-room")) == tasks
    assert not built["without"].select(".nta-solution")
    assert "Solution." not in built["without"].get_text()


@pytest.mark.parametrize("kind", ["without", "with"])
def test_formulas_and_code_are_rendered(built: dict[str, BeautifulSoup], kind: str) -> None:
    article = built[kind].select_one("article")
    assert article.select(".math")
    assert article.select("div.highlight-text pre")
    for block in article.select("pre, .math, script"):
        block.extract()
    text = article.get_text()
    for raw in ("```", ":::", "{ref}", "{math}", "$"):
        assert raw not in text
