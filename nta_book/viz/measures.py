"""Measurements side by side: margins, a few bars with theory, quantiles of many instances."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.charts import Floats, Trace, axis, figure
from nta_book.viz.given import picture
from nta_book.viz.theme import DATA, finite, mark
from nta_book.viz.words import escaped, number, plain, plural, spoken, valued
from nta_core.graphs import Comparison

if TYPE_CHECKING:
    import plotly.graph_objects as go


MOST_BARS = 120
ROW = 50  # pixels per setting of `spread`: its label, and the marks below it
APART = 0.26  # how far two series of one setting stand apart, in rows


@picture
def margins(
    values: Mapping[Comparison, float],
    names: Sequence[str],
    *,
    support: Collection[Comparison] = (),
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """The margin of every comparison, smallest first, with the required 1 as a line.

    Parameters
    ----------
    values : mapping from Comparison to float
        For example ``solve_graph_svm(...).margins``.
    names : sequence of K str
    support : collection of Comparison
        The deciding ones: hatched.

    Examples
    --------
    >>> from nta_core import Comparison
    >>> fig = margins({Comparison(0, 1, 0): 1.0, Comparison(0, 2, 0): 2.0}, ["a", "b", "c"])
    >>> fig.layout.meta["alt"]
    'Bars: the margins of 2 comparisons, smallest first, from 1 (b over a after a) to 2 \
(c over a after a). A line marks the required margin 1; none lies below it.'

    Explained in: chapter 5. Paper: Sec. 2.2.
    """
    if not values:
        raise FigureError("no comparisons: the data has no strict pair to draw a margin for")
    if not all(isinstance(c, Comparison) and 0 <= min(c) <= max(c) < len(names) for c in values):
        raise FigureError(f"margins belong to comparisons of the {len(names)} named tokens")
    everyone = sorted(values, key=lambda c: (values[c], c))
    order = everyone[:MOST_BARS]
    words = [
        f"{plain(names[c.winner])} over {plain(names[c.loser])} after {plain(names[c.last])}"
        for c in order
    ]
    sizes = [float(values[c]) for c in order]
    decides = [c in support for c in order]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": charts.light(sizes),
        "y": [escaped(w) for w in words],
        "marker": {
            "color": [mark("compare-1" if yes else "practice") for yes in decides],
            "pattern": {"shape": ["/" if yes else "" for yes in decides]},
        },
        "hovertemplate": "%{y}: margin %{x:.4g}<extra></extra>",
    }
    gone = len(everyone) - len(order)
    left_out = f" ({gone:,} larger ones are left out)" if gone else ""
    short = sum(size < 1 - 1e-6 for size in sizes)
    seen = (
        f"Bars: the margins of {plural(len(words), 'comparison')}{left_out}, smallest first, "
        f"from {number(sizes[0])} ({words[0]}) to {number(sizes[-1])} ({words[-1]}). "
        f"A line marks the required margin 1; {short or 'none'} lie{'s' * (short < 2)} below it."
    )
    if any(decides):
        seen += f" {sum(decides)} hatched: the deciding comparisons."
    return figure(
        [trace],
        seen,
        alt=alt,
        means=means,
        height=110 + 26 * len(order),
        xaxis={**axis(f"margin (1 required){left_out}"), "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        shapes=[charts.rule(1.0, axis="x")],
    )


@picture
def small_bars(
    labels: Sequence[str],
    values: ArrayLike,
    *,
    y_title: str,
    theory: ArrayLike | None = None,
    limits: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """A few bars (practice), each with theory's diamond where it should end.

    Parameters
    ----------
    labels : sequence of m str
    values, theory : arrays of shape (m,)
    limits : (float, float), optional
        The range of the axis, so that several figures can be compared.

    Examples
    --------
    >>> small_bars(["a", "b"], [1, 2], y_title="strength", theory=[1, 2.1]).layout.meta["alt"]
    'Bars of strength: a 1, b 2. Diamonds mark theory: a 1, b 2.1; the largest difference is 0.1.'

    Explained in: chapter 6. Paper: Sec. 3.
    """
    shape, expected = (len(labels),), f"one per label, and there are {len(labels)} labels"
    heights = finite(values, shape, "values", expected)
    shown = [escaped(label) for label in labels]
    blue = {"color": mark("practice")}
    traces: list[Trace] = [
        {"type": "bar", "x": shown, "y": charts.light(heights), "name": "practice", "marker": blue}
    ]
    seen = f"Bars of {spoken(y_title)}: {valued(labels, heights)}."
    if theory is not None:
        levels = finite(theory, shape, "theory", expected)
        rim = {"width": 1.5, "color": mark("paper")}
        look = {"symbol": "diamond", "size": 12, "color": mark("theory"), "line": rim}
        traces.append({**charts.dots([], levels, name="theory", **look), "x": shown})
        seen += f" Diamonds mark theory: {valued(labels, levels)}; "
        seen += f"the largest difference is {number(np.abs(levels - heights).max())}."
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        height=300,
        showlegend=theory is not None,
        yaxis=axis(y_title) | ({"range": list(limits)} if limits else {}),
        xaxis={"type": "category"},
    )


@picture
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

    Explained in: chapter 11. Paper: Figs. 6 and 7.
    """
    if not series or not labels:
        raise FigureError("spread needs at least one label and one series")
    traces: list[Trace] = []
    seen = f"Marks with bars from a lower to an upper quantile, {spoken(x_title)} across."
    shift = APART / max(len(series) - 1, 1)
    level = np.arange(float(len(labels))) - APART / 2 * (len(series) > 1)
    for k, (name, values) in enumerate(series.items()):
        rows = finite(values, (len(labels), 3), name, f"({len(labels)}, 3)")
        if not (rows[:, 0] <= rows[:, 2]).all():
            raise FigureError(f"{name}: each row is lower quantile, middle, upper quantile")
        traces += _marks(k, name, rows, level + k * shift)
        told = [
            f"{plain(label)} {number(middle)} ({number(low)} to {number(high)})"
            for label, (low, middle, high) in zip(labels, rows, strict=True)
        ]
        seen += f" {spoken(name)}: {', '.join(told)}."
    look = {**charts.LABEL, "showarrow": False, "align": "left"}
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        height=120 + ROW * len(labels),
        showlegend=len(series) > 1,
        xaxis=axis(x_title) | ({"range": list(limits)} if limits else {}),
        margin={"l": 8, "r": 12, "t": 28, "b": 48},
        yaxis={"range": [len(labels) - 0.6, -0.75], "visible": False},
        # names stand above the marks, which have the whole width then, also on a phone
        annotations=[
            {"text": escaped(text), "xref": "paper", "x": 0, "y": k - 0.25, **look}
            for k, text in enumerate(labels)
        ],
    )


def _marks(k: int, name: str, rows: Floats, level: Floats) -> list[Trace]:
    """The bars as one line with gaps, then the marks upon them."""
    low, middle, high = rows.T
    gap = np.full(len(rows), np.nan)
    ends, heights = np.stack([low, high, gap], axis=1), np.stack([level, level, gap], axis=1)
    bars = charts.line(
        ends.ravel(), heights.ravel(), charts.hue(k, name), width=DATA, opacity=0.6, name=name
    )
    spots = charts.dots(
        middle, level, name=name, color=charts.hue(k, name), size=10, symbol=charts.symbol(k)
    )
    return [bars | charts.QUIET, {**spots, "hovertemplate": "%{x:.3f}"}]
