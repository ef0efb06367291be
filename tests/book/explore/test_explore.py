"""Explorers: declaration, encoding, and the live form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_book import viz
from nta_book.errors import ExplorerError
from nta_book.explore import Choice, Slider, State, Switch, compute, encode
from nta_book.explore import explorer as explorer_module
from tests.book.explore.examples import example, simple

# ---- declaration --------------------------------------------------------------------------------


def test_states_are_the_product_and_the_last_control_runs_fastest() -> None:
    states = example().states()
    assert len(states) == example().count == 12
    assert states[1] == {"C": 0, "rows": (0, 1), "theory": True}
    assert str(states[0]) == "C=0, rows=(0, 1), theory=False"
    with pytest.raises(AttributeError, match="no control 'D'; the controls are C, rows, theory"):
        _ = states[0].D


def test_the_page_gets_controls_presets_and_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    explorer = example()
    bundle = explorer._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "application/vnd.nta.explorer+json"}
    page = bundle["application/vnd.nta.explorer+json"]
    assert page["question"] == "How strict?"
    assert page["alt"] == "Attention bars."
    slider, choice, switch = page["controls"]
    assert slider == {
        "name": "C", "label": "strictness", "kind": "slider", "values": [0, 1, 2.5],
        "labels": ["0", "1", "2.5"], "default": 1, "play": True,
    }  # fmt: skip
    assert choice["values"] == choice["labels"] == ["first", "rest"]
    assert switch["labels"] == ["off", "on"]
    assert page["presets"][0] == {"label": "hard", "state": {"C": 2, "rows": 0, "theory": 0}}
    assert page["count"] == 12
    assert page["size"] == encode.size(page["states"])
    json.dumps(page, allow_nan=False)


@pytest.mark.parametrize(("make", "message"), [
    (lambda: Slider("n", [1]), "needs two"),
    (lambda: Slider("n", [2, 1]), "must grow"),
    (lambda: Slider("two words", [1, 2]), "Python name"),
    (lambda: Slider("n", [1, 2], default=3), "no value 3"),
    (lambda: Slider("n", [1, 1.001], format="{:.1f}"), "alike"),
    (lambda: Slider("n", [1, 2], live=(2, 1, 0.1)), "must rise"),
    (lambda: Switch("s", default=1), "no value 1"),
    (lambda: example(controls=[]), "needs a question and controls"),
    (lambda: example(controls=[Switch("s"), Switch("s")]), "different names"),
    (lambda: example(presets={"x": {"D": 1}}), "no control 'D'"),
    (lambda: example(presets={"reset": {"C": 0}}), "always there"),
    (lambda: example(words=lambda s: " "), "no words at C=1"),
    (lambda: example(render=lambda s: "no picture"), "failed at C=1, rows=.*str is not a picture"),
])  # fmt: skip
def test_a_bad_declaration_is_named(make: Any, message: str) -> None:
    with pytest.raises(ExplorerError, match=message):
        make()


def test_labels_of_values() -> None:
    assert Slider("n", [-1.5, 2], format="{:.1f}").labels == ("−1.5", "2.0")
    assert Slider("n", np.array([1, 2]), format=lambda v: f"{v} steps").labels[1] == "2 steps"
    assert Choice("c", ["a", "b"], default="b").index == 1
    assert Slider("n", [0, 1]).fine == (0, 1)


# ---- encoding -----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text("ab\n\ue001<&", max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=8,
)


@given(st.lists(JSON, min_size=1, max_size=6))
def test_encoding_is_exact(states: list[Any]) -> None:
    code = json.loads(json.dumps(encode.encode(states)))
    assert [encode.decode(code, k) for k in range(len(states))] == states


def test_encoding_of_an_explorer_is_exact_and_small() -> None:
    states = compute.draw_all(example()._recipe, example().states())
    code = encode.encode(states)
    assert [encode.decode(code, k) for k in range(len(states))] == states
    assert encode.size(code) < 0.35 * len(json.dumps(states, ensure_ascii=False))


def test_equal_values_of_different_type_stay_apart() -> None:
    states = [{"v": 1}, {"v": True}, {"v": "1"}]
    code = encode.encode(states)
    assert [type(encode.decode(code, k)["v"]) for k in range(3)] == [int, bool, str]


# ---- budgets and errors -------------------------------------------------------------------------


def test_too_many_states_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    controls = [Slider("n", range(40)), Slider("m", range(40))]
    with pytest.raises(ExplorerError, match="1600 states, more than 1500"):
        simple(lambda s: viz.token(s.n), controls=controls)


def test_too_many_bytes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    monkeypatch.setattr(explorer_module, "MOST_BYTES", 900)
    with pytest.raises(ExplorerError, match=r"bytes for its 4 states, more than 900"):
        simple(lambda s: viz.token(s.n))


def test_a_failing_state_stops_the_cell_and_leaves_no_cache(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("NTA_EXPLORER_CACHE", str(tmp_path))

    def render(state: State) -> viz.Drawing:
        return viz.token(1 / (state.n - 2))

    simple(render)  # a kernel draws the start only
    monkeypatch.setenv("NTA_BOOK_BUILD", "1")
    with pytest.raises(ExplorerError, match="failed at n=2: ZeroDivisionError"):
        simple(render)
    assert not list(tmp_path.iterdir())


def test_check_finds_a_slider_that_lies() -> None:
    example().check()
    with pytest.raises(ExplorerError, match="'n' moves, but its picture stays"):
        simple(lambda s: viz.token("same")).check()
    with pytest.raises(ExplorerError, match="'n' moves, but its picture stays"):
        simple(lambda s: viz.token("same", alt=f"chip {s.n}")).check()  # only words change
    middle = Slider("n", range(4), default=1)
    with pytest.raises(ExplorerError, match="n=0 changes neither"):
        simple(lambda s: viz.token(s.n > 1), words=lambda s: str(s.n > 1),
               controls=[middle]).check()  # fmt: skip
    with pytest.raises(ExplorerError, match="preset 'again' changes neither"):
        simple(lambda s: viz.token(s.n > 1), words=lambda s: str(s.n > 1),
               presets={"again": {"n": 1}, "start": {"n": 0}}).check()  # fmt: skip
    panels = simple(lambda s: viz.Panels([viz.token("same", alt=f"chip {s.n}")]))
    with pytest.raises(ExplorerError, match="picture stays"):
        panels.check()


# ---- live ---------------------------------------------------------------------------------------


def shown(live: Any) -> str:
    return json.dumps(live.output.outputs)


def test_moving_a_control_changes_picture_and_words() -> None:
    live = example().widget()
    assert dict(live.state) == {"C": 1, "rows": (0, 1), "theory": False}
    before, words = shown(live), live.words.value
    live.controls["C"].value = 2.0  # a value only the kernel offers
    assert shown(live) != before
    assert live.words.value != words
    assert "At C = 2.0 of 2." in live.words.value
    live.controls["theory"].value = True
    kinds = [next(iter(output["data"])) for output in live.output.outputs]
    assert kinds == ["text/html", "application/vnd.plotly.v1+json"]
    live.controls["rows"].value = (2, 3, 4)
    assert "of 3" in live.words.value


def test_presets_and_reset_redraw_once() -> None:
    seen: list[State] = []

    def render(state: State) -> viz.Drawing:
        seen.append(state)
        return viz.token(f"{state.C}{state.rows}{state.theory}")

    live = example(render=render).widget()
    seen.clear()
    live.buttons["all"].click()
    assert [dict(state) for state in seen] == [{"C": 0, "rows": (2, 3, 4), "theory": True}]
    live.buttons["reset"].click()
    assert live.state.C == 1
    assert len(seen) == 2


def test_a_live_state_that_fails_says_so() -> None:
    live = simple(lambda s: viz.token(1 / (s.n - 2))).widget()
    live.controls["n"].value = 2
    assert "failed at n=2: ZeroDivisionError" in live.words.value
    live.controls["n"].value = 3
    assert live.words.value == "<p>n = 3</p>"


def test_a_notebook_gets_the_widget() -> None:
    bundle = example()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "application/vnd.nta.explorer+json" not in bundle


def test_fine_values_are_told_apart() -> None:
    slider = Slider("n", [0, 1], live=(0, 1, 0.01), format="{:.1f}")
    widget = simple(lambda s: viz.token(s.n), controls=[slider]).widget().controls["n"]
    labels = [label for label, _ in widget.options]
    assert len(set(labels)) == 101
