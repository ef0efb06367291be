"""Two ways to the same numbers, one point per number.

Explained in: chapter 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light
from nta_book.viz.lines import HUES, SYMBOLS, axis
from nta_book.viz.theme import described, mark
from nta_book.viz.words import number, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go


def agreement(
    pairs: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str,
    y_title: str,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Points that lie on the dashed diagonal where two computations give the same number.

    Parameters
    ----------
    pairs : mapping from name to (x, y), arrays of shape (points,)
        What the two computations give; several names are several symbols.

    Examples
    --------
    >>> agreement({"odds": ([0, 1], [0.1, 1])}, x_title="counted", y_title="trained"
    ...           ).layout.meta["alt"]
    'Points, counted across and trained up; a dashed diagonal marks equality. odds: 2 points \
between 0 and 1, at most 0.1 off the diagonal.'

    Explained in: chapter 6. Paper: Sec. 3 (the soft component).
    """
    if not pairs:
        raise FigureError("agreement needs at least one pair of arrays")
    traces: list[dict[str, Any]] = []
    told, reach = [], []
    for k, (name, pair) in enumerate(pairs.items()):
        x, y = (np.asarray(values, dtype=np.float64) for values in pair)
        if x.shape != y.shape or x.ndim != 1 or not x.size:
            raise FigureError(f"{name}: x and y need one shape (t,), got {x.shape} and {y.shape}")
        look = {"symbol": SYMBOLS[k % len(SYMBOLS)], "size": 7, "opacity": 0.7}
        points = dots(light(x), y, color=mark(HUES[k % len(HUES)]), **look)
        traces.append({**points, "name": titled(name)})
        reach += [x.min(), x.max(), y.min(), y.max()]
        told.append(
            f"{spoken(name)}: {len(x)} point{'s' * (len(x) > 1)} between {number(x.min())} and "
            f"{number(x.max())}, at most {number(np.abs(x - y).max())} off the diagonal."
        )
    seen = f"Points, {spoken(x_title)} across and {spoken(y_title)} up; "
    seen += f"a dashed diagonal marks equality. {' '.join(told)}"
    return figure(
        [_diagonal(min(reach), max(reach)), *traces],
        described(seen, alt=alt, means=means),
        showlegend=len(pairs) > 1,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
    )


def _diagonal(low: float, high: float) -> dict[str, Any]:
    pen = {"color": mark("theory"), "width": 1.6, "dash": "dash"}
    ends = light([low, high])
    quiet = {"showlegend": False, "hoverinfo": "skip"}
    return {"type": "scatter", "mode": "lines", "x": ends, "y": ends, "line": pen, **quiet}
