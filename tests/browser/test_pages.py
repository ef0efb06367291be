"""Every page of the built book as readers use it: at a desk, and on a phone, dark, from a disk.

Pages of the reference are all made alike: three stand for them, ``make engines`` takes every one.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser import checks
from tests.built import HTML, PAGES
from tests.every_page import EVERY_PAGE

REFERENCE = ("api/svm.html", "api/heads.html", "api/viz.html")  # long, with tables, with pictures
LOOKED_AT = [
    name for name in PAGES if EVERY_PAGE or "/api/" not in name or name.endswith(REFERENCE)
]

# Uncompressed bytes of a page with everything it loads, by what it has to load.
BUDGETS = {
    "explorers": 1_300_000,  # fonts are 260 KB of it
    "formulas": 2_200_000,
    "explorers and formulas": 3_600_000,  # the HTML itself may have 1.5 MB
    "plots": 5_500_000,
}


@pytest.mark.parametrize("name", LOOKED_AT)
def test_on_a_desk(browser: Browser, book: str, name: str) -> None:
    with checks.opened(browser, book, name, color_scheme="light") as (page, complaints):
        problems = checks.undrawn(page)
        problems += _overweight(checks.weight(page), page.content())
        problems += checks.inaccessible(page) + checks.pale_words(page)
        problems += checks.dead_controls(page)
        problems += checks.long_ticks(page)
        problems += checks.stuck_colours(page, "dark")
        problems += [f"dark: {p}" for p in checks.faint_words(page) + checks.pale_words(page)]
        problems += complaints
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", [*LOOKED_AT, "search.html", "genindex.html"])
def test_on_a_phone_in_the_dark_from_a_disk(browser: Browser, name: str) -> None:
    """The same scripts as at the desk, so that one living control per explorer is enough."""
    disk = f"{HTML.as_uri()}/"
    with checks.opened(browser, disk, name, color_scheme="dark", **checks.ON_A_PHONE) as (
        page,
        complaints,
    ):
        problems = checks.undrawn(page) + checks.sideways_scroll(page) + checks.faint_words(page)
        problems += checks.lifeless_explorers(page) + complaints
    assert not problems, "\n".join(problems)


def test_the_front_door_leads_to_the_book(browser: Browser, book: str) -> None:
    with checks.opened(browser, book, "index.html") as (page, complaints):
        page.wait_for_url(f"{book}{PAGES[0]}")
        assert page.title()
    assert not complaints


def test_search_finds_the_words_of_a_page(browser: Browser, book: str) -> None:
    with checks.opened(browser, book, "search.html?q=token") as (page, complaints):
        page.wait_for_selector("#search-results li a", timeout=10_000)
    assert not complaints


def _overweight(size: int, content: str) -> list[str]:
    formulas, explorers = "mjx-container" in content, "nta-explorer" in content
    kind = "explorers and formulas" if formulas and explorers else "formulas"
    kind = kind if formulas else "explorers"
    kind = "plots" if "js-plotly-plot" in content else kind
    budget = BUDGETS[kind]
    return [f"{kind}: {size:,} bytes, budget {budget:,}"] if size > budget else []
