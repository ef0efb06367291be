"""A slope graph: where each of many things starts, where it ends, and who overtakes whom."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from nta_book.errors import FigureError
from nta_book.viz import charts
from nta_book.viz.canvas import Canvas
from nta_book.viz.charts import Floats
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import short
from nta_book.viz.theme import ARROW, DATA, GRID, finite
from nta_book.viz.words import number, plain, plural, spoken

WIDTH, HEIGHT = 200.0, 290.0  # of the field of lines, in pixels: two graphs fit side by side
LINE = 16.0  # least distance of two names
LOWEST = 2.0  # of the middle of a name: below the rules the steps are written
MOST_LINES = 20  # so that the names at their ends fit
MOST_BEHIND, MOST_STEPS = 60, 9


@picture
def slopes(
    steps: ArrayLike,
    lines: Mapping[str, ArrayLike],
    *,
    x_title: str,
    y_title: str,
    behind: Mapping[str, ArrayLike] | None = None,
    behind_name: str = "the others",
    limits: tuple[float, float] | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """Lines across a few upright rules, one rule per step, each line named at its end.

    Parameters
    ----------
    steps : array of shape (t,), growing
        Where the rules stand.
    lines : mapping from name to array of shape (t,)
        What the graph is about.
    behind : mapping from name to array of shape (t,), optional
        What it is compared with: grey, behind the lines, named together by `behind_name`.
    limits : (float, float), optional
        What the height must hold at least, so that several graphs can be compared.

    Examples
    --------
    >>> slopes([0, 8], {"a9": [5, 9], "a10": [6, 14]}, behind={"c1": [6, 4]},
    ...        behind_name="common", x_title="step", y_title="attention").alt
    'Slope graph, attention up, step 0 to 8 across. a9 rises from 5 to 9. a10 rises from 6 to 14. \
Behind them in grey, common, 1 line: falls from 6 to 4.'

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 4.
    """
    rules = np.asarray(steps, dtype=np.float64)
    if rules.ndim != 1 or not 2 <= len(rules) <= MOST_STEPS or not (np.diff(rules) > 0).all():
        raise FigureError(f"a slope graph needs 2 to {MOST_STEPS} steps that grow")
    if not 0 < len(lines) <= MOST_LINES or len(behind or {}) > MOST_BEHIND:
        raise FigureError(
            f"a slope graph holds 1 to {MOST_LINES} lines, and at most {MOST_BEHIND} behind them"
        )
    front, back = _rows(lines, len(rules)), _rows(behind or {}, len(rules))
    heights = np.concatenate([front.ravel(), back.ravel(), np.array(limits or ())])
    low, high = float(heights.min()), float(heights.max())
    across = WIDTH * (rules - rules[0]) / (rules[-1] - rules[0])

    def up(values: ArrayLike) -> Floats:
        return -HEIGHT * (np.asarray(values) - low) / ((high - low) or 1.0)

    canvas = Canvas()
    for place in _round(low, high):
        canvas.note(-9.0, float(up(place)) + 4.6, number(place), anchor="end")
    for step, x in zip(rules, across, strict=True):
        canvas.path([(x, 0.0), (x, -HEIGHT)], stroke="line", stroke_width=GRID)
        canvas.note(x, 20.0, number(step), anchor="middle")
    for rows, role, width in ((back, "compare-2", ARROW), (front, "practice", DATA)):
        for row in up(rows):
            points = [(float(x), float(y)) for x, y in zip(across, row, strict=True)]
            canvas.path(points, stroke=role, stroke_width=width, stroke_linejoin="round")
    names = [(name, "ink", float(y)) for name, y in zip(lines, up(front[:, -1]), strict=True)]
    if len(back):
        names.append((behind_name, "muted", float(up(back[:, -1].mean()))))
    _write(canvas, names)
    canvas.note(WIDTH / 2, canvas.bottom + 16, spoken(x_title), anchor="middle")
    canvas.note(0.0, canvas.top - 10, spoken(y_title))
    told = " ".join(charts.course(name, row[None]) for name, row in zip(lines, front, strict=True))
    if len(back):
        mean = charts.way(back.mean(axis=0))
        several = "the mean " * (len(back) > 1)
        told += f" Behind them in grey, {plain(behind_name)}, {plural(len(back), 'line')}: "
        told += f"{several}{mean}."
    ends_of_time = f"{spoken(x_title)} {number(rules[0])} to {number(rules[-1])} across"
    return canvas.drawing(
        f"Slope graph, {spoken(y_title)} up, {ends_of_time}. {told}", alt=alt, means=means
    )


def _rows(lines: Mapping[str, ArrayLike], steps: int) -> Floats:
    """The lines as an array of shape (lines, steps)."""
    expected = f"one number per step, and there are {steps}"
    found = [finite(line, (steps,), plain(name), expected) for name, line in lines.items()]
    return np.array(found).reshape(len(found), steps)


def _round(low: float, high: float) -> Floats:
    """Three to six round numbers between two numbers; of equal ones, that number."""
    if high - low <= max(1e-12 * abs(low), 1e-12 * abs(high), 1e-300):
        return np.array([low])
    tenth = 10.0 ** np.floor(np.log10((high - low) / 2))
    step = next(s * tenth for s in (1, 2, 5, 10) if (high - low) / (s * tenth) < 6)
    places: Floats = step * np.arange(np.ceil(low / step - 1e-9), np.floor(high / step + 1e-9) + 1)
    return places


def _write(canvas: Canvas, names: list[tuple[str, str, float]]) -> None:
    """Write every name beside the end of its line; names that would touch are moved apart."""
    names = sorted(names, key=lambda entry: entry[2])
    ends = np.array([y for _, _, y in names])
    # pushed up from below the rules, where the steps are written
    lowest = LOWEST - LINE * np.arange(len(names))[::-1]
    places = np.minimum(charts.moved_apart(ends, LINE), lowest)
    for (name, role, y), place in zip(names, places.tolist(), strict=True):
        hair = [(WIDTH + 2, y), (WIDTH + 14, place)]
        canvas.path(hair, stroke="line", stroke_width=GRID)
        canvas.text(WIDTH + 18, place + 4.6, short(name), fill=role)
