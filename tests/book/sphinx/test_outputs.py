"""Outputs of code cells: their page form, and the refusal of dead ones."""

from __future__ import annotations

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from docutils import nodes

from nta_book import viz
from nta_book.explore import Explorer, Slider
from nta_book.sphinx import outputs
from nta_book.sphinx.outputs import (
    DRAWING,
    EXPLORER,
    KERNEL_WIDGET,
    PLOTLY,
    WIDGET,
    ChapterOutputs,
    keep_states_apart,
)

CHART = viz.trajectories([1, 2], {"a": [1, 2]}, limits={"a": 2 / 3}, alt="A <curve>.")


def asked(question: str = "Which?") -> Explorer:
    return Explorer(
        question,
        controls=[Slider("n", range(3), default=1)],
        render=lambda state: viz.token(f"t{state.n}"),
        words=lambda state: f"It is {state.n}.",
        alt="A token.",
    )


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
    assert re.search(r"--nta-drawn:[\d.]+px", text)  # so that no script has to widen it


def test_a_chart_is_its_panel_whatever_brings_it() -> None:
    alone = markup(PLOTLY, json.loads(CHART.to_json()))
    assert state(alone) == viz.panel(CHART)
    assert "<noscript><p>A &lt;curve&gt;.</p></noscript>" in alone
    beside = markup(DRAWING, viz.panel(viz.Panels([viz.token("a"), CHART])))
    assert state(beside)["items"][1] == state(alone)


def test_the_place_of_a_chart_is_kept_until_it_is_drawn() -> None:
    height = CHART.layout.height
    alone = markup(PLOTLY, json.loads(CHART.to_json()))
    assert f"--nta-wide:{height}px;--nta-narrow:{height}px" in alone
    three = markup(DRAWING, viz.panel(viz.Panels([CHART] * 3, columns=2)))
    assert f"--nta-wide:{2 * height + 16}px;--nta-narrow:{3 * height + 32}px" in three


def states_of(text: str) -> Any:
    return json.loads(text.split('class="nta-states">')[1].split("</script>")[0])


def test_an_explorer_carries_its_first_state_and_behind_it_all_states() -> None:
    payload = asked().payload
    text = markup(EXPLORER, payload)
    told = state(text)
    assert told["first"] == {"state": 1, "light": True, **asked().at()}
    assert told["controls"] == payload["controls"]
    assert "states" not in told
    assert states_of(text) == payload["states"]


def test_states_move_into_scripts_of_their_own(tmp_path: Path) -> None:
    page = tmp_path / "book" / "one.html"
    page.parent.mkdir()
    text = markup(EXPLORER, asked().payload)
    page.write_text(f"<main>{text}{text}</main>", encoding="utf-8")
    app: Any = SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format="html"))
    keep_states_apart(app, RuntimeError("a failed build keeps what it has"))
    assert "nta-states" in page.read_text(encoding="utf-8")
    keep_states_apart(app, None)
    left = page.read_text(encoding="utf-8")
    (script,) = (tmp_path / "_static" / "states").iterdir()  # equal states are there once
    assert left.count(f'data-states="{script.stem}"') == 2
    assert "nta-states" not in left
    assert state(left) == state(text)
    name, _, code = script.read_text(encoding="utf-8").partition(" = ")
    assert name == f'(window.ntaStates ||= {{}})["{script.stem}"]'
    assert json.loads(code.rstrip(";\n")) == asked().payload["states"]


def test_a_large_plot_moves_too_and_a_small_one_stays(tmp_path: Path) -> None:
    steps = list(range(1, 400))
    large = viz.trajectories(steps, {"a": [k / 3 for k in steps]}, alt="A long curve.")
    page = tmp_path / "one.html"
    texts = [markup(PLOTLY, chart.to_plotly_json()) for chart in (CHART, large)]
    page.write_text("".join(texts), encoding="utf-8")
    app: Any = SimpleNamespace(outdir=str(tmp_path), builder=SimpleNamespace(format="html"))
    keep_states_apart(app, None)
    left = page.read_text(encoding="utf-8")
    (script,) = (tmp_path / "_static" / "states").iterdir()
    assert left.startswith(texts[0])
    assert f'data-panel="{script.stem}"' in left.removeprefix(texts[0])
    code = script.read_text(encoding="utf-8").partition(" = ")[2]
    assert json.loads(code.rstrip(";\n")) == state(texts[1])


def test_explorers_and_widgets_carry_their_state() -> None:
    (node,), scripts = shown(EXPLORER, asked("Who <wins>?</script>").payload)
    assert 'id="explorer-who-wins-script"' in node.astext()
    assert node.astext().count("</script>") == 2
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
