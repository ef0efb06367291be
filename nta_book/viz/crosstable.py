"""One league as a cross table: who beat whom how often, and a bar of strength per token."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.canvas import Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import chip, legend, short
from nta_book.viz.theme import finite
from nta_book.viz.words import number, plain, spoken, valued

MOST_TOKENS = 12
CELL, LINE, LANE = 32.0, 40.0, 88.0  # a column, a row, the lane that the longest bar fills


@picture
def cross_table(
    labels: Sequence[str],
    wins: ArrayLike,
    values: ArrayLike,
    *,
    value_title: str = "strength",
    theory: ArrayLike | None = None,
    further: Mapping[str, ArrayLike] | None = None,
    most: float | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Who beat whom how often inside a league, and beside it a bar of strength per token.

    Parameters
    ----------
    labels : sequence of m str
        The tokens of the league, one row and one column each.
    wins : array of shape (m, m)
        Row i, column j: how often i beat j. A pair without a win on either side never met.
    values, theory : arrays of shape (m,)
        Strengths read off the trained layer (bars) and counted from the wins (diamonds).
    further : mapping from title to array of shape (m,), optional
        Wins in other races, one column each: "all" for races of the whole league.
    most : float, optional
        Strength that fills the lane, so that several pictures can be compared.

    Examples
    --------
    >>> cross_table("ab", [[0, 3], [1, 0]], [2.9, 1], theory=[3, 1]).alt
    'A table of wins: a beat b 3 times; b beat a once. Bars of strength: a 2.9, b 1. \
Diamonds, counted from the wins: a 3, b 1.'

    Explained in: chapter 6.
    """
    m = len(labels)
    if not 0 < m <= MOST_TOKENS:
        raise FigureError(f"{m} tokens: a cross table holds 1 to {MOST_TOKENS}")
    expected = f"({m}, {m}), one row and one column per token"
    table = finite(wins, (m, m), "wins", expected)
    strengths = finite(values, (m,), "values", f"one per token, and there are {m}")
    counted = None if theory is None else finite(theory, (m,), "theory", f"one per token, {m}")
    columns = {
        title: finite(column, (m,), title, f"one per token, and there are {m}")
        for title, column in (further or {}).items()
    }
    numbers = [table, strengths, *columns.values(), *([] if counted is None else [counted])]
    if min(array.min() for array in numbers) < 0:
        raise FigureError("wins and strengths are 0 or more")
    everything = np.column_stack([table, *columns.values()])
    met = np.column_stack([table + table.T > 0, *(column >= 0 for column in columns.values())])
    heads = [*map(short, labels), *columns]
    start = max(text_width(name) for name in heads[:m]) + 30.0
    lane = start + CELL * len(heads) + 12.0
    longest = max([most or 0.0, *strengths, *(() if counted is None else counted)]) or 1.0
    canvas = Canvas()
    canvas.note(start, -34, "has beaten …")
    canvas.note(lane, -12, value_title)
    for k, head in enumerate(heads):
        canvas.text(start + CELL * (k + 0.5), -12, head, anchor="middle", font_weight=600)
    for i, label in enumerate(labels):
        y = LINE * i
        chip(canvas, (start - 8) / 2, y + LINE / 2, label, role="league-1")
        for j in (j for j in range(len(heads)) if j != i):  # nobody runs against itself
            share = float(everything[i, j] / (everything.max() or 1.0))
            box = (start + CELL * j + 1, y + 4, CELL - 2, LINE - 8)
            canvas.rect(*box, rx=4, fill="input", fill_opacity=0.3 * share)
            seen = number(everything[i, j]) if met[i, j] else "–"
            canvas.text(start + CELL * (j + 0.5), y + LINE / 2 + 4.6, seen, anchor="middle")
        words = f"{strengths[i]:.2f}".rstrip("0").rstrip(".")
        _lane(canvas, lane, y, strengths[i] / longest, words)
        if counted is not None:
            canvas.diamond(lane + LANE * counted[i] / longest, y + LINE / 2, 6)
    canvas.cover((lane + LANE + 42, 0.0))
    if counted is not None:
        legend(canvas, [("practice", "trained W"), ("theory", "counted from the wins")], width=300)
    told = [
        f"{plain(labels[i])} beat {plain(labels[j])} {_times(table[i, j])}"
        for i in range(m)
        for j in range(m)
        if table[i, j]
    ] + [
        f"{plain(title)}: {valued(labels, column)}"
        for title, column in columns.items()
        if column.any()
    ]
    said = f"A table of wins: {'; '.join(told) or 'none'}. "
    said += f"Bars of {spoken(value_title)}: {valued(labels, strengths)}."
    if counted is not None:
        said += f" Diamonds, counted from the wins: {valued(labels, counted)}."
    return canvas.drawing(said, alt=alt, means=means, least_width=300)


def _lane(canvas: Canvas, x: float, y: float, share: float, words: str) -> None:
    """One bar on its lane, with its number behind the lane's end where nothing can cross it."""
    canvas.path([(x + LANE * share, y + LINE / 2), (x + LANE, y + LINE / 2)], stroke="line")
    canvas.rect(x, y + 10, LANE * share, LINE - 20, rx=2, fill="practice", fill_opacity=0.8)
    canvas.text(x + LANE + 10, y + LINE / 2 + 4.6, words)


def _times(count: float) -> str:
    return {1: "once", 2: "twice"}.get(int(count), f"{number(count)} times")
