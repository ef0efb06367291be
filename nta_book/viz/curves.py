"""Curves over time: several quantities below each other, or many runs of one.

Every curve says where it starts and where it ends in its alt text.  A quantity with several runs
is drawn as all runs thin and their mean thick.

Explained in: chapters 4, 7 and 9.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import figure, rule
from nta_book.viz.lines import (
    HUES,
    Floats,
    axis,
    bundle,
    checked,
    course,
    said,
    way,
)
from nta_book.viz.theme import described, mark
from nta_book.viz.words import number, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go


def trajectories(
    steps: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    now: float | None = None,
    limits: Mapping[str, float] | None = None,
    within: tuple[float, float] | None = None,
    log_time: bool = True,
    time_title: str = "step τ",
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Several quantities over the same time, one below the other.

    Parameters
    ----------
    steps : array of shape (t,)
    series : mapping from name to array of shape (t,) or (runs, t)
        For example loss, ‖W‖, attention on the winner (one run per sequence), cosine with W_svm.
    now : float, optional
        A time to mark with a vertical line (the slider's).
    limits : mapping from name to float, optional
        Where theory says a quantity goes: a dashed level line.
    within : pair of float, optional
        The range of every vertical axis, where pictures are to be compared; by default each axis
        fits its own curves.
    log_time : bool
        Logarithmic time axis; said in its title.

    Examples
    --------
    >>> fig = trajectories([1, 10, 100], {"loss": [1.0, 0.5, 0.01]}, limits={"loss": 0})
    >>> fig.layout.meta["alt"]
    'Curves over step τ (log scale). loss falls from 1 to 0.01; theory says 0.'

    Explained in: chapters 4 and 7. Paper: Sec. 3, Figs. 4 and 5.
    """
    time, runs = _series(steps, series, log_time)
    traces: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    count, titles = len(runs), []
    anchor = "y" if count == 1 else f"y{count}"
    layout: dict[str, Any] = {
        "xaxis": {**axis(time_title, log=time if log_time else None), "anchor": anchor}
    }
    for k, (name, values) in enumerate(runs.items()):
        own = "" if k == 0 else str(k + 1)
        traces += bundle(time, values, mark(HUES[k % len(HUES)]), yaxis=f"y{own}", name=name)
        layout[f"yaxis{own}"] = _stacked(k, count) | ({"range": list(within)} if within else {})
        titles.append(_headline(name, k, count))
        if now is not None:  # a line per panel: one through all would cross their headlines
            upright = rule(float(now), across="x", axis="x")
            shapes.append(upright | {"yref": f"y{own} domain"})
        if limits and name in limits:
            shapes.append(rule(limits[name], across="y", axis=f"y{own}"))
    seen = f"Curves over {said(time_title, log_time)}. "
    seen += " ".join(
        course(name, values, (limits or {}).get(name)) for name, values in runs.items()
    )
    return figure(
        traces,
        described(seen, alt=alt, means=means),
        height=90 + max(130 * count, 200),
        shapes=shapes,
        annotations=titles,
        margin={"l": 48, "r": 22, "t": 32, "b": 48},  # a label that sticks out is hidden
        **layout,
    )


def _series(
    steps: ArrayLike, series: Mapping[str, ArrayLike], log: bool
) -> tuple[Floats, dict[str, Floats]]:
    """Times and runs; a logarithmic axis has no place for step 0, so it is left out."""
    time = np.asarray(steps, dtype=np.float64)
    runs = {name: checked(values, time, name) for name, values in series.items()}
    shown = time > 0 if log else np.ones(len(time), dtype=bool)
    if not runs or not shown.any():
        raise FigureError("curves need at least one series and one step (above 0 on a log axis)")
    return time[shown], {name: values[:, shown] for name, values in runs.items()}


def _stacked(k: int, count: int) -> dict[str, Any]:
    """The k-th of `count` y axes, from the top down; its title is the headline above it."""
    pitch = 1 / (count - 0.3)
    return {"domain": [max(0.0, 1 - (k + 0.7) * pitch), 1 - k * pitch], "nticks": 4}


def _headline(name: str, k: int, count: int) -> dict[str, Any]:
    place = {"xref": "paper", "yref": "paper", "x": 0, "y": 1 - k / (count - 0.3)}
    anchor = {"xanchor": "left", "yanchor": "bottom", "showarrow": False}
    return {"text": f"<b>{titled(name)}</b>", **place, **anchor}


def convergence(
    x: ArrayLike,
    runs: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = False,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Many runs of one quantity: all of them thin, their mean thick.

    Parameters
    ----------
    x : array of shape (t,)
    runs : array of shape (runs, t)

    Examples
    --------
    >>> fig = convergence([1, 10], [[0.1, 0.9], [0.3, 0.99]], x_title="step", y_title="cosine")
    >>> fig.layout.meta["alt"]
    'Curves of cosine over step (log scale), 2 runs thin and their mean thick: the mean rises \
from 0.2 to 0.945; the runs end between 0.9 and 0.99.'

    Explained in: chapters 4, 7 and 9. Paper: Figs. 4 and 5.
    """
    time, series = _series(x, {y_title: runs}, log_x)
    values = series[y_title]
    mean = values.mean(axis=0)
    seen = (
        f"Curves of {said(y_title, log_y)} over {said(x_title, log_x)}, "
        f"{len(values)} runs thin and their mean thick: the mean {way(mean)}; the runs end "
        f"between {number(values[:, -1].min())} and {number(values[:, -1].max())}."
    )
    return figure(
        bundle(time, values, mark("practice"), name=y_title),
        described(seen, alt=alt, means=means),
        xaxis=axis(x_title, log=time if log_x else None),
        yaxis=axis(y_title, log=values if log_y else None),
    )
