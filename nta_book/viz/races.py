"""A token, one sequence as a race, and many of them: as they come, or sorted into tracks.

The label is the winner (star), the last token names the track (bar below the chip).  A race only
tells who won: the losers always stand level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from nta_book.viz.canvas import SMALL, Canvas, text_width
from nta_book.viz.drawing import Drawing, Panels
from nta_book.viz.given import picture
from nta_book.viz.marks import CHIP_HEIGHT, chip, chip_width, chips_in_a_row, legend, short
from nta_book.viz.words import counted, listing, plain, plural
from nta_core.boundary import entries, is_integer, token_id
from nta_core.errors import OptionError

if TYPE_CHECKING:
    from nta_core.data import Dataset

LANE, ROW = 40.0, 46.0
MOST_LINES, MOST_TRACKS = 100, 24  # in one picture
LEGEND = (("winner", "label = winner"), ("last", "last token = track"))


@picture
def token(
    name: object,
    *,
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

    Explained in: chapter 2.
    """
    canvas = Canvas()
    chip(canvas, 0, 0, name, winner=winner, last=last)
    parts = [f"The token {plain(name)}", "the winner" * winner, "the last token" * last]
    seen = ", ".join(part for part in parts if part) + "."
    return canvas.drawing(seen, alt=alt, means=means, least_width=0)


@picture
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
    runners = list(dict.fromkeys(sequence))
    canvas = Canvas()
    widest = max(chip_width(dataset.names[t]) for t in runners)
    width = max(320.0, 2.2 * widest + 90)
    _track_sign(canvas, dataset.names[sequence[-1]], f"race {row + 1}")
    for lane, runner in enumerate(runners):
        y = 34 + LANE * (lane + 0.5)
        tickets = sequence.count(runner)
        _lane(canvas, (y, width - 22), dataset.names[runner], runner == label, tickets)
        if runner == sequence[-1]:
            canvas.rect(-7, y - 10, 4, 20, rx=1.5, fill="last")
    finish, height = width - 22, LANE * len(runners)
    canvas.path([(finish, 34), (finish, 34 + height)], stroke="ink", stroke_width=1)
    squares = [f"M{finish + 5 * (k % 2):.0f},{34 + 5 * k}h5v5h-5z" for k in range(int(height // 5))]
    canvas.element("path", d="".join(squares), fill="ink", fill_opacity=0.75)
    canvas.cover((finish + 10, 34))
    legend(canvas, LEGEND)
    seen = f"A race on track {plain(dataset.names[sequence[-1]])}"
    winner = plain(dataset.names[label])
    if label in runners:
        running = listing(dataset.names[t] for t in runners)
        seen += f": {running} run, {winner} wins. The others stand level: only the winner counts."
    else:
        seen += f" that {winner} wins without running: it plays no part."
    return canvas.drawing(seen, alt=alt, means=means)


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
        canvas.note(x + half + 8, y + 4, f"×{tickets}")


def _track_sign(canvas: Canvas, name: object, note: str, *, width: float = 300.0) -> None:
    """The purple bar that names the track, and a remark at the right."""
    canvas.rect(0, 0, 5, 20, rx=2, fill="last")
    label = f"track {short(name)}"
    canvas.text(12, 15, label, font_weight=600)
    end = max(width, 12 + text_width(label) + 20 + text_width(note, SMALL))
    canvas.note(end, 15, note, anchor="end")


def row_of(dataset: Dataset, row: int) -> tuple[tuple[int, ...], int]:
    """Sequence and label of one row."""
    if not is_integer(row) or not 0 <= row < dataset.n:
        raise OptionError(f"row {row} is not in the dataset: it has rows 0…{dataset.n - 1}")
    return dataset.sequences[row], dataset.labels[row]


def sequence_words(dataset: Dataset, row: int) -> str:
    """One row in words: e1 e2 → e2."""
    sequence, label = row_of(dataset, row)
    names = [plain(dataset.names[t]) for t in (*sequence, label)]
    return f"{' '.join(names[:-1])} → {names[-1]}"


@picture
def sequences(
    dataset: Dataset,
    *,
    rows: Sequence[int] | None = None,
    upto: int | None = None,
    highlight: Collection[int] = (),
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The sequences as they come, one line each: tokens → label.

    Parameters
    ----------
    rows : sequence of int, optional
        Which rows to draw; by default all.
    upto : int, optional
        Only the first `upto` races have been run: the others are pale.
    highlight : collection of int
        Rows to set on a glow.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> sequences(FIG3, rows=[0, 1]).alt
    'Two sequences with their next tokens: e1 e2 e1 → e2; e3 e2 e1 → e3.'

    Explained in: chapter 2. Paper: Sec. 2.
    """
    chosen = list(range(dataset.n)) if rows is None else list(rows)
    canvas = Canvas()
    for line, row in enumerate(chosen[:MOST_LINES]):
        pale = upto is not None and row >= upto
        _line(canvas, dataset, row, ROW * line + 20, pale=pale, glow=row in highlight)
    if not chosen:
        canvas.text(0, 20, "no sequences", fill="muted")
    left_out = note_left_out(canvas, len(chosen) - MOST_LINES, "sequence")
    legend(canvas, LEGEND)
    seen = f"{counted(len(chosen), 'sequence')} with their next tokens: ".capitalize()
    seen += "; ".join(sequence_words(dataset, row) for row in chosen[:12])
    seen += "; and so on." if len(chosen) > 12 else "."
    return canvas.drawing(seen + left_out if chosen else "No sequences.", alt=alt, means=means)


@picture
def track(
    dataset: Dataset,
    last: int | str,
    *,
    upto: int | None = None,
    highlight: Collection[int] = (),
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """All races of one track: the sequences that end in the token `last`, repeats counted.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> track(FIG3, 0).alt
    'Track e1, 3 races: e1 e2 e1 → e2; e3 e2 e1 → e3; e3 e4 e1 → e4.'

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    last = token_id(last, dataset.K, dataset.names, what="last token")
    groups: dict[tuple[tuple[int, ...], int, bool], list[int]] = {}
    for row in range(dataset.n):
        if dataset.lasts[row] == last:
            waiting = upto is not None and row >= upto
            groups.setdefault((*row_of(dataset, row), waiting), []).append(row)
    run = sum(len(rows) for (_, _, waiting), rows in groups.items() if not waiting)
    canvas = Canvas()
    _track_sign(canvas, dataset.names[last], plural(run, "race") if run else "no race", width=230.0)
    everyone = len(groups)
    groups = dict(islice(groups.items(), MOST_LINES))
    for line, (key, rows) in enumerate(groups.items()):
        glow = any(row in highlight for row in rows)
        end = _line(canvas, dataset, rows[0], ROW * line + 48, pale=key[2], glow=glow)
        if len(rows) > 1:
            canvas.text(end + 8, ROW * line + 52, f"×{len(rows)}", fill="muted", font_weight=600)
    if not groups:
        canvas.text(12, 52, f"no sequence ends in {short(dataset.names[last])}", fill="muted")
    left_out = note_left_out(canvas, everyone - len(groups), "different race")
    shown = [
        sequence_words(dataset, rows[0]) + (f", {len(rows)} times" if len(rows) > 1 else "")
        for key, rows in groups.items()
        if not key[2]
    ]
    seen = f"Track {plain(dataset.names[last])}, {plural(run, 'race')}"
    seen += f": {'; '.join(shown)}." if shown else "."
    return canvas.drawing(seen + left_out, alt=alt, means=means, least_width=230)


@picture
def tracks(
    dataset: Dataset,
    *,
    lasts: Sequence[int | str] | None = None,
    upto: int | None = None,
    highlight: Collection[int] = (),
    means: str = "",
) -> Panels:
    """The whole data sorted into tracks by last token, side by side.

    Parameters
    ----------
    lasts : sequence of int or str, optional
        Which tracks to draw; by default those that occur, of many the 24 with the most races.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> tracks(FIG3)
    Panels(2 pictures in 2 columns)

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    busy = [last for last, _ in Counter(dataset.lasts.tolist()).most_common()]
    chosen = sorted(busy[:MOST_TRACKS]) if lasts is None else entries(lasts, "lasts")
    if len(chosen) > MOST_LINES:
        raise OptionError(f"lasts: {len(chosen)} tracks, at most {MOST_LINES} can be drawn")
    drawn = [track(dataset, last, upto=upto, highlight=highlight, means=means) for last in chosen]
    if lasts is None and len(busy) > MOST_TRACKS:
        canvas = Canvas()
        drawn.append(canvas.drawing(note_left_out(canvas, len(busy) - MOST_TRACKS, "track")))
    return Panels(drawn)


def note_left_out(canvas: Canvas, count: int, noun: str) -> str:
    """Say below a picture, and return for its alt text, how much is not drawn."""
    if count <= 0:
        return ""
    words = f"Left out: {count:,} more {noun}{'s' * (count > 1)}."
    canvas.note(0, 0 if canvas.left > canvas.right else canvas.bottom + 18, words)
    return f" {words}"


def _line(canvas: Canvas, dataset: Dataset, row: int, y: float, *, pale: bool, glow: bool) -> float:
    sequence, label = row_of(dataset, row)
    names = [dataset.names[t] for t in sequence]
    begin = len(canvas.lines)
    end = chips_in_a_row(canvas, 0, y, names, opaque=glow)
    canvas.path([(end + 8, y), (end + 24, y)], stroke="ink", stroke_width=1.5)
    canvas.arrow_head((end + 30, y), (end, y), fill="ink")
    half = chip_width(dataset.names[label]) / 2
    chip(canvas, end + 38 + half, y, dataset.names[label], winner=True, opaque=glow)
    end += 38 + 2 * half
    if pale:
        canvas.lines[begin:] = ['<g opacity=".3">', *canvas.lines[begin:], "</g>"]
    if glow:
        tall = CHIP_HEIGHT + 18
        canvas.cover((-6, y - tall / 2), (end + 6, y + tall / 2))
        glowing = Canvas()
        glowing.rect(-6, y - tall / 2, end + 14, tall, rx=9, fill="highlight", fill_opacity=0.45)
        canvas.lines[begin:begin] = glowing.lines
    return end
