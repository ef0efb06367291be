"""What all charts drawn by plotly share: the dress, axes, marks, lines, and words about curves.

Plotly is imported when the first chart is made, not before.  Figures have no template and no
background: the page (or the notebook) gives them its own colours for text and grid.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.plain_chart import PlainChart
from nta_book.viz.theme import COMPARISONS, DATA, EMPHASIS, described, loss_role, mark
from nta_book.viz.words import number, spoken, titled
from nta_core.errors import MissingPackage

if TYPE_CHECKING:
    import plotly.graph_objects as go

Floats = NDArray[np.float64]
Trace = dict[str, Any]
CLEAR = "rgba(0,0,0,0)"
IN_BROWSER = sys.platform == "emscripten"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
HUES = ("practice", *COMPARISONS)  # the first is what the chart is about
SYMBOLS = ("circle", "square", "triangle-up", "cross", "x")
MOST_POINTS = 160  # of a curve
FEW_RUNS = 20  # more are a crowd, in which a mean is hard to find
MOST_RUNS = 200  # drawn thin; their mean is that of all
#: A trace that neither the legend nor the pointer names.
QUIET = {"showlegend": False, "hoverinfo": "skip"}
#: A text that stands upon its place, to the right of it.
LABEL = {"xanchor": "left", "yanchor": "bottom"}
THEORY_PEN = {"color": mark("theory"), "width": 1.6, "dash": "dash"}


def figure(
    traces: Sequence[Mapping[str, Any]],
    seen: str,
    *,
    alt: str | None = None,
    means: str = "",
    **layout: Any,
) -> go.Figure | PlainChart:
    """A plotly figure in the book's dress, with its alt text."""
    dress = {
        "paper_bgcolor": CLEAR,
        "plot_bgcolor": CLEAR,
        "height": 340,
        "margin": {"l": 56, "r": 12, "t": 28, "b": 48},
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "showlegend": False,
        "meta": {"alt": described(seen, alt=alt, means=means)},
    }
    data = [dict(trace) for trace in traces]
    try:  # not by `needs`: a stamp follows imports, and no strings
        import plotly.graph_objects as go
    except ModuleNotFoundError:
        if IN_BROWSER:  # the page draws it; whoever reads a notebook can install plotly
            return PlainChart(data, {**dress, **layout})
        raise MissingPackage("plotly", wanted_for="a chart", extra="pictures") from None
    dress["template"] = go.layout.Template()
    return go.Figure(data=data, layout={**dress, **layout})


# ---- marks and lines -----------------------------------------------------------------------------


def light(values: ArrayLike) -> NDArray[np.float32]:
    """Numbers for plotly: float32, which halves the page and is finer than a pixel."""
    return np.asarray(values, dtype=np.float32)


def hue(k: int, name: object = "") -> str:
    """Colour of the k-th of a few series; a loss has its own, whatever its place."""
    return mark(loss_role(name) or HUES[k % len(HUES)])


def symbol(k: int) -> str:
    """Mark of the k-th of a few series."""
    return SYMBOLS[k % len(SYMBOLS)]


def dash(k: int) -> str:
    """Line style of the k-th of a few series."""
    return DASHES[k % len(DASHES)]


def dots(x: ArrayLike, y: ArrayLike, *, name: str = "", **marker: Any) -> Trace:
    """A trace of single marks."""
    spots = {"type": "scatter", "mode": "markers", "x": light(x), "y": light(y), "marker": marker}
    return spots | ({"name": titled(name)} if name else {})


def line(x: ArrayLike, y: ArrayLike, pen: str, **look: Any) -> Trace:
    """A trace of one line."""
    style = {"color": pen, "width": look.pop("width", DATA), "dash": look.pop("dash", "solid")}
    name = titled(look.pop("name", ""))
    base = {"type": "scatter", "mode": "lines", "x": light(x), "y": light(y)}
    return {**base, "name": name, "line": style, **look}


def rule(at: float, *, axis: str) -> Trace:
    """A dashed line of theory through the whole chart, for plotly's ``shapes``.

    It stands at a place of `axis`, plotly's name: "x" gives an upright line, "y2" a level one.
    """
    across, along = "xy" if axis.startswith("x") else "yx"
    ends = {f"{across}0": at, f"{across}1": at, f"{along}0": 0, f"{along}1": 1}
    references = {f"{across}ref": axis, f"{along}ref": "paper"}
    return {"type": "line", **references, **ends, "line": THEORY_PEN}


def runs_of(values: ArrayLike, time: Floats, name: str) -> Floats:
    """One run or several as an array of shape (runs, t), or an error that names the quantity."""
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if time.ndim != 1 or not len(time):
        raise FigureError(f"the times of {name} need shape (t,), got {time.shape}")
    if array.ndim != 2 or array.shape[1] != len(time) or not array.size:
        raise FigureError(
            f"{name} has shape {np.shape(values)}, expected ({len(time)},) or (runs, {len(time)})"
        )
    return array


def thinned(length: int) -> NDArray[np.int64]:
    """Indices of at most `MOST_POINTS` points, dense at the start, where a log axis shows most."""
    if length <= MOST_POINTS:
        return np.arange(length)
    even = np.linspace(0, length - 1, MOST_POINTS // 2)
    early = np.geomspace(1, length, MOST_POINTS // 2) - 1
    return np.unique(np.concatenate([even, early]).astype(np.int64))


def bundle(time: Floats, runs: Floats, pen: str, **look: Any) -> list[Trace]:
    """All runs thin and pale, their mean thick; in a crowd paler and thicker, or it is lost."""
    keep = thinned(len(time))
    pale, thick = (0.45, DATA) if len(runs) <= FEW_RUNS else (0.2, EMPHASIS)
    thin = [
        line(time[keep], run[keep], pen, width=1, opacity=pale, hoverinfo="skip", **look)
        for run in (runs[:MOST_RUNS] if len(runs) > 1 else [])
    ]
    return [*thin, line(time[keep], runs.mean(axis=0)[keep], pen, width=thick, **look)]


# ---- axes ----------------------------------------------------------------------------------------


def axis(title: str, *, log: ArrayLike | None = None) -> Trace:
    """An axis with its title; given the numbers it shows as `log`, a logarithmic one."""
    if log is None:
        return {"title": {"text": titled(title)}}
    shown: Trace = {"title": {"text": f"{titled(title)} (log scale)"}, "type": "log"}
    numbers = np.asarray(log, dtype=np.float64)
    numbers = numbers[numbers > 0]
    if not numbers.size:
        return shown
    if numbers.max() / numbers.min() > 30:
        return {**shown, "dtick": 1, "exponentformat": "power"}
    # By itself plotly would write 5 6 7 8 9 1 2 3, with every digit but the first left to guess.
    places = np.unique(numbers)
    return shown | ticks(places if len(places) <= 6 else round_numbers(places[0], places[-1]))


def ticks(places: ArrayLike) -> Trace:
    """Marks of an axis at these places and no others; powers of ten from 1,000 on as powers."""
    values = np.asarray(places, dtype=np.float64)
    powers = np.log10(np.where(values > 0, values, 1.0)).round(9)
    words = [
        f"10<sup>{power:.0f}</sup>"
        if power >= 3 and power == int(power)
        else f"{float(f'{value:.3g}'):,.10g}"  # a tick is for orientation: three digits
        for value, power in zip(values, powers, strict=True)
    ]
    return {"tickmode": "array", "tickvals": values.tolist(), "ticktext": words, "dtick": None}


def round_numbers(low: float, high: float) -> Floats:
    """1, 2 and 5 times powers of ten between two positive numbers."""
    powers = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    steps = np.outer(10.0**powers, [1, 2, 5]).ravel()
    return steps[(steps >= low * 0.999) & (steps <= high * 1.001)]


# ---- words ---------------------------------------------------------------------------------------


def said(title: str, log: bool) -> str:
    """An axis title as read aloud."""
    return spoken(title) + " (log scale)" * log


def course(name: str, runs: Floats, limit: float | None = None) -> str:
    """Where a quantity goes, in words; of several runs the mean."""
    several = f", mean of {len(runs)} curves{first(runs)}," if len(runs) > 1 else ""
    words = f"{spoken(name)}{several} {way(runs.mean(axis=0))}"
    return f"{words}; theory says {number(limit)}." if limit is not None else f"{words}."


def first(runs: Floats) -> str:
    """What to say where only some of many runs are drawn."""
    return f", the first {MOST_RUNS} drawn" if len(runs) > MOST_RUNS else ""


def way(curve: Floats) -> str:
    """From where to where a curve goes: "rises from 1 to 2, with a peak of 5"."""
    first, last = number(curve[0]), number(curve[-1])
    low, high = float(curve.min()), float(curve.max())
    least = 0.05 * (high - low)  # a ripple is not worth a word
    turns = []
    if high > max(curve[0], curve[-1]) + least:
        turns.append(f"a peak of {number(high)}")
    if low < min(curve[0], curve[-1]) - least:
        turns.append(f"a low of {number(low)}")
    between = f", with {' and '.join(turns)}" if turns else ""
    if first == last:
        return f"starts and ends at {first}{between}" if turns else f"stays at {first}"
    return f"{'rises' if curve[-1] > curve[0] else 'falls'} from {first} to {last}{between}"


def moved_apart(places: Floats, least: float) -> Floats:
    """Growing places moved apart to a least distance; those that touch keep their middle."""
    groups: list[tuple[float, int]] = []  # middle, members
    for place in places:
        middle, count = float(place), 1
        while groups and middle - groups[-1][0] < least * (count + groups[-1][1]) / 2:
            other, members = groups.pop()
            middle = (middle * count + other * members) / (count + members)
            count += members
        groups.append((middle, count))
    return np.concatenate(
        [np.empty(0)]
        + [middle + least * (np.arange(count) - (count - 1) / 2) for middle, count in groups]
    )
