"""The urn of chapter 18 in a browser: it plays, is set by keys, is the package's, fits a phone."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page

from nta_book.lab import UrnLab
from tests.browser.lab_page import let_frames_pass, opening, write_lab_page


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    folder = write_lab_page(tmp_path_factory.mktemp("urn"), UrnLab([2, 1, 1]))
    with opening(browser, folder, ".nta-urn .nu-chart text") as open_page:
        yield open_page


def words_shown(page: Page) -> list[str]:
    return page.inner_text(".nu-text").split()


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()


def slide(page: Page, name: str, key: str, times: int = 1) -> None:
    page.get_by_label(name, exact=True).focus()
    for _ in range(times):
        page.keyboard.press(key)


def said(page: Page) -> str:
    return page.inner_text(".nta-urn .nta-words")


def test_it_writes_the_text_of_the_package_word_by_word(opened: Callable) -> None:
    page, urn = opened(), UrnLab([2, 1, 1])
    text = [urn.names[word] for word in urn.chain.generate([0, 1, 2], 600, seed=1)]
    press(page, "Reset")
    assert words_shown(page) == text[:3]
    assert said(page).startswith("Here tea 33%, coffee 33% and milk 33%")
    for _ in range(5):
        press(page, "Step")
    assert words_shown(page) == text[:8]
    press(page, "To the end")
    assert words_shown(page) == text[-90:]
    assert f"tea {round(100 * text.count('tea') / 603)}%" in said(page)
    assert page.troubles == []


def test_it_plays_and_can_be_stopped(opened: Callable) -> None:
    page = opened()
    before = page.locator(".nu-chart path").last.get_attribute("d")
    press(page, "▶ Play")
    let_frames_pass(page, 30)
    assert said(page) == "Every word drawn is one more ticket for the same word."
    press(page, "❚❚ Pause")
    stopped = page.locator(".nu-chart path").last.get_attribute("d")
    assert stopped != before
    let_frames_pass(page, 10)
    assert page.locator(".nu-chart path").last.get_attribute("d") == stopped
    assert "tea takes all" in said(page)
    assert page.troubles == []


def test_who_wants_little_motion_goes_to_the_end_at_once(opened: Callable) -> None:
    page = opened(reduced_motion="reduce")
    press(page, "▶ Play")
    assert page.locator(".nl-go").inner_text() == "▶ Play"
    assert len(words_shown(page)) == 90


def test_sliders_presets_and_number_change_the_text(opened: Callable) -> None:
    page = opened()
    pressed = page.locator('.nta-urn [aria-pressed="true"]')
    assert pressed.inner_text() == "one stronger"
    slide(page, "coffee strength", "End")
    assert page.get_by_label("coffee strength").get_attribute("aria-valuetext") == "3"
    assert pressed.count() == 0
    assert said(page).endswith("In the end coffee takes all.")
    slide(page, "after itself ×", "Home")
    assert said(page).endswith("the same in every text.")
    slide(page, "temperature", "Home")
    assert said(page).endswith("the first draws decide.")
    press(page, "equal")
    assert pressed.inner_text() == "equal"
    assert "any shares can stay" in said(page)
    first = words_shown(page)
    page.get_by_label("text no.").fill("7")
    urn = UrnLab(seed=7)
    text = [urn.names[word] for word in urn.chain.generate([0, 1, 2], 120, seed=7)][-90:]
    assert words_shown(page) == text != first
    page.get_by_label("text no.").fill("-3")  # no number of a text: nothing changes
    assert words_shown(page) == text
    page.keyboard.press("Tab")
    assert page.get_by_label("text no.").input_value() == "7"
    assert page.troubles == []


@pytest.mark.parametrize("width", [360, 768, 1440])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits_and_can_be_read_out(opened: Callable, width: int, theme: str) -> None:
    page = opened(viewport={"width": width, "height": 740})
    page.evaluate("theme => { document.documentElement.dataset.theme = theme; }", theme)
    press(page, "To the end")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    drawn = page.eval_on_selector(".nu-chart", "svg => svg.getBoundingClientRect().width")
    assert drawn == pytest.approx(page.eval_on_selector(".nta-urn", "el => el.clientWidth"), abs=1)
    outside = page.eval_on_selector_all(
        ".nu-chart text",
        "all => all.filter(t => t.getBoundingClientRect().right > innerWidth).length",
    )
    assert outside == 0
    found = Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]}).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"][:80]) for fault in found] == []
