"""A chart without plotly is the chart that plotly makes."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nta_book import viz
from nta_book.viz import charts
from nta_book.viz.plain_chart import PlainChart
from tests.book.viz import zoo


def made(monkeypatch: pytest.MonkeyPatch, make: Callable[[], Any]) -> Any:
    """The same pictures where plotly cannot be imported, as in a browser."""
    real = builtins.__import__

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("plotly"):
            raise ModuleNotFoundError(f"No module named {name!r}", name="plotly")
        return real(name, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(charts, "IN_BROWSER", True)
        patch.setattr(builtins, "__import__", without)
        return make()


@pytest.mark.parametrize("name", list(zoo.DATA))
def test_every_chart_has_the_same_panel(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with_plotly = dict(zoo.charts_of(zoo.DATA[name]))
    without = dict(made(monkeypatch, lambda: list(zoo.charts_of(zoo.DATA[name]))))
    assert without.keys() == with_plotly.keys()
    for title, chart in without.items():
        assert isinstance(chart, PlainChart), title
        assert viz.alt_of(chart) == viz.alt_of(with_plotly[title])
        assert viz.panel(chart) == viz.panel(with_plotly[title]), title


def test_arrays_are_packed_as_plotly_packs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    import plotly.graph_objects as go

    for values in (np.arange(5), np.arange(3) * 70_000, np.eye(2), np.array([1.5], np.float32)):
        trace = {"type": "heatmap" if values.ndim > 1 else "scatter", "z": values, "y": values}
        trace.pop("z" if values.ndim == 1 else "y")
        plain = PlainChart([trace], {"meta": {"alt": "x"}}).to_plotly_json()["data"][0]
        key = "y" if values.ndim == 1 else "z"
        assert plain[key] == go.Figure(data=[trace]).to_plotly_json()["data"][0][key]


def test_a_chart_stands_in_panels(monkeypatch: pytest.MonkeyPatch) -> None:
    one = made(monkeypatch, lambda: viz.growth([1, 2], {"a": [1, 2]}, x_title="x", y_title="y"))
    both = viz.panel(viz.Panels([one, viz.Drawing("<svg></svg>", alt="A box.")]))
    assert [item["kind"] for item in both["items"]] == ["plotly", "svg"]
