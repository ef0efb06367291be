"""Pictures of much: quick, of bounded size, and they say what they left out."""

import re
import time

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.leagues import MOST_LEAGUES
from nta_core import Comparison, Dataset, UnknownToken, token_priority_graphs


def races(K: int, n: int, *, upsets: float = 0.3, lasts: int = 1) -> Dataset:
    """Races of six tokens won by the strongest, now and then by another."""
    rng = np.random.default_rng(0)
    skill = rng.normal(size=K)
    rows = np.array([rng.choice(K, size=6, replace=False) for _ in range(n)])
    rows[:, -1] = np.arange(n) % lasts
    luck = skill[rows] + upsets * rng.normal(size=rows.shape)
    labels = rows[np.arange(n), luck.argmax(axis=1)]
    return Dataset(rows, labels, K=K, names=[f"w{k}" for k in range(K)])


@pytest.mark.parametrize("upsets", [0.0, 0.3])
@pytest.mark.parametrize(("K", "n"), [(40, 60), (100, 300), (300, 500), (300, 6000)])
def test_a_large_graph_is_a_summary_within_a_second(K: int, n: int, upsets: float) -> None:
    graph = token_priority_graphs(races(K, n, upsets=upsets))[0]
    begin = time.process_time()
    drawing = viz.priority_graph(graph, show=["w7", 11], scores={7: 1.0})
    assert time.process_time() - begin < 1
    assert len(drawing.svg) < 40_000
    assert "in summary" in drawing.alt
    assert f"{len(graph.edges)} arrows" in drawing.alt
    left_out = re.search(r"Left out: (.*)\.", drawing.alt)
    assert left_out
    assert left_out[0] in drawing.svg  # in the figure, too
    assert "marks and scores" in left_out[1]
    assert all(f"{name}" in drawing.alt for name in ("w7", "w11", "w0"))


def test_a_summary_counts_what_it_shows() -> None:
    graph = token_priority_graphs(races(100, 300))[0]
    alt = viz.condensation(graph).alt
    titles = re.findall(r"\d+[a-z]? \(([^)]*)\)", alt)
    assert len(titles) == min(MOST_LEAGUES, len(graph.components))
    named = sum(len(title.partition(" + ")[0].split(", ")) for title in titles)
    assert f"{len(graph.components) - len(titles)} leagues" in alt
    assert f"{len(graph.nodes) - named} names" in alt
    # its steps are true: an upper league beats the lower one by a chain
    labels = dict(zip(re.findall(r"(\d+[a-z]?) \(", alt), titles, strict=True))
    for upper, lower in re.findall(r"(\d+[a-z]?) above (\d+[a-z]?)", alt):
        above, below = (
            graph.component_of(int(labels[league].split(", ")[0].split(" ")[0][1:]))
            for league in (upper, lower)
        )
        assert below in graph.below(above)


def test_names_that_a_graph_does_not_have_are_refused() -> None:
    graph = token_priority_graphs(races(40, 60))[0]
    with pytest.raises(UnknownToken, match="nobody"):
        viz.priority_graph(graph, show=["nobody"])
    with pytest.raises(FigureError, match="at most"):
        viz.priority_graph(graph, show=list(graph.nodes)[:25])


def test_many_rows_tracks_and_bars_say_what_is_missing() -> None:
    data = races(60, 400, lasts=40)
    assert "Left out: 300 more sequences." in viz.sequences(data).alt
    assert "Left out: 16 more tracks." in viz.tracks(data).alt
    mass = data.counts / data.counts.sum(axis=1, keepdims=True)
    bars = viz.attention_bars(data, mass)
    assert "Left out: 300 more sequences." in bars.alt
    assert "Left out: 300 more sequences." in bars.svg
    graphs = token_priority_graphs(data)
    panels = viz.priority_graphs(graphs)
    assert f"Left out: {len(graphs) - 24} tracks with fewer arrows." in panels.alt
    wide = {Comparison(0, 1, loser): 1.0 + loser for loser in range(2, 200)}
    chart = viz.margins(wide, [f"w{k}" for k in range(200)])
    assert "78 larger ones are left out" in chart.layout.meta["alt"]
    assert "78 larger ones are left out" in chart.layout.xaxis.title.text
    assert len(chart.data[0].x) == 120
    runs = viz.convergence([1, 2], np.ones((900, 2)), x_title="x", y_title="y")
    assert "900 runs, the first 200 drawn thin" in runs.layout.meta["alt"]
    assert len(runs.data) == 201
