"""Many races: the sequences as they come, and the whole data sorted into tracks.

Explained in: chapter 2.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from nta_book.viz.canvas import Canvas
from nta_book.viz.drawing import Drawing, Panels
from nta_book.viz.marks import CHIP_HEIGHT, chip, chip_width, chips_in_a_row, legend, short
from nta_book.viz.races import LEGEND, row_of, track_sign
from nta_book.viz.theme import described
from nta_book.viz.words import plain
from nta_core.errors import OptionError

if TYPE_CHECKING:
    from nta_core.data import Dataset

ROW = 46.0


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
    for line, row in enumerate(chosen):
        pale = upto is not None and row >= upto
        _line(canvas, dataset, row, ROW * line + 20, pale=pale, glow=row in highlight)
    if not chosen:
        canvas.text(0, 20, "no sequences", fill="muted")
    legend(canvas, LEGEND)
    seen = f"{_count(len(chosen), 'sequence')} with their next tokens: "
    seen += "; ".join(_words(dataset, row) for row in chosen[:12])
    seen += "; and so on." if len(chosen) > 12 else "."
    seen = seen if chosen else "No sequences."
    return canvas.drawing(described(seen, alt=alt, means=means))


def track(
    dataset: Dataset,
    last: int,
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
    if not 0 <= last < dataset.K:
        raise OptionError(f"last token {last} is not in the vocabulary 0…{dataset.K - 1}")
    groups: dict[tuple[tuple[int, ...], int, bool], list[int]] = {}
    for row in range(dataset.n):
        if dataset.lasts[row] == last:
            waiting = upto is not None and row >= upto
            groups.setdefault((*row_of(dataset, row), waiting), []).append(row)
    run = sum(len(rows) for (_, _, waiting), rows in groups.items() if not waiting)
    canvas = Canvas()
    track_sign(canvas, dataset.names[last], "no race" if not run else _races(run), width=230.0)
    for line, (key, rows) in enumerate(groups.items()):
        glow = any(row in highlight for row in rows)
        end = _line(canvas, dataset, rows[0], ROW * line + 48, pale=key[2], glow=glow)
        if len(rows) > 1:
            canvas.text(end + 8, ROW * line + 52, f"×{len(rows)}", fill="muted", font_weight=600)
    if not groups:
        canvas.text(12, 52, f"no sequence ends in {short(dataset.names[last])}", fill="muted")
    shown = [
        _words(dataset, rows[0]) + (f", {len(rows)} times" if len(rows) > 1 else "")
        for key, rows in groups.items()
        if not key[2]
    ]
    seen = f"Track {plain(dataset.names[last])}, {_races(run)}"
    seen += f": {'; '.join(shown)}." if shown else "."
    return canvas.drawing(described(seen, alt=alt, means=means), least_width=230)


def tracks(
    dataset: Dataset,
    *,
    lasts: Sequence[int] | None = None,
    upto: int | None = None,
    highlight: Collection[int] = (),
    means: str = "",
) -> Panels:
    """The whole data sorted into tracks by last token, side by side.

    Parameters
    ----------
    lasts : sequence of int, optional
        Which tracks to draw; by default those that occur.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> tracks(FIG3)
    Panels(2 pictures in 2 columns)

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    chosen = sorted(set(dataset.lasts.tolist())) if lasts is None else list(lasts)
    return Panels(
        [track(dataset, last, upto=upto, highlight=highlight, means=means) for last in chosen]
    )


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


def _words(dataset: Dataset, row: int) -> str:
    sequence, label = row_of(dataset, row)
    names = [plain(dataset.names[t]) for t in sequence]
    return f"{' '.join(names)} → {plain(dataset.names[label])}"


def _races(count: int) -> str:
    return f"{count} race" if count == 1 else f"{count} races"


def _count(count: int, noun: str) -> str:
    words = ("No", "One", "Two", "Three", "Four", "Five", "Six")
    number = words[count] if count < len(words) else str(count)
    return f"{number} {noun}{'' if count == 1 else 's'}"
