"""Pictures that change: drawings travel, plots take the theme, fingers scroll."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from nta_book import viz
from nta_book.sphinx.assets import copy_page, plotly_script
from nta_book.viz.theme import ROLES
from nta_core import FIG3

PAGE = """<!doctype html><html lang="en" data-theme="light"><head><meta charset="utf-8">
<title>Pictures</title><link rel="icon" href="data:,"><link rel="stylesheet" href="nta-book.css">
<link rel="stylesheet" href="nta-type.css"><script defer src="nta-book.js"></script></head>
<body><figure id="place"></figure><p style="height:3000px">below</p></body></html>
"""
DRAW = "panel => nta.drawPanel(document.querySelector('#place'), panel)"
MOVING = (
    "document.getAnimations().map(a => [a.effect.target.tagName, a.effect.getTiming().duration])"
)


def bars(share: float) -> dict[str, Any]:
    mass = [[0.0] * 4 for _ in range(FIG3.n)]
    for row, sequence in zip(mass, FIG3.sequences, strict=True):
        for token in set(sequence):
            row[token] = (1 - share) / max(1, len(set(sequence)) - 1)
        row[sequence[0]] = share
    return viz.panel(viz.attention_bars(FIG3, mass))


@pytest.fixture
def opened(browser: Browser, tmp_path: Any) -> Iterator[Callable]:
    copy_page(tmp_path)
    (tmp_path / "plotly.min.js").write_text(plotly_script(), encoding="utf-8")
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    contexts = []

    def open_page(**options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_function("globalThis.nta")
        return page

    yield open_page
    for context in contexts:
        context.close()


def test_what_changes_travels_and_is_in_its_new_place_at_once(opened: Callable) -> None:
    page = opened()
    page.evaluate(DRAW, bars(0.9))
    assert page.evaluate(MOVING) == []  # nothing was there before
    page.wait_for_timeout(300)
    after = page.evaluate(
        f"async panel => {{ await ({DRAW})(panel); return {MOVING}; }}", bars(0.4)
    )
    assert {tag for tag, _ in after} >= {"rect", "text"}
    assert max(duration for _, duration in after) <= 240
    drawn = page.inner_html("#place svg").splitlines()
    assert [line for line in drawn if "<rect" in line] == [
        line.replace("/>", "></rect>")
        for line in bars(0.4)["svg"].splitlines()
        if line.startswith("<rect")
    ]


def test_nothing_moves_where_nothing_changed_or_little_motion_is_wanted(opened: Callable) -> None:
    for share, options in ((0.9, {}), (0.4, {"reduced_motion": "reduce"})):
        page = opened(**options)
        page.evaluate(DRAW, bars(0.9))
        page.wait_for_timeout(300)
        moving = f"async panel => {{ await ({DRAW})(panel); return {MOVING}; }}"
        assert page.evaluate(moving, bars(share)) == []


def test_plots_follow_the_theme(opened: Callable) -> None:
    page = opened()
    chart = viz.panel(
        viz.growth([1, 2, 3], {"log": [1, 2, 3], "other": [3, 2, 1]}, x_title="x", y_title="y")
    )
    page.evaluate(DRAW, chart)
    colours = (
        "[...document.querySelector('.nta-plot').data].map(t => t.line?.color).filter(Boolean)"
    )
    assert ROLES["loss-log"].light.lower() in page.evaluate(colours)
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.wait_for_function(
        f"{colours}.includes('{ROLES['loss-log'].dark.lower()}')", timeout=10_000
    )
    assert not {shade.light.lower() for shade in ROLES.values()} & {*page.evaluate(colours)}


def test_a_finger_scrolls_the_page_and_zooms_no_plot(opened: Callable) -> None:
    modes = []
    for options in ({}, {"has_touch": True, "is_mobile": True}):
        page = opened(viewport={"width": 360, "height": 640}, **options)
        page.evaluate(
            DRAW, viz.panel(viz.growth([1, 2, 3], {"a": [1, 2, 3]}, x_title="x", y_title="y"))
        )
        modes.append(page.evaluate("document.querySelector('.nta-plot')._fullLayout.dragmode"))
    assert modes == ["zoom", False]
