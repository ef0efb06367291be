"""Many runs on one card: a row per setting, a column per measure, a bar per mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.words import plain

BAR = 24.0  # of three columns; where there are fewer, bars are longer
BESIDE = 32.0  # a bar: its number, and a gap
ROW = 25.0
FIGURES = 11.0  # the size of the numbers
SMALLEST = 10.5  # of headings and long names
WIDEST = 283.0  # with its margins, what a phone shows without shrinking

Floats = NDArray[np.float64]
Rows = Mapping[str, Sequence[ArrayLike]]


@picture
def scorecard(
    groups: Mapping[str, Rows],
    columns: Sequence[str],
    *,
    control: str | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Bars from 0 to 1: the mean of several runs, with a thin line from the lowest to the highest.

    Parameters
    ----------
    groups : mapping from title to rows
        Rows map a name to one array of shape (runs,) per column, values of at most 1; values that
        are not numbers (nan) are left out, and a cell without any value shows a dash.
    columns : sequence of str
        What is measured, at most three.
    control : str, optional
        The row whose means are drawn as dashed lines through all rows.

    Examples
    --------
    >>> card = scorecard({"all": {"intact": [[1, 1]], "broken": [[0.5, 0.7]]}}, ["share"],
    ...                  control="intact")
    >>> card.alt
    'A card of bars, 2 rows by 1 columns. all, share: intact 1.00, broken 0.60. Dashed lines mark \
intact.'

    Explained in: chapter 12.
    """
    if not 1 <= len(columns) <= 3 or not any(groups.values()):
        raise FigureError("a card has one to three columns and at least one row")
    bar = BAR * (4 - len(columns))
    step = bar + BESIDE
    left = WIDEST - step * len(columns)
    checked = {
        title: {name: _checked(name, cells, len(columns), left - 6) for name, cells in rows.items()}
        for title, rows in groups.items()
    }
    rows = {name: cells for group in checked.values() for name, cells in group.items()}
    if control is not None and control not in rows:
        raise FigureError(f"no row is called {control!r}: the control must be one of them")
    canvas = Canvas()
    fits = all(text_width(plain(name), SMALL) <= left - 6 for name in rows)
    size = SMALL if fits else SMALLEST
    for c, column in enumerate(columns):
        for k, line in enumerate(column.split("\n")):
            y = 13 * (k - column.count("\n")) - 10.0
            canvas.text(left + c * step, y, line, font_size=SMALLEST, fill="muted")
    y = 0.0
    for title, group in checked.items():
        y += 16
        canvas.text(0, y, title, font_weight="bold")
        for name, cells in group.items():
            y += ROW
            canvas.text(6, y - 1, name, font_size=size)
            for c, values in enumerate(cells):
                _cell(canvas, left + c * step, y, bar, values)
                if control is not None and len(rows[control][c]):
                    x = left + c * step + bar * float(rows[control][c].mean())
                    canvas.path([(x, y - 16), (x, y + 5)], stroke="theory", stroke_dasharray="3 2")
        y += 12
    canvas.cover((WIDEST, y))
    return canvas.drawing(_seen(checked, columns, control), alt=alt, means=means)


def _cell(canvas: Canvas, x: float, y: float, bar: float, values: Floats) -> None:
    canvas.rect(x, y - 11, bar, 11, fill="none", stroke="line")
    if not len(values):
        canvas.note(x + 4, y - 2, "–")
        return
    mean = max(0.0, float(values.mean()))
    canvas.rect(x, y - 11, bar * mean, 11, fill="practice", fill_opacity=0.8)
    ends = [(x + bar * max(0.0, float(end)), y - 5.5) for end in (values.min(), values.max())]
    canvas.path(ends, stroke="ink", stroke_width=1.2)
    canvas.text(x + bar + 4, y - 2, _written(mean), font_size=FIGURES)


def _checked(name: str, cells: Sequence[ArrayLike], count: int, room: float) -> list[Floats]:
    """The cells of a row as arrays of numbers, nan left out."""
    arrays = [np.atleast_1d(np.asarray(cell, dtype=np.float64)) for cell in cells]
    if len(arrays) != count or any(array.ndim != 1 for array in arrays):
        raise FigureError(f"{name}: one array of shape (runs,) per column is needed")
    kept = [array[~np.isnan(array)] for array in arrays]
    if any((array > 1 + 1e-9).any() for array in kept):
        raise FigureError(f"{name}: bars go from 0 to 1, a value is above 1")
    if text_width(plain(name), SMALLEST) > room:
        raise FigureError(f"{name}: too long to stand beside its bars, shorten it")
    return kept


def _written(share: float) -> str:
    """Two digits, and never 1.00 for something less than perfect."""
    return "1.00" if share > 1 - 1e-9 else f"{min(share, 0.99):.2f}"


def _seen(
    groups: Mapping[str, Mapping[str, Sequence[Floats]]],
    columns: Sequence[str],
    control: str | None,
) -> str:
    count = sum(map(len, groups.values()))
    told = [f"A card of bars, {count} rows by {len(columns)} columns."]
    for title, rows in groups.items():
        for c, column in enumerate(columns):
            means = [
                f"{plain(name)} {_written(float(cells[c].mean())) if len(cells[c]) else 'nothing'}"
                for name, cells in rows.items()
            ]
            told.append(f"{plain(title)}, {plain(column)}: {', '.join(means)}.")
    if control is not None:
        told.append(f"Dashed lines mark {plain(control)}.")
    return " ".join(told)
