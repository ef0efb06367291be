"""The loss over a plane of matrices: valleys, walls, and the way a run took.

Explained in: chapter 10.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light
from nta_book.viz.lines import Floats, axis, line
from nta_book.viz.theme import described, mark
from nta_book.viz.words import number, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

DEEP, HIGH = "rgba(0,114,178,0.85)", "rgba(140,148,158,0.06)"  # valleys are blue, heights clear
SYMBOLS = ("circle", "diamond", "square")
ROLES = ("winner", "theory", "league-2")
LEVELS = 200  # shades: more than the eye tells apart, and three characters of page each


def landscape(
    x: ArrayLike,
    y: ArrayLike,
    loss: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    points: Mapping[str, tuple[float, float]] | None = None,
    path: ArrayLike | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """A loss on a grid of the plane as shades with contour lines; the deeper, the bluer.

    Parameters
    ----------
    x, y : arrays of shape (c,) and (r,)
        Coordinates of the grid.
    loss : array of shape (r, c)
    points : mapping from name to (x, y), optional
        Up to three marked places, for example where a run ended.
    path : array of shape (t, 2), optional
        The way of a run, as its shadow in the plane.

    Examples
    --------
    >>> fig = landscape([0, 1], [0, 1], [[3, 2], [2, 1]], x_title="along", y_title="across",
    ...                 points={"the end": (1, 1)})
    >>> fig.layout.meta["alt"]
    'Map of the loss, along across and across up: from 1 at (1, 1) to 3 at (0, 0). \
the end lies at (1, 1).'

    Explained in: chapter 10. Paper: Sec. 5.
    """
    across, up = (np.asarray(values, dtype=np.float64) for values in (x, y))
    heights = _checked(loss, (len(up), len(across)))
    marked = dict(points or {})
    if len(marked) > len(SYMBOLS):
        raise FigureError(
            f"{len(marked)} points: at most {len(SYMBOLS)} have a symbol of their own"
        )
    traces = [_relief(across, up, heights), *_way(path)]
    for (name, (a, b)), symbol, role in zip(marked.items(), SYMBOLS, ROLES, strict=False):
        rim = {"width": 1.5, "color": mark("paper")}
        spot = dots(light([a]), [b], symbol=symbol, size=13, color=mark(role), line=rim)
        traces.append({**spot, "name": titled(name)})
    return figure(
        traces,
        described(_words(across, up, heights, (x_title, y_title), marked), alt=alt, means=means),
        height=380,
        showlegend=bool(marked),
        xaxis={**axis(x_title), "range": [across[0], across[-1]]},
        yaxis={**axis(y_title), "range": [up[0], up[-1]]},
    )


def _checked(loss: ArrayLike, shape: tuple[int, int]) -> Floats:
    heights = np.asarray(loss, dtype=np.float64)
    if heights.shape != shape or min(shape) < 2:
        raise FigureError(
            f"the loss has shape {heights.shape}, the grid {shape[0]} rows of {shape[1]}; a map "
            "needs at least two of each"
        )
    if not np.isfinite(heights).all():
        raise FigureError("the loss holds NaN or infinite values")
    return heights


def _relief(x: Floats, y: Floats, heights: Floats) -> dict[str, Any]:
    """Heights in levels from the lowest to the highest; the scale beside them says the losses."""
    low, high = float(heights.min()), float(heights.max())
    levels = np.round((heights - low) * (LEVELS / ((high - low) or 1.0)))
    ticks = {"tickvals": [0, LEVELS], "ticktext": [number(low), number(high)]}
    return {
        "type": "contour",
        "x": light(x),
        "y": light(y),
        "z": light(levels),
        "zmin": 0,
        "zmax": LEVELS,
        "colorscale": [[0.0, DEEP], [1.0, HIGH]],
        "contours": {"coloring": "heatmap", "start": 8, "end": LEVELS - 8, "size": LEVELS / 12},
        "line": {"width": 0.7, "color": mark("theory")},
        "hoverinfo": "skip",
        "colorbar": {"title": {"text": "loss"}, "outlinewidth": 0, "thickness": 10, **ticks},
        "showlegend": False,
    }


def _way(path: ArrayLike | None) -> list[dict[str, Any]]:
    if path is None:
        return []
    way = np.asarray(path, dtype=np.float64)
    if way.ndim != 2 or way.shape[1] != 2 or not len(way):
        raise FigureError(f"the path has shape {way.shape}, expected (t, 2)")
    trail = line(way[:, 0], way[:, 1], mark("winner"), width=2, name="run")
    return [{**trail, "showlegend": False, "hoverinfo": "skip"}]


def _words(
    x: Floats,
    y: Floats,
    heights: Floats,
    titles: tuple[str, str],
    points: Mapping[str, tuple[float, float]],
) -> str:
    def at(index: int) -> str:
        i, j = divmod(index, heights.shape[1])
        return f"{number(heights[i, j])} at ({number(x[j])}, {number(y[i])})"

    low, high = at(int(heights.argmin())), at(int(heights.argmax()))
    seen = f"Map of the loss, {spoken(titles[0])} across and {spoken(titles[1])} up: "
    seen += f"from {low} to {high}."
    for name, (a, b) in points.items():
        seen += f" {spoken(name)} lies at ({number(a)}, {number(b)})."
    return seen
