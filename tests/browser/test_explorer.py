"""Explorers on a page without a kernel: the book's own runtime over file://, by keyboard."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

import numpy as np
import pytest
from playwright.sync_api import Browser, Page

from nta_book import viz
from nta_book.explore import Choice, Explorer, Slider, Switch, encode
from nta_book.sphinx.assets import copy_page
from nta_book.sphinx.outputs import explorer
from nta_core import FIG3, token_priority_graphs

GRAPHS = token_priority_graphs(FIG3)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Explorers</title><link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="nta-book.css"><link rel="stylesheet" href="nta-explorer.css">
<style>html { background: var(--nta-paper); color: var(--nta-ink); } body { margin: 12px; }</style>
<script defer src="nta-book.js"></script><script defer src="nta-explorer.js"></script></head>
<body><main><h1>Explorers</h1>BODY</main></body></html>
"""


def mass(strictness: float) -> np.ndarray:
    weights = FIG3.counts * np.exp(strictness * np.arange(4))
    return weights / weights.sum(axis=1, keepdims=True)


EXPLORER = Explorer(
    "How strict is <attention>?",
    controls=[
        Slider("C", [0, 0.5, 1, 2, 4], label="strictness C", default=1, play=True),
        Choice("last", {"track e1": 0, "track e2": 1}, label="show"),
        Choice("row", range(5), label="first row"),
        Switch("theory", label="theory"),
    ],
    render=lambda s: viz.Panels([
        viz.attention_bars(FIG3, mass(s.C), rows=[s.row], theory=mass(40) if s.theory else None),
        *([viz.priority_graph(GRAPHS[s.last])] if s.C else []),
        viz.token(f"{s.last}"),
    ]),
    words=lambda s: f"C is {s.C}, row {s.row}, after {FIG3.names[s.last]}, {s.theory}.",
    alt="Attention bars beside a graph.",
    presets={"nothing learned": {"C": 0}, "everything": {"C": 4, "row": 3, "theory": True}},
)  # fmt: skip


@pytest.fixture(scope="module")
def opened(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable]:
    folder = tmp_path_factory.mktemp("explorers")
    copy_page(folder)
    contexts = []

    def open_page(
        *payloads: dict[str, Any], mend: Callable[[str], str] = str, **options: Any
    ) -> Page:
        body = mend("".join(map(explorer, payloads)))
        file = folder / f"page{len(contexts)}.html"
        file.write_text(PAGE.replace("BODY", body), encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 900, "height": 800}, **options})
        contexts.append(context)
        page = context.new_page()
        page.troubles = []
        page.on("pageerror", lambda error: page.troubles.append(str(error)))
        page.goto(file.as_uri())
        page.wait_for_function(
            "[...document.querySelectorAll('.nta-explorer')]"
            ".every(e => ['drawn', 'error'].includes(e.dataset.state))"
        )
        return page

    yield open_page
    for context in contexts:
        context.close()


def picture(page: Page) -> str:
    return page.inner_html(".nta-picture")


def words(page: Page) -> str:
    return page.inner_text(".nta-words")


def settle(page: Page, index: int) -> None:
    page.wait_for_function(f"document.querySelector('.nta-explorer').dataset.index == {index}")


def test_the_page_decodes_what_python_encoded(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    code = EXPLORER.payload["states"]
    decoded = page.evaluate(
        "([code, n]) => [...Array(n).keys()].map(s => ntaExplorer.decode(code, s))",
        [code, EXPLORER.count],
    )
    assert decoded == [encode.decode(code, k) for k in range(EXPLORER.count)]
    assert decoded == [EXPLORER._recipe.draw(state) for state in EXPLORER.states()]


def test_it_starts_at_the_default_and_is_labelled(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    assert page.inner_text(".nta-question") == "How strict is <attention>?"
    assert words(page) == EXPLORER.at()["words"]
    slider = page.get_by_role("slider", name="strictness C")
    assert slider.get_attribute("aria-valuetext") == "1"
    assert page.get_by_role("radio", name="track e1").is_checked()
    assert page.get_by_role("group", name="show").count() == 1
    assert page.get_by_role("combobox", name="first row").input_value() == "0"
    assert not page.get_by_role("checkbox", name="theory").is_checked()
    assert page.get_by_role("status").count() == 1
    labels = [d.get_attribute("aria-label") for d in page.query_selector_all(".nta-drawing")]
    assert labels == [item["alt"] for item in EXPLORER.at()["panel"]["items"]]
    assert not page.troubles


def test_every_control_works_by_keyboard(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    before, index = picture(page), 2 * 20  # C=1, the rest at 0
    steps = [
        ("slider", "strictness C", "End", index + 2 * 20, {"C": 4}),
        ("radio", "track e1", "ArrowRight", index + 2 * 20 + 10, {"C": 4, "last": 1}),
        ("combobox", "first row", "ArrowDown", index + 52, {"C": 4, "last": 1, "row": 1}),
        ("checkbox", "theory", " ", index + 53, {"C": 4, "last": 1, "row": 1, "theory": True}),
    ]
    for role, name, key, state, values in steps:
        control = page.get_by_role(role, name=name)
        control.focus()
        page.keyboard.press(key)
        settle(page, state)
        assert picture(page) != before
        assert words(page) == EXPLORER.at(**values)["words"]
        assert control.evaluate("e => e === document.activeElement || e.type === 'radio'")
        before = picture(page)


def test_presets_and_reset(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    start = picture(page)
    everything = page.get_by_role("button", name="everything")
    assert everything.get_attribute("aria-pressed") == "false"
    everything.click()
    settle(page, 4 * 20 + 3 * 2 + 1)
    assert everything.get_attribute("aria-pressed") == "true"
    assert page.get_by_role("checkbox").is_checked()
    assert page.get_by_role("slider").get_attribute("aria-valuetext") == "4"
    page.get_by_role("button", name="nothing learned").click()
    settle(page, 0)
    assert len(page.query_selector_all(".nta-panel")) == 2  # this state has no graph
    page.get_by_role("button", name="reset").click()
    settle(page, 40)
    assert picture(page) == start


def test_play_runs_to_the_end_and_pauses(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    play = page.get_by_role("button", name="play strictness C")
    play.click()
    settle(page, 80)
    page.wait_for_function("document.querySelector('.nta-play').textContent === '▶'")
    play.click()
    settle(page, 20)  # from the start again
    play.click()
    assert play.inner_text() == "▶"


def test_play_is_hidden_for_those_who_want_no_motion(opened: Callable) -> None:
    page = opened(EXPLORER.payload, reduced_motion="reduce")
    assert not page.get_by_role("button", name="play").count()


def test_a_phone_needs_no_sideways_scroll_and_has_large_targets(opened: Callable) -> None:
    page = opened(
        EXPLORER.payload, viewport={"width": 360, "height": 700}, has_touch=True, is_mobile=True
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for target in page.query_selector_all(".nta-explorer :is(button, select, .nta-slider input)"):
        box = target.bounding_box()
        assert box["height"] >= 44
        assert box["width"] >= 44
    for label in page.query_selector_all(".nta-choice label, .nta-switch"):
        assert label.bounding_box()["height"] >= 44
    sizes = page.evaluate("""[...document.querySelectorAll('.nta-picture svg text')].map(t =>
        parseFloat(getComputedStyle(t).fontSize) * t.getScreenCTM().a)""")
    assert min(sizes) >= 10.5


def test_dark_paper_changes_the_colours(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    ink = "getComputedStyle(document.querySelector('.nta-picture text')).fill"
    light = page.evaluate(ink)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate(ink) != light


def test_only_the_newest_state_is_drawn(opened: Callable) -> None:
    page = opened(EXPLORER.payload)
    drawn = page.evaluate("""async () => {
        let count = 0;
        const draw = nta.drawPanel;
        const wait = (time) => new Promise((done) => setTimeout(done, time));
        nta.drawPanel = async (...given) => { count += 1; await wait(30); return draw(...given); };
        const slider = document.querySelector('.nta-slider input');
        for (const value of [0, 1, 2, 3, 4, 3]) {
            slider.value = value;
            slider.dispatchEvent(new Event('input'));
        }
        const explorer = document.querySelector('.nta-explorer');
        while (explorer.dataset.index !== '60') await wait(5);
        await wait(0); // a further redraw would have begun by now
        return [count, explorer.dataset.index];
    }""")
    assert drawn == [2, "60"]


def test_a_state_that_cannot_be_shown_says_so(opened: Callable) -> None:
    page = opened(EXPLORER.payload, mend=lambda text: text.replace('"svg"', '"nonsense"'))
    assert page.get_attribute(".nta-explorer", "data-state") == "error"
    assert "could not be shown" in words(page)
    page = opened(EXPLORER.payload, mend=lambda text: text.replace('"controls":', '"levers":'))
    assert page.get_attribute(".nta-explorer", "data-state") == "error"
    assert "could not start" in page.inner_text("[role=alert]")


def test_states_come_from_a_script_when_a_reader_turns_to_the_explorer(opened: Callable) -> None:
    """As `keep_states_apart` leaves them; a script that is not there is asked for again."""
    apart = re.compile(r' data-states="">(.*?)<script type="application/json" class.*?</script>')
    page = opened(EXPLORER.payload, mend=lambda text: apart.sub(r' data-states="x">\1', text))
    assert words(page) == EXPLORER.at()["words"]
    slider = page.get_by_role("slider", name="strictness C")
    slider.press("End")
    page.wait_for_function("document.querySelector('.nta-explorer').dataset.state === 'error'")
    assert "could not be shown: states/x.js could not be loaded" in words(page)
    folder = Path(urlparse(page.url).path).parent / "states"
    folder.mkdir()
    code = json.dumps(EXPLORER.payload["states"])
    (folder / "x.js").write_text(f"window.ntaStates = {{x: {code}}}", encoding="utf-8")
    slider.press("Home")
    settle(page, 0)
    assert words(page) == EXPLORER.at(C=0)["words"]
    assert page.get_attribute(".nta-explorer", "data-state") == "drawn"


def test_two_explorers_do_not_disturb_each_other(opened: Callable) -> None:
    page = opened(EXPLORER.payload, EXPLORER.payload | {"question": "And how strict here?"})
    page.get_by_role("checkbox").nth(1).check()
    page.get_by_role("radio", name="track e2").nth(0).check()
    page.wait_for_function("document.querySelectorAll('.nta-explorer')[1].dataset.index == 41")
    page.wait_for_function("document.querySelectorAll('.nta-explorer')[0].dataset.index == 50")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
