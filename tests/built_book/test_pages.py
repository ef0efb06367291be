"""A crawl of the built book: every page, read as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.built import HTML, ROOT, built_book
from tests.built_book import crawl
from tools.toc import toc_pages, toc_sources

TOC = toc_pages(ROOT)


@pytest.fixture(scope="session", autouse=True)
def _built() -> None:
    built_book()


def test_pages_are_those_of_the_toc() -> None:
    assert not crawl.pages_against_toc(HTML, TOC)


def test_style_sheets_load_nothing_from_outside() -> None:
    assert not crawl.outside_addresses_of_styles(HTML)


@pytest.mark.parametrize("name", [*TOC, "genindex", "search"])
def test_page(name: str) -> None:
    page = HTML / f"{name}.html"
    problems = [
        *crawl.tracebacks(page),
        *crawl.outside_addresses(page),
        *crawl.broken_links(page, HTML),
        *crawl.dead_launch_paths(page, ROOT),
        *crawl.undescribed_pictures(page),
        *crawl.overweight(page),
    ]
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("source", [p for p in toc_sources(ROOT) if p.suffix == ".ipynb"], ids=str)
def test_chapter_can_be_downloaded(source: Path) -> None:
    page = HTML / source.relative_to(ROOT).with_suffix(".html")
    assert not crawl.missing_download(page)
