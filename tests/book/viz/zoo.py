"""Every picture on well-behaved and on odd data, for the tests to look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from nta_book import viz
from nta_core import FIG3, FIG8, Comparison, Dataset, token_priority_graphs

MARKUP = Dataset([[0, 1], [1, 0, 1]], [0, 0], names=["<b>&", 'say"$x$"' + "long" * 9])
ALONE = Dataset([[0]], [0], K=1)
TWELVE = Dataset([list(range(12)), [3, 2, 1, 11]], [7, 2], K=12)
REPEATED = Dataset([[0, 1, 0], [0, 1, 0], [1, 1, 2]], [1, 1, 1], K=4)
STRANGE = {"markup": MARKUP, "alone": ALONE, "twelve": TWELVE, "repeated": REPEATED}
DATA = {"FIG3": FIG3, "FIG8": FIG8, **STRANGE}


def uniform(data: Dataset) -> np.ndarray:
    return data.counts / data.counts.sum(axis=1, keepdims=True)


def drawings_of(data: Dataset) -> Iterator[tuple[str, Any]]:
    graphs = token_priority_graphs(data)
    yield "sequences", viz.sequences(data, upto=1, highlight=[0])
    yield "race", viz.race(data, 0)
    yield "tracks", viz.tracks(data, highlight=[0])
    yield "empty track", viz.tracks(data, lasts=range(data.K), upto=0)
    yield (
        "graphs",
        viz.priority_graphs(
            graphs, scores={k: dict.fromkeys(g.nodes, -0.5) for k, g in graphs.items()}
        ),
    )
    for last, graph in graphs.items():
        yield (
            f"marked graph {last}",
            viz.priority_graph(
                graph,
                highlight=graph.strict,
                new=graph.edges[:1],
                faint=graph.edges,
                edge_labels=dict.fromkeys(graph.edges, "1.0"),
            ),
        )
        yield f"condensation {last}", viz.condensation(graph)
    yield "attention", viz.attention_bars(data, uniform(data), theory=uniform(data))
    shares = dict(zip(data.names, uniform(data)[0].tolist(), strict=True))
    yield "machine", viz.machine_vs_network(shares, {**shares, "other": 0.0})
    names = list(data.names)
    weights = np.full(len(names), 1 / len(names))
    yield "triangle", viz.triangle(names, weights, trail=[weights, weights], winner=0)
    lines = [(name, k, k + 1, f"{k} of {k + 1}") for k, name in enumerate(names[:12])]
    yield "floors", viz.league_floors({"tied": lines}, {"tied": 12}, league="tied")
    wins = np.ones((len(names), len(names)))
    yield "cross table", viz.cross_table(names, wins, weights, theory=weights)
    places = np.pad(np.tri(len(names)) / len(names), ((0, 0), (0, 1)))
    yield "attention map", viz.attention_map(places, names, expected=np.eye(len(names)))
    few = {"W": wins[:6, :6], "other": -wins[:6, :6]}
    yield "matrices", viz.matrices(few, rows=names[:6], columns=names[:6], highlight="W")
    marks = {"left_notes": names, "right_notes": names}
    yield "rankings", viz.rankings(names, names[::-1], left_title="a", right_title="b", **marks)
    lines = {name: [k, 2 * k] for k, name in enumerate(names)}
    yield (
        "slopes",
        viz.slopes([0, 8], lines, behind={names[0]: [3, 1]}, x_title="step", y_title="attention"),
    )
    yield (
        "cone",
        viz.cone(
            np.eye(2), labels=[names[0], names[-1]], solution=[1, 1], point=[-2, 9], deciding=[0]
        ),
    )


def charts_of(data: Dataset) -> Iterator[tuple[str, Any]]:
    names = list(data.names)
    matrix = np.arange(len(names) ** 2, dtype=float).reshape(len(names), -1) - 3
    yield (
        "heatmap",
        viz.heatmap(
            matrix, rows=names, columns=names, row_title="token", column_title="last token"
        ),
    )
    pairs = {Comparison(0, 0, k): float(k) for k in range(len(names))}
    rows = {"all": [[1.0, 1.0]], "without": [[0.5, 0.7]]}
    yield "shortfalls", viz.shortfalls({"": rows}, ["answers"], control="all")
    yield "margins", viz.margins(pairs, names, support=[Comparison(0, 0, 0)])
    yield "small bars", viz.small_bars(names, matrix[0], y_title="strength", theory=matrix[0] + 1)
    time = np.arange(400)
    curve = 1 / (1 + time)
    yield (
        "trajectories",
        viz.trajectories(
            time, {names[0]: curve, "‖W‖": [curve, 2 * curve]}, now=5, limits={names[0]: 0}
        ),
    )
    yield "convergence", viz.convergence(time, [curve, curve], x_title="step", y_title=names[0])
    yield (
        "plane path",
        viz.plane_path(
            {names[0]: (time, curve), "RP": (time, 2 * curve)},
            x_title="along",
            y_title="inside",
            theory_level=0.0,
            now=3,
        ),
    )
    yield (
        "growth",
        viz.growth(time, {names[0]: curve + 1, "edges": curve + 2}, x_title="n", y_title="count"),
    )
    law = np.stack([time + 1, time + 2, 2 * time + 2], axis=1)
    yield (
        "forecast",
        viz.forecast(
            ([1, 2], [2, 3]), time + 1, law, later=([9], [9]), x_title=names[0], y_title="edges"
        ),
    )


def everything() -> list[tuple[str, Any]]:
    return [
        (f"{name}: {title}", picture)
        for name, data in DATA.items()
        for make in (drawings_of, charts_of)
        for title, picture in make(data)
    ]


def colours(text: str) -> set[str]:
    return set(re.findall(r"#[0-9A-Fa-f]{6}\b", text))
