"""A map of starts: which start ends where.

Explained in: chapter 11.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light
from nta_book.viz.lines import axis
from nta_book.viz.theme import LEAGUES, described, league, mark
from nta_book.viz.words import listing, number, plain, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

Ints = NDArray[np.int64]
SHADES = (*(league(rank) for rank in range(1, LEAGUES + 1)), "winner", "last")


def basins(
    x: ArrayLike,
    y: ArrayLike,
    ends: ArrayLike,
    *,
    names: Sequence[str],
    x_title: str,
    y_title: str,
    point: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Starts in a plane, coloured and numbered by where training from them ends.

    Parameters
    ----------
    x, y : arrays of shape (c,) and (r,)
        The starts' coordinates.
    ends : int array of shape (r, c)
        Number of the end of each start, an index of `names`.
    names : sequence of str
        What the ends are called, at most six.
    point : (x, y), optional
        A start to mark.

    Examples
    --------
    >>> fig = basins([0, 1], [0, 1], [[0, 0], [0, 1]], names=["left", "right"],
    ...              x_title="a", y_title="b", point=(1, 1))
    >>> fig.layout.meta["alt"]
    'Map of 4 starts, a across and b up: 3 end in 1, left and 1 ends in 2, right. The marked start \
(1, 1) ends in 2, right.'

    Explained in: chapter 11. Paper: Sec. 5.
    """
    across, up = (np.asarray(values, dtype=np.float64) for values in (x, y))
    where = _checked(ends, (len(up), len(across)), names)
    present = np.unique(where).tolist()
    called = [f"{k + 1}, {plain(name)}" for k, name in enumerate(names)]
    told = [
        f"{c} end{'s' * (c == 1)} in {called[k]}" for k in present if (c := int((where == k).sum()))
    ]
    seen = f"Map of {where.size} starts, {spoken(x_title)} across and {spoken(y_title)} up: "
    seen += f"{listing(told)}."
    traces = [_field(across, up, where), *(_entry(k, names[k]) for k in present)]
    if point is not None:
        seen += f" The marked start ({number(point[0])}, {number(point[1])}) ends in "
        row, column = np.abs(up - point[1]).argmin(), np.abs(across - point[0]).argmin()
        seen += f"{called[int(where[row, column])]}."
        traces.append(_start(point))
    return figure(
        traces,
        described(seen, alt=alt, means=means),
        showlegend=True,
        annotations=[_number(k, across, up, where) for k in present],
        xaxis=axis(x_title) | {"showgrid": False, "zeroline": False},
        yaxis=axis(y_title) | {"showgrid": False, "zeroline": False},
    )


def _checked(ends: ArrayLike, shape: tuple[int, int], names: Sequence[str]) -> Ints:
    where = np.asarray(ends, dtype=np.int64)
    if where.shape != shape or not where.size:
        raise FigureError(f"ends has shape {where.shape}, but the starts form a grid of {shape}")
    if not 0 < len(names) <= len(SHADES):
        raise FigureError(f"{len(names)} names: from 1 to {len(SHADES)} ends can be told apart")
    if where.min() < 0 or where.max() >= len(names):
        raise FigureError(
            f"ends are numbered 0 to {len(names) - 1}, got {where.min()}…{where.max()}"
        )
    return where


def _field(x: NDArray[np.float64], y: NDArray[np.float64], where: Ints) -> dict[str, Any]:
    """The coloured squares; pale, so that numbers on them stay legible on any paper."""
    steps = [k / len(SHADES) for k in range(len(SHADES) + 1)]
    scale = [
        [edge, _pale(shade)] for k, shade in enumerate(SHADES) for edge in (steps[k], steps[k + 1])
    ]
    return {
        "type": "heatmap",
        "x": light(x),
        "y": light(y),
        "z": where,
        "zmin": -0.5,
        "zmax": len(SHADES) - 0.5,
        "colorscale": scale,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
    }


def _pale(role: str) -> str:
    value = mark(role)
    channels = ",".join(str(int(value[i : i + 2], 16)) for i in (1, 3, 5))
    return f"rgba({channels},0.4)"


def _entry(k: int, name: str) -> dict[str, Any]:
    """A square in the legend; it has no place on the map itself."""
    empty = dots([None], np.array([np.nan]), symbol="square", size=12, color=mark(SHADES[k]))
    return {**empty, "name": titled(f"{k + 1}: {name}")}


def _start(point: tuple[float, float]) -> dict[str, Any]:
    rim = {"width": 2, "color": mark("paper")}
    ring = dots(
        light([point[0]]), [point[1]], symbol="circle", size=15, color=mark("ink"), line=rim
    )
    return {**ring, "name": "start"}


def _number(k: int, x: NDArray[np.float64], y: NDArray[np.float64], where: Ints) -> dict[str, Any]:
    """The number of an end, on the square of its region that lies deepest inside."""
    rows, columns = np.nonzero(where == k)
    others = np.argwhere(np.pad(where, 1, constant_values=-1) != k) - 1
    places = np.column_stack([rows, columns])
    depth = np.abs(places[:, None] - others[None]).max(axis=2).min(axis=1)
    centre = places[depth == depth.max()].mean(axis=0)
    deepest = places[depth == depth.max()]
    row, column = deepest[np.abs(deepest - centre).sum(axis=1).argmin()]
    return {
        "x": float(x[column]),
        "y": float(y[row]),
        "text": f"<b>{k + 1}</b>",
        "showarrow": False,
        "font": {"size": 16},
    }
