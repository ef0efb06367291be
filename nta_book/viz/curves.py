"""Curves: quantities below each other over time, many runs of one, counts, the paper's numbers.

Every curve says where it starts and where it ends in its alt text.  A quantity with several runs
is drawn as all runs thin and their mean thick.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.canvas import text_width
from nta_book.viz.charts import Floats, Trace, axis, figure
from nta_book.viz.given import picture
from nta_book.viz.theme import SMALL, mark
from nta_book.viz.words import listing, number, spoken, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go

HEIGHT, LINE = 250.0, 16.0  # of a chart and of a line of text, in pixels
LONGEST_NAME, MOST_NAMES = 110.0, 12  # beside a chart: pixels that a phone can spare, and lines
_NOTHING: Mapping[str, str] = MappingProxyType({})


@picture
def trajectories(
    steps: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    now: float | None = None,
    limits: Mapping[str, float] | None = None,
    within: tuple[float, float] | None = None,
    log_time: bool = True,
    time_title: str = "step τ",
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Several quantities over the same time, one below the other.

    Parameters
    ----------
    steps : array of shape (t,)
    series : mapping from name to array of shape (t,) or (runs, t)
        For example loss, ‖W‖, attention on the winner (one run per sequence), cosine with W_svm.
    now : float, optional
        A time to mark with a vertical line (the slider's).
    limits : mapping from name to float, optional
        Where theory says a quantity goes: a dashed level line.
    within : pair of float, optional
        The range of every vertical axis, where pictures are to be compared; by default each axis
        fits its own curves.
    log_time : bool
        Logarithmic time axis; said in its title.

    Examples
    --------
    >>> fig = trajectories([1, 10, 100], {"loss": [1.0, 0.5, 0.01]}, limits={"loss": 0})
    >>> fig.layout.meta["alt"]
    'Curves over step τ (log scale). loss falls from 1 to 0.01; theory says 0.'

    Explained in: chapters 4 and 7. Paper: Sec. 3, Figs. 4 and 5.
    """
    time, runs = _series(steps, series, log_time)
    limits = limits or {}
    traces: list[Trace] = []
    shapes: list[Trace] = []
    count, titles = len(runs), []
    pitch = 1 / (count - 0.3)
    anchor = "y" if count == 1 else f"y{count}"
    layout: dict[str, Any] = {
        "xaxis": {**axis(time_title, log=time if log_time else None), "anchor": anchor}
    }
    for k, (name, values) in enumerate(runs.items()):
        own = "" if k == 0 else str(k + 1)
        # every curve has a chart of its own, so none needs a colour of its own
        traces += charts.bundle(time, values, charts.hue(0, name), yaxis=f"y{own}", name=name)
        # from the top down; an axis' title is the headline above it
        place = {"domain": [max(0.0, 1 - (k + 0.7) * pitch), 1 - k * pitch], "nticks": 4}
        layout[f"yaxis{own}"] = place | ({"range": list(within)} if within else {})
        headline = {"text": f"<b>{titled(name)}</b>", "xref": "paper", "yref": "paper"}
        titles.append(
            {**headline, "x": 0, "y": 1 - k / (count - 0.3), **charts.LABEL, "showarrow": False}
        )
        if now is not None:  # a line per panel: one through all would cross their headlines
            upright = charts.rule(float(now), axis="x")
            shapes.append(upright | {"yref": f"y{own} domain"})
        if name in limits:
            shapes.append(charts.rule(limits[name], axis=f"y{own}"))
    told = " ".join(charts.course(name, values, limits.get(name)) for name, values in runs.items())
    return figure(
        traces,
        f"Curves over {charts.said(time_title, log_time)}. {told}",
        alt=alt,
        means=means,
        height=90 + max(130 * count, 200),
        shapes=shapes,
        annotations=titles,
        margin={"l": 48, "r": 22, "t": 32, "b": 48},  # a label that sticks out is hidden
        **layout,
    )


def _series(
    steps: ArrayLike, series: Mapping[str, ArrayLike], log: bool
) -> tuple[Floats, dict[str, Floats]]:
    """Times and runs; a logarithmic axis has no place for step 0, so it is left out."""
    time = np.asarray(steps, dtype=np.float64)
    runs = {name: charts.runs_of(values, time, name) for name, values in series.items()}
    shown = time > 0 if log else np.ones(len(time), dtype=bool)
    if not runs or not shown.any():
        raise FigureError("curves need at least one series and one step (above 0 on a log axis)")
    return time[shown], {name: values[:, shown] for name, values in runs.items()}


@picture
def convergence(
    x: ArrayLike,
    runs: ArrayLike,
    *,
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = False,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Many runs of one quantity: all of them thin, their mean thick.

    Parameters
    ----------
    x : array of shape (t,)
    runs : array of shape (runs, t)

    Examples
    --------
    >>> fig = convergence([1, 10], [[0.1, 0.9], [0.3, 0.99]], x_title="step", y_title="cosine")
    >>> fig.layout.meta["alt"]
    'Curves of cosine over step (log scale), 2 runs thin and their mean thick: the mean rises \
from 0.2 to 0.945; the runs end between 0.9 and 0.99.'

    Explained in: chapters 4, 9 and 12. Paper: Figs. 4 and 5.
    """
    time, series = _series(x, {y_title: runs}, log_x)
    values = series[y_title]
    seen = (
        f"Curves of {charts.said(y_title, log_y)} over {charts.said(x_title, log_x)}, "
        f"{len(values)} runs{charts.first(values)} thin and their mean thick: the mean "
        f"{charts.way(values.mean(axis=0))}; the runs end "
        f"between {number(values[:, -1].min())} and {number(values[:, -1].max())}."
    )
    return figure(
        charts.bundle(time, values, mark("practice"), name=y_title),
        seen,
        alt=alt,
        means=means,
        xaxis=axis(x_title, log=time if log_x else None),
        yaxis=axis(y_title, log=values if log_y else None),
    )


@picture
def growth(
    n: ArrayLike,
    counts: Mapping[str, ArrayLike],
    *,
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = True,
    roles: Mapping[str, str] | None = None,
    notes: Mapping[str, str] | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """How quantities grow, on logarithmic axes: plain lines, each with its name at its end.

    Parameters
    ----------
    n : array of shape (t,)
    counts : mapping from name to array of shape (t,) or (runs, t)
    roles : mapping from name to colour role, optional
        Of curves whose colour has a meaning, for example tokens in the colour of their league.
    notes : mapping from name to str, optional
        Written upon the middle of a curve, for example its slope.

    Examples
    --------
    >>> growth([1, 10], {"leagues": [4, 1]}, x_title="sequences n", y_title="leagues",
    ...        notes={"leagues": "slope −0.6"}).layout.meta["alt"]
    'Curves over sequences n (log scale), leagues (log scale) up. leagues falls from 4 to 1 \
(slope −0.6).'

    Explained in: chapters 4 and 5. Paper: Figs. 11 and 12.
    """
    size = np.asarray(n, dtype=np.float64)
    if not counts:
        raise FigureError("growth needs at least one series of counts")
    drawn = _several(size, counts, (log_x, log_y), roles=roles or {}, notes=notes or {})
    return figure(
        drawn.traces,
        f"Curves over {charts.said(x_title, log_x)}, {charts.said(y_title, log_y)} up. "
        f"{drawn.told}",
        alt=alt,
        means=means,
        showlegend=len(counts) > 1 and not drawn.named,
        annotations=drawn.words,
        margin=drawn.margin,
        xaxis=axis(x_title, log=size if log_x else None) | _room(size, log_x, notes),
        yaxis=axis(y_title, log=drawn.heights if log_y else None)
        | _room(drawn.heights, log_y, notes),
    )


def _room(values: Floats, log: bool, notes: Mapping[str, str] | None) -> Trace:
    """The range of an axis with words upon its curves: left alone, it grows to hold the words."""
    if not notes:
        return {}
    ends = values[values > 0] if log else values
    low, high = float(ends.min()), float(ends.max())
    if log:
        low, high = np.log10(low), np.log10(high)
    air = 0.06 * (high - low) or 0.5
    return {"range": [float(low - air), float(high + air)]}


@picture
def against_paper(
    x: ArrayLike,
    series: Mapping[str, ArrayLike],
    *,
    paper: tuple[ArrayLike, ArrayLike],
    x_title: str,
    y_title: str,
    log_x: bool = True,
    log_y: bool = False,
    paper_name: str = "paper",
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """Our runs, all thin and their mean thick, with the paper's numbers as diamonds.

    Parameters
    ----------
    x : array of shape (t,)
    series : mapping from name to array of shape (t,) or (runs, t)
    paper : (x, y), arrays of equal length
        What the paper states or what one reads off its plot.
    paper_name : str
        How the diamonds are called in the legend.

    Examples
    --------
    >>> fig = against_paper([1, 10], {"ours": [[4, 1], [4, 3]]}, paper=([10], [2]),
    ...                     x_title="n", y_title="leagues")
    >>> fig.layout.meta["alt"]
    'Curves over n (log scale), leagues up. ours, mean of 2 curves, falls from 4 to 2. \
Diamonds, paper: 2 at n = 10.'

    Explained in: chapters 3 and 4. Paper: Figs. 5 and 11.
    """
    size = np.asarray(x, dtype=np.float64)
    across, up = np.asarray(paper[0]), np.asarray(paper[1])
    if not series or across.shape != up.shape or across.ndim != 1 or not across.size:
        raise FigureError("against_paper needs at least one series and one number of the paper")
    marks = np.stack([across, up])
    drawn = _several(size, series, (log_x, log_y))
    look = {"symbol": "diamond", "size": 11, "color": mark("theory")}
    diamonds = charts.dots(marks[0], marks[1], name=paper_name, **look)
    listed = listing(f"{number(b)} at {x_title} = {number(a)}" for a, b in marks.T)
    # Few places are named themselves: a log axis from 2 to 32 would say 2 3 … 9 10 2 3.
    named = charts.ticks(size) if len(size) <= 7 else {}
    return figure(
        [*drawn.traces, diamonds],
        f"Curves over {charts.said(x_title, log_x)}, {charts.said(y_title, log_y)} up. "
        f"{drawn.told} Diamonds, {paper_name}: {listed}.",
        alt=alt,
        means=means,
        showlegend=True,
        annotations=drawn.words,
        margin=drawn.margin,
        xaxis=axis(x_title, log=size if log_x else None) | named,
        yaxis=axis(y_title, log=np.append(drawn.heights, marks[1]) if log_y else None),
    )


class _Drawn(NamedTuple):
    """Curves of several quantities, the words on them, and the words about them."""

    traces: list[Trace]
    words: list[Trace]
    room: float  # in pixels, for names at the ends
    heights: Floats
    told: str

    @property
    def margin(self) -> dict[str, float]:
        """Of the chart, with room for names at the ends."""
        return {"l": 56, "r": 12 + self.room, "t": 28, "b": 48}

    @property
    def named(self) -> bool:
        """Whether names stand at the ends; else a legend has them."""
        return self.room > 0


def _several(
    size: Floats,
    series: Mapping[str, ArrayLike],
    log: tuple[bool, bool],
    *,
    roles: Mapping[str, str] = _NOTHING,
    notes: Mapping[str, str] = _NOTHING,
) -> _Drawn:
    """Draw curves; short names stand at their ends, long ones in a legend, with a mark each."""
    all_runs = {name: charts.runs_of(values, size, name) for name, values in series.items()}
    for name in {*roles, *notes} - {*all_runs}:
        raise FigureError(f"there is no curve {name!r} to colour or to write on")
    longest = max(text_width(spoken(name), SMALL) for name in all_runs)
    named = 1 < len(all_runs) <= MOST_NAMES and longest <= LONGEST_NAME
    traces: list[Trace] = []
    for k, (name, runs) in enumerate(all_runs.items()):
        pen = mark(roles[name]) if name in roles else charts.hue(k, name)
        *thin, mean = charts.bundle(size, runs, pen, name=name)
        if not named and len(all_runs) > 1:
            few = {"symbol": charts.symbol(k), "size": 8, "maxdisplayed": 6}
            mean |= {"mode": "lines+markers", "marker": few}
        traces += [{**run, "showlegend": False} for run in thin]
        traces.append(mean | ({"showlegend": False} if named else {}))
    heights = np.concatenate([runs.ravel() for runs in all_runs.values()])
    means = {name: runs.mean(axis=0) for name, runs in all_runs.items()}
    words = _names(size, means, log, heights) if named else []
    words += [word for name in notes for word in _note(notes[name], size, means[name], log)]
    told = " ".join(
        charts.course(name, runs).removesuffix(".")
        + (f" ({spoken(notes[name])})." if name in notes else ".")
        for name, runs in all_runs.items()
    )
    return _Drawn(traces, words, longest if named else 0.0, heights, told)


def _names(
    size: Floats, curves: Mapping[str, Floats], log: tuple[bool, bool], heights: Floats
) -> list[Trace]:
    """Every name at the right end of its curve; names that would touch are moved apart."""
    places = {
        name: (size[at[-1]], curve[at[-1]])
        for name, curve in curves.items()
        if len(at := _visible(size, curve, log))
    }
    up = np.log10(heights[heights > 0]) if log[1] else heights
    pixels = HEIGHT / (float(np.ptp(up)) if up.size and np.ptp(up) else 1.0)
    words = {name: _word(name, *place, log) for name, place in places.items()}
    order = sorted(words, key=lambda name: float(words[name]["y"]))
    ends = np.array([words[name]["y"] * pixels for name in order])
    beside = {"xanchor": "left", "yanchor": "middle", "xshift": 5}
    # At the rim a name belongs to the paper: plotly would stretch the axis to hold its letters.
    rim = {"xref": "paper", "x": 1.0}
    return [
        words[name]
        | beside
        | (rim if places[name][0] == size.max() else {})
        | {"yshift": round(float(moved), 1)}
        for name, moved in zip(order, charts.moved_apart(ends, LINE) - ends, strict=True)
    ]


def _note(text: str, size: Floats, curve: Floats, log: tuple[bool, bool]) -> list[Trace]:
    """Words upon the middle of a curve, on the side where it does not cross them."""
    at = _visible(size, curve, log)
    if not len(at):
        return []
    middle = at[len(at) // 2]
    falls = curve[middle] > curve[at[-1]]
    aside = {"xanchor": "left", "xshift": 5} if falls else {"xanchor": "right", "xshift": -5}
    return [_word(text, size[middle], curve[middle], log) | aside | {"yanchor": "bottom"}]


def _visible(size: Floats, curve: Floats, log: tuple[bool, bool]) -> NDArray[np.int64]:
    """Which points of a curve are drawn: a logarithmic axis has no place for 0."""
    return np.flatnonzero((~np.array(log[0]) | (size > 0)) & (~np.array(log[1]) | (curve > 0)))


def _word(text: str, x: float, y: float, log: tuple[bool, bool]) -> Trace:
    """A word at a place of the chart; on a logarithmic axis plotly wants the logarithm."""
    at = [
        float(np.log10(value)) if flag else float(value)
        for value, flag in zip((x, y), log, strict=True)
    ]
    return {"x": at[0], "y": at[1], "text": titled(text), "showarrow": False}
