"""Attention as bars: one group per sequence, theory as a diamond beside practice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import CHIP_HEIGHT, chip, chip_width, legend
from nta_book.viz.races import note_left_out, row_of, sequence_words
from nta_book.viz.theme import finite
from nta_book.viz.words import counted, plain

if TYPE_CHECKING:
    from nta_core.data import Dataset

MOST_GROUPS = 100  # sequences in one picture
TALL = 64.0
WIDEST = 316.0  # stands in half a page, and on a phone
BAR = 20.0


@dataclass(frozen=True)
class _Bar:
    name: str
    value: float
    theory: float | None
    wins: bool
    last: bool
    count: int


@picture
def attention_bars(
    dataset: Dataset,
    mass: ArrayLike,
    *,
    theory: ArrayLike | None = None,
    rows: Sequence[int] | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """How attention is shared on each sequence: a bar per token, the label's bar with a star.

    Parameters
    ----------
    mass : array of shape (n, K)
        Total attention on each token (summed over its positions), one row per sequence.
    theory : array of shape (n, K), optional
        What theory says; drawn as diamonds.
    rows : sequence of int, optional
        Which sequences to draw; by default all.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> uniform = FIG3.counts / FIG3.counts.sum(axis=1, keepdims=True)
    >>> attention_bars(FIG3, uniform, rows=[0, 1]).alt
    'Attention bars of two sequences. On e1 e2 e1 → e2: e1 67%, e2 33% (label). \
On e3 e2 e1 → e3: e3 33% (label), e2 33%, e1 33%.'

    Explained in: chapters 1, 4 and 6. Paper: Sec. 3.
    """
    shape = (dataset.n, dataset.K)
    expected = f"(n, K) = {shape}"
    shares = finite(mass, shape, "mass", expected)
    ticks = None if theory is None else finite(theory, shape, "theory", expected)
    chosen = list(range(dataset.n)) if rows is None else list(rows)
    canvas = Canvas()
    groups = [(row, _bars(dataset, row, shares, ticks)) for row in chosen[:MOST_GROUPS]]
    x, y = 0.0, 0.0
    repeats = any(bar.count > 1 for _, bars in groups for bar in bars)
    for row, bars in groups:
        width = sum(map(_pitch, bars))
        if x and x + width > WIDEST:
            x, y = 0.0, y + TALL + CHIP_HEIGHT + (80.0 if repeats else 62.0)
        if len(chosen) > 1:  # alone it would read as a mark of the dashed 100 % line
            canvas.note(x, y - TALL - 22, f"{row + 1}")
        _group(canvas, x, y, bars)
        x += width + 22.0
    entries = [("winner", "label"), ("practice", "attention"), ("last", "last token")]
    left_out = note_left_out(canvas, len(chosen) - MOST_GROUPS, "sequence")
    legend(canvas, entries + ([("theory", "theory")] if ticks is not None else []), width=300)
    seen = f"Attention bars of {counted(len(chosen), 'sequence', words=3)}. "
    told = []
    for row, bars in groups[:8]:
        each = [f"{plain(bar.name)} {bar.value:.0%}{' (label)' * bar.wins}" for bar in bars]
        told.append(f"On {sequence_words(dataset, row)}: {', '.join(each)}.")
    seen += " ".join(told)
    if ticks is not None:
        worst = max((abs(b.value - (b.theory or 0.0)) for _, bs in groups for b in bs), default=0.0)
        seen += f" Diamonds mark theory; the largest difference is {100 * worst:.0f} points."
    return canvas.drawing(seen + left_out, alt=alt, means=means)


def _bars(
    dataset: Dataset, row: int, shares: NDArray[np.float64], ticks: NDArray[np.float64] | None
) -> list[_Bar]:
    sequence, _ = row_of(dataset, row)
    return [
        _Bar(
            name=dataset.names[token],
            value=float(shares[row, token]),
            theory=None if ticks is None else float(ticks[row, token]),
            wins=token == dataset.labels[row],
            last=token == sequence[-1],
            count=sequence.count(token),
        )
        for token in dict.fromkeys(sequence)
    ]


def _pitch(bar: _Bar) -> float:
    return chip_width(bar.name) + 5.0


def _group(canvas: Canvas, x: float, y: float, bars: Sequence[_Bar]) -> None:
    start, end = x, x + sum(map(_pitch, bars))
    canvas.path([(x, y - TALL), (end, y - TALL)], stroke="line", stroke_dasharray="2 3")
    for bar in bars:
        middle = x + _pitch(bar) / 2
        high = TALL * min(1.0, max(0.0, bar.value))
        role = "winner" if bar.wins else "practice"
        canvas.rect(middle - BAR / 2, y - high, BAR, high, fill=role, fill_opacity=0.75)
        if bar.theory is not None:
            level = y - TALL * bar.theory
            canvas.path([(middle - 14, level), (middle + 14, level)], stroke="theory")
            canvas.diamond(middle + 14, level, 4)
        top = y - high
        crossed = bar.theory is not None and top - 22 < level < top + 2
        words = f"{100 * bar.value:.0f}"
        if not (crossed and words == "0"):  # theory's mark upon the line says it
            # above theory's mark, which would cross the number
            above = min(level, top) if crossed else top
            canvas.halo_text(middle, above - 5, words, anchor="middle")
        chip(canvas, middle, y + 7 + CHIP_HEIGHT / 2, bar.name, winner=bar.wins, last=bar.last)
        if bar.count > 1:
            canvas.note(middle, y + 7 + CHIP_HEIGHT + 18, f"×{bar.count}", anchor="middle")
        x += _pitch(bar)
    canvas.path([(start, y), (end, y)], stroke="ink", stroke_width=1)


@picture
def machine_vs_network(
    machine: Mapping[str, float],
    network: Mapping[str, float],
    *,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Next-token probabilities of the automaton (hatched) beside those of the network (solid).

    Parameters
    ----------
    machine, network : mapping from token name to probability
        The tokens are those of `machine`, in its order, then the rest of `network`.

    Examples
    --------
    >>> machine_vs_network({"a": 0.5, "b": 0.5}, {"a": 0.52, "b": 0.48}).alt
    'Next-token probabilities, automaton beside network: a 50% and 52%, b 50% and 48%. \
The largest difference is 2 points.'

    Explained in: chapter 8. Paper: Sec. 1 and 3.
    """
    names = list(dict.fromkeys([*machine, *network]))
    if not names:
        raise FigureError("no tokens to compare: both mappings are empty")
    canvas = Canvas()
    label = max(chip_width(name) for name in names)
    pairs = [(name, machine.get(name, 0.0), network.get(name, 0.0)) for name in names]
    for k, (name, theory, practice) in enumerate(pairs):
        y = 54.0 * k
        chip(canvas, label / 2, y, name)
        _strip(canvas, label + 12, y - 17, theory, hatched=True)
        _strip(canvas, label + 12, y + 2, practice, hatched=False)
    legend(canvas, [("automaton", "automaton"), ("practice", "network")])
    listed = ", ".join(f"{plain(n)} {a:.0%} and {b:.0%}" for n, a, b in pairs)
    worst = max(abs(a - b) for _, a, b in pairs)
    seen = f"Next-token probabilities, automaton beside network: {listed}. "
    seen += f"The largest difference is {100 * worst:.0f} points."
    return canvas.drawing(seen, alt=alt, means=means, least_width=300)


def _strip(canvas: Canvas, x: float, y: float, value: float, *, hatched: bool) -> None:
    width = 200.0 * min(1.0, max(0.0, value))
    if hatched:
        canvas.rect(x, y, width, 15, fill="none", stroke="theory", stroke_width=1.2)
        canvas.hatch(x, y, width, 15, "theory")
    else:
        canvas.rect(x, y, width, 15, fill="practice", fill_opacity=0.8)
    canvas.cover((x + 245, y))
    canvas.text(x + width + 6, y + 12, f"{value:.0%}", font_size=SMALL)
