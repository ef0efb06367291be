"""A league table too large to draw: its floors, and a few words of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nta_book.errors import FigureError
from nta_book.viz.canvas import Box, Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import Line, picture
from nta_book.viz.marks import short
from nta_book.viz.theme import SMALL
from nta_book.viz.words import plain

WIDE = 330.0  # what a phone shows unshrunk
WORD, BAR, LANE, NOTE = 14.0, 124.0, 60.0, 320.0  # where a word, its bar and its note stand
HEAD, ROW = 25.0, 22.0
MOST_FLOORS, MOST_ROWS = 8, 12
BLANK = "\u200b"  # nothing, and yet a text


@picture
def league_floors(
    floors: Mapping[str, Sequence[Line]],
    sizes: Mapping[str, int],
    *,
    league: str | None = None,
    rows: int | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The floors of a league table, strongest on top, with a bar of won races for some words.

    Parameters
    ----------
    floors : mapping from title to lines (word, wins, races, note)
        Words to be shown, races that each ran, and those among them that it won.
    sizes : mapping from title to int
        How many words stand on each floor, shown or not.
    league : str, optional
        The floor whose words tie, drawn in the colour of a league.
    rows : int, optional
        Lines kept for every floor, so that pictures of one explorer match; by default those needed.

    Examples
    --------
    >>> league_floors({"ties": [("a", 3, 4, ""), ("b", 1, 4, "")]}, {"ties": 9}, league="ties").alt
    'A league table by floors, strongest on top. ties, 9 words: a won 3 of 4 races, b 1 of 4.'

    Explained in: chapter 16.
    """
    table = {plain(title): lines for title, lines in floors.items()}
    counts = {plain(title): size for title, size in sizes.items()}
    if not table or len(table) > MOST_FLOORS or [*table] != [*counts]:
        raise FigureError(f"1 to {MOST_FLOORS} floors, and a size for each, in the same order")
    kept = max([1, *map(len, table.values())]) if rows is None else rows
    if not 1 <= kept <= MOST_ROWS or any(len(lines) > kept for lines in table.values()):
        raise FigureError(f"every floor shows at most rows={kept} words, and at most {MOST_ROWS}")
    canvas, y = Canvas(), 0.0
    for title, lines in table.items():
        role = "league-1" if league is not None and title == plain(league) else "input"
        height = HEAD + ROW * kept + 4
        box = Box(WIDE / 2, y + height / 2, WIDE, height)
        canvas.frame(box, role, 0.08, width=1.3, rx=8, opaque=False)
        canvas.text(WORD, y + 18, title, font_weight="bold")
        number = f"{counts[title]:,} word{'s' * (counts[title] != 1)}"
        canvas.note(NOTE, y + 18, number, anchor="end")
        # a line for every row, also an empty one: an explorer then sends only what differs
        for k, row in enumerate([*lines, *[None] * (kept - len(lines))]):
            _line(canvas, y + HEAD + ROW * k + 15, row)
        y += height + 6
    told = [f"{title}, {_told(counts[title], lines)}" for title, lines in table.items()]
    seen = f"A league table by floors, strongest on top. {' '.join(told)}"
    return canvas.drawing(seen, alt=alt, means=means)


def _line(canvas: Canvas, y: float, row: Line | None) -> None:
    share = row.wins / row.races if row else 0.0
    canvas.text(WORD, y, short(row.word) if row else BLANK, font_weight=600)
    # whole pixels repeat themselves more
    canvas.rect(BAR, y - 10, round(LANE * share), 11, fill="practice", fill_opacity=0.8)
    canvas.text(NOTE, y, row.note if row else BLANK, anchor="end", font_size=SMALL)


def _told(size: int, lines: Sequence[Line]) -> str:
    """A floor in words."""
    head = f"{size:,} word{'s' * (size != 1)}"
    if not lines:
        return f"{head}."
    first, *others = lines
    said = [f"{plain(first.word)} won {first.wins} of {first.races} races"]
    said += [f"{plain(row.word)} {row.wins} of {row.races}" for row in others]
    return f"{head}: {', '.join(said)}."
