"""A law fitted to measurements and followed beyond them, with its error and what came true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.charts import Floats, Trace, axis, figure
from nta_book.viz.given import picture
from nta_book.viz.theme import DATA, finite, mark, tint
from nta_book.viz.words import number

if TYPE_CHECKING:
    import plotly.graph_objects as go

BAND = 0.2  # how much of the paper the band covers
DOT = 8
LADDERS = (  # from coarse to fine, for ticks; neighbours never come too near
    (1,),
    (1, 2, 5),
    (1, 1.5, 2, 3, 5, 7),
    (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9),
)


@picture
def forecast(
    fitted: tuple[ArrayLike, ArrayLike],
    across: ArrayLike,
    band: ArrayLike,
    *,
    later: tuple[ArrayLike, ArrayLike] | None = None,
    x_title: str,
    y_title: str,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """A forecast on logarithmic axes: what it is made of, its band, and what was measured later.

    Parameters
    ----------
    fitted : (x, y), arrays of equal length
        The measurements that the law was fitted to.
    across : array of shape (t,)
        Where the law is drawn, growing.
    band : array of shape (t, 3)
        Lower end of the interval, the law itself, upper end.
    later : (x, y), arrays of equal length, optional
        Measurements that were held back, drawn hollow.

    Examples
    --------
    >>> forecast(([1, 10], [2, 18]), [1, 10, 100], [[2, 2, 2], [17, 18, 19], [130, 160, 200]],
    ...          later=([100], [150]), x_title="tokens", y_title="edges").layout.meta["alt"]
    'Dots of edges (log scale) over tokens (log scale), 2 that a law was fitted to. The law rises \
from 2 to 160; at 100 its band reaches from 130 to 200. 1 hollow dot was measured later: 150 at \
100, inside the band.'

    Explained in: "Beyond one machine".
    """
    places = charts.light(across).astype(np.float64)
    shape = f"({len(places)}, 3), a row for every place across"
    rows = finite(band, (len(places), 3), "band", shape)
    low, law, high = rows.T
    if not (np.diff(rows) >= 0).all() or not (np.diff(places) > 0).all():
        raise FigureError("a forecast grows across, and each row of its band is low, law, high")
    seen = _dots(fitted, "fitted")
    held = np.empty((2, 0)) if later is None else _dots(later, "later")
    heights = np.concatenate([rows.ravel(), seen[1], held[1]])
    if min(places[0], heights.min(), seen[0].min(), *held[0]) <= 0:
        raise FigureError("a forecast has logarithmic axes: all its numbers must be above 0")
    pen, blue = mark("compare-1"), mark("practice")
    keep, unseen = charts.thinned(len(places)), {"width": 0, **charts.QUIET}
    filled = {"fill": "tonexty", "fillcolor": tint("compare-1", BAND), **unseen}
    hollow: Trace = {"color": charts.CLEAR, "line": {"color": blue, "width": DATA}}
    traces = [
        charts.line(places[keep], low[keep], pen, **unseen),
        charts.line(places[keep], high[keep], pen, **filled),
        charts.line(places[keep], law[keep], pen, dash="dash", name="law"),
        charts.dots(*seen, name="fitted", size=DOT, color=blue),
        charts.dots(*held, name="measured later", size=DOT + 2, **hollow),
    ]
    return figure(
        traces if held.size else traces[:-1],
        f"Dots of {charts.said(y_title, True)} over {charts.said(x_title, True)}, "
        f"{seen.shape[1]} that a law was fitted to. The law {charts.way(law)}; at "
        f"{number(places[-1])} its band reaches from {number(low[-1])} to {number(high[-1])}."
        f"{_came_true(held, places, low, high)}",
        alt=alt,
        means=means,
        showlegend=True,
        xaxis=axis(x_title, log=places),
        yaxis=axis(y_title, log=heights) | _ticks(heights),
    )


def _ticks(heights: Floats) -> Trace:
    """At least three ticks, also where a band spans less than a factor of two."""
    low, high = heights.min(), heights.max()
    powers = 10.0 ** np.arange(np.floor(np.log10(low)), np.log10(high) + 1)
    for ladder in LADDERS:
        steps = np.outer(powers, ladder).ravel()
        if len(inside := steps[(low <= steps) & (steps <= high)]) >= 3:
            return charts.ticks(inside)
    return {}


def _dots(pair: tuple[ArrayLike, ArrayLike], name: str) -> Floats:
    """Places and heights of measurements, of shape (2, n)."""
    x, y = np.asarray(pair[0], dtype=np.float64), np.asarray(pair[1], dtype=np.float64)
    if x.ndim != 1 or x.shape != y.shape or not x.size:
        raise FigureError(f"{name} needs arrays x and y of one length, got {x.shape} and {y.shape}")
    return np.stack([x, y])


def _came_true(held: Floats, places: Floats, low: Floats, high: Floats) -> str:
    """What was measured at the farthest place, and whether the band had room for it."""
    if not held.size:
        return ""
    x, y = held[:, held[0].argmax()]
    least, most = (np.interp(np.log(x), np.log(places), np.log(end)) for end in (low, high))
    inside = "inside" if least <= np.log(y) <= most else "outside"
    count = held.shape[1]
    which = "1 hollow dot was" if count == 1 else f"{count} hollow dots were"
    return f" {which} measured later: {number(y)} at {number(x)}, {inside} the band."
