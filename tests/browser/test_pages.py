"""Every page of the built book as readers use it: at a desk, and on a phone, dark, from a disk.

Pages of the reference are all made alike: three stand for them, ``make engines`` takes every one.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser import checks
from tests.built import HTML, PAGES
from tests.every_page import EVERY_PAGE

REFERENCE = ("api/svm.html", "api/heads.html", "api/viz.html")  # long, with tables, with pictures
LOOKED_AT = [
    name for name in PAGES if EVERY_PAGE or "/api/" not in name or name.endswith(REFERENCE)
]

MOST_BYTES = 5_500_000  # uncompressed, everything drawn; what loads by itself is test_first_load's


def is_chapter(name: str) -> bool:
    return Path(name).name[:2].isdigit()


@pytest.mark.parametrize("name", LOOKED_AT)
def test_on_a_desk(browser: Browser, book: str, name: str) -> None:
    laptop = {"viewport": checks.LAPTOP, "color_scheme": "light", "first": checks.WATCH}
    with checks.opened(browser, book, name, **laptop) as (page, complaints):
        problems = checks.below_the_first_screen(page) if is_chapter(name) else []
        problems += [] if "/api/" in name else checks.jumps(page)
        problems += checks.undrawn(page)
        size = checks.weight(page)
        problems += [f"{size:,} bytes, budget {MOST_BYTES:,}"] if size > MOST_BYTES else []
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
