"""Several small matrices beside each other, cell by cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.canvas import Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import short
from nta_book.viz.theme import SMALL, finite
from nta_book.viz.words import counted, number, plain, plural, spoken

MOST, MOST_NAMES = 12, 6  # tables, and rows or columns of each
CELL, LINE, APART = 34.0, 23.0, 12.0  # of numbers with two digits; between tables
HEAD = 40.0  # title and names of the columns above a table
LEADING = re.compile(r"^(−?)0\.")  # a zero that says nothing takes room
DEEPEST = 0.55  # tint of the largest entry: the number on it stays legible


@picture
def matrices(
    tables: Mapping[str, ArrayLike],
    *,
    rows: Sequence[str],
    columns: Sequence[str],
    side_by_side: int = 2,
    highlight: str | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Small matrices of one shape with their numbers, positive entries blue, negative ones grey.

    All share one scale.

    Parameters
    ----------
    tables : mapping from title to array of shape (r, c)
        At most 12.
    rows, columns : sequences of r and c str
        At most 6 each; names of one or two letters.
    side_by_side : int
        Tables in a line.
    highlight : str, optional
        The title that the sentence speaks of.

    Examples
    --------
    >>> matrices({"W": [[1, -0.5]]}, rows=["a"], columns=["x", "y"]).alt
    'One table of numbers with row a and columns x, y. W: row a 1, −0.5.'

    Explained in: chapter 19.
    """
    shape = (len(rows), len(columns))
    if not 0 < len(tables) <= MOST or not all(0 < size <= MOST_NAMES for size in shape):
        raise FigureError(
            f"{plural(len(tables), 'table')} of {shape[0]} by {shape[1]}: at most {MOST} of at "
            f"most {MOST_NAMES} by {MOST_NAMES}, and at least one number"
        )
    if highlight is not None and highlight not in tables:
        raise FigureError(f"no table is called {highlight!r}")
    if side_by_side < 1:
        raise FigureError(f"side_by_side={side_by_side}: at least one")
    expected = f"{shape}, one per name of a row and a column"
    checked = {title: finite(table, shape, title, expected) for title, table in tables.items()}
    top = max(float(np.abs(table).max()) for table in checked.values()) or 1.0
    left = max(text_width(short(name), SMALL) for name in rows) + 6.0
    width, height = left + CELL * shape[1] + APART, HEAD + LINE * shape[0] + APART
    canvas = Canvas()
    for k, (title, table) in enumerate(checked.items()):
        line, place = divmod(k, side_by_side)
        x, y = place * width, line * height
        if title == highlight:
            canvas.rect(x + left - 4, y, CELL * shape[1] + 4, 20, rx=4, fill="highlight")
        ink = {"fill": "on-highlight"} if title == highlight else {}
        canvas.text(x + left, y + 15, title, font_weight=600, **ink)
        for j, name in enumerate(columns):
            canvas.note(x + left + CELL * (j + 0.5), y + HEAD - 5, short(name), anchor="middle")
        for (i, j), value in np.ndenumerate(table):
            box = (x + left + CELL * j + 0.5, y + HEAD + LINE * i + 0.5, CELL - 1, LINE - 1)
            role = "practice" if value > 0 else "compare-1"
            strength = f"{DEEPEST * abs(value) / top:.2f}"
            canvas.rect(*box, rx=3, fill=role, fill_opacity=strength)
            middle = (box[0] + CELL / 2 - 0.5, box[1] + LINE / 2 + 4.2)
            canvas.text(
                *middle, LEADING.sub(r"\1.", _written(value)), anchor="middle", font_size=SMALL
            )
        for i, name in enumerate(rows):
            canvas.note(x + left - 6, y + HEAD + LINE * (i + 0.5) + 4.4, short(name), anchor="end")
    named = [
        f"{word}{'s' * (len(names) > 1)} {', '.join(map(plain, names))}"
        for word, names in (("row", rows), ("column", columns))
    ]
    told = [
        f"{spoken(title)}: "
        + "; ".join(
            f"row {plain(name)} {', '.join(_written(v) for v in line)}"
            for name, line in zip(rows, table, strict=True)
        )
        for title, table in checked.items()
    ]
    many = counted(len(checked), "table")
    seen = f"{many[0].upper()}{many[1:]} of numbers with {named[0]} and {named[1]}. "
    return canvas.drawing(f"{seen}{'. '.join(told)}.", alt=alt, means=means)


def _written(value: float) -> str:
    return number(round(float(value), 2) + 0.0, 2)
