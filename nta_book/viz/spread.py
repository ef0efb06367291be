"""How a measurement scatters over many instances: a mark in the middle, a bar over the rest.

Explained in: chapter 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.charts import dots, figure, light
from nta_book.viz.lines import HUES, SYMBOLS, Floats, axis, line
from nta_book.viz.theme import described, mark
from nta_book.viz.words import escaped, number, plain, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

ROW = 50  # pixels per setting: its label, and the marks below it
APART = 0.26  # how far two series of one setting stand apart, in rows


def spread(
    labels: Sequence[str],
    series: Mapping[str, ArrayLike],
    *,
    x_title: str,
    limits: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Quantiles of one or a few quantities under several settings, one setting per row.

    Parameters
    ----------
    labels : sequence of m str
        The settings, from the top down.
    series : mapping from name to array of shape (m, 3)
        Lower quantile, mean (or median) and upper quantile of every setting.
    limits : (float, float), optional
        The range of the axis, so that several figures can be compared.

    Examples
    --------
    >>> spread(["log", "squared"], {"cosine": [[0.9, 0.98, 1], [0.4, 0.7, 0.9]]},
    ...        x_title="cosine").layout.meta["alt"]
    'Marks with bars from a lower to an upper quantile, cosine across. cosine: log 0.98 \
(0.9 to 1), squared 0.7 (0.4 to 0.9).'

    Explained in: chapter 10. Paper: Figs. 6 and 7.
    """
    if not series or not labels:
        raise FigureError("spread needs at least one label and one series")
    traces, told = [], []
    shift = APART / max(len(series) - 1, 1)
    for k, (name, values) in enumerate(series.items()):
        rows = _rows(values, len(labels), name)
        height: Floats = np.arange(len(labels), dtype=np.float64)
        traces += _marks(k, name, rows, height + k * shift - APART / 2 * (len(series) > 1))
        told.append(f"{spoken(name)}: {_told(labels, rows)}.")
    seen = f"Marks with bars from a lower to an upper quantile, {spoken(x_title)} across. "
    return figure(
        traces,
        described(seen + " ".join(told), alt=alt, means=means),
        height=120 + ROW * len(labels),
        showlegend=len(series) > 1,
        xaxis={**axis(x_title), **({} if limits is None else {"range": list(limits)})},
        margin={"l": 8, "r": 12, "t": 28, "b": 48},
        yaxis={"range": [len(labels) - 0.6, -0.75], "visible": False},
        annotations=[_label(k, text) for k, text in enumerate(labels)],
    )


def _label(row: int, text: str) -> dict[str, Any]:
    """A setting's name above its marks, so that the marks have the whole width, also on a phone."""
    place = {"xref": "paper", "x": 0, "xanchor": "left", "y": row - 0.25, "yanchor": "bottom"}
    return {"text": escaped(text), "showarrow": False, "align": "left", **place}


def _rows(values: ArrayLike, count: int, name: str) -> Floats:
    rows = np.asarray(values, dtype=np.float64)
    if rows.shape != (count, 3):
        raise FigureError(f"{name} has shape {rows.shape}, expected ({count}, 3)")
    if not (rows[:, 0] <= rows[:, 2]).all():
        raise FigureError(f"{name}: each row is lower quantile, middle, upper quantile")
    return rows


def _marks(k: int, name: str, rows: Floats, height: Floats) -> list[dict[str, Any]]:
    """The bars as one line with gaps, then the marks upon them."""
    low, middle, high = rows.T
    hue = mark(HUES[k % len(HUES)])
    gap = np.full(len(rows), np.nan)
    ends, level = np.stack([low, high, gap], axis=1), np.stack([height, height, gap], axis=1)
    bars = line(ends.ravel(), level.ravel(), hue, width=2.2, opacity=0.6, name=name)
    spots = dots(light(middle), height, color=hue, size=10, symbol=SYMBOLS[k % len(SYMBOLS)])
    return [
        {**bars, "showlegend": False, "hoverinfo": "skip"},
        {**spots, "name": titled(name), "hovertemplate": "%{x:.3f}"},
    ]


def _told(labels: Sequence[str], rows: Floats) -> str:
    return ", ".join(
        f"{plain(label)} {number(middle)} ({number(low)} to {number(high)})"
        for label, (low, middle, high) in zip(labels, rows, strict=True)
    )
