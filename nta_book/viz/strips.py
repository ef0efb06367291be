"""League tables too large to draw token by token: one strip per last token.

Explained in: chapter 16.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.marks import short
from nta_book.viz.theme import described

WIDEST, RIGHT = 330.0, 262.0  # a phone shows 330 without shrinking
LEFT = 62.0
BAR = 18.0
ROW = 25.0
PARTS = ("above it", "the largest league", "below it", "beside it")


def league_strips(
    rows: Mapping[str, Sequence[int]],
    *,
    scale: int | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """How many tokens stand above, in, below and beside the largest league after each last token.

    Parameters
    ----------
    rows : mapping from name to (above, largest, below, beside)
        Numbers of tokens; a last token without a table has four zeros.
    scale : int, optional
        Number of tokens that fills the width; the longest row by default.

    Examples
    --------
    >>> league_strips({"the": (0, 40, 60, 0)}).alt
    'One strip per last token. After the: 100 tokens, 40 of them in the largest league, 0 above, \
60 below and 0 beside it.'

    Explained in: chapter 16.
    """
    if not rows or any(len(row) != 4 or min(row) < 0 for row in rows.values()):
        raise FigureError("a strip needs four counts: above, in, below and beside the league")
    full = max(scale or 0, *(sum(row) for row in rows.values()), 1)
    canvas = Canvas()
    for k, (name, row) in enumerate(rows.items()):
        canvas.text(LEFT - 8, k * ROW + 13, short(name), anchor="end", font_weight=600)
        # whole pixels: an explorer then repeats itself more, and sends less
        ends = [round(LEFT + sum(row[:part]) / full * (RIGHT - LEFT)) for part in range(5)]
        for part, (x, end) in enumerate(pairwise(ends)):
            _segment(canvas, part, x, k * ROW, end - x)
        told = f"{row[1]} of {sum(row)}" if sum(row) else "no race"
        canvas.text(WIDEST, k * ROW + 13, told, anchor="end", font_size=SMALL, fill="muted")
    _legend(canvas, len(rows) * ROW + 14)
    told = " ".join(
        f"After {name}: {sum(row)} tokens, {row[1]} of them in the largest league, {row[0]} above, "
        f"{row[2]} below and {row[3]} beside it."
        for name, row in rows.items()
    )
    return canvas.drawing(described(f"One strip per last token. {told}", alt=alt, means=means))


def _segment(canvas: Canvas, part: int, x: float, y: float, width: float) -> None:
    """One part of a strip: told apart by colour, by strength and by its rim."""
    role, strength, dash = (
        ("league-2", 0.55, None),
        ("league-1", 0.9, None),
        ("league-4", 0.22, None),
        ("league-4", 0.0, "3 2"),
    )[part]
    look = {"stroke": role, "stroke_width": 1, "stroke_dasharray": dash}
    canvas.rect(x, y, width, BAR, fill=role, fill_opacity=strength, **look)


def _legend(canvas: Canvas, y: float) -> None:
    for k, words in enumerate(PARTS):
        x, line = (0.0 if k % 2 == 0 else WIDEST / 2), y + 20 * (k // 2)
        _segment(canvas, k, x, line - 9, 16)
        canvas.text(x + 23, line + 4, words, font_size=SMALL, fill="muted")
