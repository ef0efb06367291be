"""Every picture checks every argument; what it is given wrong has a name."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.given import CHECKS
from nta_core import FIG3, MissingPackage, NTAError, token_priority_graphs

PICTURES = {
    name: value for name, value in vars(viz).items()
    if inspect.isfunction(value) and "alt" in inspect.signature(value).parameters
}  # fmt: skip
# what a picture checks itself, because it depends on the rest of what it is given
THEIR_OWN = {"show", "scores", "edge_labels", "lasts", "last"}


@pytest.mark.parametrize("name", PICTURES)
def test_every_argument_of_every_picture_is_checked(name: str) -> None:
    assert hasattr(PICTURES[name], "__wrapped__"), "a picture is declared with @picture"
    for parameter in inspect.signature(PICTURES[name]).parameters.values():
        kind = str(parameter.annotation).partition(" | None")[0]
        assert kind in CHECKS or parameter.name in THEIR_OWN, (parameter.name, kind)


@pytest.mark.parametrize("name", ["tracks", "priority_graphs"])
def test_rows_of_pictures_are_checked_as_well(name: str) -> None:
    with pytest.raises(NTAError, match="must be a"):
        getattr(viz, name)(None)


@pytest.mark.parametrize(("call", "words"), [
    (lambda: viz.race(None, 0), "dataset must be a Dataset"),
    (lambda: viz.priority_graph(FIG3), "graph must be a TokenPriorityGraph"),
    (lambda: viz.token("a", winner="yes"), "winner='yes': must be True or False"),
    (lambda: viz.token("a", alt=3), "alt must be a str"),
    (lambda: viz.sequences(FIG3, rows=[0.5]), r"rows\[0\]=0.5"),
    (lambda: viz.sequences(FIG3, rows=[99]), "rows 0…6"),
    (lambda: viz.triangle("ab", [1e308, 1]), "above 1e"),
    (lambda: viz.triangle("ab", [1, 0], trail=[1]), "trail needs shape"),
    (lambda: viz.triangle("ab", [1, 0], last=2), "a corner=2"),
    (lambda: viz.cone([[1, 0, 0]], labels=["a"]), "normals need shape"),
    (lambda: viz.cone([[1, 0]], labels=["a"], reach=-1), "reach=-1"),
    (lambda: viz.growth([[1]], {"a": [1]}, x_title="x", y_title="y"), "shape"),
    (lambda: viz.growth([1], {"a": [1j]}, x_title="x", y_title="y"), "real numbers"),
    (lambda: viz.growth([1], {"a": [1]}, x_title=None, y_title="y"), "x_title must be a str"),
    (lambda: viz.small_bars("a", [1], y_title="y", limits=[1]), "limits must be two numbers"),
    (lambda: viz.cloud({"a": 3}, x_title="x", y_title="y"), "pair of arrays"),
    (lambda: viz.basins([0], [0], [[0.5]], tables=["a"], x_title="x", y_title="y"), "whole"),
    (lambda: viz.heatmap(np.zeros((600, 600)), rows=range(600), columns=range(600),
                         row_title="r", column_title="c"), "draw a part"),
    (lambda: viz.scorecard({"a": {"b": ["x"]}}, ["share"]), "must hold numbers"),
    (lambda: viz.margins({(0, 1): 1.0}, "ab"), "comparisons"),
    (lambda: viz.Panels([viz.token("a")], columns="2"), "columns='2'"),
    (lambda: viz.Drawing(3, alt="A box."), "svg must be a str"),
])  # fmt: skip
def test_it_is_said_what_is_wrong(call, words: str) -> None:
    with pytest.raises(NTAError, match=words):
        call()


def test_names_serve_as_ids() -> None:
    assert viz.track(FIG3, "e1") == viz.track(FIG3, 0)
    graph = token_priority_graphs(FIG3)[1]
    assert viz.priority_graph(graph, show=["e1"]) == viz.priority_graph(graph)


def test_without_plotly_drawings_work_and_charts_say_what_to_install(monkeypatch) -> None:
    for module in ("plotly", "plotly.graph_objects"):
        monkeypatch.setitem(sys.modules, module, None)
    assert viz.token("a").alt
    with pytest.raises(MissingPackage, match=r"needs plotly.*nta-core\[pictures\]"):
        viz.small_bars("a", [1], y_title="y")


BASE = """
import sys
for name in ("plotly", "ipywidgets", "anywidget", "joblib", "cloudpickle", "torch", "tqdm"):
    sys.modules[name] = None
from nta_book import explore, viz
from nta_core import FIG3, MissingPackage
explorer = explore.Explorer("Which?", controls=[explore.Switch("on")], alt="A token.",
    render=lambda s: viz.token(s.on), words=lambda s: "One token.")
assert len([explorer.at(on=on) for on in (False, True)]) == 2
for call in (lambda: explorer.widget(), lambda: __import__("nta_book.lab"),
             lambda: explorer.payload):
    try:
        call()
    except MissingPackage as error:
        print(error)
"""


def test_a_base_install_draws_and_says_what_else_it_needs() -> None:
    done = subprocess.run([sys.executable, "-c", BASE], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert [line.split(" needs ")[1].split(",")[0] for line in lines] == [
        "ipywidgets", "anywidget", "cloudpickle"]  # fmt: skip
    assert all("nta-core[pictures]" in line for line in lines)


def test_the_error_of_a_chart_is_a_figure_error() -> None:
    with pytest.raises(FigureError, match="mass has a NaN"):
        viz.attention_bars(FIG3, np.full((7, 4), np.nan))
