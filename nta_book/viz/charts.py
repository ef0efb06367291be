"""Charts with axes, drawn by plotly: the common dress, margins and small bars.

Plotly is imported when the first chart is made, not before.  Figures have no template and no
background: the page (or the notebook) gives them its own colours for text and grid.

Explained in: chapters 4 to 7.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.theme import described, mark
from nta_book.viz.words import escaped, number, plain, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from nta_core.graphs import Comparison

CLEAR = "rgba(0,0,0,0)"


def figure(traces: Sequence[Mapping[str, Any]], alt: str, **layout: Any) -> go.Figure:
    """A plotly figure in the book's dress; `alt` is required.

    Examples
    --------
    >>> figure([{"type": "bar", "y": [1]}], "One bar.").layout.meta["alt"]
    'One bar.'

    Explained in: chapter 0.
    """
    import plotly.graph_objects as go

    dress = {
        "template": go.layout.Template(),
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "height": 340,
        "margin": {"l": 56, "r": 12, "t": 28, "b": 48},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "showlegend": False,
        "meta": {"alt": described(alt, alt=None)},
    }
    return go.Figure(data=[dict(trace) for trace in traces], layout={**dress, **layout})


def light(values: ArrayLike) -> NDArray[np.float32]:
    """Numbers for plotly: float32, which halves the page and is finer than a pixel.

    Examples
    --------
    >>> light([1, 2]).dtype
    dtype('float32')

    Explained in: chapter 0.
    """
    return np.asarray(values, dtype=np.float32)


def rule(at: float, *, across: str, axis: str) -> dict[str, Any]:
    """A dashed line of theory through the whole chart, for plotly's ``shapes``.

    Parameters
    ----------
    at : float
        Where it stands on `axis`.
    across : {"x", "y"}
        The direction that `axis` measures: "x" gives an upright line, "y" a level one.
    axis : str
        Plotly's name of the axis, for example "y2".

    Examples
    --------
    >>> rule(1.0, across="x", axis="x")["x1"]
    1.0

    Explained in: chapter 4.
    """
    along = "y" if across == "x" else "x"
    ends = {f"{across}0": at, f"{across}1": at, f"{along}0": 0, f"{along}1": 1}
    line = {"color": mark("theory"), "width": 1.6, "dash": "dash"}
    return {"type": "line", f"{across}ref": axis, f"{along}ref": "paper", **ends, "line": line}


def dots(x: Any, y: ArrayLike, **marker: Any) -> dict[str, Any]:
    """A trace of single marks.

    Examples
    --------
    >>> dots([1], [2], symbol="diamond")["marker"]
    {'symbol': 'diamond'}

    Explained in: chapter 4.
    """
    return {"type": "scatter", "mode": "markers", "x": x, "y": light(y), "marker": marker}


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
    order = sorted(values, key=lambda c: (values[c], c))
    words = [
        f"{plain(names[c.winner])} over {plain(names[c.loser])} after {plain(names[c.last])}"
        for c in order
    ]
    sizes = [float(values[c]) for c in order]
    decides = [c in support for c in order]
    trace = {
        "type": "bar",
        "orientation": "h",
        "x": light(sizes),
        "y": [escaped(w) for w in words],
        "marker": {
            "color": [mark("winner" if yes else "practice") for yes in decides],
            "pattern": {"shape": ["/" if yes else "" for yes in decides]},
        },
        "hovertemplate": "%{y}: margin %{x:.4g}<extra></extra>",
    }
    return figure(
        [trace],
        described(_margin_words(words, sizes, sum(decides)), alt=alt, means=means),
        height=110 + 26 * len(order),
        xaxis={"title": {"text": "margin (1 required)"}, "rangemode": "tozero"},
        yaxis={"autorange": "reversed", "automargin": True, "type": "category"},
        shapes=[rule(1.0, across="x", axis="x")],
    )


def _margin_words(words: Sequence[str], sizes: Sequence[float], deciding: int) -> str:
    short = sum(size < 1 - 1e-6 for size in sizes)
    seen = (
        f"Bars: the margins of {len(words)} comparison{'s' * (len(words) > 1)}, smallest first, "
        f"from {number(sizes[0])} ({words[0]}) to {number(sizes[-1])} ({words[-1]}). "
        f"A line marks the required margin 1; {short or 'none'} lie{'s' * (short < 2)} below it."
    )
    return seen + (f" {deciding} hatched: the deciding comparisons." if deciding else "")


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
    heights = np.asarray(values, dtype=np.float64)
    ticks = None if theory is None else np.asarray(theory, dtype=np.float64)
    for array in (heights, heights if ticks is None else ticks):
        if array.shape != (len(labels),) or not len(labels):
            raise FigureError(f"{len(labels)} labels but values of shape {array.shape}")
    shown = [escaped(label) for label in labels]
    blue = {"color": mark("practice")}
    bars = {"type": "bar", "x": shown, "y": light(heights), "name": "practice", "marker": blue}
    traces: list[dict[str, Any]] = [bars]
    seen = f"Bars of {spoken(y_title)}: {_pairs(labels, heights)}."
    if ticks is not None:
        rim = {"width": 1.5, "color": mark("paper")}
        grey = mark("theory")
        diamonds = dots(shown, ticks, symbol="diamond", size=12, color=grey, line=rim)
        traces.append({**diamonds, "name": "theory"})
        worst = number(float(np.abs(ticks - heights).max()))
        seen += f" Diamonds mark theory: {_pairs(labels, ticks)}; "
        seen += f"the largest difference is {worst}."
    return figure(
        traces,
        described(seen, alt=alt, means=means),
        height=300,
        showlegend=ticks is not None,
        yaxis={"title": {"text": titled(y_title)}} | ({"range": list(limits)} if limits else {}),
        xaxis={"type": "category"},
    )


def _pairs(labels: Sequence[str], values: NDArray[np.float64]) -> str:
    return ", ".join(f"{plain(a)} {number(b)}" for a, b in zip(labels, values, strict=True))
