"""Many settings as points in a plane of two measurements, a few of them named.

Explained in: chapter 15.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light, rule
from nta_book.viz.lines import HUES, SYMBOLS, Floats, axis
from nta_book.viz.theme import described, mark
from nta_book.viz.words import escaped, number, plain, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go


def cloud(
    groups: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_title: str,
    y_title: str,
    named: Mapping[str, tuple[float, float]] | None = None,
    x_rule: float | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Points of one or a few groups; some carry their name.

    Parameters
    ----------
    groups : mapping from name to (x, y), arrays of shape (points,)
        Several names are several symbols.
    named : mapping from name to (x, y), optional
        Points to write a name beside.
    x_rule : float, optional
        Where theory stands on the x axis: an upright dashed line.

    Examples
    --------
    >>> cloud({"runs": ([1, 2, 3], [3, 2, 1])}, x_title="loss", y_title="score", x_rule=2,
    ...       named={"best": (1, 3)}).layout.meta["alt"]
    'Points, loss across and score up. runs: 3 points, loss 1 to 3, score 1 to 3, correlation −1. \
A dashed line stands at loss 2. Named: best at 1, 3.'

    Explained in: chapter 15.
    """
    if not groups:
        raise FigureError("cloud needs at least one group of points")
    traces: list[dict[str, Any]] = []
    across: list[float] = []
    seen = f"Points, {spoken(x_title)} across and {spoken(y_title)} up."
    for k, (name, pair) in enumerate(groups.items()):
        x, y = _checked(name, pair)
        hue, symbol = mark(HUES[k % len(HUES)]), SYMBOLS[k % len(SYMBOLS)]
        points = dots(light(x), y, color=hue, symbol=symbol, size=7, opacity=0.6)
        traces.append({**points, "name": titled(name)})
        across += [x.min(), x.max()]
        seen += f" {spoken(name)}: {_told(x, y, spoken(x_title), spoken(y_title))}."
    if x_rule is not None:
        seen += f" A dashed line stands at {spoken(x_title)} {number(x_rule)}."
    if named:
        traces.append(_names(named, (min(across) + max(across)) / 2))
        places = [f"{plain(n)} at {number(x)}, {number(y)}" for n, (x, y) in named.items()]
        seen += f" Named: {'; '.join(places)}."
    return figure(
        traces,
        described(seen, alt=alt, means=means),
        height=400,
        showlegend=len(groups) > 1,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
        shapes=[] if x_rule is None else [rule(x_rule, across="x", axis="x")],
    )


def _checked(name: str, pair: tuple[ArrayLike, ArrayLike]) -> tuple[Floats, Floats]:
    x, y = (np.asarray(values, dtype=np.float64) for values in pair)
    if x.shape != y.shape or x.ndim != 1 or not x.size:
        raise FigureError(f"{name}: x and y need one shape (points,), got {x.shape} and {y.shape}")
    return x, y


def _told(x: Floats, y: Floats, x_name: str, y_name: str) -> str:
    span = [
        f"{name} {number(values.min())} to {number(values.max())}"
        for name, values in ((x_name, x), (y_name, y))
    ]
    words = f"{len(x)} point{'s' * (len(x) > 1)}, {span[0]}, {span[1]}"
    if len(x) < 3 or not x.std() * y.std() > 0:
        return words
    return f"{words}, correlation {number(np.corrcoef(x, y)[0, 1], 2)}"


def _names(named: Mapping[str, tuple[float, float]], middle: float) -> dict[str, Any]:
    """Rings around the named points; names left of the middle stand to the right, others left."""
    x, y = (np.array(side, dtype=np.float64) for side in zip(*named.values(), strict=True))
    ring = dots(light(x), y, color=mark("theory"), symbol="circle-open", size=13)
    return {
        **ring,
        "mode": "markers+text",
        "text": [escaped(name) for name in named],
        "textposition": ["middle right" if v <= middle else "middle left" for v in x],
        "showlegend": False,
        "cliponaxis": False,
    }
