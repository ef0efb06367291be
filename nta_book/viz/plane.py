"""The plane of weights: every comparison is a wall, and the shortest W touches some of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import Canvas, Point
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import legend
from nta_book.viz.words import listing, number, plural, valued

Floats = NDArray[np.float64]
MOST_WALLS = 40
SIDE = 150.0  # half the side of the plane picture


@picture
def cone(
    normals: ArrayLike,
    *,
    labels: Sequence[str],
    solution: ArrayLike | None = None,
    point: ArrayLike | None = None,
    deciding: Collection[int] = (),
    reach: float = 3.0,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """All W in a plane that keep every comparison: each is a wall, and the shortest W touches some.

    Parameters
    ----------
    normals : array of shape (m, 2)
        Row c says that comparison c has margin ``normals[c] @ w``, which must be at least 1.
    labels : sequence of m str
        What each comparison says, for example "e4 > e3".
    solution : array of shape (2,), optional
        The shortest feasible w.
    point : array of shape (2,), optional
        Another w to look at, with its margins.
    deciding : collection of int
        Comparisons whose wall holds the solution: they glow.
    reach : float
        Half side of the window.

    Examples
    --------
    >>> cone([[1, 0], [0, 1]], labels=["a > b", "a > c"], solution=[1, 1], deciding=[0, 1]).alt
    'A plane of weights with 2 walls, margin 1 each: a > b and a > c. The shaded region keeps \
them all. The shortest weights in it have length 1.41 and touch the walls of a > b and a > c.'

    Explained in: chapter 5. Paper: Sec. 2.2.
    """
    walls = np.asarray(normals, dtype=np.float64)
    if walls.size and (walls.ndim != 2 or walls.shape[1] != 2):
        raise FigureError(f"normals need shape (m, 2), got {walls.shape}")
    walls = walls.reshape(-1, 2)
    if not reach > 0:
        raise FigureError(f"reach={reach}: half the side of the window is a positive number")
    for name, vector in (("solution", solution), ("point", point)):
        if vector is not None and np.shape(vector) != (2,):
            raise FigureError(f"{name} needs shape (2,), got {np.shape(vector)}")
    if len(walls) > MOST_WALLS:
        raise FigureError(f"{len(walls)} walls: at most {MOST_WALLS} can be told apart")
    if len(labels) != len(walls):
        raise FigureError(f"{len(walls)} comparisons but {len(labels)} labels")
    canvas = Canvas()
    canvas.rect(-SIDE, -SIDE, 2 * SIDE, 2 * SIDE, fill="none", stroke="line", rx=4)
    region = _clip(walls, reach)
    if len(region) > 2:
        canvas.path(
            [_place(p, reach) for p in region], closed=True, fill="league-2", fill_opacity=0.16
        )
    canvas.path([(-SIDE, 0), (SIDE, 0)], stroke="line")
    canvas.path([(0, -SIDE), (0, SIDE)], stroke="line")
    shown = {k: line for k, wall in enumerate(walls) if len(line := _wall(wall, reach))}
    for index in sorted(shown, key=lambda k: k in deciding):
        ends = [(float(x), float(y)) for x, y in shown[index][[0, -1]]]
        decides = index in deciding
        if decides:
            canvas.path(ends, stroke="highlight", stroke_width=9, stroke_opacity=0.9)
        role, width, dash = ("on-highlight", 2.0, None) if decides else ("muted", 1.3, "6 3")
        canvas.path(ends, stroke=role, stroke_width=width, stroke_dasharray=dash)
    entries = [("highlight", "wall that decides")] if deciding else []
    taken = [np.zeros(2)]
    for name, vector, role in (("W", point, "practice"), ("shortest W", solution, "winner")):
        if vector is not None:
            w = np.asarray(vector, dtype=np.float64)
            _vector(canvas, _place(w, reach), name, role)
            taken += [np.array(_place(w * along, reach)) for along in (0.5, 1.0)]
    _wall_names(canvas, shown, labels, taken)
    legend(canvas, [("region", "all margins ≥ 1"), ("wall", "margin = 1"), *entries], width=300)
    seen = _cone_words(walls, labels, bool(len(region) > 2), solution, deciding)
    if point is not None:
        each = walls @ np.asarray(point, dtype=np.float64)
        seen += f" The chosen W has margins {valued(labels, each)}."
    return canvas.drawing(seen, alt=alt, means=means, least_width=320)


def _place(w: ArrayLike, reach: float) -> Point:
    x, y = np.clip(np.asarray(w, dtype=np.float64) / reach, -1, 1) * SIDE
    return float(x), float(-y)


def _clip(walls: Floats, reach: float) -> list[Floats]:
    """The window cut by every half plane normal·w ≥ 1 (Sutherland and Hodgman)."""
    corners = [(-reach, -reach), (reach, -reach), (reach, reach), (-reach, reach)]
    region = [np.array(corner) for corner in corners]
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


def _wall(normal: Floats, reach: float) -> Floats:
    """Points of the line normal·w = 1 inside the window, on paper, shape (points, 2)."""
    size = float(normal @ normal)
    if size == 0:
        return np.empty((0, 2))
    along = np.array([-normal[1], normal[0]]) / math.sqrt(size)
    line = normal / size + np.linspace(-3 * reach, 3 * reach, 601)[:, None] * along
    inside = line[(np.abs(line) <= reach).all(axis=1)]
    return np.asarray(inside / reach * SIDE * np.array([1.0, -1.0]))


def _wall_names(
    canvas: Canvas, shown: Mapping[int, Floats], labels: Sequence[str], taken: list[Floats]
) -> None:
    """Write each wall's name where it stays farthest from other names and from taken places."""
    for index, line in shown.items():
        inside = line[np.abs(line).max(axis=1) < SIDE - 24]
        options = (inside if len(inside) else line)[::6]
        others = [shown[k][::6] for k in shown if k != index]

        def room(spot: Floats, others: list[Floats] = others) -> float:
            names = min(float(np.abs((spot - q) * [0.5, 1.0]).sum()) for q in taken)
            walls = [float(np.abs(spot - q).sum(axis=1).min()) for q in others]
            return min([names, *(2.5 * distance for distance in walls)])

        spot = max(options, key=room)
        taken.append(spot)
        canvas.halo_text(float(spot[0]), float(spot[1]), labels[index], anchor="middle")


def _vector(canvas: Canvas, tip: Point, name: str, role: str) -> None:
    x, y = tip
    dash = "7 4" if role == "practice" else None
    canvas.path([(0, 0), tip], stroke=role, stroke_width=2.6, stroke_dasharray=dash)
    canvas.arrow_head(tip, (0, 0), 11, fill=role)
    anchor = "end" if x > 0.4 * SIDE else "start" if x < -0.4 * SIDE else "middle"
    below = y - 12 if y > 24 - SIDE else y + 22
    canvas.halo_text(x, below, name, anchor=anchor, font_weight=600)


def _cone_words(
    walls: Floats,
    labels: Sequence[str],
    feasible: bool,
    solution: ArrayLike | None,
    deciding: Collection[int],
) -> str:
    seen = f"A plane of weights with {plural(len(walls), 'wall')}, margin 1 each: "
    seen += f"{listing(labels)}. "
    seen += "The shaded region keeps them all." if feasible else "No weights here keep them all."
    if solution is not None:
        length = number(float(np.linalg.norm(np.asarray(solution, dtype=np.float64))))
        seen += f" The shortest weights in it have length {length}"
        touched = [labels[k] for k in sorted(deciding)]
        seen += f" and touch the walls of {listing(touched)}." if touched else "."
    return seen
