"""What a page does to a reader with a phone before anything is touched: it moves nothing.

And it weighs little.  At a desk see `test_pages`; how long it takes is a matter of `make bench`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from nta_book.sphinx import fonts, quick_start
from nta_book.sphinx.assets import plotly_script
from tests.browser import checks
from tests.built import PAGES

MOST_BYTES = 2_600_000  # uncompressed, with everything the page loads by itself
CHAPTERS = [name for name in PAGES if "/api" not in name]


def problems_of(page: Page) -> list[str]:
    """Let a page come to rest and say what is wrong with its first load."""
    problems, size = checks.jumps(page), checks.weight(page)
    return problems + ([f"{size:,} bytes, budget {MOST_BYTES:,}"] if size > MOST_BYTES else [])


@pytest.mark.parametrize("name", CHAPTERS)
def test_on_a_phone(browser: Browser, book: str, name: str) -> None:
    with checks.opened(browser, book, name, first=checks.WATCH, **checks.ON_A_PHONE) as (
        page,
        complaints,
    ):
        problems = problems_of(page) + complaints
    assert not problems, "\n".join(problems)


LATE = 600  # milliseconds after the text is there: no browser waits so long for a font


@pytest.mark.parametrize("planted", [False, True], ids=["the book", "planted"])
def test_fonts_that_come_late_move_nothing(browser: Browser, book: str, planted: bool) -> None:
    def changing(route: Route) -> None:
        sheet = route.fetch().text()
        assert "font-display:optional" in sheet
        route.fulfill(body=sheet.replace("optional", "swap"), content_type="text/css")

    held: list[Route] = []
    context = browser.new_context(**checks.ON_A_PHONE)  # type: ignore[arg-type]
    context.add_init_script(path=checks.PROBES)
    context.add_init_script(checks.WATCH)
    context.route("**/fonts/*.woff2", lambda route: held.append(route))
    if planted:
        context.route(f"**/{fonts.SHEET}*", changing)
    page = context.new_page()
    # all text, and much of it slanted; fonts that are asked for early hold up the end of loading
    page.goto(f"{book}book/references.html", wait_until="domcontentloaded")
    page.wait_for_timeout(LATE)
    assert held
    while held:
        held.pop().continue_()
        page.wait_for_timeout(100)  # a sheet may ask for more
    problems = problems_of(page)
    context.close()
    assert bool(problems) == planted, problems


SOUND = "<!doctype html><html lang='en'><title>x</title><link rel='icon' href='data:,'><h1>A</h1>"
FAULTS = {
    "what one reads moves": "<p>Words.</p>"
    * 20
    + "<script>setTimeout(() => document.querySelector('h1').style.paddingTop = '300px', 300)"
    "</script>",
    "bytes, budget": "<script src='heavy.js'></script>",
}


@pytest.mark.parametrize("told", [*FAULTS, ""])
def test_the_check_finds_a_fault(
    browser: Browser, serve: Callable[[Path], str], tmp_path: Path, told: str
) -> None:
    (tmp_path / "heavy.js").write_text("/*" + "x" * MOST_BYTES + "*/")
    (tmp_path / "page.html").write_text(SOUND + FAULTS.get(told, "<p>Words.</p>"))
    with checks.opened(browser, serve(tmp_path), "page.html", first=checks.WATCH) as (
        page,
        complaints,
    ):
        problems = problems_of(page) + complaints
    assert len(problems) == bool(told)
    assert all(told in problem for problem in problems)


THROWS = "<script>try { null.x } catch {}</script>"


@pytest.mark.parametrize("planted", ["", THROWS], ids=["plotly.js", "planted"])
def test_plotly_starts_without_an_error_that_it_catches(
    browser: Browser, serve: Callable[[Path], str], tmp_path: Path, planted: str
) -> None:
    """Chromium reads the whole script again for the first one: half a second on a phone."""
    script = quick_start.plotly(plotly_script())
    (tmp_path / "plotly.min.js").write_text(script, encoding="utf-8")
    (tmp_path / "page.html").write_text(SOUND + '<script src="plotly.min.js"></script>' + planted)
    page = browser.new_page()
    tools = page.context.new_cdp_session(page)
    tools.send("Debugger.enable")
    tools.send("Debugger.setPauseOnExceptions", {"state": "all"})
    thrown: list[str] = []

    def go_on(pause: dict[str, Any]) -> None:
        thrown.append(pause.get("data", {}).get("description", "something"))
        tools.send("Debugger.resume")

    tools.on("Debugger.paused", go_on)
    page.goto(serve(tmp_path) + "page.html")
    assert page.evaluate("typeof Plotly.react") == "function"
    page.close()
    errors = [words for words in thrown if "Error" in words]
    assert bool(errors) == bool(planted), errors
