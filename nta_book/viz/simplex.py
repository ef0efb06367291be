"""The output of one layer: a point between the embeddings of its context."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_book.errors import FigureError
from nta_book.viz.canvas import SMALL, Canvas
from nta_book.viz.drawing import Drawing
from nta_book.viz.given import picture
from nta_book.viz.marks import chip
from nta_book.viz.theme import ARROW, DATA
from nta_book.viz.words import listing, plain
from nta_core.boundary import whole

Floats = NDArray[np.float64]
RADIUS = 110.0
MOST_CORNERS = 24


@picture
def triangle(
    names: Sequence[str],
    weights: ArrayLike,
    *,
    trail: ArrayLike | None = None,
    winner: int | None = None,
    last: int | None = None,
    aim: ArrayLike | None = None,
    alt: str | None = None,
    means: str = "",
) -> Drawing:
    """The output of the layer as a point between the embeddings of its context.

    Parameters
    ----------
    names : sequence of str
        The distinct tokens of the context, one corner each (two make a line, four a square).
    weights : array of shape (m,)
        Attention on each: the weights of the convex combination.
    trail : array of shape (steps, m), optional
        Where the point came from.
    winner, last : int, optional
        Corners to mark as the label and as the last token.
    aim : array of shape (m,), optional
        Scores of the corners: an arrow from the centre shows where they pull the output.

    Examples
    --------
    >>> triangle(["a", "b", "c"], [0.1, 0.8, 0.1]).alt
    'A triangle with corners a, b and c. The output stands near b: a 10%, b 80%, c 10%.'

    Explained in: chapter 1. Paper: Sec. 2.
    """
    shares = np.asarray(weights, dtype=np.float64)
    pull = np.zeros(len(names)) if aim is None else np.asarray(aim, dtype=np.float64)
    if pull.shape != (len(names),):
        raise FigureError(f"one score per corner: {len(names)} names, aim {pull.shape}")
    if shares.shape != (len(names),) or not len(names):
        raise FigureError(f"one weight per corner: {len(names)} names, weights {shares.shape}")
    for corner in (winner, last):
        if corner is not None:
            whole(corner, "a corner", most=len(names) - 1)
    if trail is not None and (np.ndim(trail) != 2 or np.shape(trail)[1] != len(names)):
        raise FigureError(f"trail needs shape (steps, {len(names)}), got {np.shape(trail)}")
    if len(names) > MOST_CORNERS:
        raise FigureError(f"{len(names)} corners: at most {MOST_CORNERS} can be told apart")
    corners = _corners(len(names))
    canvas = Canvas()
    outline = [tuple(corner) for corner in corners.tolist()]
    canvas.path(
        outline, closed=True, fill="practice", fill_opacity=0.08, stroke="muted", stroke_width=ARROW
    )
    centre = corners.mean(axis=0)
    canvas.circle(float(centre[0]), float(centre[1]), 3, fill="muted")
    direction = (pull - pull.mean()) @ corners
    if np.hypot(*direction) >= 1e-9:  # an arrow of fixed length; none when nothing pulls
        tip = centre + 0.42 * RADIUS * direction / np.hypot(*direction)
        start, end = tuple(centre.tolist()), tuple(tip.tolist())
        canvas.path([start, end], stroke="ink", stroke_width=ARROW)
        canvas.arrow_head(end, start, fill="ink")
    if trail is not None:
        path = [(float(x), float(y)) for x, y in np.asarray(trail, dtype=np.float64) @ corners]
        look = {"stroke_width": DATA, "stroke_opacity": 0.55, "stroke_linejoin": "round"}
        canvas.path(path, stroke="practice", **look)
        if path:
            canvas.circle(*path[0], 4, fill="paper", stroke="practice", stroke_width=2)
    x, y = (shares @ corners).tolist()
    canvas.circle(x, y, 8, fill="practice", stroke="paper", stroke_width=2)
    canvas.circle(x, y, 2, fill="paper")
    for k, (corner, name) in enumerate(zip(corners, names, strict=True)):
        offset = corner - centre
        length = float(np.hypot(*offset)) or 1.0
        x, y = (centre + offset * (length + 26) / length).tolist()
        y += 26.0 if not offset.any() else 0.0
        chip(canvas, x, y, name, winner=k == winner, last=k == last)
        below = y + (36 if k == last else 29) if y > centre[1] - 1 else y - 20
        canvas.text(x, below, f"{shares[k]:.0%}", anchor="middle", font_size=SMALL)
    seen = _seen(names, shares, last, pull)
    return canvas.drawing(seen, alt=alt, means=means, least_width=320)


def _seen(names: Sequence[str], shares: Floats, last: int | None, pull: Floats) -> str:
    shape = {1: "point", 2: "line", 3: "triangle", 4: "square"}.get(len(names), "polygon")
    listed = ", ".join(f"{plain(n)} {s:.0%}" for n, s in zip(names, shares.tolist(), strict=True))
    seen = f"A {shape} with corner{'s' * (len(names) > 1)} {listing(names)}. "
    seen += f"The output stands {_where(names, shares)}: {listed}."
    seen += f" The last token is {plain(names[last])}." if last is not None else ""
    if pull.any():
        best = np.flatnonzero(np.isclose(pull, pull.max())).tolist()
        seen += f" Scores pull it towards {listing(names[k] for k in best)}."
    return seen


def _corners(count: int) -> Floats:
    turn = -math.pi / 2 - (math.pi / 4 if count == 4 else math.pi / 2 if count == 2 else 0.0)
    angles = turn + 2 * math.pi * np.arange(count) / count
    radius = 0.0 if count == 1 else RADIUS
    return radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _where(names: Sequence[str], shares: Floats) -> str:
    top = [names[k] for k in np.flatnonzero(shares > shares.max() - 0.02).tolist()]
    if len(top) == len(names):
        return "at the centre" if len(names) > 1 else "there"
    if shares.max() * len(top) < 0.7:
        return f"nearest to {listing(top)}, not far from the centre"
    return f"{'near' if len(top) == 1 else 'between'} {listing(top)}"
