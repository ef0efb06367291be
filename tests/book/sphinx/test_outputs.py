"""Outputs of code cells: their page form, and the refusal of dead ones."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes

from nta_book import viz
from nta_book.sphinx import outputs
from nta_book.sphinx.outputs import DRAWING, EXPLORER, KERNEL_WIDGET, PLOTLY, WIDGET, ChapterOutputs

CHART = viz.trajectories([1, 2], {"a": [1, 2]}, limits={"a": 2 / 3}, alt="A <curve>.")


def shown(mime: str, content: Any, **place: Any) -> Any:
    """The nodes of one output and the scripts its page asks for."""
    scripts: list[str] = []
    renderer = SimpleNamespace(add_js_file=lambda key, name, options: scripts.append(name))
    data = SimpleNamespace(mime_type=mime, content=content, cell_index=place.get("cell", 2))
    return ChapterOutputs.handle_mime(renderer, data, place.get("inline", False)), scripts


def markup(mime: str, content: Any) -> str:
    (node,), _ = shown(mime, content)
    return str(node.astext())


def state(text: str) -> Any:
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', text)[1])


def test_a_drawing_is_on_the_page_at_once() -> None:
    drawing = viz.token("<b>")
    text = markup(DRAWING, viz.panel(drawing))
    assert drawing.svg in text
    assert 'role="img" aria-label="The token &lt;b&gt;."' in text
    assert "<script" not in text
    two = markup(DRAWING, viz.panel(viz.Panels([drawing, drawing])))
    assert two.count('class="nta-panel"') == 2
    assert "--nta-columns:2" in two


def test_a_chart_is_its_panel_whatever_brings_it() -> None:
    alone = markup(PLOTLY, json.loads(CHART.to_json()))
    assert state(alone) == viz.panel(CHART)
    assert "<noscript><p>A &lt;curve&gt;.</p></noscript>" in alone
    assert f"min-height:{CHART.layout.height}px" in alone
    beside = markup(DRAWING, viz.panel(viz.Panels([viz.token("a"), CHART])))
    assert state(beside)["items"][1] == state(alone)


def test_explorers_and_widgets_carry_their_state() -> None:
    (node,), scripts = shown(EXPLORER, {"question": "Who <wins>?", "states": ["</script>"]})
    assert 'id="explorer-who-wins"' in node.astext()
    assert node.astext().count("</script>") == 1
    assert scripts == ["nta-explorer.js"]
    lab = {"module": "lab", "label": "A lab", "state": {"text": "x"}}
    assert state(markup(WIDGET, lab)) == {"text": "x"}
    assert 'data-module="lab"' in markup(WIDGET, lab)


@pytest.mark.parametrize(
    ("mime", "content", "fault"),
    [
        (PLOTLY, {"data": [], "layout": {}}, "a figure without a description"),
        (PLOTLY, {"layout": {"meta": {"alt": "  "}}}, "a figure without a description"),
        (DRAWING, {"svg": "<svg></svg>", "alt": ""}, "a figure without a description"),
        (KERNEL_WIDGET, {}, "a widget that is dead without a kernel"),
        ("text/html", "<script>Plotly.newPlot()</script>", "a plotly figure as HTML"),
    ],
)
def test_dead_or_silent_outputs_are_marked_and_reported(
    mime: str, content: Any, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (node,), _ = shown(mime, content)
    assert node["nta_fault"].startswith(f"cell 3: {fault}")
    page = nodes.container("", node, nodes.raw("", "fine"))
    told: list[str] = []
    logger = SimpleNamespace(warning=lambda form, text, **_: told.append(text))
    monkeypatch.setattr(outputs, "_LOGGER", logger)
    outputs.report_faults(None, page, "page")  # type: ignore[arg-type]
    assert told == [node["nta_fault"]]
    (lone,), _ = shown(mime, content, cell=None)
    assert lone["nta_fault"].startswith("cell 0")


def test_other_outputs_are_left_to_the_builder() -> None:
    assert shown("image/png", b"")[0] is None
    assert shown("text/html", "<p>words</p>")[0] is None
    assert shown(DRAWING, viz.panel(viz.token("a")), inline=True)[0] is None


def test_the_renderer_is_added_once() -> None:
    renderers = outputs.myst_nb_render.load_mime_renders()
    outputs.register()
    outputs.register()
    assert renderers.count(ChapterOutputs) == 1
