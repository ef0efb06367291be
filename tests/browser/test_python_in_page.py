"""Python in the page, as readers use it: run, edit, stop, keep, and what happens when it cannot."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from nta_book.page.bundle import build as bundle
from tools.install_browser import find_browser

from . import checks, engines
from .python_page import Cell, write_python_page

PAGE = "book/01_chapter.html"
PATIENCE = 180_000  # milliseconds for Python to start on a busy machine
SOON = 60_000
TOUCH = 44  # px
MOST_BEFORE = 15_000  # bytes that a page may grow by before the first Run
STUB = 'track, one, another = "e1", "e5", "e2"\ncheck.never_compared(track, one, another)'
SOLUTION = STUB.replace('"e5", "e2"', '"e4", "e3"')
TEXT = '<div class="output text_plain highlight-myst-ansi"><div class="highlight"><pre>{}</pre>'
VERDICT = '<div class="output text_html"><p class="nta-verdict nta-verdict-hint">{}</p></div>'
EXERCISE = """<div class="exercise admonition" id="ex-{0}"><p class="admonition-title">
<span class="caption-number">Exercise 1.{0} </span> (A silent pair)</p><p>Find it.</p></div>"""
FIGURE = """<figure class="align-default" id="fig-x"><div class="output nta-output"><p>old</p></div>
<figcaption><p>Fig. 1.1: what one sees.</p></figcaption></figure>"""
CHART = """viz.growth([1, 2, 4], {"a": [1, 2, 3]}, x_title="step", y_title="length", log_y=False)"""

CELLS = (
    Cell("check", "from nta_book.exercises import chapter_02 as check", kind="hidden"),
    Cell("viz", "from nta_book import viz\nfrom nta_core import FIG3", kind="hidden"),
    Cell(
        "plain",
        "x = 3\nprint('hello')\nx + 1",
        setup="x = 3",
        gives=("x",),
        stored=TEXT.format("the stored 4") + "</div></div>",
    ),
    Cell("twice", "y = 2 * x\ny", needs=("plain",), gives=("y",)),
    Cell("race", "viz.race(FIG3, 1)", needs=("viz",), stored=FIGURE),
    Cell("chart", CHART, needs=("viz",)),
    Cell("data", "FIG3", needs=("viz",)),
    Cell(
        "heavy",
        "import torch\ntorch.ones(3)",
        kind="heavy",
        extra={"data-nta-why": "It needs torch."},
    ),
    *(
        Cell(
            f"puzzle-{k}",
            STUB,
            kind="exercise",
            needs=("check",),
            stored=VERDICT.format("the stored hint"),
            above=EXERCISE.format(k),
        )
        for k in (1, 2)
    ),
    Cell("forever", "while True: pass", stored=TEXT.format("the stored end") + "</div></div>"),
)
OTHER_PAGE = """<!doctype html><html lang="en"><title>Mine</title><link rel="icon" href="data:,">
<link rel="stylesheet" href="../_static/nta-book.css">
<script defer src="../_static/nta-book.js"></script>
<article class="bd-article"><div class="nta-predictions"></div></article></html>"""


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    hint = '<p class="nta-run-hint" hidden>Press Run.</p>'
    folder = write_python_page(tmp_path_factory.mktemp("python"), *CELLS, before=hint)
    (folder / "book" / "mine.html").write_text(OTHER_PAGE, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(book: Path, serve: Callable[[Path], str]) -> str:
    return serve(book)


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser whose cache works: Playwright's routes would switch it off."""
    context = browser.new_context(viewport=checks.DESK)
    context.add_init_script(path=checks.PROBES)
    yield context
    context.close()


@pytest.fixture(scope="module")
def started(context: BrowserContext, address: str) -> Iterator[Page]:
    """One page for all tests that need no Python of their own; the first of them starts it."""
    page = context.new_page()
    page.goto(address + PAGE)
    yield page
    page.close()


@pytest.fixture
def page(started: Page) -> Page:
    """The page that was started, with the book's own code in every cell."""
    for reset in started.locator('button[aria-label^="Reset"]').all():  # also those not in sight
        if reset.is_visible():
            reset.click()
    return started


@contextmanager
def fresh(browser: Browser, address: str, name: str = PAGE, **options: Any) -> Iterator[Page]:
    """A page of its own, in which things may go wrong."""
    with checks.opened(browser, address, name, **options) as (page, _):
        yield page


# ---- hands ---------------------------------------------------------------------------------------


def cell(page: Page, name: str) -> Locator:
    return page.locator(f'[data-nta-cell="{name}"]')


def editor(page: Page, name: str) -> Locator:
    place = cell(page, name).locator("textarea")
    if not place.count():
        cell(page, name).get_by_role("button", name="Edit").click()
    return place


def write(page: Page, name: str, text: str) -> None:
    editor(page, name).fill(text)


def press_run(page: Page, name: str) -> None:
    cell(page, name).get_by_role("button", name=re.compile("^Run")).click()


def wait_for_end(page: Page, name: str, *, patience: float = PATIENCE) -> None:
    stop = cell(page, name).locator(".nta-run-stop")
    expect(stop).to_have_count(1, timeout=SOON)
    expect(stop).to_be_hidden(timeout=patience)


def run(page: Page, name: str, text: str | None = None) -> str:
    """Run a cell, with another text if one is given; return what it gave."""
    if text is not None:
        write(page, name, text)
    press_run(page, name)
    wait_for_end(page, name)
    return own_output(page, name).inner_text().strip()


def own_output(page: Page, name: str) -> Locator:
    return cell(page, name).locator(".nta-run-output")


def said(page: Page, name: str) -> Locator:
    return cell(page, name).locator(".nta-run-said")


def note(page: Page, name: str) -> Locator:
    return cell(page, name).locator(".nta-run > .nta-run-note")


def warning(page: Page, name: str) -> Locator:
    return cell(page, name).locator(".nta-run > .nta-run-warning")


def stop(page: Page, name: str) -> None:
    cell(page, name).get_by_role("button", name="Stop").click()
    wait_for_end(page, name, patience=SOON)


def answers(page: Page) -> dict[str, Any]:
    kept = page.evaluate("({...localStorage})")
    return {k: json.loads(v) for k, v in kept.items() if k.startswith("nta-answer:")}


# ---- before the first run ------------------------------------------------------------------------


def test_nothing_is_fetched_before_the_first_run(browser: Browser, address: str) -> None:
    asked: list[str] = []
    with checks.opened(browser, address, "book/mine.html") as (page, complaints):
        page.on("request", lambda request: asked.append(request.url))
        page.goto(address + PAGE)
        page.wait_for_load_state("networkidle")
        page.mouse.wheel(0, 5000)
        expect(page.get_by_role("button", name="Run and check: Exercise 1.1")).to_be_visible()
    assert not complaints
    assert not [url for url in asked if "/python/" in url or "nta-python-run" in url]


def test_a_page_grows_by_little() -> None:
    built = bundle()
    script = (built / "nta-python.js").stat().st_size
    marks = 60 * len(' data-nta-cell="a-rather-long-name-of-a-cell" data-nta-kind="exercise"')
    assert script + marks <= MOST_BEFORE


def test_the_stored_verdict_of_a_stub_does_not_look_like_the_readers(page: Page) -> None:
    label = cell(page, "puzzle-1").get_by_text("Unchanged, the code above gives this")
    expect(label).to_be_visible()
    expect(cell(page, "plain").get_by_text("Unchanged")).to_have_count(0)


def test_a_heavy_cell_says_why_and_where_it_runs(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        words = cell(page, "heavy").locator(".nta-run-why")
        expect(words).to_contain_text("It needs torch.")
        expect(words).to_contain_text("make lab")
        expect(cell(page, "heavy").get_by_role("button")).to_have_count(0)
    launch = """addEventListener("DOMContentLoaded", () => {
        const e = document.createElement("div");
        e.className = "dropdown-launch-buttons";
        e.innerHTML = '<a href="https://mybinder.example/x">Binder</a>';
        document.body.append(e) }, { capture: true })"""
    with fresh(browser, address, first=launch) as page:
        link = cell(page, "heavy").get_by_role("link", name="Binder")
        expect(link).to_have_attribute("href", "https://mybinder.example/x")


def test_without_javascript_the_page_is_as_it_was(browser: Browser, address: str) -> None:
    with fresh(browser, address, java_script_enabled=False) as page:
        expect(page.get_by_text("the stored 4")).to_be_visible()
        expect(page.get_by_role("button")).to_have_count(0)
        expect(page.get_by_text("Press Run.")).to_be_hidden()
    with fresh(browser, address) as page:
        expect(page.get_by_text("Press Run.")).to_be_visible()


def test_what_will_be_announced_is_listened_to_before_its_first_word(
    browser: Browser, address: str
) -> None:
    with fresh(browser, address) as page:
        expect(cell(page, "puzzle-1").get_by_role("status")).to_have_count(1)
        editor(page, "puzzle-1")
        expect(cell(page, "puzzle-1").get_by_role("status")).to_have_count(3)
        before = cell(page, "puzzle-2").locator(".nta-run").bounding_box()
        assert before is not None
        assert before["height"] < 2 * TOUCH, "empty ones take no room"


# ---- running -------------------------------------------------------------------------------------

WATCH = """() => { window.seen = { bar: [], said: [] };
    new MutationObserver(() => {
        const bar = document.querySelector('[role=progressbar]');
        if (bar?.getAttribute('aria-valuenow')) {
            seen.bar.push([Number(bar.getAttribute('aria-valuenow')),
                Number(bar.getAttribute('aria-valuemax')), bar.nextElementSibling.textContent]);
        }
    }).observe(document.body, { subtree: true, childList: true, attributes: true });
    const status = document.querySelector('[data-nta-cell="puzzle-1"] .nta-run-said');
    new MutationObserver(() => seen.said.push(status.textContent))
        .observe(status, { childList: true, characterData: true, subtree: true }); }"""


def test_a_stub_is_refused_and_a_solution_accepted(page: Page) -> None:
    page.evaluate(WATCH)
    hint = run(page, "puzzle-1")
    assert "hint" in hint
    assert "e5" in hint
    expect(cell(page, "puzzle-1").get_by_text("the stored hint")).to_be_hidden()
    expect(cell(page, "puzzle-1").get_by_text("Unchanged")).to_be_hidden()
    seen = page.evaluate("seen")
    assert [words for words in seen["said"] if "hint" in words] == [re.sub(r"\s+", " ", hint)]
    done = [now for now, *_ in seen["bar"]]
    (total,) = {total for _, total, _ in seen["bar"]}
    assert done == sorted(done)
    assert done[-1] == total <= 28e6
    named = [words for *_, words in seen["bar"] if re.search(r"Loading .*: \d+ of \d+ MB", words)]
    assert any("scipy" in words for words in named)
    assert "ok" in run(page, "puzzle-1", SOLUTION)
    cell(page, "puzzle-1").get_by_role("button", name="Reset").click()
    expect(cell(page, "puzzle-1").get_by_text("the stored hint")).to_be_visible()
    expect(editor(page, "puzzle-1")).to_have_value(STUB)


def test_what_is_printed_and_the_last_value_stand_where_the_stored_output_stood(page: Page) -> None:
    assert run(page, "plain").split() == ["hello", "4"]
    expect(page.get_by_text("the stored 4")).to_be_hidden()
    expect(said(page, "plain")).to_contain_text("Done in")
    cell(page, "plain").get_by_role("button", name="Reset").click()
    expect(page.get_by_text("the stored 4")).to_be_visible()
    expect(own_output(page, "plain")).to_be_hidden()


def test_what_is_printed_without_an_end_of_line_stands_below_its_own_cell(page: Page) -> None:
    loop = "import sys\nfor i in range(3): print(i, end=' ')\nprint('é', end='', file=sys.stderr)"
    assert run(page, "plain", loop) == "0 1 2 é"
    assert run(page, "twice", "print('mine')") == "mine"
    assert run(page, "twice", "print('cut off', end='')\n1 / 0").startswith("cut off")


def test_a_cell_finds_what_it_needs_as_the_reader_left_it(page: Page) -> None:
    assert run(page, "twice") == "6"
    run(page, "plain", "x = 50")
    assert run(page, "twice") == "100"
    cell(page, "plain").get_by_role("button", name="Reset").click()
    assert run(page, "twice") == "6"
    run(page, "puzzle-1", "x = 50")
    assert run(page, "twice") == "6", "an answer to an exercise is not what a cell needs"


ASKED = """from nta_book.exercises.verdict import checker
@checker
def asked(f):
    if f() != 6:
        yield "six is asked for"
    return "six"
def mine():
    return y
print("once")
asked(mine)"""
HASTY = """const { setTimeout } = window;
window.setTimeout = (act, time) => setTimeout(act, time >= 10_000 ? 300 : time)"""


def test_a_function_that_a_checker_calls_finds_what_cells_above_give(
    browser: Browser, address: str
) -> None:
    with fresh(browser, address, first=HASTY) as page:
        text = run(page, "puzzle-1", ASKED)
        assert re.sub(r"\s+", " ", text) == "once ✓ ok six"
        ended = said(page, "puzzle-1").text_content()
        page.wait_for_timeout(600)
        expect(said(page, "puzzle-1")).to_have_text(str(ended))


def test_a_name_that_a_cell_above_gives_is_there_also_where_nobody_foresaw_it(page: Page) -> None:
    run(page, "puzzle-1", "1")
    cell(page, "puzzle-1").get_by_role("button", name="Reset").click()  # which forgets all names
    assert run(page, "puzzle-1", f"print('once', y)\n{STUB}").startswith("once 6\n")
    assert "NameError: name 'nobody'" in run(page, "puzzle-1", "nobody")


def test_a_cell_that_is_needed_and_fails_is_named(page: Page) -> None:
    run(page, "plain", "x = 1 / 0")
    run(page, "twice")
    expect(said(page, "twice")).to_have_text(
        "A cell above that this one needs (it begins with: x = 1 / 0) stopped: ZeroDivisionError."
    )
    assert "a cell above, line 1\n    x = 1 / 0" in own_output(page, "twice").inner_text()
    assert "your cell" not in own_output(page, "twice").inner_text()


def test_reset_forgets_a_name_that_hides_another(page: Page) -> None:
    shadowed = run(page, "puzzle-1", "check = print = 3\n" + STUB)
    assert "AttributeError" in shadowed
    assert "hint" in run(page, "puzzle-2"), "it needs the checker of the book"
    assert "not callable" in run(page, "plain"), "no cell gave print, and none gives it back"
    cell(page, "puzzle-1").get_by_role("button", name="Reset").click()
    assert run(page, "plain").split() == ["hello", "4"]


def test_an_error_shows_the_readers_line_and_marks_it(page: Page) -> None:
    text = run(page, "plain", "def f(a):\n    return 1 / a\n\nf(0)")
    assert "your cell, line 2, in f" in text
    assert "File" not in text
    expect(said(page, "plain")).to_have_text("ZeroDivisionError in line 2.")
    faulty = cell(page, "plain").locator(".nta-run-faulty")
    assert faulty.inner_text().strip() == "return 1 / a"
    assert editor(page, "plain").get_attribute("aria-invalid") == "true"
    write(page, "plain", "1")
    expect(faulty).to_have_count(0)
    run(page, "plain", "x = = 1")
    expect(said(page, "plain")).to_have_text("SyntaxError in line 1.")


def test_a_line_of_a_text_that_was_changed_meanwhile_is_not_marked(page: Page) -> None:
    write(page, "plain", "import time\ntime.sleep(2)\n1 / 0")
    press_run(page, "plain")
    expect(cell(page, "plain").get_by_text("Running", exact=False)).to_be_visible(timeout=PATIENCE)
    write(page, "plain", "this\nis\nanother")
    wait_for_end(page, "plain")
    expect(said(page, "plain")).to_have_text("ZeroDivisionError in line 3.")
    expect(cell(page, "plain").locator(".nta-run-faulty")).to_have_count(0)


def test_pictures_and_tables_are_drawn_as_the_page_draws_them(page: Page) -> None:
    run(page, "race")
    drawing = own_output(page, "race").locator("figure.nta-fig .nta-drawing svg")
    expect(drawing).to_be_visible()
    expect(cell(page, "race").get_by_text("old")).to_be_hidden()
    expect(cell(page, "race").locator("figure#fig-x > figcaption")).to_be_visible()
    assert "e3" in run(page, "data")
    run(page, "chart")
    plot = own_output(page, "chart").locator("figure.nta-fig .nta-plot")
    expect(plot.locator(".main-svg").first).to_be_visible(timeout=SOON)
    assert "length" in str(plot.get_attribute("aria-label"))
    page.evaluate("nta.present(1)")
    expect(page.locator(".nta-present-bar")).to_be_visible()
    page.wait_for_function("document.documentElement.dataset.ntaSlide === '1'")
    page.keyboard.press("Escape")


RESIZED = """window.resized = new Set();
for (const name of ["addEventListener", "removeEventListener"]) {
    const own = window[name];
    window[name] = function (kind, hear, ...more) {
        if (kind === "resize" && this === window) {
            if (name === "addEventListener") resized.add(hear);
            else resized.delete(hear);
        }
        return own.call(this ?? window, kind, hear, ...more);
    };
}"""


def test_a_chart_that_is_drawn_again_leaves_nothing_of_the_last_and_follows_the_theme(
    browser: Browser, address: str
) -> None:
    heard = []
    with fresh(browser, address, first=RESIZED) as page:
        before = page.evaluate("resized.size")
        plot = own_output(page, "chart").locator(".nta-plot .main-svg").first
        for _ in range(3):
            run(page, "chart")
            expect(plot).to_be_visible(timeout=SOON)
            heard.append(page.evaluate("resized.size") - before)
        assert heard == [1, 1, 1]
        light = page.evaluate("probe.coloursOfPictures()")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.wait_for_function(
            "light => String(probe.coloursOfPictures()) !== String(light)", arg=light
        )
        cell(page, "chart").get_by_role("button", name="Reset: code").click()
        page.wait_for_function("before => resized.size === before", arg=before)


def test_a_package_that_is_not_here_is_named(page: Page) -> None:
    assert "torch is not here" in run(page, "plain", "import torch")


# ---- stopping ------------------------------------------------------------------------------------


def test_an_endless_loop_is_stopped_and_python_starts_again(page: Page) -> None:
    write(page, "plain", "x = 7")
    run(page, "plain")
    write(page, "twice", "while True:\n    pass")
    editor(page, "twice").press("Control+Enter")
    expect(said(page, "twice")).to_have_text(
        "Still running after 10 s; Stop ends it.", timeout=SOON
    )
    press_run(page, "data")  # waits its turn
    press_run(page, "race")
    stop(page, "race")
    expect(said(page, "race")).to_have_text("Stopped before it began.")
    expect(said(page, "twice")).to_have_text("Still running after 10 s; Stop ends it.")
    stop(page, "twice")
    expect(said(page, "twice")).to_contain_text("Stopped.")
    wait_for_end(page, "data")
    assert "e3" in own_output(page, "data").inner_text(), "its turn came, in a Python of its own"
    assert run(page, "twice", "y = 2 * x\ny") == "14", "what the reader ran counts after Stop, too"


def test_what_was_stored_comes_back_after_a_stop(page: Page) -> None:
    press_run(page, "forever")
    expect(page.get_by_text("the stored end")).to_be_hidden(timeout=PATIENCE)
    stop(page, "forever")
    cell(page, "forever").get_by_role("button", name="Reset").click()
    expect(page.get_by_text("the stored end")).to_be_visible()
    expect(cell(page, "forever").get_by_role("button", name="Reset")).to_be_hidden()


@pytest.mark.parametrize(
    ("from_disk", "first", "then"),
    [
        (False, "manifest.json", "numpy"),
        (True, "cells/01_chapter.js", "manifest.js"),
        (True, "disk/pyodide.mjs.js", "disk/"),
    ],
)
def test_stop_ends_also_what_is_being_loaded(
    browser: Browser, address: str, book: Path, from_disk: bool, first: str, then: str
) -> None:
    held: list[Route] = []
    asked: list[str] = []
    with fresh(browser, f"{book.as_uri()}/" if from_disk else address) as page:
        page.route(f"**/{first}*", lambda route: held.append(route))
        press_run(page, "puzzle-1")
        wait_for_one(page, held)
        stop(page, "puzzle-1")
        page.on("request", lambda request: asked.append(request.url))
        for route in held:
            route.continue_()
        page.wait_for_timeout(1000)
        assert not [url for url in asked if then in url]
        page.unroute(f"**/{first}*")
        assert "hint" in run(page, "puzzle-1")


def test_a_start_that_was_stopped_does_not_go_on_beside_the_next(
    browser: Browser, address: str
) -> None:
    held: list[Route] = []
    asked: list[str] = []
    with fresh(browser, address) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/cells/01_chapter.js*", lambda route: held.append(route))
        press_run(page, "puzzle-1")
        wait_for_one(page, held)
        stop(page, "puzzle-1")
        press_run(page, "puzzle-1")
        for route in held:
            route.continue_()
        page.unroute("**/cells/01_chapter.js*")
        wait_for_end(page, "puzzle-1")
        assert "hint" in own_output(page, "puzzle-1").inner_text()
        assert len([url for url in asked if "manifest.json" in url]) == 1


def wait_for_one(page: Page, held: list[Route]) -> None:
    """Wait until a request is held back."""
    for _ in range(200):
        page.wait_for_timeout(50)
        if held:
            return
    raise AssertionError("nothing was asked for")


def test_a_loop_that_prints_leaves_the_page_alive(page: Page) -> None:
    write(page, "twice", "while True:\n    print('again')")
    press_run(page, "twice")
    expect(own_output(page, "twice")).to_contain_text("again", timeout=PATIENCE)
    expect(own_output(page, "twice")).to_contain_text("is not shown", timeout=SOON)
    stop(page, "twice")
    assert own_output(page, "twice").inner_text().count("again") < 50_000


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "many = [bytearray(2**26) for _ in range(100)]",
            "Python ran out of memory and was ended.",
        ),
        ("def f(): return f()\nf()", "RecursionError"),
        ("-" * 3000 + "1", "The code called itself too deeply; Python was ended."),
    ],
    ids=["memory", "recursion", "parser"],
)
def test_code_that_asks_for_too_much_is_told_so(page: Page, code: str, words: str) -> None:
    run(page, "twice", code)
    expect(said(page, "twice")).to_contain_text(words)
    assert "File" not in own_output(page, "twice").inner_text(), "insides of ours"
    assert run(page, "twice", "6 * 7") == "42"


# ---- the editor ----------------------------------------------------------------------------------


def test_keys_of_the_editor(page: Page) -> None:
    area = editor(page, "plain")
    area.fill("")
    area.press_sequentially("if x:")
    area.press("Enter")
    area.press_sequentially("y")
    area.press("Enter")
    area.press_sequentially("z")
    assert area.input_value() == "if x:\n    y\n    z"
    area.press("Shift+Tab")
    assert area.input_value() == "if x:\n    y\nz"
    area.press("Control+a")
    area.press("Tab")
    assert area.input_value() == "    if x:\n        y\n    z"
    area.press("Control+z")
    assert area.input_value() == "if x:\n    y\nz"
    shown = cell(page, "plain").locator("pre").first
    assert shown.text_content() == "if x:\n    y\nz\n"
    assert shown.locator(".k").all_inner_texts() == ["if"]
    area.press("Escape")
    expect(cell(page, "plain").get_by_role("button", name="Run")).to_be_focused()
    page.keyboard.press("Tab")
    expect(cell(page, "plain").get_by_role("button", name="Reset")).to_be_focused()


def test_escape_leaves_the_editor_also_while_python_loads_or_runs(page: Page) -> None:
    button = cell(page, "twice").get_by_role("button", name="Stop")
    area = editor(page, "twice")
    area.fill("while True:\n    pass")
    for words in ("Still running", "Python is at work."):  # the second time it starts anew
        area.press("Control+Enter")
        expect(said(page, "twice")).to_contain_text(words, timeout=PATIENCE)
        area.press("Escape")
        expect(button).to_be_focused()
        page.keyboard.press("Enter")
        wait_for_end(page, "twice", patience=SOON)
    assert area.input_value() == "while True:\n    pass"


def test_the_editor_says_what_it_is_and_how_to_leave_it(page: Page) -> None:
    area = editor(page, "puzzle-2")
    expect(page.get_by_role("textbox", name="Code of Exercise 1.2")).to_have_count(1)
    expect(area).to_have_accessible_description(re.compile("Escape leaves the editor"))
    help_ = cell(page, "puzzle-2").get_by_text("Escape leaves the editor")
    area.focus()
    expect(help_).to_be_visible()
    high = cell(page, "puzzle-2").evaluate("e => e.clientHeight")
    area.press("Escape")
    expect(help_).to_be_hidden()
    assert cell(page, "puzzle-2").evaluate("e => e.clientHeight") == high, "nothing moves"


def test_a_click_into_code_opens_the_editor_there(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        box = cell(page, "plain").locator("pre").first
        box.get_by_text("print").click()
        area = cell(page, "plain").locator("textarea")
        expect(area).to_be_focused()
        place = area.evaluate("e => e.selectionStart")
        assert len("x = 3\n") <= place <= len("x = 3\nprint"), place


def test_code_and_editor_lie_on_each_other(page: Page) -> None:
    """The caret stands where the letter is seen, also at the end of a long line."""
    long = "a = 1\n" + "b" * 150 + "\n\n"
    area = editor(page, "plain")
    area.fill(long)
    sizes = (
        cell(page, "plain")
        .locator(".nta-run-editor")
        .evaluate(
            """e => [...e.children].map(c => {
            const s = getComputedStyle(c), r = c.getBoundingClientRect();
            return [r.x, r.y, r.width, r.height, s.fontFamily, s.fontSize, s.lineHeight, s.padding,
                c.scrollHeight - c.clientHeight, c.scrollWidth - c.clientWidth] })"""
        )
    )
    assert sizes[0] == sizes[1]
    assert sizes[0][-2:] == [0, 0]


PASTE = """(e, letters) => { const data = new DataTransfer();
    data.setData("text/plain", "x".repeat(letters));
    const paste = { clipboardData: data, bubbles: true, cancelable: true };
    return e.dispatchEvent(new ClipboardEvent("paste", paste)); }"""


def test_a_paste_that_is_too_long_changes_nothing(page: Page) -> None:
    area = editor(page, "plain")
    area.fill("mine")
    assert area.evaluate(PASTE, 10_000_000) is False, "the browser would paste it"
    assert area.input_value() == "mine"
    expect(note(page, "plain")).to_contain_text("too long (10,000 kB; at most 200)")
    area.evaluate("e => { e.value = 'x'.repeat(3e5); e.dispatchEvent(new Event('input')) }")
    assert area.input_value() == "mine", "nor in another way"
    area.fill("y" * 150_000)
    area.press("Control+a")
    assert area.evaluate(PASTE, 100_000) is True, "it replaces what is selected"
    assert area.evaluate(PASTE, 250_000) is False


# ---- what is kept --------------------------------------------------------------------------------


def test_what_was_typed_stays_and_can_be_deleted(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        write(page, "puzzle-1", SOLUTION)
        write(page, "puzzle-2", "mine = 2")
        write(page, "plain", "not kept")
        assert set(answers(page)) == {f"nta-answer:book/01_chapter/puzzle-{k}" for k in (1, 2)}
        page.reload()
        expect(cell(page, "puzzle-1").locator("textarea")).to_have_value(SOLUTION)
        expect(cell(page, "puzzle-2").locator("textarea")).to_have_value("mine = 2")
        assert cell(page, "plain").locator("pre").first.inner_text().startswith("x = 3")
        cell(page, "puzzle-2").get_by_role("button", name="Reset").click()
        assert len(answers(page)) == 1
        forget = cell(page, "puzzle-1").get_by_role("button", name="Delete all my answers")
        forget.click()
        assert len(answers(page)) == 1, "one click deletes nothing"
        cell(page, "puzzle-1").get_by_role("button", name="Really delete all 1?").click()
        assert answers(page) == {}
        expect(cell(page, "puzzle-1").locator("textarea")).to_have_value(STUB)
        expect(said(page, "puzzle-1")).to_have_text("All answers are deleted.")
        go = cell(page, "puzzle-1").get_by_role("button", name="Run and check")
        expect(go).to_be_focused()


COMES_BACK = """([key, text]) => {
    localStorage.setItem(key, JSON.stringify({ of: "x", text, ran: null }));
    dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })); }"""


def test_a_page_that_comes_back_shows_what_was_typed_meanwhile(page: Page) -> None:
    write(page, "puzzle-1", "older")
    page.evaluate(COMES_BACK, ["nta-answer:book/01_chapter/puzzle-1", "newer"])
    expect(editor(page, "puzzle-1")).to_have_value("newer")
    expect(warning(page, "puzzle-1")).to_be_empty()
    editor(page, "puzzle-1").press_sequentially("!")
    assert answers(page)["nta-answer:book/01_chapter/puzzle-1"]["text"] == "newer!"


FILL = """() => { for (let many = 2 ** 22; many >= 1; many /= 2) {
    for (let k = 0; k < 3; k++) {
        try { localStorage.setItem(`filler-${many}-${k}`, "x".repeat(many)) } catch {} } } }"""


def test_a_storage_that_is_full_shows_and_deletes_what_was_kept(
    browser: Browser, address: str
) -> None:
    with fresh(browser, address) as page:
        write(page, "puzzle-1", "kept")
        page.evaluate(FILL)
        page.reload()
        expect(cell(page, "puzzle-1").locator("textarea")).to_have_value("kept")
        write(page, "puzzle-2", "too much")
        expect(warning(page, "puzzle-2")).to_contain_text("Your browser does not keep this")
        for name in ("Delete all my answers", "Really delete all 2?"):
            cell(page, "puzzle-1").get_by_role("button", name=name).click()
        expect(said(page, "puzzle-1")).to_have_text("All answers are deleted.")
        page.reload()
        expect(page.get_by_role("button", name="Run and check").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        expect(page.locator("textarea")).to_have_count(0)


WHERE = "() => [document.activeElement.localName, scrollY]"


def test_an_answer_that_comes_back_takes_no_focus(browser: Browser, address: str) -> None:
    with fresh(browser, address, viewport={"width": 1000, "height": 300}) as page:
        write(page, "puzzle-2", "mine")
        page.evaluate("scrollTo(0, 0)")
        page.reload()
        expect(cell(page, "puzzle-2").locator("textarea")).to_have_value("mine")
        assert page.evaluate(WHERE) == ["body", 0]
        page.keyboard.press("x")
        expect(cell(page, "puzzle-2").locator("textarea")).to_have_value("mine")


def test_two_tabs_follow_each_other_or_say_so(context: BrowserContext, address: str) -> None:
    pages = [context.new_page() for _ in range(2)]
    for page in pages:
        page.goto(address + PAGE)
        editor(page, "puzzle-1")
    one, other = pages
    write(one, "puzzle-1", "first")
    expect(editor(other, "puzzle-1")).to_have_value("first")
    expect(warning(other, "puzzle-1")).to_be_empty()
    write(other, "puzzle-1", "second")
    expect(warning(one, "puzzle-1")).to_contain_text("open in another tab")
    expect(editor(one, "puzzle-1")).to_have_value("first")
    cell(one, "puzzle-1").get_by_role("button", name="Reset").click()
    expect(warning(one, "puzzle-1")).to_be_empty()
    for page in pages:
        page.evaluate("localStorage.clear()")
        page.close()


def test_answers_are_deleted_also_while_one_of_them_runs(page: Page) -> None:
    write(page, "puzzle-2", "while True:\n    pass")
    press_run(page, "puzzle-2")
    expect(cell(page, "puzzle-2").get_by_role("button", name="Stop")).to_be_visible()
    for name in ("Delete all my answers", "Really delete all 1?"):
        cell(page, "puzzle-2").get_by_role("button", name=name).click()
    expect(said(page, "puzzle-2")).to_have_text("All answers are deleted.")
    assert answers(page) == {}
    expect(editor(page, "puzzle-2")).to_have_value(STUB)
    expect(cell(page, "puzzle-2").get_by_role("button", name="Stop")).to_be_hidden()


def test_the_page_of_predictions_counts_answers_and_deletes_them(
    browser: Browser, address: str
) -> None:
    with fresh(browser, address) as page:
        write(page, "puzzle-1", "mine")
        page.goto(address + "book/mine.html")
        place = page.locator(".nta-answers")
        expect(place).to_contain_text("What you typed into 1 exercise is kept")
        place.get_by_role("button", name="Delete all my answers").click()
        assert len(answers(page)) == 1
        place.get_by_role("button", name="Really delete all my answers?").click()
        assert answers(page) == {}
        expect(place).to_contain_text("Deleted. You have typed no answer")
        expect(place.locator("output")).to_be_focused()


def test_a_stub_that_changed_leaves_the_readers_text(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        write(page, "puzzle-1", "mine")

        def changed(route: Route) -> None:
            answer = route.fetch()
            route.fulfill(response=answer, body=answer.text().replace("another", "third"))

        page.route("**/01_chapter.html", changed)
        page.reload()
        expect(cell(page, "puzzle-1").locator("textarea")).to_have_value("mine")
        expect(note(page, "puzzle-1")).to_contain_text("has changed this exercise")
        cell(page, "puzzle-1").get_by_role("button", name="Reset").click()
        expect(cell(page, "puzzle-1").locator("textarea")).to_have_value(re.compile("third"))


@pytest.mark.parametrize(
    "refuse",
    [
        "Object.defineProperty(window, 'localStorage', { configurable: true,"
        " get() { throw new DOMException('no', 'SecurityError') } })",
        "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError') }",
    ],
    ids=["refused", "full"],
)
def test_a_storage_that_takes_nothing_is_named_and_nothing_is_lost(
    browser: Browser, address: str, refuse: str
) -> None:
    with checks.opened(browser, address, PAGE, first=refuse) as (page, complaints):
        write(page, "puzzle-1", "mine = ")
        editor(page, "puzzle-1").press_sequentially("12")
        expect(warning(page, "puzzle-1")).to_contain_text("Your browser does not keep this")
        write(page, "puzzle-2", "mine = 2")
        expect(warning(page, "puzzle-2")).to_be_empty()
        expect(editor(page, "puzzle-1")).to_have_value("mine = 12")
    assert not complaints


# ---- when it cannot run --------------------------------------------------------------------------


def test_a_network_that_breaks_off_is_named_and_run_goes_on(browser: Browser, address: str) -> None:
    asked: list[str] = []
    with fresh(browser, address) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.route("**/scipy*", lambda route: route.abort())
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("The network broke off.", timeout=SOON)
        page.unroute("**/scipy*")
        asked.clear()
        assert "hint" in run(page, "puzzle-1")
        (again,) = [url for url in asked if "/python/" in url]
        assert "scipy" in again, "only what was missing"


def test_files_that_are_missing_are_named(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        page.route("**/manifest.json", lambda route: route.fulfill(status=404))
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("missing from this copy", timeout=SOON)


def test_a_network_that_breaks_off_before_the_cells_came_is_named(
    browser: Browser, address: str
) -> None:
    with fresh(browser, address) as page:
        page.route("**/cells/*.js*", lambda route: route.abort())
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("The network broke off.", timeout=SOON)


def test_a_page_that_comes_instead_of_files_is_named(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        login = "<!doctype html><title>Log in</title>"
        page.route("**/manifest.json", lambda route: route.fulfill(body=login))
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("asks you to log in", timeout=SOON)


@pytest.mark.parametrize("name", ["nta-python-run.js", "cells/01_chapter.js", "scipy"])
def test_a_page_that_the_browser_keeps_in_the_place_of_a_file_is_fetched_anew(
    browser: Browser, book: Path, name: str
) -> None:
    asked: list[str] = []
    with spoiling(book, name, log_in, asked) as address, fresh(browser, address) as page:
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("asks you to log in", timeout=SOON)
        assert len([path for path in asked if name in path]) == 2, "it was asked for once more"
        asked.append("mended")
        assert "hint" in run(page, "puzzle-1")
        assert len([path for path in asked if name in path]) == 3


def test_a_file_that_breaks_off_in_the_middle_is_fetched_again(
    browser: Browser, book: Path
) -> None:
    asked: list[str] = []
    with spoiling(book, "scipy", break_off, asked) as address, fresh(browser, address) as page:
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("The network broke off.", timeout=SOON)
        asked[:] = ["mended"]
        assert "hint" in run(page, "puzzle-1")
        assert [path for path in asked if "/python/" in path and "scipy" not in path] == []


def test_a_page_that_is_older_than_the_book_asks_to_be_reloaded(
    browser: Browser, address: str
) -> None:
    def newer(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace('"version": "1"', '"version": 2'))

    with fresh(browser, address) as page:
        page.route("**/cells/*.js*", newer)
        press_run(page, "puzzle-1")
        words = "The book has changed: reload the page."
        expect(said(page, "puzzle-1")).to_have_text(words, timeout=SOON)


def log_in(handler: SimpleHTTPRequestHandler) -> None:
    """Send another page, to be kept for an hour."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Cache-Control", "max-age=3600")
    handler.end_headers()
    handler.wfile.write(b"<!doctype html><title>Log in</title>")


def break_off(handler: SimpleHTTPRequestHandler) -> None:
    """Send less than was promised."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    handler.wfile.write(b"x" * 1000)
    handler.close_connection = True


@contextmanager
def spoiling(
    book: Path, name: str, spoil: Callable[[SimpleHTTPRequestHandler], None], asked: list[str]
) -> Iterator[str]:
    """A server that answers for files of a name in another way, until `asked` has "mended"."""

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            if name in self.path and "mended" not in asked:
                spoil(self)
            else:
                super().do_GET()

        def log_message(self, *_: object) -> None:
            """Nothing is told."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(book))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.mark.parametrize("name", ["numpy", "python_stdlib.zip", "pyodide.asm.wasm", "pyodide.mjs"])
def test_a_file_that_came_wrong_is_fetched_again(browser: Browser, address: str, name: str) -> None:
    def spoiled(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=b"x" * len(answer.body()))

    with fresh(browser, address) as page:
        page.route(f"**/{name}*", spoiled)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        press_run(page, "puzzle-1")
        wait_for_end(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text(re.compile("is incomplete|could not start"))
        page.unroute(f"**/{name}*")
        asked.clear()
        assert "hint" in run(page, "puzzle-1")
        assert any(name in url for url in asked)


@pytest.mark.parametrize(
    ("first", "words"),
    [
        ("delete window.WebAssembly", "This browser has no WebAssembly."),
        ("delete window.Worker", "This browser has no workers."),
        (
            "window.Worker = class { constructor() { throw new Error('refused') } }",
            "Python could not start in this browser",
        ),
    ],
    ids=["no WebAssembly", "no workers", "worker refused"],
)
def test_a_browser_that_cannot_says_so(
    browser: Browser, address: str, first: str, words: str
) -> None:
    with fresh(browser, address, first=first) as page:
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text(words, timeout=SOON)
        expect(page.get_by_text("the stored hint").first).to_be_visible()
        expect(editor(page, "puzzle-1")).to_have_value(STUB)


def test_a_site_that_forbids_workers_is_named(browser: Browser, address: str) -> None:
    def forbidding(route: Route) -> None:
        answer = route.fetch()
        policy = {"Content-Security-Policy": "worker-src 'none'"}
        route.fulfill(response=answer, headers=answer.headers | policy)

    with fresh(browser, address, "book/mine.html") as page:
        page.route("**/01_chapter.html", forbidding)
        page.goto(address + PAGE)
        press_run(page, "puzzle-1")
        words = said(page, "puzzle-1")
        expect(words).to_contain_text("Python could not start in this browser", timeout=SOON)


def test_a_site_that_forbids_what_a_worker_imports_sends_nothing_twice(
    browser: Browser, address: str
) -> None:
    asked: list[str] = []

    def forbidding(route: Route) -> None:
        answer = route.fetch()
        policy = {"Content-Security-Policy": "script-src 'self'; worker-src blob:"}
        route.fulfill(response=answer, headers=answer.headers | policy)

    with fresh(browser, address, "book/mine.html") as page:
        page.route("**/01_chapter.html", forbidding)
        page.goto(address + PAGE)
        for _ in range(2):
            asked.clear()
            page.on("request", lambda request: asked.append(request.url))
            press_run(page, "puzzle-1")
            wait_for_end(page, "puzzle-1")
            words = said(page, "puzzle-1")
            expect(words).to_contain_text("Python could not start in this browser", timeout=SOON)
    assert not [url for url in asked if url.startswith("http") and "/python/" in url]


def test_an_editor_that_cannot_be_loaded_or_read_is_named(browser: Browser, address: str) -> None:
    with fresh(browser, address) as page:
        page.route("**/nta-python-run.js*", lambda route: route.abort())
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("could not be loaded")
        page.unroute("**/nta-python-run.js*")
        editor(page, "puzzle-1").fill("mine")
        page.route("**/nta-python-run.js*", lambda route: route.abort())
        page.reload()
        expect(said(page, "puzzle-1")).to_contain_text("Your answer is kept")
        expect(said(page, "puzzle-2")).to_be_empty()
        page.unroute("**/nta-python-run.js*")
        expect(editor(page, "puzzle-1")).to_have_value("mine")
    with fresh(browser, address) as page:
        page.route("**/nta-python-run.js*", lambda route: route.fulfill(body="let let = ("))
        press_run(page, "puzzle-1")
        expect(said(page, "puzzle-1")).to_contain_text("This browser is too old")


LOADED = """() => {
    const all = performance.getEntriesByType("resource").filter(e => /[/]python[/]/.test(e.name));
    const sum = key => all.reduce((sum, entry) => sum + entry[key], 0);
    return [sum("decodedBodySize"), sum("transferSize")]; }"""

# ---- other places --------------------------------------------------------------------------------


def test_the_second_page_starts_from_the_browsers_cache(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    """What comes over the line the second time is less than a thousandth; two pages run at once.

    A browser with a profile, as readers have one: private windows keep no large files.
    """
    with browser.browser_type.launch_persistent_context(
        tmp_path, executable_path=find_browser(), args=["--no-sandbox", "--disable-gpu"]
    ) as readers:
        pages = readers.new_page(), readers.new_page()
        for page in pages:
            page.goto(address + PAGE)
            assert "hint" in run(page, "puzzle-1")
        first, second = (page.evaluate(LOADED) for page in pages)
        assert run(pages[0], "plain").split() == ["hello", "4"]
    assert first[0] == second[0] > 20e6, "bytes of files"
    assert first[1] > 20e6
    assert second[1] < 20e3, "bytes over the line"


def test_a_book_on_a_disk_runs_too(browser: Browser, book: Path) -> None:
    with checks.opened(browser, f"{book.as_uri()}/", PAGE) as (page, complaints):
        assert "hint" in run(page, "puzzle-1")
        assert "ok" in run(page, "puzzle-1", SOLUTION)
    assert not complaints


def test_on_paper_what_was_typed_stands_and_no_control(page: Page) -> None:
    write(page, "plain", "typed = 1")
    page.emulate_media(media="print")
    expect(cell(page, "plain").locator("pre").first).to_contain_text("typed = 1")
    expect(cell(page, "plain").locator("pre").first).to_be_visible()
    expect(cell(page, "plain").locator("textarea")).to_be_hidden()
    expect(page.get_by_role("button", name=re.compile("^(Run|Edit|Reset|Delete)"))).to_have_count(0)
    page.emulate_media(media="screen")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nobody_is_left_out(page: Page, theme: str) -> None:
    run(page, "puzzle-1", SOLUTION)
    run(page, "plain", "1 / 0")
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    assert not checks.inaccessible(page)
    page.evaluate("theme => { document.documentElement.dataset.theme = 'light' }")
    for name in page.locator(".nta-run button").all():
        label = name.get_attribute("aria-label")
        assert label is None or label.startswith(name.inner_text().strip()), label


def test_a_phone_has_room_for_the_controls(browser: Browser, address: str) -> None:
    with fresh(browser, address, viewport=checks.PHONE, has_touch=True, is_mobile=True) as page:
        write(page, "puzzle-1", "a = " + "1 + " * 60 + "1")
        assert not checks.sideways_scroll(page)
        for name in page.locator(".nta-run button:visible").all():
            box = name.bounding_box()
            assert box is not None
            assert box["height"] >= TOUCH, name.inner_text()
            assert box["width"] >= TOUCH, name.inner_text()


# ---- other engines -------------------------------------------------------------------------------

USE = """async () => {
    const $ = (at, name = "puzzle-1") => document.querySelector(`[data-nta-cell="${name}"] ${at}`);
    for (let i = 0; i < 200 && !$(".nta-run-edit"); i++) await new Promise(d => setTimeout(d, 50));
    $(".nta-run-edit").click();
    for (let i = 0; i < 200 && !$("textarea"); i++) await new Promise(d => setTimeout(d, 50));
    const area = $("textarea");
    area.value = TEXT;
    area.dispatchEvent(new Event("input"));
    area.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, cancelable: true }));
    return $("pre").textContent;
}"""
SEEN = """async () => {
    const $ = (at) => document.querySelector(`[data-nta-cell="puzzle-1"] ${at}`);
    for (let i = 0; i < 400; i++) {
        if ($(".nta-run-stop").hidden) break;
        await new Promise(done => setTimeout(done, 50));
    }
    return { ends: $(".nta-run-stop").hidden, said: $(".nta-run-said").textContent,
        gave: $(".nta-run-output").textContent };
}"""
STOP = """async () => {
    await new Promise(done => setTimeout(done, 1000));
    document.querySelector('[data-nta-cell="puzzle-1"] .nta-run-stop').click();
    return true;
}"""


def _use(ask: engines.Ask, address: str, text: str) -> dict[str, Any]:
    """Type a text into the first exercise, run it, and wait for its end."""
    assert ask(address, USE.replace("TEXT", json.dumps(text))) == f"{text}\n"
    for _ in range(12):
        seen: dict[str, Any] = ask("", SEEN)
        if seen["ends"]:
            return seen
    raise AssertionError(f"it never ended: {seen}")


@pytest.mark.parametrize("name", engines.ENGINES)
def test_an_exercise_is_solved_in_another_engine(
    name: str, book: Path, address: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    with engines.ENGINES[name](tmp_path) as ask:
        assert "ok" in _use(ask, address + PAGE, SOLUTION)["gave"]
        assert "hint" in _use(ask, "", STUB)["gave"]
        assert "line 1" in _use(ask, "", "1 / 0")["said"]
        ask("", USE.replace("TEXT", json.dumps("while True: pass")))
        ask("", STOP)
        assert "Stopped." in ask("", SEEN)["said"]
        seen = _use(ask, f"{book.as_uri()}/{PAGE}", SOLUTION)
    assert "ok" in seen["gave"] or "make serve" in seen["said"], seen
