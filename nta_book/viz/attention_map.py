"""Who looks at whom in a text: a square for every pair of places, the darker the more."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz.canvas import Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import short
from nta_book.viz.theme import GRID, SMALL, finite
from nta_book.viz.words import number, plain, plural

MOST_PLACES = 24
CELL = 15.5
SINK = 8.0  # space before the column of the sink


@picture
def attention_map(
    attention: ArrayLike,
    tokens: Sequence[str],
    *,
    expected: ArrayLike | None = None,
    title: str = "",
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Attention of every place of a text (rows) on the places up to it, and on a sink.

    Shades go with the square root, so that attention shared among many can still be seen.

    Parameters
    ----------
    attention : array of shape (T, T + 1)
        Row t holds what place t gives to each place, and last what it gives to the sink.
    tokens : sequence of T str
        The text; short names, which stand beside the rows and above the columns.
    expected : array of booleans of shape (T, T), optional
        Squares that get a frame: where a theory says that attention goes.
    title : str
        A few words above.

    Examples
    --------
    >>> attention_map([[1, 0, 0], [0.5, 0.25, 0.25]], "ab", title="layer 1").alt
    'Attention of 2 places, layer 1. The last one, b, looks at place 1, a: 0.5; at place 2, b: \
0.25; at the sink: 0.25.'

    Explained in: chapter 21.
    """
    T = len(tokens)
    if not 0 < T <= MOST_PLACES:
        raise FigureError(f"{T} places: an attention map holds 1 to {MOST_PLACES}")
    shares = finite(attention, (T, T + 1), "attention", f"({T}, {T + 1}), a row per place")
    if shares.min() < 0 or shares.max() > 1 + 1e-6:
        raise FigureError("attention: shares from 0 to 1")
    framed = np.zeros((T, T))
    if expected is not None:
        framed = finite(expected, (T, T), "expected", f"({T}, {T}), a square per pair of places")
    canvas = Canvas()
    if title:
        canvas.text(0, -24, title, font_size=SMALL, font_weight=600)
    right = T * CELL + SINK
    for t, token in enumerate(tokens):
        name = short(token)
        canvas.note((t + 0.5) * CELL, -5, name, anchor="middle")
        canvas.note(-6, (t + 0.5) * CELL + 4.5, name, anchor="end")
        for s in range(t + 1):
            _square(canvas, s * CELL, t * CELL, shares[t, s], bool(framed[t, s]))
        _square(canvas, right, t * CELL, shares[t, T], False)
    canvas.note(right + CELL, T * CELL + 15, "sink", anchor="end")
    last = [
        f"at place {s + 1}, {plain(token)}: {number(shares[-1, s], 2)}"
        for s, token in enumerate(tokens)
        if shares[-1, s] >= 0.05
    ]
    said = f"Attention of {plural(T, 'place')}{', ' * bool(title)}{plain(title) if title else ''}. "
    said += f"The last one, {plain(tokens[-1])}, looks "
    said += "; ".join([*last, f"at the sink: {number(shares[-1, -1], 2)}"]) + "."
    return canvas.drawing(said, alt=alt, means=means, least_width=300)


def _square(canvas: Canvas, x: float, y: float, share: float, framed: bool) -> None:
    """One square; every state of an explorer has the same ones, so that only shades change."""
    shade, edge = f"{np.sqrt(share):.2f}", ("theory", 1.2) if framed else ("line", GRID)
    look = {"fill": "practice", "fill_opacity": shade, "stroke": edge[0], "stroke_width": edge[1]}
    canvas.rect(x + 1, y + 1, CELL - 2, CELL - 2, **look)
