"""Points and paths in a plane of two measurements, and rows of marks on one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.charts import Floats, Trace, axis, figure
from nta_book.viz.given import picture
from nta_book.viz.theme import finite, mark
from nta_book.viz.words import across_and_up, escaped, number, plain, plural, point, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

Pairs = Mapping[str, tuple[ArrayLike, ArrayLike]]
ROW = 31  # pixels per row of `dumbbells`
BESIDE = {  # a name on one side of its mark
    "left": {"showarrow": False, "xanchor": "right", "xshift": -8},
    "right": {"showarrow": False, "xanchor": "left", "xshift": 8},
}
UNLEGENDED = {"l": 56, "r": 12, "t": 8, "b": 48}  # the usual margins, without room for a legend
LOW = 300  # pixels: the height of a chart without a legend
SIGNS = ("circle", "circle-open", "square-open")  # what was measured is filled


@picture
def agreement(
    pairs: Pairs, *, x_title: str, y_title: str, alt: str | None = None, means: str = ""
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
    groups = _checked(pairs, "agreement needs at least one pair of arrays")
    seen = f"Points, {across_and_up(x_title, y_title)}; a dashed diagonal marks equality."
    for name, (x, y) in groups.items():
        seen += (
            f" {spoken(name)}: {plural(len(x), 'point')} between {number(x.min())} and "
            f"{number(x.max())}, at most {number(np.abs(x - y).max())} off the diagonal."
        )
    everything = np.concatenate([side for pair in groups.values() for side in pair])
    ends = charts.light([everything.min(), everything.max()])
    diagonal = {"type": "scatter", "mode": "lines", "x": ends, "y": ends, "line": charts.THEORY_PEN}
    return figure(
        [{**diagonal, **charts.QUIET}, *_symbols(groups, 0.7)],
        seen,
        alt=alt,
        means=means,
        showlegend=len(groups) > 1,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
    )


@picture
def cloud(
    groups: Pairs,
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
    points = _checked(groups, "cloud needs at least one group of points")
    traces = _symbols(points, 0.6)
    seen = f"Points, {across_and_up(x_title, y_title)}."
    for name, (x, y) in points.items():
        seen += f" {spoken(name)}: {_told(x, y, spoken(x_title), spoken(y_title))}."
    if x_rule is not None:
        seen += f" A dashed line stands at {spoken(x_title)} {number(x_rule)}."
    if named:
        across = np.concatenate([x for x, _ in points.values()])
        traces.append(_names(named, (across.min() + across.max()) / 2))
        places = [f"{plain(n)} at {number(x)}, {number(y)}" for n, (x, y) in named.items()]
        seen += f" Named: {'; '.join(places)}."
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        height=400,
        showlegend=len(groups) > 1,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
        shapes=[] if x_rule is None else [charts.rule(x_rule, axis="x")],
    )


@picture
def plane_path(
    paths: Pairs,
    *,
    x_title: str,
    y_title: str,
    theory_level: float | None = None,
    now: int | None = None,
    named_at_start: Mapping[str, str] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Trajectories of W in a plane, for example along W_svm against inside S_fin.

    Parameters
    ----------
    paths : mapping from name to (x, y), arrays of shape (t,)
    theory_level : float, optional
        The y where theory says the paths settle.
    now : int, optional
        Index of a point to mark on each path.
    named_at_start : mapping from name to "left" or "right", optional
        On which side of its start the name of each path stands; without it there is a legend.

    Examples
    --------
    >>> fig = plane_path({"GD": ([0, 1, 9], [0, 0.4, 0.5])}, x_title="along", y_title="inside",
    ...                  theory_level=0.5)
    >>> fig.layout.meta["alt"]
    'Paths in a plane, along across and inside up. GD runs from (0, 0) to (9, 0.5). A dashed line \
marks theory at 0.5.'

    Explained in: chapters 7 and 9. Paper: Theorem 2.
    """
    traces: list[Trace] = []
    names: list[Trace] = []
    seen = f"Paths in a plane, {across_and_up(x_title, y_title)}."
    checked = _checked(paths, "plane_path needs at least one path")
    for k, (name, (x, y)) in enumerate(checked.items()):
        keep, here = (
            charts.thinned(len(x)),
            [0, len(x) - 1 if now is None else min(now, len(x) - 1)],
        )
        pen = charts.hue(k, name)
        traces.append(charts.line(x[keep], y[keep], pen, name=name))
        signs = ["circle-open", charts.symbol(k)]
        spots = charts.dots(x[here], y[here], color=pen, size=[8, 12], symbol=signs)
        traces.append(spots | charts.QUIET)
        away = "top" if y[-1] > y[0] else "bottom"  # on the side that the path does not take
        if named_at_start:
            spot = {"x": x[0], "y": y[0], "text": titled(name), "yanchor": away}
            names.append(spot | BESIDE[named_at_start[name]])
        seen += f" {spoken(name)} runs from {point(x[0], y[0])} to {point(x[-1], y[-1])}."
    if theory_level is not None:
        seen += f" A dashed line marks theory at {number(theory_level)}."
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        **({"annotations": names, "margin": UNLEGENDED, "height": LOW} if named_at_start else {}),
        showlegend=len(paths) > 1 and not named_at_start,
        xaxis=axis(x_title),
        yaxis=axis(y_title),
        shapes=[] if theory_level is None else [charts.rule(theory_level, axis="y")],
    )


@picture
def dumbbells(
    labels: Sequence[str],
    marks: Mapping[str, ArrayLike],
    *,
    x_title: str,
    limits: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Rows of two or three marks on one line each: the longer a bar, the further they part.

    Parameters
    ----------
    labels : sequence of m str
        Names of the rows, in a column to the left, from the top down.
    marks : mapping from name to array of shape (m,)
        What was measured first, then what it is compared with.
    limits : (float, float), optional
        The range of the axis, so that several figures can be compared.

    Examples
    --------
    >>> dumbbells(["log", "squared"], {"found": [0.5, 0.9], "asked": [0.5, 0.6]},
    ...           x_title="share").layout.meta["alt"]
    'Rows of marks, share across. log: found 0.5, asked 0.5. squared: found 0.9, asked 0.6.'

    Explained in: chapter 10. Paper: Figs. 6 and 7.
    """
    if not labels or not 2 <= len(marks) <= len(SIGNS):
        raise FigureError(f"rows need names, and each two to {len(SIGNS)} marks")
    expected = f"one per row, and there are {len(labels)}"
    values = np.array([finite(row, (len(labels),), name, expected) for name, row in marks.items()])
    level = np.arange(float(len(labels)))
    seen = f"Rows of marks, {spoken(x_title)} across."
    for label, row in zip(labels, values.T, strict=True):
        each = [f"{spoken(name)} {number(v)}" for name, v in zip(marks, row, strict=True)]
        seen += f" {plain(label)}: {', '.join(each)}."
    gap = np.full(len(labels), np.nan)
    ends = np.stack([values.min(axis=0), values.max(axis=0), gap], axis=1).ravel()
    bars = charts.line(ends, np.stack([level, level, gap], axis=1).ravel(), mark("line"), width=5)
    traces = [{**bars, **charts.QUIET}]
    for k in reversed(range(len(marks))):  # what was measured lies on top, and is named first
        name = list(marks)[k]
        look = {"size": 11, "symbol": SIGNS[k], "line": {"width": 2, "color": charts.hue(k, name)}}
        spots = charts.dots(values[k], level, name=name, color=charts.hue(k, name), **look)
        traces.append({**spots, "hovertemplate": "%{x:.3g}", "legendrank": k})
    return figure(
        traces,
        seen,
        alt=alt,
        means=means,
        height=100 + ROW * len(labels),
        showlegend=True,
        margin={"l": 8, "r": 14, "t": 28, "b": 48},
        xaxis={**axis(x_title), "nticks": 6} | ({"range": list(limits)} if limits else {}),
        yaxis={
            "range": [len(labels) - 0.5, -0.5],
            "tickmode": "array",
            "tickvals": level.tolist(),
            "ticktext": [f"{escaped(label)} " for label in labels],
            "automargin": True,
            "zeroline": False,
        },
    )


def _checked(pairs: Pairs, needed: str) -> dict[str, tuple[Floats, Floats]]:
    if not pairs:
        raise FigureError(needed)
    arrays = {}
    for name, pair in pairs.items():
        x, y = (np.asarray(values, dtype=np.float64) for values in pair)
        if x.shape != y.shape or x.ndim != 1 or not x.size:
            raise FigureError(
                f"{name}: x and y need one shape (points,), got {x.shape} and {y.shape}"
            )
        arrays[name] = (x, y)
    return arrays


def _symbols(groups: Mapping[str, tuple[Floats, Floats]], opacity: float) -> list[Trace]:
    """Every group with a colour and a symbol of its own."""
    return [
        charts.dots(
            *(x, y),
            name=name,
            color=charts.hue(k, name),
            symbol=charts.symbol(k),
            size=7,
            opacity=opacity,
        )
        for k, (name, (x, y)) in enumerate(groups.items())
    ]


def _told(x: Floats, y: Floats, x_name: str, y_name: str) -> str:
    words = plural(len(x), "point")
    for name, values in ((x_name, x), (y_name, y)):
        words += f", {name} {number(values.min())} to {number(values.max())}"
    if len(x) < 3 or not x.std() * y.std() > 0:
        return words
    return f"{words}, correlation {number(np.corrcoef(x, y)[0, 1], 2)}"


def _names(named: Mapping[str, tuple[float, float]], middle: float) -> Trace:
    """Rings around the named points; names left of the middle stand to the right, others left."""
    x, y = (np.array(side, dtype=np.float64) for side in zip(*named.values(), strict=True))
    ring = charts.dots(x, y, color=mark("theory"), symbol="circle-open", size=13)
    return {
        **ring,
        "mode": "markers+text",
        "text": [escaped(name) for name in named],
        "textposition": ["middle right" if v <= middle else "middle left" for v in x],
        "showlegend": False,
        "cliponaxis": False,
    }
