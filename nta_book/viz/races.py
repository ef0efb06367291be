"""A token, and one sequence as a race.

The label is the winner (star), the last token names the track (bar below the chip).  A race only
tells who won: the losers always stand level.

Explained in: chapter 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nta_book.viz.canvas import SMALL, Canvas, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.marks import chip, chip_width, legend, short
from nta_book.viz.theme import described
from nta_book.viz.words import listing, plain
from nta_core.errors import OptionError

if TYPE_CHECKING:
    from nta_core.data import Dataset

LANE = 40.0
LEGEND = (("winner", "label = winner"), ("last", "last token = track"))


def token(
    name: object,
    *,
    role: str = "input",
    winner: bool = False,
    last: bool = False,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """One token as a chip.

    Examples
    --------
    >>> token("cat", winner=True).alt
    'The token cat, the winner.'

    Explained in: chapter 0.
    """
    canvas = Canvas()
    chip(canvas, 0, 0, name, role=role, winner=winner, last=last)
    parts = [f"The token {plain(name)}", "the winner" * winner, "the last token" * last]
    seen = ", ".join(part for part in parts if part) + "."
    return canvas.drawing(described(seen, alt=alt, means=means), least_width=0)


def race(dataset: Dataset, row: int, *, alt: str | None = None, means: str = "") -> Drawing:
    """One sequence as a race: a lane per token, the label at the finish, the others level.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> race(FIG3, 1).alt
    'A race on track e1: e3, e2 and e1 run, e3 wins. The others stand level: \
only the winner counts.'

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    sequence, label = row_of(dataset, row)
    names = [dataset.names[t] for t in sequence]
    runners = list(dict.fromkeys(sequence))
    canvas = Canvas()
    widest = max(chip_width(dataset.names[t]) for t in runners)
    width = max(320.0, 2.2 * widest + 90)
    track_sign(canvas, dataset.names[sequence[-1]], f"race {row + 1}")
    for lane, runner in enumerate(runners):
        y = 34 + LANE * (lane + 0.5)
        tickets = sequence.count(runner)
        _lane(canvas, (y, width - 22), dataset.names[runner], runner == label, tickets)
        if runner == sequence[-1]:
            canvas.rect(-7, y - 10, 4, 20, rx=1.5, fill="last")
    _finish(canvas, width - 22, 34, LANE * len(runners))
    legend(canvas, LEGEND)
    winner = dataset.names[label]
    running = listing([plain(dataset.names[t]) for t in runners])
    seen = f"A race on track {plain(names[-1])}: {running} run, {plain(winner)} wins. "
    seen += "The others stand level: only the winner counts."
    if label not in runners:
        seen = f"A race on track {plain(names[-1])} that {plain(winner)} wins without running: "
        seen += "it plays no part."
    return canvas.drawing(described(seen, alt=alt, means=means))


def _lane(canvas: Canvas, place: tuple[float, float], name: str, wins: bool, tickets: int) -> None:
    y, finish = place
    half = chip_width(name) / 2
    x = finish - half - 10 if wins else max(0.52 * finish, half + 12)
    canvas.path([(0, y + LANE / 2), (finish + 14, y + LANE / 2)], stroke="line", stroke_width=1)
    canvas.path(
        [(4, y), (x - half - 3, y)],
        stroke="winner" if wins else "input",
        stroke_width=3 if wins else 1.6,
        stroke_dasharray=None if wins else "2 5",
        stroke_linecap="round",
    )
    chip(canvas, x, y, name, winner=wins)
    if tickets > 1:
        canvas.text(x + half + 8, y + 4, f"×{tickets}", font_size=SMALL, fill="muted")


def _finish(canvas: Canvas, x: float, top: float, height: float) -> None:
    canvas.path([(x, top), (x, top + height)], stroke="ink", stroke_width=1)
    squares = "".join(
        f"M{x + 5 * ((k + side) % 2):.0f},{top + 5 * k:.0f}h5v5h-5z"
        for k in range(int(height // 5))
        for side in (0,)
    )
    canvas.element("path", d=squares, fill="ink", fill_opacity=0.75)
    canvas.cover((x + 10, top))


def track_sign(canvas: Canvas, name: object, note: str, *, width: float = 300.0) -> None:
    """The purple bar that names the track, and a remark at the right.

    Examples
    --------
    >>> canvas = Canvas()
    >>> track_sign(canvas, "e1", "3 races")
    >>> len(canvas.lines)
    3

    Explained in: chapter 2.
    """
    canvas.rect(0, 0, 5, 20, rx=2, fill="last")
    label = f"track {short(name)}"
    canvas.text(12, 15, label, font_weight=600)
    canvas.text(
        max(width, 12 + text_width(label) + 20 + text_width(note, SMALL)),
        15,
        note,
        anchor="end",
        font_size=SMALL,
        fill="muted",
    )


def row_of(dataset: Dataset, row: int) -> tuple[tuple[int, ...], int]:
    """Sequence and label of one row.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> row_of(FIG3, 0)
    ((0, 1, 0), 1)

    Explained in: chapter 2.
    """
    if not 0 <= row < dataset.n:
        raise OptionError(f"row {row} is not in the dataset: it has rows 0…{dataset.n - 1}")
    return dataset.sequences[row], dataset.labels[row]
