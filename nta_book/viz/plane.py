"""The plane of weights: every comparison is a wall, and the shortest W touches some of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Box, Canvas, Point, text_width
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import legend
from nta_book.viz.theme import ARROW, DATA, EMPHASIS, GRID
from nta_book.viz.words import counted, listing, number, plural, valued

Floats = NDArray[np.float64]
Segment = tuple[Point, Point]
MOST_WALLS = 40
SIDE = 105.0  # half the side of the plane picture
PITCH = 9.0  # between the lines of the hatching
TOOTH, GAP = 7.0, 10.0  # of a comb: how long its teeth are and how far apart
FAR = 1e6  # windows: a point that keeps every comparison is looked for so far out


@picture
def cone(
    normals: ArrayLike,
    *,
    labels: Sequence[str],
    solution: ArrayLike | None = None,
    point: ArrayLike | None = None,
    deciding: Collection[int] = (),
    reach: float = 3.0,
    middle: tuple[float, float] = (0.0, 0.0),
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """All W in a plane that keep every comparison: each is a wall, and the shortest W touches some.

    Where no point keeps them all, each wall has a comb on the side that it allows.

    Parameters
    ----------
    normals : array of shape (m, 2)
        Row c says that comparison c has margin ``normals[c] @ w``, which must be at least 1.
    labels : sequence of m str
        What each comparison says, for example "e4 > e3"; written where its wall leaves the window.
    solution : array of shape (2,), optional
        The shortest feasible w.
    point : array of shape (2,), optional
        Another w to look at, with its margins.
    deciding : collection of int
        Comparisons whose wall holds the solution: they glow.
    reach : float
        Half side of the window.
    middle : pair of float
        The w at its centre.

    Examples
    --------
    >>> cone([[1, 0], [0, 1]], labels=["a > b", "a > c"], solution=[1, 1], deciding=[0, 1]).alt
    'A plane of weights with 2 walls, margin 1 each: a > b and a > c. The tinted region keeps \
them all. The shortest weights in it have length 1.41 and touch the walls of a > b and a > c.'

    Explained in: chapter 5. Paper: Sec. 2.2.
    """
    walls = _checked(normals, labels, reach, solution=solution, point=point)
    canvas, window = Canvas(), Window(np.array(middle), reach)
    region = _clip(walls, window)
    hatching = _hatching(walls, window)
    canvas.element("path", d=hatching, stroke="line", stroke_width=GRID, fill="none")
    if len(region) > 2:
        corners = [window.place(p) for p in region]
        canvas.path(corners, closed=True, fill="paper")
        canvas.path(corners, closed=True, fill="practice", fill_opacity=0.16)
    canvas.rect(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE, fill="none", stroke="line")
    lines = {k: line for k, wall in enumerate(walls) if (line := _wall(wall, window))}
    nowhere = not _clip(walls, Window(np.zeros(2), FAR * reach))
    if nowhere:
        for k, line in lines.items():
            _comb(canvas, line, walls[k])
    for k in sorted(lines, key=lambda k: k in deciding):
        if k in deciding:
            canvas.path(lines[k], stroke="highlight", stroke_width=9, stroke_opacity=0.9)
        role, width = ("on-highlight", DATA) if k in deciding else ("muted", ARROW)
        canvas.path(lines[k], stroke=role, stroke_width=width)
    if nowhere:
        said = ["no point is", "on all", counted(len(walls), "good side")]
        for row, words in enumerate(said):
            canvas.halo_text(0, 17 * row - 13, words, anchor="middle", font_weight=600)
    elif window.holds((0.0, 0.0)):
        x, y = window.place((0.0, 0.0))
        canvas.circle(x, y, 3, fill="ink")
        canvas.halo_text(x, y + 18, "W = 0", anchor="middle")
    _vectors(canvas, window, solution=solution, point=point)
    _wall_names(canvas, lines, labels, deciding)
    if deciding:
        legend(canvas, [("highlight", "wall that decides")])
    seen = _cone_words(walls, labels, bool(len(region) > 2), solution, deciding)
    if point is not None:
        each = walls @ np.asarray(point, dtype=np.float64)
        seen += f" The chosen W has margins {valued(labels, each)}."
    return canvas.drawing(seen, alt=alt, means=means, least_width=316)


def _checked(
    normals: ArrayLike, labels: Sequence[str], reach: float, **vectors: ArrayLike | None
) -> Floats:
    """The walls as an array of shape (m, 2), or an error that names what does not fit."""
    walls = np.asarray(normals, dtype=np.float64)
    if walls.size and (walls.ndim != 2 or walls.shape[1] != 2):
        raise FigureError(f"normals need shape (m, 2), got {walls.shape}")
    walls = walls.reshape(-1, 2)
    if not reach > 0:
        raise FigureError(f"reach={reach}: half the side of the window is a positive number")
    for name, vector in vectors.items():
        if vector is not None and np.shape(vector) != (2,):
            raise FigureError(f"{name} needs shape (2,), got {np.shape(vector)}")
    if len(walls) > MOST_WALLS:
        raise FigureError(f"{len(walls)} walls: at most {MOST_WALLS} can be told apart")
    if len(labels) != len(walls):
        raise FigureError(f"{len(walls)} comparisons but {len(labels)} labels")
    return walls


# ---- geometry ------------------------------------------------------------------------------------


class Window(NamedTuple):
    """The square of weights that is drawn."""

    middle: Floats
    reach: float  # half its side

    def place(self, w: ArrayLike) -> Point:
        """Where weights stand on paper; those outside stand on the rim."""
        x, y = np.clip((np.asarray(w, dtype=np.float64) - self.middle) / self.reach, -1, 1) * SIDE
        return float(x), float(-y)

    def holds(self, w: ArrayLike) -> bool:
        """Whether weights lie inside."""
        away = np.abs(np.asarray(w, dtype=np.float64) - self.middle).max()
        return bool(away <= self.reach)


def _clip(walls: Floats, window: Window) -> list[Floats]:
    """The window cut by every half plane normal·w ≥ 1 (Sutherland and Hodgman)."""
    corners = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    region = [window.middle + window.reach * np.array(corner) for corner in corners]
    for normal in walls:
        kept: list[Floats] = []
        for a, b in zip(region, region[1:] + region[:1], strict=True):
            inside_a, inside_b = float(normal @ a) - 1, float(normal @ b) - 1
            if inside_a >= 0:
                kept.append(a)
            if (inside_a < 0) != (inside_b < 0):
                kept.append(a + (b - a) * inside_a / (inside_a - inside_b))
        region = kept
    return region


def _within(
    start: Floats, along: Floats, normals: Floats, least: Floats
) -> tuple[float, float] | None:
    """The part of start + t·along with normals·w ≥ least, as an interval of t."""
    low, high = -math.inf, math.inf
    for rise, room in zip(normals @ along, normals @ start - least, strict=True):
        if abs(rise) < 1e-12:
            if room < 0:
                return None
        elif rise > 0:
            low = max(low, -room / rise)
        else:
            high = min(high, -room / rise)
    return (low, high) if low < high else None


def _inside(start: Floats, along: Floats, window: Window) -> tuple[float, float] | None:
    """The part of a line inside the window."""
    sides = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    return _within(start - window.middle, along, sides, np.full(4, -window.reach))


def _wall(normal: Floats, window: Window) -> Segment | None:
    """Both ends, on paper, of the line normal·w = 1 inside the window."""
    size = float(normal @ normal)
    if size == 0:
        return None
    start, along = normal / size, np.array([-normal[1], normal[0]]) / math.sqrt(size)
    inside = _inside(start, along, window)
    if inside is None:
        return None
    return window.place(start + inside[0] * along), window.place(start + inside[1] * along)


def _hatching(walls: Floats, window: Window) -> str:
    """Rising lines through all of the window that some comparison forbids, as an SVG path."""
    along = np.array([1.0, 1.0]) / math.sqrt(2)
    across = np.array([-1.0, 1.0]) / math.sqrt(2)
    steps = np.arange(-math.sqrt(2) * SIDE + PITCH / 2, math.sqrt(2) * SIDE, PITCH)
    strokes = []
    for step in steps:
        start = window.middle + step / SIDE * window.reach * across
        if (shown := _inside(start, along, window)) is None:
            continue
        free = _within(start, along, walls, np.ones(len(walls)))
        for low, high in _outside(shown, free):
            ends = [window.place(start + t * along) for t in (low, high)]
            strokes.append("M{:.0f},{:.0f}L{:.0f},{:.0f}".format(*ends[0], *ends[1]))
    return "".join(strokes)


def _outside(
    shown: tuple[float, float], free: tuple[float, float] | None
) -> Iterator[tuple[float, float]]:
    """What is left of an interval without another."""
    if free is None or free[1] <= shown[0] or free[0] >= shown[1]:
        yield shown
        return
    if free[0] > shown[0]:
        yield shown[0], free[0]
    if free[1] < shown[1]:
        yield free[1], shown[1]


# ---- marks ---------------------------------------------------------------------------------------


def _comb(canvas: Canvas, line: Segment, normal: Floats) -> None:
    """Teeth along a wall, on the side that it allows."""
    start, end = np.array(line[0]), np.array(line[1])
    length = float(np.linalg.norm(end - start))
    toward = TOOTH * np.array([normal[0], -normal[1]]) / np.linalg.norm(normal)
    teeth = []
    for at in np.arange(GAP / 2, length, GAP):
        x, y = start + (end - start) * at / length
        teeth.append(f"M{x:.1f},{y:.1f}l{toward[0]:.1f},{toward[1]:.1f}")
    canvas.element("path", d="".join(teeth), stroke="muted", stroke_width=ARROW, fill="none")


def _wall_names(
    canvas: Canvas, lines: Mapping[int, Segment], labels: Sequence[str], deciding: Collection[int]
) -> None:
    """Write each wall's name outside the window, at the end where it needs the least moving."""
    taken: list[Box] = []
    for k, line in lines.items():
        width = text_width(labels[k], SMALL)
        options = [spot for end in line for spot in _spots(end, width)]
        free = [spot for spot in options if not any(_overlap(spot[1], box) for box in taken)]
        _, box = min(free or options, key=lambda spot: spot[0])
        taken.append(box)
        weight = 600 if k in deciding else None
        middle = {"anchor": "middle", "font_size": SMALL, "font_weight": weight}
        canvas.text(box.x, box.y + SMALL / 3, labels[k], **middle)


def _spots(end: Point, width: float) -> Iterator[tuple[float, Box]]:
    """Places for a name near the end of a wall, each with how far it is moved along the rim."""
    x, y = end
    upright = abs(x) >= abs(y)  # it leaves through the left or the right rim
    step = (SMALL + 3) / 2 if upright else width / 4
    for k in range(-12, 13):
        if upright:
            box = Box(math.copysign(SIDE + 5 + width / 2, x), y + k * step, width, SMALL + 2)
        else:
            box = Box(x + k * step, math.copysign(SIDE + SMALL, y), width + 8, SMALL + 2)
        # above and below there is more room: a drawing should stay as narrow as a phone
        yield abs(k) * step + (6 if upright else 0), box


def _overlap(one: Box, other: Box) -> bool:
    return (
        abs(one.x - other.x) < (one.width + other.width) / 2
        and abs(one.y - other.y) < (one.height + other.height) / 2
    )


def _vectors(
    canvas: Canvas, window: Window, *, solution: ArrayLike | None, point: ArrayLike | None
) -> None:
    """The shortest W, and the chosen one unless it is the same."""
    origin = window.place((0.0, 0.0))
    best = None if solution is None else window.place(solution)
    chosen = None if point is None else window.place(point)
    if chosen is not None and (best is None or math.dist(best, chosen) > 1):
        right = chosen[0] >= (best or chosen)[0]
        _vector(canvas, (origin, chosen), "W", "practice", DATA, right=right)
    if best is not None:
        right = best[0] < origin[0] if chosen is None else chosen[0] < best[0]
        _vector(canvas, (origin, best), "shortest W", "theory", EMPHASIS, right=right)


def _vector(
    canvas: Canvas, shaft: Segment, name: str, role: str, width: float, *, right: bool
) -> None:
    origin, tip = np.array(shaft[0]), np.array(shaft[1])
    length = float(np.linalg.norm(tip - origin)) or 1.0
    neck = origin + (tip - origin) * max(0.0, 1 - 9 / length)  # the line ends inside its head
    canvas.path([shaft[0], (float(neck[0]), float(neck[1]))], stroke=role, stroke_width=width)
    canvas.arrow_head(shaft[1], shaft[0], 7 + 2 * width, fill=role)
    x, y = shaft[1][0] + (9 if right else -9), shaft[1][1] + (12 if tip[1] < 24 - SIDE else 2)
    canvas.halo_text(x, y, name, anchor="start" if right else "end", font_weight=600)


def _cone_words(
    walls: Floats,
    labels: Sequence[str],
    feasible: bool,
    solution: ArrayLike | None,
    deciding: Collection[int],
) -> str:
    seen = f"A plane of weights with {plural(len(walls), 'wall')}, margin 1 each: "
    seen += f"{listing(labels)}. "
    seen += "The tinted region keeps them all." if feasible else "No weights here keep them all."
    if solution is not None:
        length = number(float(np.linalg.norm(np.asarray(solution, dtype=np.float64))))
        seen += f" The shortest weights in it have length {length}"
        touched = [labels[k] for k in sorted(deciding)]
        seen += f" and touch the walls of {listing(touched)}." if touched else "."
    return seen
