"""How pages are set: one scale of type, the same letters in all pictures, text that stays put."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
PAGES = ["book/index.html", "book/04_strict_order.html", "book/10_change_the_loss.html"]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
MOST_SHIFT = 0.1  # what is accepted as calm for a page that loads
WATCH = """
globalThis.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
SIZES = """() => {
  const size = (el) => parseFloat(getComputedStyle(el).fontSize);
  const first = (selector) => size(document.querySelector(`.bd-article ${selector}`));
  const drawn = [...document.querySelectorAll('.nta-drawing svg text')].map((text) =>
    size(text) * text.getScreenCTM().a);
  const plotted = [...document.querySelectorAll('.nta-plot .xtick text')].map(size);
  const formulas = [...document.querySelectorAll('.bd-article p mjx-container')].map((formula) =>
    size(formula) / size(formula.parentElement));
  return { body: first('section section > p'), h1: first('h1'), h2: first('h2'),
           drawn, plotted, formulas };
}"""


@pytest.fixture(scope="module")
def book(serve: Callable[[Path], str]) -> str:
    if not (HTML / "index.html").exists():
        pytest.fail("there is no built book: run make book first")
    return serve(HTML)


def opened(browser: Browser, address: str, size: dict[str, int]) -> Page:
    page = browser.new_context(viewport=size).new_page()
    page.add_init_script(WATCH)
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)
    return page


@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_text_stays_put_and_letters_have_their_sizes(
    browser: Browser, book: str, name: str, size: dict[str, int]
) -> None:
    page = opened(browser, f"{book}{name}", size)
    assert page.evaluate("shift") < MOST_SHIFT
    page.evaluate("nta.drawAll()")
    page.wait_for_timeout(1500)
    sizes = page.evaluate(SIZES)
    page.context.close()
    assert sizes["body"] == pytest.approx(18, abs=0.1)
    assert sizes["h1"] >= 1.2 * sizes["h2"] >= 1.3 * sizes["body"]
    assert all(12 <= letter <= 14.6 for letter in sizes["drawn"]), sorted(sizes["drawn"])
    # plotly sets powers of ten a quarter larger
    assert all(12 <= letter <= 1.25 * 13 for letter in sizes["plotted"]), sizes["plotted"]
    assert all(ratio == pytest.approx(1.08, abs=0.01) for ratio in sizes["formulas"])


def test_a_page_that_jumps_is_noticed(browser: Browser, tmp_path: Path) -> None:
    late = "setTimeout(() => { document.querySelector('div').style.height = '400px'; }, 300)"
    (tmp_path / "page.html").write_text(
        f"<!doctype html><title>x</title><div></div><p>text that one reads</p><h1>x</h1>"
        f"<p style='height:300px;background:#eee'>more</p><script>{late}</script>"
    )
    page = opened(browser, (tmp_path / "page.html").as_uri(), DESK)
    assert page.evaluate("shift") > MOST_SHIFT
    page.context.close()
