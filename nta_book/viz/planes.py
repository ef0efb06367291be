"""Curves that are not over time: paths of W in a plane, and counts that grow with the data.

Explained in: chapters 3, 5, 7 and 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light, rule
from nta_book.viz.lines import (
    DASHES,
    HUES,
    SYMBOLS,
    Floats,
    axis,
    bundle,
    checked,
    course,
    line,
    said,
    thinned,
)
from nta_book.viz.theme import described, mark
from nta_book.viz.words import number, spoken

if TYPE_CHECKING:
    import plotly.graph_objects as go


def plane_path(
    paths: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str,
    y_title: str,
    theory_level: float | None = None,
    now: int | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Trajectories of W in a plane, for example along W_svm against inside S_fin.

    Parameters
    ----------
    paths : mapping from name to (x, y), arrays of shape (t,)
    theory_level : float, optional
        The y where theory says the paths settle.
    now : int, optional
        Index of a point to mark on each path.

    Examples
    --------
    >>> fig = plane_path({"GD": ([0, 1, 9], [0, 0.4, 0.5])}, x_title="along", y_title="inside",
    ...                  theory_level=0.5)
    >>> fig.layout.meta["alt"]
    'Paths in a plane, along across and inside up. GD runs from (0, 0) to (9, 0.5). A dashed line \
marks theory at 0.5.'

    Explained in: chapters 7 and 9. Paper: Theorem 2.
    """
    if not paths:
        raise FigureError("plane_path needs at least one path")
    traces, told = [], []
    for k, (name, pair) in enumerate(paths.items()):
        x, y = (np.asarray(values, dtype=np.float64) for values in pair)
        if x.shape != y.shape or x.ndim != 1 or not x.size:
            raise FigureError(f"{name}: x and y need one shape (t,), got {x.shape} and {y.shape}")
        traces += _path(k, name, (x, y), len(x) - 1 if now is None else min(now, len(x) - 1))
        ends = [f"({number(x[i])}, {number(y[i])})" for i in (0, -1)]
        told.append(f"{spoken(name)} runs from {ends[0]} to {ends[1]}.")
    seen = f"Paths in a plane, {spoken(x_title)} across and {spoken(y_title)} up. {' '.join(told)}"
    if theory_level is not None:
        seen += f" A dashed line marks theory at {number(theory_level)}."
    shapes = [] if theory_level is None else [rule(theory_level, across="y", axis="y")]
    return figure(
        traces,
        described(seen, alt=alt, means=means),
        showlegend=len(paths) > 1,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
        shapes=shapes,
    )


def _path(k: int, name: str, pair: tuple[Floats, Floats], now: int) -> list[dict[str, Any]]:
    """The k-th path: a line, a ring at its start and a mark where it stands now."""
    x, y = pair
    hue = mark(HUES[k % len(HUES)])
    keep = thinned(len(x))
    spots = dots(
        light(x[[0, now]]),
        y[[0, now]],
        color=hue,
        size=[8, 12],
        symbol=["circle-open", SYMBOLS[k % len(SYMBOLS)]],
    )
    dash = DASHES[k % len(DASHES)]
    return [
        line(x[keep], y[keep], hue, name=name, dash=dash),
        {**spots, "showlegend": False, "hoverinfo": "skip"},
    ]


def growth(
    n: ArrayLike,
    counts: Mapping[str, ArrayLike],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = True,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """How counts grow, on logarithmic axes: leagues, edges, feasible shares…

    Parameters
    ----------
    n : array of shape (t,)
    counts : mapping from name to array of shape (t,) or (runs, t)

    Examples
    --------
    >>> growth([1, 10], {"leagues": [4, 1]}, x_title="sequences n", y_title="leagues"
    ...        ).layout.meta["alt"]
    'Curves over sequences n (log scale), leagues (log scale) up. leagues falls from 4 to 1.'

    Explained in: chapters 3 and 5. Paper: Figs. 11 and 12.
    """
    size = np.asarray(n, dtype=np.float64)
    if not counts:
        raise FigureError("growth needs at least one series of counts")
    traces, told, heights = [], [], []
    for k, (name, values) in enumerate(counts.items()):
        runs = checked(values, size, name)
        hue, dash = mark(HUES[k % len(HUES)]), DASHES[k % len(DASHES)]
        *thin, mean = bundle(size, runs, hue, name=name, dash=dash)
        marker = {"symbol": SYMBOLS[k % len(SYMBOLS)], "size": 8}
        traces += [{**run, "showlegend": False} for run in thin]
        traces.append({**mean, "mode": "lines+markers", "marker": marker})
        told.append(course(name, runs, None))
        heights.append(runs.ravel())
    seen = f"Curves over {said(x_title, log_x)}, {said(y_title, log_y)} up. "
    return figure(
        traces,
        described(seen + " ".join(told), alt=alt, means=means),
        showlegend=len(counts) > 1,
        xaxis=axis(x_title, log=size if log_x else None),
        yaxis=axis(y_title, log=np.concatenate(heights) if log_y else None),
    )
