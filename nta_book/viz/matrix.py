"""Matrices as heat maps: W itself, or the scores it gives.

Explained in: chapters 5 and 7.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.charts import figure, light
from nta_book.viz.theme import described, mark
from nta_book.viz.words import escaped, number, plain, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

NUMBERS_FIT = 12


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

    Explained in: chapters 5 and 7. Paper: Sec. 2.2.
    """
    values = _checked(matrix, (len(rows), len(columns)))
    small = max(values.shape) <= NUMBERS_FIT
    top = float(np.abs(values).max()) or 1.0
    across, down = titled(column_title), titled(row_title)
    trace = {
        "type": "heatmap",
        "z": light(values),
        "zmin": -top,
        "zmax": top,
        "x": [f" {escaped(name)} " for name in columns],
        "y": [f" {escaped(name)} " for name in rows],
        "colorscale": diverging(0.5 if small else 1.0),
        "xgap": 2,
        "ygap": 2,
        "hovertemplate": f"{down} %{{y}}, {across} %{{x}}: %{{z:.3g}}<extra></extra>",
        "colorbar": {"title": {"text": titled(what)}, "outlinewidth": 0, "thickness": 12},
        "showscale": not small,
    }
    seen = _matrix_words(values, (rows, columns), (row_title, column_title), what)
    plain_axis = {"type": "category", "showgrid": False}
    return figure(
        [trace],
        described(seen, alt=alt, means=means),
        height=90 + max(34 * len(rows), 150) if small else 420,
        annotations=_cell_numbers(values) if small else [],
        xaxis={"title": {"text": across}, **plain_axis},
        yaxis={"title": {"text": down}, **plain_axis, "autorange": "reversed"},
    )


def _checked(matrix: ArrayLike, shape: tuple[int, int]) -> NDArray[np.float64]:
    values = np.asarray(matrix, dtype=np.float64)
    if values.shape != shape or not values.size:
        raise FigureError(
            f"matrix has shape {values.shape}, but there are {shape[0]} row and {shape[1]} "
            "column names"
        )
    if not np.isfinite(values).all():
        raise FigureError("matrix holds NaN or infinite values")
    return values


def diverging(strength: float) -> list[list[Any]]:
    """Blue below zero, vermillion above, nearly clear at zero; below 1 numbers stay legible.

    Examples
    --------
    >>> diverging(0.5)[0]
    [0.0, 'rgba(0,114,178,0.5)']

    Explained in: chapter 5.
    """

    def shade(role: str) -> str:
        value = mark(role)
        channels = ",".join(str(int(value[i : i + 2], 16)) for i in (1, 3, 5))
        return f"rgba({channels},{strength:g})"

    return [[0.0, shade("league-1")], [0.5, "rgba(140,148,158,0.10)"], [1.0, shade("winner")]]


def _cell_numbers(values: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Numbers as annotations: they take the page's text colour, which a heat map's own do not."""
    return [
        {"x": j, "y": i, "text": number(value), "showarrow": False}
        for (i, j), value in np.ndenumerate(values)
    ]


def _matrix_words(
    values: NDArray[np.float64],
    names: tuple[Sequence[str], Sequence[str]],
    titles: tuple[str, str],
    what: str,
) -> str:
    def at(index: int) -> str:
        i, j = divmod(index, values.shape[1])
        return f"{number(values[i, j])} at ({plain(names[0][i])}, {plain(names[1][j])})"

    r, c = values.shape
    down, across = f"row{'s' * (r > 1)}", f"column{'s' * (c > 1)}"
    return (
        f"Heat map of {spoken(what)}: {r} {down} ({spoken(titles[0])}) by {c} {across} "
        f"({spoken(titles[1])}), from {at(int(values.argmin()))} to {at(int(values.argmax()))}."
    )
