"""Many runs on one card: a row per setting, a column per measure, a bar per mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.words import plain

BAR = 24.0  # of three columns; where there are fewer, bars are longer
BESIDE = 32.0  # a bar: its number, and a gap
ROW = 25.0
FIGURES = 11.0  # the size of the numbers
SMALLEST = 10.5  # of headings and long names
WIDEST = 283.0  # with its margins, what a phone shows without shrinking

Rows = Mapping[str, Sequence[ArrayLike]]


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
    checked = _checked(groups, columns)
    rows = {name: cells for group in checked.values() for name, cells in group.items()}
    if control is not None and control not in rows:
        raise FigureError(f"no row is called {control!r}: the control must be one of them")
    canvas = Canvas()
    bar = _bar(columns)
    step = bar + BESIDE
    left = WIDEST - step * len(columns)
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
            marks = rows[control] if control is not None else [np.empty(0)] * len(columns)
            for c, (values, marked) in enumerate(zip(cells, marks, strict=True)):
                _cell(canvas, (left + c * step, y), bar, values)
                _mark(canvas, (left + c * step, y), bar, marked)
        y += 12
    canvas.cover((WIDEST, y))
    return canvas.drawing(_seen(checked, columns, control), alt=alt, means=means)


def _bar(columns: Sequence[str]) -> float:
    return BAR * (4 - len(columns))


def _cell(
    canvas: Canvas, corner: tuple[float, float], bar: float, values: NDArray[np.float64]
) -> None:
    x, y = corner
    canvas.rect(x, y - 11, bar, 11, fill="none", stroke="line")
    if not len(values):
        canvas.note(x + 4, y - 2, "–")
        return
    mean = max(0.0, float(values.mean()))
    canvas.rect(x, y - 11, bar * mean, 11, fill="practice", fill_opacity=0.8)
    ends = [(x + bar * max(0.0, float(end)), y - 5.5) for end in (values.min(), values.max())]
    canvas.path(ends, stroke="ink", stroke_width=1.2)
    canvas.text(x + bar + 4, y - 2, _written(mean), font_size=FIGURES)


def _mark(
    canvas: Canvas, corner: tuple[float, float], bar: float, control: NDArray[np.float64]
) -> None:
    """Where the control's mean is, as a dashed line through one cell."""
    if len(control):
        x = corner[0] + bar * float(control.mean())
        ends = [(x, corner[1] - 16), (x, corner[1] + 5)]
        canvas.path(ends, stroke="theory", stroke_dasharray="3 2")


def _checked(
    groups: Mapping[str, Rows], columns: Sequence[str]
) -> dict[str, dict[str, list[NDArray[np.float64]]]]:
    """All cells as arrays of numbers, nan left out."""
    if not 1 <= len(columns) <= 3 or not any(groups.values()):
        raise FigureError("a card has one to three columns and at least one row")
    found: dict[str, dict[str, list[NDArray[np.float64]]]] = {}
    for title, rows in groups.items():
        found[title] = {}
        for name, cells in rows.items():
            arrays = [np.atleast_1d(np.asarray(cell, dtype=np.float64)) for cell in cells]
            if len(arrays) != len(columns) or any(array.ndim != 1 for array in arrays):
                raise FigureError(f"{name}: one array of shape (runs,) per column is needed")
            kept = [array[~np.isnan(array)] for array in arrays]
            if any((array > 1 + 1e-9).any() for array in kept):
                raise FigureError(f"{name}: bars go from 0 to 1, a value is above 1")
            room = WIDEST - (_bar(columns) + BESIDE) * len(columns) - 6
            if text_width(plain(name), SMALLEST) > room:
                raise FigureError(f"{name}: too long to stand beside its bars, shorten it")
            found[title][name] = kept
    return found


def _written(share: float) -> str:
    """Two digits, and never 1.00 for something less than perfect."""
    return "1.00" if share > 1 - 1e-9 else f"{min(share, 0.99):.2f}"


def _seen(
    groups: Mapping[str, Mapping[str, Sequence[NDArray[np.float64]]]],
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
