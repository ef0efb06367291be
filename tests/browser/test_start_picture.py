"""The picture of the start page in a browser: it plays once, is moved by keys, fits a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from nta_book.lab import ORDERS, LeagueRace
from tests.browser.lab_page import let_frames_pass, opening, write_lab_page

LAST = "10,000"


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    folder = write_lab_page(tmp_path_factory.mktemp("start"), LeagueRace(ORDERS))
    with opening(browser, folder, ".nta-hero .nh-runner") as open_page:
        yield open_page


def shares(page: Page, race: int) -> list[str]:
    return page.eval_on_selector_all(
        f'.nh-runner[data-race="{race}"]', "all => all.map(el => el.getAttribute('aria-label'))"
    )


def boxes(page: Page) -> int:
    return page.locator('.nh-picture g > rect[rx="9"]').count()


def test_it_plays_once_and_can_be_stopped(opened: Callable) -> None:
    page = opened()
    assert page.inner_text(".nta-hero output") != LAST
    told = page.inner_text(".nh-words")
    assert told
    assert not any(letter.isdigit() for letter in told)  # a number would be old when it is read
    first = page.locator('.nh-runner[data-race="0"] .nh-chip').first.get_attribute("transform")
    let_frames_pass(page, 30)
    now = page.locator('.nh-runner[data-race="0"] .nh-chip').first.get_attribute("transform")
    assert now != first
    page.click(".nh-play")
    stopped = page.inner_text(".nta-hero output")
    let_frames_pass(page, 10)
    assert page.inner_text(".nta-hero output") == stopped
    assert page.get_attribute(".nh-play", "aria-label") == "play"
    assert page.troubles == []


def test_who_wants_little_motion_sees_the_end(opened: Callable) -> None:
    page = opened(reduced_motion="reduce")
    assert page.inner_text(".nta-hero output") == LAST
    assert shares(page, 0) == ["tea, 67 percent", "coffee, 33 percent", "please, 0 percent"]
    assert "they share" in page.inner_text(".nh-words")
    assert boxes(page) == 3


def test_a_crowned_runner_sorts_the_table_anew_by_click_and_by_key(opened: Callable) -> None:
    page = opened(reduced_motion="reduce")
    page.locator('.nh-runner[data-race="3"][data-token="0"]').click()
    assert boxes(page) == 4
    assert shares(page, 0)[0] == "tea, 100 percent"
    assert "Now tea follows “tea coffee milk please”" in page.inner_text(".nh-words")
    page.click(".nh-reset")
    assert boxes(page) == 3
    assert page.locator(".nh-reset").is_hidden()
    page.locator('.nh-runner[data-race="3"][aria-checked="true"]').focus()
    page.keyboard.press("ArrowUp")  # from coffee to tea
    assert boxes(page) == 4
    focused = page.evaluate(
        "document.activeElement.dataset.race + document.activeElement.ariaLabel"
    )
    assert focused == "3tea, 100 percent"
    assert page.troubles == []


def test_the_slider_is_a_slider(opened: Callable) -> None:
    page = opened(reduced_motion="reduce")
    page.focus(".nta-hero input")
    page.keyboard.press("Home")
    assert page.get_attribute(".nta-hero input", "aria-valuetext") == "step 0"
    assert shares(page, 5) == ["milk, 50 percent", "please, 50 percent"]
    page.keyboard.press("End")
    assert page.inner_text(".nta-hero output") == LAST


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_can_be_read_out(opened: Callable, width: int, theme: str) -> None:
    page = opened(reduced_motion="reduce", viewport={"width": width, "height": 740})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    drawn = page.eval_on_selector(".nh-picture", "svg => svg.getBoundingClientRect().width")
    assert drawn == pytest.approx(page.eval_on_selector(".nta-hero", "el => el.clientWidth"), abs=1)
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:80]) for fault in found] == []
