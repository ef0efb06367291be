"""Fields of values over a grid: a matrix, a map of starts, a loss over a plane."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz import words
from nta_book.viz.charts import QUIET, Floats, Trace, axis, dots, figure, light, line
from nta_book.viz.given import along, picture
from nta_book.viz.theme import finite, league_role, mark, tint

if TYPE_CHECKING:
    import plotly.graph_objects as go

Ints = NDArray[np.int64]
NUMBERS_FIT = 12
LEVEL = 32  # characters of column names that stand side by side in 230 pixels
MOST_CELLS = 250_000
MOST_ENDS = 6
LINE = 23  # pixels per league of a small table
FOOTPRINT = 0.17  # half of what a small table covers of the smallest map, across and up
LEVELS = 200  # shades of a loss: more than the eye tells apart, and three characters of page each
SPOTS = (("circle", "practice"), ("diamond", "theory"), ("square", "compare-1"))


@picture
def heatmap(
    matrix: ArrayLike,
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    row_title: str,
    column_title: str,
    what: str = "score",
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """A matrix as coloured squares with its numbers, zero in the middle of the scale.

    Parameters
    ----------
    matrix : array of shape (r, c)
        W itself, or scores E W Eᵀ with tokens as names.
    rows, columns : sequences of r and c str
    row_title, column_title : str
        What the rows and columns are, for example "token" and "last token".
    what : str
        What an entry is, in one or two words.

    Examples
    --------
    >>> heatmap([[1, -2]], rows=["a"], columns=["x", "y"], row_title="token",
    ...         column_title="last token").layout.meta["alt"]
    'Heat map of score: 1 row (token) by 2 columns (last token), from −2 at (a, y) to 1 at (a, x).'

    Explained in: chapters 10 and 13. Paper: Sec. 2.2.
    """
    shape = (len(rows), len(columns))
    down, across = words.plural(len(rows), "row"), words.plural(len(columns), "column")
    values = finite(matrix, shape, "matrix", f"{down} and {across} as there are names")
    if values.size > MOST_CELLS:
        raise FigureError(f"{down} and {across}: at most {MOST_CELLS:,} squares, draw a part")
    small = max(shape) <= NUMBERS_FIT
    top = float(np.abs(values).max()) or 1.0
    strength = 0.5 if small else 1.0  # at half strength the numbers stay legible
    grey = "rgba(140,148,158,0.10)"
    x_name, y_name = words.titled(column_title), words.titled(row_title)
    trace = {
        "type": "heatmap",
        "z": light(values),
        "zmin": -top,
        "zmax": top,
        "x": [f" {words.escaped(name)} " for name in columns],
        "y": [f" {words.escaped(name)} " for name in rows],
        "colorscale": [
            [0.0, tint("compare-1", strength)],
            [0.5, grey],
            [1.0, tint("practice", strength)],
        ],
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": f"{y_name} %{{y}}, {x_name} %{{x}}: %{{z:.3g}}<extra></extra>",
        "colorbar": {"title": {"text": words.titled(what)}, "outlinewidth": 0, "thickness": 12},
        "showscale": not small,
    }
    ends = _ends(values, lambda i, j: f"({words.plain(rows[i])}, {words.plain(columns[j])})")
    plain_axis = {"type": "category", "showgrid": False}
    level = max(map(len, columns)) * len(columns) <= LEVEL  # also on a phone
    # Annotations take the page's text colour, which a heat map's own numbers do not.
    numbers = [
        {"x": j, "y": i, "text": words.number(value), "showarrow": False}
        for (i, j), value in np.ndenumerate(values)
    ]
    return figure(
        [trace],
        f"Heat map of {words.spoken(what)}: {down} ({words.spoken(row_title)}) by {across} "
        f"({words.spoken(column_title)}), {ends}.",
        alt=alt,
        means=means,
        height=90 + max(34 * len(rows), 150) if small else 420,
        annotations=numbers if small else [],
        xaxis={**axis(column_title), **plain_axis} | ({"tickangle": 0} if level else {}),
        yaxis={**axis(row_title), **plain_axis, "autorange": "reversed"},
    )


def _ends(values: Floats, where: Callable[[int, int], str]) -> str:
    """The lowest and the highest value of a field, and where they stand."""
    low, high = (
        f"{words.number(values.flat[index])} at {where(*divmod(int(index), values.shape[1]))}"
        for index in (values.argmin(), values.argmax())
    )
    return f"from {low} to {high}"


@picture
def basins(
    x: ArrayLike,
    y: ArrayLike,
    ends: ArrayLike,
    *,
    tables: Sequence[str],
    x_title: str,
    y_title: str,
    point: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Starts in a plane; each region carries the league table that training from there ends with.

    Parameters
    ----------
    x, y : arrays of shape (c,) and (r,)
        The starts' coordinates.
    ends : int array of shape (r, c)
        Number of the end of each start, an index of `tables`.
    tables : sequence of str
        The ends, at most six: the leagues of each, strongest first, as in "e4 > e1 e2 e3".
    point : (x, y), optional
        A start to mark.

    Examples
    --------
    >>> fig = basins([0, 1], [0, 1], [[0, 0], [0, 1]], tables=["a b", "a > b"],
    ...              x_title="a", y_title="b", point=(1, 1))
    >>> fig.layout.meta["alt"]
    'Map of 4 starts, a across and b up: 3 end with a b and 1 ends with a above b. The marked \
start (1, 1) ends with a above b.'

    Explained in: chapter 11. Paper: Sec. 5.
    """
    across, up = along(x, "x"), along(y, "y")
    shape = (len(up), len(across))
    grid = finite(ends, shape, "ends", f"the grid of the starts, {shape}")
    where = np.clip(grid, -1, MOST_ENDS).astype(np.int64)
    if (where != grid).any():
        raise FigureError(f"ends are whole numbers, from 0 to {len(tables) - 1}")
    if not 0 < len(tables) <= MOST_ENDS:
        raise FigureError(f"{len(tables)} tables: from 1 to {MOST_ENDS} ends can be told apart")
    if where.min() < 0 or where.max() >= len(tables):
        raise FigureError(
            f"ends are numbered 0 to {len(tables) - 1}, got {where.min()}…{where.max()}"
        )
    present, counts = (found.tolist() for found in np.unique(where, return_counts=True))
    called = [words.plain(table).replace(" > ", " above ") for table in tables]
    told = [
        f"{count} end{'s' * (count == 1)} with {called[k]}"
        for k, count in zip(present, counts, strict=True)
    ]
    plane = words.across_and_up(x_title, y_title)
    seen = f"Map of {where.size} starts, {plane}: {words.listing(told)}."
    traces = [_squares(across, up, where)]
    if point is not None:
        row, column = np.abs(up - point[1]).argmin(), np.abs(across - point[0]).argmin()
        seen += (
            f" The marked start {words.point(*point)} ends with {called[int(where[row, column])]}."
        )
        traces.append(_spot(point, "start", "circle", "practice", size=15, rim=2))
    bare = {"showgrid": False, "zeroline": False}
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        annotations=[
            line
            for k in present
            for line in _small_table(tables[k], _inside(where == k, across, up, free_of=point))
        ],
        xaxis=axis(x_title) | bare,
        yaxis=axis(y_title) | bare,
    )


def _squares(x: Floats, y: Floats, where: Ints) -> Trace:
    """The squares in tints of one grey; pale, so that tables on them stay legible on any paper."""
    scale = [
        [edge / MOST_ENDS, tint("input", strength)]
        for k, strength in enumerate((0.10, 0.42, 0.26, 0.55, 0.18, 0.34))
        for edge in (k, k + 1)
    ]
    return {
        "type": "heatmap",
        "x": light(x),
        "y": light(y),
        "z": where,
        "zmin": -0.5,
        "zmax": MOST_ENDS - 0.5,
        "colorscale": scale,
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hoverinfo": "skip",
    }


def _small_table(table: str, at: Trace) -> list[Trace]:
    """A league table the size of a stamp: one box per league, in its colour, strongest on top."""
    leagues = table.split(" > ")
    wide = 8 + 7 * max(map(len, leagues))
    look = {"showarrow": False, "borderwidth": 1.5, "borderpad": 2, "width": wide}
    return [
        {
            **at,
            **look,
            "text": f"<b>{words.escaped(league)}</b>",
            "yshift": (len(leagues) - 1) * LINE / 2 - rank * LINE,
            "bgcolor": mark("paper"),
            "bordercolor": mark(league_role(rank + 1)),
        }
        for rank, league in enumerate(leagues)
    ]


def _inside(
    region: NDArray[np.bool_], x: Floats, y: Floats, *, free_of: tuple[float, float] | None
) -> Trace:
    """The square of a region that lies deepest inside; a table there does not hide the point."""
    places = np.argwhere(region)
    others = np.argwhere(~np.pad(region, 1)) - 1
    depth = np.abs(places[:, None] - others[None]).max(axis=2).min(axis=1).astype(np.float64)
    if free_of is not None:
        away = np.abs(places - [np.abs(y - free_of[1]).argmin(), np.abs(x - free_of[0]).argmin()])
        hidden = (away <= FOOTPRINT * np.array(region.shape)).all(axis=1)
        depth -= hidden * depth.max()
    deepest = places[depth == depth.max()]
    row, column = deepest[np.abs(deepest - deepest.mean(axis=0)).sum(axis=1).argmin()]
    return {"x": float(x[column]), "y": float(y[row])}


def _spot(
    at: tuple[float, float], name: str, symbol: str, role: str, *, size: int, rim: float
) -> Trace:
    """A marked place, rimmed with paper so that it stands on anything."""
    edge = {"width": rim, "color": mark("paper")}
    return dots([at[0]], [at[1]], name=name, symbol=symbol, size=size, color=mark(role), line=edge)


@picture
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
    """A loss on a grid of the plane as shades with contour lines; the deeper, the darker.

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
    across, up = along(x, "x"), along(y, "y")
    shape, marked = (len(up), len(across)), points or {}
    heights = finite(loss, shape, "the loss", f"the grid of x and y, {shape}")
    if min(shape) < 2:
        raise FigureError(f"the loss has shape {shape}: a map needs at least two rows and columns")
    if len(marked) > len(SPOTS):
        raise FigureError(f"{len(marked)} points: at most {len(SPOTS)} have a symbol of their own")
    traces = [_relief(across, up, heights)]
    if path is not None:
        way = np.asarray(path, dtype=np.float64)
        if way.ndim != 2 or way.shape[1] != 2 or not len(way):
            raise FigureError(f"the path has shape {way.shape}, expected (t, 2)")
        traces.append(line(way[:, 0], way[:, 1], mark("practice"), name="run") | QUIET)
    ends = _ends(heights, lambda i, j: words.point(across[j], up[i]))
    seen = f"Map of the loss, {words.across_and_up(x_title, y_title)}: {ends}."
    for (name, at), (symbol, role) in zip(marked.items(), SPOTS, strict=False):
        traces.append(_spot(at, name, symbol, role, size=13, rim=1.5))
        seen += f" {words.spoken(name)} lies at {words.point(*at)}."
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        height=330,
        showlegend=bool(marked),
        xaxis={**axis(x_title), "range": [across[0], across[-1]]},
        yaxis={**axis(y_title), "range": [up[0], up[-1]]},
    )


def _relief(x: Floats, y: Floats, heights: Floats) -> Trace:
    """Heights in levels from the lowest to the highest; the scale beside them says the losses."""
    low, high = float(heights.min()), float(heights.max())
    levels = np.round((heights - low) * (LEVELS / ((high - low) or 1.0)))
    ticks = {"tickvals": [0, LEVELS], "ticktext": [words.number(low), words.number(high)]}
    return {
        "type": "contour",
        "x": light(x),
        "y": light(y),
        "z": light(levels),
        "zmin": 0,
        "zmax": LEVELS,
        "colorscale": [[0.0, tint("input", 0.6)], [1.0, tint("input", 0.04)]],
        "contours": {"coloring": "heatmap", "start": 8, "end": LEVELS - 8, "size": LEVELS / 12},
        "line": {"width": 0.7, "color": mark("theory")},
        "hoverinfo": "skip",
        "colorbar": {"title": {"text": "loss"}, "outlinewidth": 0, "thickness": 10, **ticks},
        "showlegend": False,
    }
