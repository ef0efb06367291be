"""Two rankings of the same things side by side: what do they agree on?"""

from __future__ import annotations

from collections.abc import Sequence

from nta_book.errors import FigureError
from nta_book.viz.canvas import Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import short
from nta_book.viz.theme import DATA
from nta_book.viz.words import plain, spoken

LINE, GAP, NOTE = 22.0, 76.0, 112.0  # a row, the room for lines, where notes stand beside a name
MOST_ROWS = 20


@picture
def rankings(
    left: Sequence[str],
    right: Sequence[str],
    *,
    left_title: str,
    right_title: str,
    left_notes: Sequence[str] | None = None,
    right_notes: Sequence[str] | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Two columns of names, best first; a name that stands in both is joined by a line.

    Parameters
    ----------
    left, right : sequences of str
        The rankings, each name once.
    left_title, right_title : str
        What ranks them.
    left_notes, right_notes : sequences of str, optional
        A few letters beside each name, or none, for example its place in the other ranking.

    Examples
    --------
    >>> rankings(["he", "she"], ["was", "he"], left_title="head", right_title="text").alt
    'Two rankings. head: he, she. text: was, he. In both: he.'

    Explained in: chapter 17.
    """
    columns = {left_title: (left, left_notes), right_title: (right, right_notes)}
    for title, (names, notes) in columns.items():
        if not 0 < len(names) <= MOST_ROWS or len(set(names)) < len(names):
            raise FigureError(f"{title}: a ranking holds 1 to {MOST_ROWS} names, each once")
        if notes is not None and len(notes) != len(names):
            raise FigureError(f"{title}: {len(notes)} notes for {len(names)} names")
    places = {name: i for i, name in enumerate(right)}
    both = [name for name in left if name in places]
    canvas = Canvas()
    for i, name in enumerate(left):
        if name in places:
            ends = [(6.0, _height(i)), (GAP - 6.0, _height(places[name]))]
            canvas.path(ends, stroke="practice", stroke_width=DATA)
    for x, side, anchor, title in ((0.0, -1, "end", left_title), (GAP, 1, "start", right_title)):
        names, notes = columns[title]
        canvas.note(x, -14.0, title, anchor=anchor)
        for i, name in enumerate(names):
            shared = name in both
            weight = 600 if shared else None
            role = "practice" if shared else "ink"
            y = _height(i) + 4.6
            canvas.text(x, y, short(name), anchor=anchor, fill=role, font_weight=weight)
            if notes is not None and notes[i]:
                canvas.note(x + side * NOTE, y, notes[i], anchor=anchor)
    seen = [
        f"{spoken(title)}: {', '.join(map(plain, names))}" for title, (names, _) in columns.items()
    ]
    shared_names = ", ".join(map(plain, both)) or "none"
    return canvas.drawing(
        f"Two rankings. {'. '.join(seen)}. In both: {shared_names}.",
        alt=alt,
        means=means,
        least_width=300,
    )


def _height(row: int) -> float:
    return LINE * (row + 0.5)
