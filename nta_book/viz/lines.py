"""What all charts of curves share: axes, lines, and the words about them.

Explained in: chapter 4.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.charts import light
from nta_book.viz.words import number, spoken, titled

Floats = NDArray[np.float64]
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")
HUES = ("practice", "winner", "league-2", "last", "league-3")
SYMBOLS = ("circle", "square", "triangle-up", "cross", "x")
MOST_POINTS = 160


def checked(values: ArrayLike, time: Floats, name: str) -> Floats:
    """One run or several as an array of shape (runs, t), or an error that names the quantity.

    Examples
    --------
    >>> checked([1, 2], np.array([0.0, 1.0]), "loss").shape
    (1, 2)

    Explained in: chapter 4.
    """
    array = np.atleast_2d(np.asarray(values, dtype=np.float64))
    if array.ndim != 2 or array.shape[1] != len(time) or not array.size:
        raise FigureError(
            f"{name} has shape {np.shape(values)}, expected ({len(time)},) or (runs, {len(time)})"
        )
    return array


def thinned(length: int) -> NDArray[np.int64]:
    """Indices of at most `MOST_POINTS` points, dense at the start, where a log axis shows most.

    Examples
    --------
    >>> thinned(3).tolist(), len(thinned(10_000)) <= MOST_POINTS
    ([0, 1, 2], True)

    Explained in: chapter 4.
    """
    if length <= MOST_POINTS:
        return np.arange(length)
    even = np.linspace(0, length - 1, MOST_POINTS // 2)
    early = np.geomspace(1, length, MOST_POINTS // 2) - 1
    return np.unique(np.concatenate([even, early]).astype(np.int64))


def line(x: Floats, y: Floats, hue: str, **look: Any) -> dict[str, Any]:
    """A trace of one line.

    Examples
    --------
    >>> line(np.zeros(2), np.ones(2), "#0072B2", dash="dot")["line"]
    {'color': '#0072B2', 'width': 2.6, 'dash': 'dot'}

    Explained in: chapter 4.
    """
    pen = {"color": hue, "width": look.pop("width", 2.6), "dash": look.pop("dash", "solid")}
    name = titled(look.pop("name", ""))
    base = {"type": "scatter", "mode": "lines", "x": light(x), "y": light(y)}
    return {**base, "name": name, "line": pen, **look}


def bundle(time: Floats, values: Floats, hue: str, **look: Any) -> list[dict[str, Any]]:
    """All runs thin and pale, their mean thick.

    Examples
    --------
    >>> len(bundle(np.zeros(2), np.ones((3, 2)), "#0072B2"))
    4

    Explained in: chapter 4.
    """
    keep = thinned(len(time))
    thin = [
        line(time[keep], run[keep], hue, width=1, opacity=0.45, hoverinfo="skip", **look)
        for run in (values if len(values) > 1 else [])
    ]
    return [*thin, line(time[keep], values.mean(axis=0)[keep], hue, **look)]


def axis(title: str, *, log: ArrayLike | None = None) -> dict[str, Any]:
    """An axis with its title; given the numbers it shows as `log`, a logarithmic one.

    Examples
    --------
    >>> axis("step", log=[1, 1000])["title"]["text"]
    'step (log scale)'

    Explained in: chapter 4.
    """
    if log is None:
        return {"title": {"text": titled(title)}}
    shown: dict[str, Any] = {"title": {"text": f"{titled(title)} (log scale)"}, "type": "log"}
    numbers = np.asarray(log, dtype=np.float64)
    numbers = numbers[numbers > 0]
    if not numbers.size:
        return shown
    if numbers.max() / numbers.min() > 30:
        return {**shown, "dtick": 1, "exponentformat": "power"}
    # By itself plotly would write 5 6 7 8 9 1 2 3, with every digit but the first left to guess.
    places = np.unique(numbers)
    return shown | ticks(places if len(places) <= 6 else round_numbers(places[0], places[-1]))


def ticks(places: ArrayLike) -> dict[str, Any]:
    """Marks of an axis at these places and no others; powers of ten from 1,000 on as powers.

    Examples
    --------
    >>> ticks([0.5, 200, 10_000])["ticktext"]
    ['0.5', '200', '10<sup>4</sup>']

    Explained in: chapter 4.
    """
    values = np.asarray(places, dtype=np.float64)
    powers = np.log10(np.where(values > 0, values, 1.0)).round(9)
    words = [
        f"10<sup>{power:.0f}</sup>" if power >= 3 and power == int(power) else f"{value:,g}"
        for value, power in zip(values, powers, strict=True)
    ]
    return {"tickmode": "array", "tickvals": values.tolist(), "ticktext": words, "dtick": None}


def round_numbers(low: float, high: float) -> Floats:
    """1, 2 and 5 times powers of ten between two positive numbers.

    Examples
    --------
    >>> round_numbers(0.3, 6).tolist()
    [0.5, 1.0, 2.0, 5.0]

    Explained in: chapter 4.
    """
    powers = np.arange(np.floor(np.log10(low)), np.ceil(np.log10(high)) + 1)
    steps = np.outer(10.0**powers, [1, 2, 5]).ravel()
    return steps[(steps >= low * 0.999) & (steps <= high * 1.001)]


def said(title: str, log: bool) -> str:
    """An axis title as read aloud.

    Examples
    --------
    >>> said("step", True)
    'step (log scale)'

    Explained in: chapter 4.
    """
    return spoken(title) + " (log scale)" * log


def course(name: str, values: Floats, limit: float | None) -> str:
    """Where a quantity goes, in words; of several runs the mean.

    Examples
    --------
    >>> course("loss", np.array([[1.0, 0.5]]), 0.0)
    'loss falls from 1 to 0.5; theory says 0.'

    Explained in: chapter 4.
    """
    several = f", mean of {len(values)} curves," if len(values) > 1 else ""
    words = f"{spoken(name)}{several} {way(values.mean(axis=0))}"
    return f"{words}; theory says {number(limit)}." if limit is not None else f"{words}."


def way(curve: Floats) -> str:
    """From where to where a curve goes.

    Examples
    --------
    >>> way(np.array([2.0, 2.0])), way(np.array([1.0, 3.0]))
    ('stays at 2', 'rises from 1 to 3')
    >>> way(np.array([1.0, 5.0, 2.0]))
    'rises from 1 to 2, with a peak of 5'

    Explained in: chapter 4.
    """
    first, last = number(curve[0]), number(curve[-1])
    low, high = float(curve.min()), float(curve.max())
    least = 0.05 * (high - low)  # a ripple is not worth a word
    turns = []
    if high > max(curve[0], curve[-1]) + least:
        turns.append(f"a peak of {number(high)}")
    if low < min(curve[0], curve[-1]) - least:
        turns.append(f"a low of {number(low)}")
    between = f", with {' and '.join(turns)}" if turns else ""
    if first == last:
        return f"starts and ends at {first}{between}" if turns else f"stays at {first}"
    return f"{'rises' if curve[-1] > curve[0] else 'falls'} from {first} to {last}{between}"
