"""How pages are set: one scale of type, and the same letters in all pictures."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser

from tests.browser import checks

PAGES = ["book/index.html", "book/04_strict_order.html", "book/10_change_the_loss.html"]
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


@pytest.mark.parametrize("size", [checks.DESK, checks.PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", PAGES)
def test_letters_have_their_sizes(
    browser: Browser, book: str, name: str, size: dict[str, int]
) -> None:
    with checks.opened(browser, book, name, viewport=size) as (page, _):
        assert not checks.undrawn(page)
        sizes = page.evaluate(SIZES)
    assert sizes["body"] == pytest.approx(18, abs=0.1)
    assert sizes["h1"] >= 1.2 * sizes["h2"] >= 1.3 * sizes["body"]
    assert all(12 <= letter <= 14.6 for letter in sizes["drawn"]), sorted(sizes["drawn"])
    # plotly sets powers of ten a quarter larger
    assert all(12 <= letter <= 1.25 * 13 for letter in sizes["plotted"]), sizes["plotted"]
    assert all(ratio == pytest.approx(1.08, abs=0.01) for ratio in sizes["formulas"])
