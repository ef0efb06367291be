"""Many runs on one card: a row per setting, a column per measure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.canvas import Canvas, text_width
from nta_book.viz.charts import Trace
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.theme import ARROW, EMPHASIS, SMALL, mark
from nta_book.viz.words import escaped, plain, spoken, titled
from nta_core.boundary import number, whole

if TYPE_CHECKING:
    import plotly.graph_objects as go

# ---- bars ----
BAR = 110.0  # of one column; of two it is half as long
BESIDE = 38.0  # a bar: its number, and a gap
ROW = 27.0
WIDEST = 316.0  # what a phone shows without shrinking

# ---- dots ----
PITCH = 25  # pixels per row
TOP = 76  # the heads of the columns
LETTER = 6.6  # pixels per letter of a name, in the font of the pictures
INDENT = 8
APART = 0.07  # columns, as a share of their width together
UNHARMED = 0.02  # as far below the control a mean counts as the same

Floats = NDArray[np.float64]
Rows = Mapping[str, Sequence[ArrayLike]]
Checked = Mapping[str, Mapping[str, Sequence[Floats]]]


@picture
def scorecard(
    groups: Mapping[str, Rows],
    columns: Sequence[str],
    *,
    full: float = 1.0,
    digits: int = 2,
    chance: float | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Bars from 0 to 1: the mean of several runs, with a thin line from the lowest to the highest.

    Parameters
    ----------
    groups : mapping from title to rows
        Rows map a name to one array of shape (runs,) per column, values of at most `full`; values
        that are not numbers (nan) are left out, and a cell without any value shows a dash.
    columns : sequence of str
        What is measured, one or two.
    full : float, optional
        What a full bar stands for, for example 100 for percentages.
    digits : int, optional
        Behind the point, of the numbers beside the bars.
    chance : float, optional
        What can be had for nothing: a dashed line across every bar.

    Examples
    --------
    >>> scorecard({"all": {"intact": [[1, 1]], "broken": [[0.5, 0.7]]}}, ["share"]).alt
    'A card of bars, 2 rows by 1 columns. all, share: intact 1.00, broken 0.60.'

    Explained in: chapter 14.
    """
    most = number(full, "full", above=0)
    places = whole(digits, "digits", most=4)
    aim = None if chance is None else number(chance, "chance", least=0, most=most)
    checked = _checked(groups, columns, most=2, full=most)
    bar = BAR / len(columns)
    step = bar + BESIDE
    left = WIDEST - step * len(columns)
    canvas = Canvas()
    for c, column in enumerate(columns):
        canvas.note(left + c * step, -10.0, column)
    y = 0.0
    for title, group in checked.items():
        y += 16
        canvas.text(0, y, title, font_weight="bold")
        for name, cells in group.items():
            if text_width(plain(name), SMALL) > left - 6:
                raise FigureError(f"{name}: too long to stand beside its bars, shorten it")
            y += ROW
            canvas.text(6, y - 1, name, font_size=SMALL)
            for c, values in enumerate(cells):
                _bar(canvas, left + c * step, y, bar / most, values, full=most, digits=places)
                if aim is not None and len(values):
                    x = left + c * step + bar * aim / most
                    ends = [(x, y - 13.0), (x, y + 2.0)]
                    canvas.path(ends, stroke="ink", stroke_width=ARROW, stroke_dasharray="2 2")
        y += 12
    canvas.cover((WIDEST, y))
    seen = _seen("bars", checked, columns, full=most, digits=places)
    if aim is not None:
        seen += f" A dashed line at {_written(aim, most, places)}."
    return canvas.drawing(seen, alt=alt, means=means)


def _bar(
    canvas: Canvas, x: float, y: float, unit: float, values: Floats, *, full: float, digits: int
) -> None:
    """A bar, `unit` pixels for each 1, with the range of its runs between two short strokes."""
    canvas.rect(x, y - 11, unit * full, 11, fill="none", stroke="line")
    if not len(values):
        canvas.note(x + 4, y - 1, "–")
        return
    mean = max(0.0, float(values.mean()))
    canvas.rect(x, y - 11, unit * mean, 11, fill="practice", fill_opacity=0.8)
    low, high = (x + unit * max(0.0, float(end)) for end in (values.min(), values.max()))
    canvas.path([(low, y - 5.5), (high, y - 5.5)], stroke="ink", stroke_width=ARROW)
    for end in (low, high) if high > low else ():
        canvas.path([(end, y - 9.0), (end, y - 2.0)], stroke="ink", stroke_width=ARROW)
    canvas.text(x + unit * full + 4, y - 1, _written(mean, full, digits), font_size=SMALL)


@picture
def shortfalls(
    groups: Mapping[str, Rows],
    columns: Sequence[str],
    *,
    control: str | None = None,
    alt: str | None = None,
    means: str = "",
) -> go.Figure:
    """How far each setting falls short of a control: dots with ranges, in columns from 0 to 1.

    A thick line leads from the control to the mean wherever the two differ; only there is colour.

    Parameters
    ----------
    groups : mapping from title to rows
        Rows map a name to one array of shape (runs,) per column, values of at most 1; values that
        are not numbers (nan) are left out.  A group with the title "" has no headline.
    columns : sequence of str
        What is measured, at most three; a line break makes two short lines of a long one.
    control : str, optional
        The row to compare with; by default every row is compared with 1.

    Examples
    --------
    >>> shortfalls({"all": {"intact": [[1, 1]], "broken": [[0.5, 0.7]]}}, ["share"],
    ...            control="intact").layout.meta["alt"]
    'A card of dots, 2 rows by 1 columns. all, share: intact 1.00, broken 0.60. Lines lead from \
intact to what falls short of it.'

    Explained in: chapter 12.
    """
    checked = _checked(groups, columns, most=3)
    rows = {name: cells for group in checked.values() for name, cells in group.items()}
    if control is not None and control not in rows:
        raise FigureError(f"no row is called {control!r}: the control must be one of them")
    aims = [
        1.0 if control is None or not len(rows[control][c]) else float(rows[control][c].mean())
        for c in range(len(columns))
    ]
    traces: list[Trace] = []
    levels = _levels(checked)
    named = [(level, name) for level, (name, headline) in enumerate(levels) if not headline]
    for c, aim in enumerate(aims):
        cells = [(level, name, rows[name][c]) for level, name in named]
        traces += _column(cells, aim, "" if c == 0 else str(c + 1))
    compared = "the best possible, 1," if control is None else plain(control)
    seen = _seen("dots", checked, columns)
    return charts.figure(
        traces,
        f"{seen} Lines lead from {compared} to what falls short of it.",
        alt=alt,
        means=means,
        height=TOP + PITCH * len(levels) + 8,
        **_frame(columns, aims, checked),
    )


def _levels(groups: Checked) -> list[tuple[str, bool]]:
    """What stands in every row from the top down: a name, or (True) the headline of a group."""
    return [
        level
        for title, rows in groups.items()
        for level in [*([(title, True)] if title else []), *((name, False) for name in rows)]
    ]


def _column(cells: Sequence[tuple[int, str, Floats]], aim: float, own: str) -> Iterator[Trace]:
    """Ranges, the way from the control, and the means; pale where nothing is lost."""
    known = [(level, name, values) for level, name, values in cells if len(values)]
    for lost, role in ((False, "compare-3"), (True, "practice")):
        some = [cell for cell in known if (aim - cell[2].mean() > UNHARMED) == lost]
        if not some:
            continue
        level = np.array([cell[0] for cell in some], dtype=np.float64)
        low, mean, high = (
            np.array([f(cell[2]) for cell in some]) for f in (np.min, np.mean, np.max)
        )
        on = {"xaxis": f"x{own}", "yaxis": "y"}
        thin = {**on, **charts.QUIET, "opacity": 0.6}
        yield charts.line(*_strokes(low, high, level), mark(role), width=ARROW) | thin
        if lost:
            way = _strokes(np.full_like(mean, aim), mean, level)
            yield charts.line(*way, mark(role), width=EMPHASIS) | {**on, **charts.QUIET}
        told = [
            f"{escaped(name)}: {_written(m)} ({_written(a)} to {_written(b)})"
            for (_, name, _v), m, a, b in zip(some, mean, low, high, strict=True)
        ]
        spots = charts.dots(mean, level, color=mark(role), size=9)
        yield {**spots, **on, "text": told, "hovertemplate": "%{text}<extra></extra>"}


def _strokes(start: Floats, end: Floats, level: Floats) -> tuple[Floats, Floats]:
    """Level lines as one line with gaps."""
    gap = np.full(len(level), np.nan)
    return (
        np.stack([start, end, gap], axis=1).ravel(),
        np.stack([level, level, gap], axis=1).ravel(),
    )


def _frame(columns: Sequence[str], aims: Sequence[float], groups: Checked) -> dict[str, Any]:
    """Axes above their columns, a line at the control, names and headlines to the left."""
    names = [plain(name) for rows in groups.values() for name in rows]
    left = INDENT + LETTER * max(map(len, names)) + 8
    wide = (1 - APART * (len(columns) - 1)) / len(columns)
    axes: dict[str, Any] = {}
    shapes = []
    for c, (column, aim) in enumerate(zip(columns, aims, strict=True)):
        own, start = "" if c == 0 else str(c + 1), c * (wide + APART)
        headline = "<br>".join(titled(line) for line in column.split("\n"))
        axes[f"xaxis{own}"] = {
            **charts.ticks([0, 0.5, 1]),
            "ticktext": ["0", "½", "1"],  # short: on a phone a column is 50 px wide
            "title": {"text": headline},
            "side": "top",
            "domain": [start, start + wide],
            "range": [-0.04, 1.06],
            "zeroline": False,
        }
        pen = {"color": mark("compare-2"), "width": ARROW}
        ends = {"x0": aim, "x1": aim, "y0": 0, "y1": 1, "xref": f"x{own}", "yref": "paper"}
        shapes.append({"type": "line", **ends, "line": pen, "layer": "below"})
    look = {"xref": "paper", "x": 0, "xanchor": "left", "yanchor": "middle", "showarrow": False}
    notes = [
        {**look, "y": level, "xshift": -left, "text": f"<b>{escaped(text)}</b>"}
        if headline
        else {**look, "y": level, "xshift": INDENT - left, "text": escaped(text)}
        for level, (text, headline) in enumerate(_levels(groups))
    ]
    return {
        **axes,
        "yaxis": {"range": [len(notes) - 0.5, -0.6], "visible": False, "fixedrange": True},
        "shapes": shapes,
        "annotations": notes,
        "margin": {"l": left, "r": 8, "t": TOP, "b": 8},
    }


def _checked(
    groups: Mapping[str, Rows], columns: Sequence[str], *, most: int, full: float = 1.0
) -> dict[str, dict[str, list[Floats]]]:
    """The cells of every row as arrays of numbers, nan left out."""
    if not 1 <= len(columns) <= most or not any(groups.values()):
        raise FigureError(f"a card has at most {most} columns, and at least one row and column")
    return {
        title: {name: _cells(name, cells, len(columns), full) for name, cells in rows.items()}
        for title, rows in groups.items()
    }


def _cells(name: str, cells: Sequence[ArrayLike], count: int, full: float) -> list[Floats]:
    arrays = [np.atleast_1d(np.asarray(cell, dtype=np.float64)) for cell in cells]
    if len(arrays) != count or any(array.ndim != 1 for array in arrays):
        raise FigureError(f"{name}: one array of shape (runs,) per column is needed")
    kept = [array[~np.isnan(array)] for array in arrays]
    if any((array > full * (1 + 1e-9)).any() for array in kept):
        raise FigureError(f"{name}: columns go from 0 to {full:g}, a value is above {full:g}")
    return kept


def _written(value: float, full: float = 1.0, digits: int = 2) -> str:
    """A few digits, and never 1.00, or what else is full, for something less than perfect."""
    below = full if value > full * (1 - 1e-9) else full - 10.0**-digits
    return f"{min(value, below):.{digits}f}"


def _seen(
    kind: str, groups: Checked, columns: Sequence[str], *, full: float = 1.0, digits: int = 2
) -> str:
    count = sum(map(len, groups.values()))
    told = [f"A card of {kind}, {count} rows by {len(columns)} columns."]
    for title, rows in groups.items():
        for c, column in enumerate(columns):
            cells = [
                f"{plain(name)} {_written(float(cells[c].mean()), full, digits)}"
                if len(cells[c])
                else f"{plain(name)} nothing"
                for name, cells in rows.items()
            ]
            head = ", ".join(spoken(" ".join(words.split())) for words in (title, column) if words)
            told.append(f"{head}: {', '.join(cells)}.")
    return " ".join(told)
