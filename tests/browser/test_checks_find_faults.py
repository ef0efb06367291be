"""Each browser check fails on a page with the fault it looks for, and not on a sound one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from plotly.offline import get_plotlyjs

from nta_book.sphinx.assets import copy_page
from tests.browser import checks

PLOT = {
    "kind": "plotly",
    "alt": "A line that rises.",
    "figure": {"data": [{"x": [1, 2], "y": [1, 3]}], "layout": {"height": 200}},
}
WIDGET = (
    "export default {render({model, el}) { el.innerHTML = `<svg width=200 height=60></svg>`; }}"
)

# A page with one of everything, as small as it can be.
SOUND = f"""<!doctype html><html lang="en" data-theme="light"><head><title>A sound page</title>
<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="nta-book.css">
<style>body {{ background: var(--nta-paper); color: var(--nta-ink); margin: 8px }}</style>
<script defer src="nta-book.js"></script></head><body><main><h1>Sound</h1>
<button class="theme-switch-button" onclick="document.documentElement.dataset.theme =
  document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'">theme</button>
<p><span class="math"><mjx-container>x</mjx-container></span></p>
<figure class="nta-fig"><script type="application/json">{json.dumps(PLOT)}</script></figure>
<section class="nta-explorer" data-state="drawn" aria-label="How many?">
<label>count <input type="range" min="1" max="3" value="1"></label>
<label>shape <select><option>one</option><option>two</option></select></label>
<label>big <input type="checkbox"></label> <button class="nta-reset">reset</button>
<svg width="200" height="60"></svg><p class="nta-words" role="status"></p></section>
<script>
  const explorer = document.querySelector('.nta-explorer');
  const [range, select, box, reset] = explorer.querySelectorAll('input, select, button');
  const show = () => {{ explorer.querySelector('.nta-words').textContent =
    `${{range.value}} ${{select.value}} ${{box.checked}}`; }};
  for (const control of [range, select, box]) control.addEventListener('input', show);
  reset.onclick = () => {{
    range.value = 1; select.selectedIndex = 0; box.checked = false; show(); }};
  show();
</script>
<div class="nta-widget" data-module="lab" aria-label="Lab" role="group">
<script type="application/json">{{}}</script></div>
</main></body></html>"""


# A long page for fingers: a plot, a button, a link.
TOUCHED = f"""<!doctype html><html lang="en" data-theme="light"><head><title>A touched page</title>
<link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="nta-book.css"><link rel="stylesheet" href="nta-hands.css">
<style>body {{ background: var(--nta-paper); color: var(--nta-ink); margin: 8px }}
#run {{ font-size: 16px; min-height: 44px; min-width: 44px }}</style>
<script defer src="nta-book.js"></script></head><body><main><article class="bd-article">
<h1>Touched</h1><p>Words and <a href="#plot">a link</a>.</p><button id="run">run</button>
<div style="height: 900px"></div>
<figure class="nta-fig" id="plot"><script type="application/json">{json.dumps(PLOT)}</script>
</figure><div style="height: 900px"></div></article></main></body></html>"""


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runtime of the book and no pages yet."""
    folder = tmp_path_factory.mktemp("site")
    copy_page(folder)
    (folder / "plotly.min.js").write_text(get_plotlyjs())
    (folder / "esm" / "lab.js").write_text(f"window.ntaESM = {{lab: {json.dumps(WIDGET)}}};")
    return folder


@pytest.fixture(scope="session")
def address(site: Path, serve: Callable[[Path], str]) -> str:
    return serve(site)


def every_check(page: Page, complaints: list[str]) -> dict[str, list[str]]:
    """Run all checks on one page, in the order of the tests of real pages."""
    found = {"drawn": checks.undrawn(page), "axe": checks.inaccessible(page)}
    found["pale"] = checks.pale_words(page)
    found["ticks"] = checks.long_ticks(page)
    found["first screen"] = checks.below_the_first_screen(page)
    found["controls"] = checks.dead_controls(page)
    found["life"] = checks.lifeless_explorers(page)
    found["theme"] = checks.stuck_colours(page, "dark")
    found["contrast"] = checks.faint_words(page)
    page.set_viewport_size(checks.PHONE)
    found["narrow"] = checks.sideways_scroll(page)
    return found | {"complaints": complaints}


def every_check_of_hands(page: Page) -> dict[str, list[str]]:
    """Run the checks of fingers and keys, which need a page with a touch screen."""
    return {check: run(page) for check, run in HANDS.items()}


HANDS = {
    "fits": checks.sideways_scroll,
    "targets": checks.small_targets,
    "words": checks.small_words,
    "hover": checks.only_on_hover,
    "swipe": checks.trapping_pictures,
    "tap": checks.stubborn_plots,
    "focus": checks.hidden_focus,
    "lost": checks.lost_focus,
}


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_sound_page_passes_every_check(
    browser: Browser, site: Path, address: str, scheme: str
) -> None:
    (site / "sound.html").write_text(SOUND)
    root = address if scheme == "http" else f"{site.as_uri()}/"
    with checks.opened(browser, root, "sound.html") as (page, complaints):
        found = every_check(page, complaints)
    assert not any(found.values()), found


def test_sound_page_is_sound_under_a_finger(touched: Browser, site: Path, address: str) -> None:
    (site / "touched.html").write_text(TOUCHED)
    with checks.opened(touched, address, "touched.html", **checks.ON_A_PHONE) as (page, complaints):
        found = {"drawn": checks.undrawn(page)} | every_check_of_hands(page)
    assert not any(found.values()), found
    assert not complaints


FAULTS_OF_HANDS = {
    "box that widens the window": ("fits", "<p>", '<div style="width: 412px">wide</div><p>'),
    "small button": ("targets", "</style>", "#run { min-height: 30px !important }</style>"),
    "small box without a label": ("targets", "<p>", '<input type="checkbox" aria-label="on"><p>'),
    "small words": ("words", "<p>", '<p style="font-size: 11px">small</p><p>'),
    "words in a drawing that shrinks": (
        "words",
        "<p>",
        '<svg viewBox="0 0 800 100" width="300"><text y="50" font-size="14">far</text></svg><p>',
    ),
    "words under a pointer": (
        "hover",
        "<p>",
        '<p title="It is not said elsewhere.">A meter</p><p>',
    ),
    "button under a pointer": (
        "hover",
        "</style>",
        "#run { opacity: 0 } main:hover #run { opacity: 1 }</style>",
    ),
    "picture that keeps the finger": (
        "swipe",
        "</style>",
        ".nta-plot { touch-action: none !important }</style>",
    ),
    "picture that takes the swipe": (
        "swipe",
        "</main>",
        "<script>addEventListener('touchmove', e => { if (e.target.closest('.nta-plot'))"
        " e.preventDefault(); }, { passive: false })</script></main>",
    ),
    "plot without labels": ("tap", '"data": [{', '"data": [{"hoverinfo": "skip", '),
    "plot without buttons": ("tap", "</style>", ".nta-zoom { display: none }</style>"),
    "no way back": ("tap", "</style>", ".nta-zoom button:first-child { display: none }</style>"),
    "ring taken away": ("focus", "</style>", ":focus-visible { outline: none !important }</style>"),
    "button that goes": (
        "lost",
        "<p>",
        '<div class="nta-widget" data-state="drawn">'
        '<button onclick="this.remove()">close</button></div><p>',
    ),
    "button that can do no more": (
        "lost",
        "<p>",
        '<div class="nta-widget" data-state="drawn">'
        '<button onclick="this.disabled = true">undo</button></div><p>',
    ),
    "one ring taken away": ("focus", "</style>", "#run:focus { outline: 0 !important }</style>"),
}


@pytest.mark.parametrize("fault", FAULTS_OF_HANDS)
def test_planted_fault_is_felt(touched: Browser, site: Path, address: str, fault: str) -> None:
    check, sound, planted = FAULTS_OF_HANDS[fault]
    assert sound in TOUCHED
    page_name = f"{fault.replace(' ', '_')}.html"
    (site / page_name).write_text(TOUCHED.replace(sound, planted, 1))
    with checks.opened(touched, address, page_name, **checks.ON_A_PHONE) as (page, _):
        checks.undrawn(page, patience=5)
        assert HANDS[check](page), f"{check} did not notice: {fault}"


FAULTS = {
    "script from outside": (
        "complaints",
        "<h1>",
        '<script src="https://cdn.example/x.js"></script><h1>',
    ),
    "font from outside": (
        "complaints",
        "<h1>",
        "<style>@font-face{font-family:f;src:url(https://cdn.example/f.woff)}h1{font-family:f}</style><h1>",
    ),
    "console error": ("complaints", "<h1>", "<script>console.error('no')</script><h1>"),
    "uncaught error": ("complaints", "<h1>", "<script>nowhere()</script><h1>"),
    "missing file": ("complaints", "<h1>", '<img src="lost.png" alt="lost"><h1>'),
    "figure that fails": ("drawn", '"kind": "plotly"', '"kind": "hologram"'),
    "figure never drawn": ("drawn", '<script defer src="nta-book.js"></script>', ""),
    "widget without module": ("drawn", 'data-module="lab"', 'data-module="lost"'),
    "formula not typeset": ("drawn", "<mjx-container>x</mjx-container>", "\\(x\\)"),
    "formula in error": ("drawn", "<mjx-container>x", "<mjx-container><mjx-merror>x</mjx-merror>"),
    "upload button": ("drawn", "<h1>", '<a data-title="Share chart...">x</a><h1>'),
    "dead slider": ("controls", "[range, select, box])", "[select, box])"),
    "dead choice": ("controls", "[range, select, box])", "[range, box])"),
    "dead switch": ("controls", "[range, select, box])", "[range, select])"),
    "dead button": ("controls", "reset.onclick", "reset.onlick"),
    "dead explorer": ("life", "[range, select, box])", "[])"),
    "colours that stay": (
        "theme",
        "dataset.theme === 'dark' ? 'light' : 'dark'",
        "dataset.theme = 'dark'",
    ),
    "dark words on dark paper": (
        "contrast",
        "</style>",
        ".xtick text { fill: #333 !important }</style>",
    ),
    "tick with many digits": (
        "ticks",
        '"layout": {',
        '"layout": {"xaxis": {"tickvals": [1.23456]}, ',
    ),
    "drawing with many digits": (
        "ticks",
        "<h1>",
        '<div class="nta-drawing"><svg><text>67.5547 ms</text></svg></div><h1>',
    ),
    "ungrouped integer": (
        "ticks",
        "<h1>",
        '<div class="nta-drawing"><svg><text>123456</text></svg></div><h1>',
    ),
    "something before the explorer": (
        "first screen",
        '<section class="nta-explorer"',
        '<div style="height: 400px">code</div><section class="nta-explorer"',
    ),
    "controls far below": (
        "first screen",
        "<label>count",
        '<div style="height: 700px">words</div><label>count',
    ),
    "picture far below": (
        "first screen",
        '<svg width="200"',
        '<div style="height: 700px">words</div><svg width="200"',
    ),
    "lab without a control": (
        "first screen",
        'class="nta-explorer" data-state',
        'class="other" data-state',
    ),
    "wide box": ("narrow", "<h1>", '<div style="width: 900px">wide</div><h1>'),
    "control without a label": ("axe", "<label>count", "<label>count</label>"),
    "pale text": ("pale", "<h1>", '<p style="color: #bbb">pale</p><h1>'),
    "pale among its like": (
        "pale",
        "<h1>",
        '<p>one</p><p style="background: #666">two of the same colour</p><h1>',
    ),
    "dark paper behind dark words": (
        "pale",
        "<h1>",
        '<div style="background: #333"><p>words <b>and more</b></p></div><h1>',
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_planted_fault_is_found(browser: Browser, site: Path, address: str, fault: str) -> None:
    check, sound, planted = FAULTS[fault]
    assert sound in SOUND
    page_name = f"{fault.replace(' ', '_')}.html"
    (site / page_name).write_text(SOUND.replace(sound, planted, 1))
    with checks.opened(browser, address, page_name) as (page, complaints):
        found = _run_only(check, page, complaints)
    assert found, f"{check} did not notice: {fault}"


def _run_only(check: str, page: Page, complaints: list[str]) -> list[str]:
    drawn = checks.undrawn(page, patience=5) if check != "complaints" else []
    if check == "theme":
        light = page.evaluate("probe.coloursOfPictures().join()")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.wait_for_function("old => probe.coloursOfPictures().join() !== old", arg=light)
        return checks.stuck_colours(page, "dark")
    if check == "contrast":
        checks.set_theme(page, "dark")
    if check == "narrow":
        page.set_viewport_size(checks.PHONE)
    run = {
        "drawn": lambda _: drawn,
        "axe": checks.inaccessible,
        "pale": checks.pale_words,
        "ticks": checks.long_ticks,
        "first screen": checks.below_the_first_screen,
        "controls": checks.dead_controls,
        "life": checks.lifeless_explorers,
        "contrast": checks.faint_words,
        "narrow": checks.sideways_scroll,
        "complaints": lambda _: _wait_for(page, complaints),
    }
    return run[check](page)


def _wait_for(page: Page, complaints: list[str]) -> list[str]:
    """Let the page's messages arrive until there is one."""
    for _ in range(100):
        if complaints:
            break
        page.wait_for_timeout(20)
    return complaints
