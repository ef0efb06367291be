"""A page opens where its address leads and stays there; labs mount wherever it opens.

In every engine.  The page has above its anchor what gets its size late: a plot, an explorer, a lab
that grows.  A reader who has gone on from the anchor finds the place again, on reload and on Back.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser

from nta_book import viz
from nta_book.explore import Explorer, Slider
from nta_book.sphinx import outputs, quick_start
from nta_book.sphinx.assets import copy_page, plotly_script
from tests.browser import engines

CHART = viz.trajectories([1, 2], {"a": [1, 2]}, limits={"a": 2 / 3}, alt="A curve.")
EXPLORER = Explorer(
    "Which?",
    controls=[Slider("n", range(3))],
    render=lambda state: viz.Panels([CHART, viz.token(f"t{state.n}")]),
    words=lambda state: f"It is {state.n}.",
    alt="A curve and a token.",
)
LAB = (
    "export default { render({ el }) { el.innerHTML = '<p style=\"height: 900px\">A lab.</p>'; } }"
)
TEXT = "<p>Words that fill a line.</p>" * 60
PAGE = f"""<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Anchors</title><link rel="icon" href="data:,"><link rel="stylesheet" href="nta-book.css">
<link rel="stylesheet" href="nta-explorer.css"><script defer src="nta-book.js"></script>
<script defer src="nta-explorer.js"></script></head><body><main><h1>Anchors</h1>
<div class="nta-widget" data-module="late_lab" role="group" aria-label="Lab"><script
type="application/json">{{}}</script></div>{TEXT}
FIGURE{outputs.explorer(EXPLORER.payload)}<h2 id="exercises">Exercises</h2>{TEXT}
<script>FAULT</script></main></body></html>"""

# Let the page come to rest, then walk up in steps: what one sees must only move by the step.
LOOK = """async () => {
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const all = (selector) => [...document.querySelectorAll(selector)];
  const anchor = document.getElementById('exercises');
  const at = () => Math.round(anchor.getBoundingClientRect().top);
  const drawn = (e) => e.dataset.state === 'drawn';
  for (let i = 0; i < 400 && !all('.nta-widget, .nta-explorer').every(drawn); i++) await wait(50);
  await wait(1500);
  const problems = [];
  if (Math.abs(at()) > 40) problems.push(`the anchor is at ${at()} px`);
  for (const e of all('.nta-widget, .nta-explorer').filter((e) => !drawn(e))) {
    problems.push(`never drawn: ${e.className}`);
  }
  dispatchEvent(new WheelEvent('wheel'));
  for (let step = 0; step < 8; step++) {
    scrollBy({ top: -250, behavior: 'instant' });
    const before = at();
    await wait(400);
    if (Math.abs(at() - before) > 3) problems.push(`a jump of ${at() - before} px on the way up`);
  }
  return problems;
}"""


@contextmanager
def in_chromium(browser: Browser) -> Any:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()

    def ask(address: str, script: str) -> Any:
        if address:
            page.goto(address, wait_until="load")
        return page.evaluate(script)

    yield ask
    context.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, serve: Callable[[Path], str]) -> Callable:
    folder = tmp_path_factory.mktemp("anchors")
    copy_page(folder)
    (folder / "plotly.min.js").write_text(quick_start.plotly(plotly_script()), encoding="utf-8")
    wrapped = f'(window.ntaESM ||= {{}})["late_lab"] = {json.dumps(LAB)};'
    (folder / "esm" / "late_lab.js").write_text(wrapped, encoding="utf-8")
    figure = outputs.figure(viz.panel(viz.Panels([CHART, CHART], columns=1)))
    (folder / "other.html").write_text('<!doctype html><link rel="icon" href="data:,"><p>Other.')
    root, count = serve(folder), iter(range(100))

    def write(fault: str = "", **changes: str) -> str:
        text = PAGE.replace("FIGURE", figure).replace("FAULT", fault)
        for old, new in changes.items():
            text = text.replace(old, new)
        name = f"page{next(count)}.html"
        (folder / name).write_text(text, encoding="utf-8")
        return f"{root}{name}#exercises"

    return write


def test_in_chromium(browser: Browser, site: Callable) -> None:
    with in_chromium(browser) as ask:
        assert ask(site(), LOOK) == []


@pytest.mark.parametrize("name", engines.ENGINES)
def test_in_another_engine(
    name: str, site: Callable, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    with engines.ENGINES[name](tmp_path) as ask:
        assert ask(site(), LOOK) == []


# What the browser restores is a number of pixels: the page is as long at once as it will be.  And
# Sphinx empties the history when a page is there.
STEADY = {'class="nta-widget"': 'class="nta-widget" style="min-height: 900px"'}
EMPTY = "document.addEventListener('DOMContentLoaded', () => history.replaceState({}, ''));"
REST = """
  const wait = (time) => new Promise((done) => setTimeout(done, time));
  const widgets = [...document.querySelectorAll('.nta-widget')];
  const drawn = (e) => e.dataset.state === 'drawn';
  for (let i = 0; i < 400 && !widgets.every(drawn); i++) await wait(50);
  await wait(1500);"""
GO_ON = f"""async () => {{ {REST}
  dispatchEvent(new WheelEvent('wheel'));
  scrollBy({{ top: -900, behavior: 'instant' }});
  await wait(500);
  return document.getElementById('exercises').getBoundingClientRect().top;
}}"""
WHERE = f"""async () => {{ {REST}
  return document.getElementById('exercises').getBoundingClientRect().top;
}}"""
LOAD_AGAIN = "async () => setTimeout(() => location.reload(), 50) && true"
GO_BACK = "async () => setTimeout(() => history.back(), 50) && true"
PATIENCE = 3  # seconds until another page is there


def lost_places(ask: engines.Ask, address: str) -> list[str]:
    """Go on from the anchor, and say after what the reader was somewhere else."""
    lost = []
    place = ask(address, GO_ON)
    ask("", LOAD_AGAIN)
    time.sleep(PATIENCE)
    if abs(ask("", WHERE) - place) > 40:
        lost.append("reload")
    place = ask("", GO_ON)
    ask(address.rpartition("/")[0] + "/other.html", "async () => true")
    ask("", GO_BACK)
    time.sleep(PATIENCE)
    if abs(ask("", WHERE) - place) > 40:
        lost.append("Back")
    return lost


def test_a_reader_who_went_on_stays_there(browser: Browser, site: Callable) -> None:
    with in_chromium(browser) as ask:
        assert lost_places(ask, site(EMPTY, **STEADY)) == []


@pytest.mark.parametrize("name", engines.ENGINES)
def test_a_reader_who_went_on_stays_there_in_another_engine(
    name: str, site: Callable, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    with engines.ENGINES[name](tmp_path) as ask:
        assert lost_places(ask, site(EMPTY, **STEADY)) == []


def test_a_reader_thrown_to_the_anchor_is_noticed(browser: Browser, site: Callable) -> None:
    throw = "addEventListener('load', () => setTimeout(() => { location.hash = ''; "
    throw += "location.hash = 'exercises'; }, 500));"
    with in_chromium(browser) as ask:
        assert lost_places(ask, site(throw, **STEADY)) == ["reload", "Back"]


FAULTS = {
    "the anchor is at": ("setInterval(() => scrollTo(0, 0), 50)", {}),
    "never drawn: nta-widget": ("", {'data-module="late_lab"': 'data-module="absent"'}),
    "a jump of": (
        "addEventListener('wheel', () => setTimeout(() => { const h = document.querySelector('h2');"
        " h.style.marginTop = '200px'; document.body.style.overflowAnchor = 'none'; }, 600))",
        {},
    ),
}


@pytest.mark.parametrize("told", FAULTS)
def test_the_look_finds_a_fault(browser: Browser, site: Callable, told: str) -> None:
    fault, changes = FAULTS[told]
    with in_chromium(browser) as ask:
        assert any(problem.startswith(told) for problem in ask(site(fault, **changes), LOOK))


REAL = ["05_which_w", "13_scan_then_snap", "18_why_does_it_repeat_itself"]  # a lab each
#: Explorers of a long page wait until one comes near; the theme's bar stands above the anchor.
LOOK_AT_A_CHAPTER = LOOK.replace(".nta-widget, .nta-explorer", ".nta-widget").replace(
    "Math.abs(at()) > 40", "at() < -5 || at() > 120"
)


@pytest.mark.parametrize("chapter", REAL)
def test_a_chapter_opens_at_its_exercises_and_again_there(
    browser: Browser, book: str, chapter: str
) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(f"{book}book/{chapter}.html#exercises", wait_until="load")
    assert page.evaluate(LOOK_AT_A_CHAPTER) == []
    page.goto(f"{page.url.partition('#')[0]}?again#exercises", wait_until="load")
    page.reload(wait_until="load")
    assert page.evaluate(LOOK_AT_A_CHAPTER) == []
    page.close()


@pytest.mark.parametrize("chapter", ["03_ties_and_leagues", "10_change_the_loss"])
def test_a_reader_of_a_chapter_who_went_on_stays_there(
    browser: Browser, book: str, chapter: str
) -> None:
    with in_chromium(browser) as ask:
        assert lost_places(ask, f"{book}book/{chapter}.html#exercises") == []


@pytest.mark.parametrize("name", engines.ENGINES)
def test_a_chapter_in_another_engine_opens_there_and_its_reader_stays(
    name: str, book: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not engines.is_here(name, capfd):
        return
    address = f"{book}book/{REAL[0]}.html#exercises"
    with engines.ENGINES[name](tmp_path) as ask:
        assert ask(address, LOOK_AT_A_CHAPTER) == []
        assert lost_places(ask, address) == []
