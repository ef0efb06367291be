"""The built book under a finger and under keys, in Chromium with a touch screen of 360 px.

A sample of pages; ``make engines`` takes every page.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser import checks
from tests.browser.test_other_engines import CHOSEN
from tests.every_page import EVERY_PAGE

SAMPLE = [
    "book/index.html",
    "book/05_which_w.html",
    "book/13_scan_then_snap.html",
    "book/token_lab.html",
    "book/theorems.html",
    "genindex.html",
]
PAGES = CHOSEN if EVERY_PAGE else SAMPLE


@pytest.mark.parametrize("name", PAGES)
def test_hands_find_and_see_everything(touched: Browser, book: str, name: str) -> None:
    with checks.opened(touched, book, name, **checks.ON_A_PHONE) as (page, complaints):
        problems = checks.undrawn(page)
        problems += checks.trapping_pictures(page) + checks.stubborn_plots(page)
        problems += checks.small_targets(page) + checks.small_words(page)
        problems += checks.only_on_hover(page) + checks.hidden_focus(page)
        problems += complaints
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("name", PAGES)
def test_keys_at_a_desk(browser: Browser, book: str, name: str) -> None:
    with checks.opened(browser, book, name) as (page, complaints):
        problems = checks.undrawn(page) + checks.hidden_focus(page)
        problems += checks.lost_focus(page) + complaints
    assert not problems, "\n".join(problems)


PLOTS = "book/10_change_the_loss.html"
DEAF = "addEventListener('touchmove', (e) => e.stopImmediatePropagation(), true)"


def test_two_fingers_look_closer(touched: Browser, book: str) -> None:
    with checks.opened(touched, book, PLOTS, **checks.ON_A_PHONE) as (page, complaints):
        assert not checks.undrawn(page)
        assert not checks.pinched_otherwise(page) + complaints
    with checks.opened(touched, book, PLOTS, first=DEAF, **checks.ON_A_PHONE) as (page, _):
        assert not checks.undrawn(page)
        assert any("come no closer" in problem for problem in checks.pinched_otherwise(page, 1))
