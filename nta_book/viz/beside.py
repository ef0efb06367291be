"""Where a few words beside an arrow hide nothing: off chips, rims, other arrows and other words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from nta_book.viz.canvas import SMALL, Box, Point, text_width

HEIGHT = 12.0  # of a line of small figures
ALONG = (0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74)  # the middle of the arrow is the best place
AWAY = (0.0, 5.0, 10.0, 15.0, 20.0)


def place_beside(
    way: Sequence[Point],
    outward: int,
    label: str,
    *,
    solid: Sequence[Box],
    rims: Sequence[Box],
    ways: Sequence[Sequence[Point]],
) -> Box:
    """A free place for a label beside its arrow.

    Parameters
    ----------
    way : sequence of points
        The arrow itself.
    outward : 1 or -1
        The side to which it bulges, 1 for the left of its direction: the better one for words.
    solid : sequence of Box
        What words may not touch: chips, badges and other words.
    rims : sequence of Box
        Frames, whose border words may not touch.
    ways : sequence of sequences of points
        The other arrows, which words should not touch nor seem to belong to.
    """
    points = [Box(*point, 0, 0) for other in ways for point in other]

    def cost(candidate: tuple[float, Box]) -> float:
        effort, box = candidate
        hits = sum(_apart(box, other) < 1 for other in solid)
        hits += sum(_on_rim(box, frame) for frame in rims)
        gaps = [_apart(box, point) for point in points]
        crossed, near = sum(gap < 2 for gap in gaps), sum(gap < 10 for gap in gaps)
        return 100 * hits + 4 * crossed + 0.2 * near + effort

    return min(_candidates(way, outward, label), key=cost)[1]


def _candidates(way: Sequence[Point], outward: int, label: str) -> Iterator[tuple[float, Box]]:
    """Places beside an arrow with the effort to read them there."""
    half = text_width(label, SMALL) / 2
    for t in ALONG:
        k = round(t * (len(way) - 1))
        (x0, y0), (x1, y1) = way[max(k - 1, 0)], way[min(k + 1, len(way) - 1)]
        length = math.hypot(x1 - x0, y1 - y0) or 1.0
        for side in (outward, -outward):
            right, down = side * (y1 - y0) / length, side * (x0 - x1) / length
            # so far that the words clear the arrow, whichever way they stand to it
            least = 5 + abs(right) * half + abs(down) * HEIGHT / 2
            for more in AWAY:
                x, y = way[k][0] + (least + more) * right, way[k][1] + (least + more) * down
                effort = 4 * abs(t - 0.5) + 0.08 * more + 0.5 * (side != outward)
                yield effort, Box(x, y, 2 * half, HEIGHT)


def _apart(one: Box, other: Box) -> float:
    """The gap between two boxes; negative where they overlap."""
    return max(
        abs(one.x - other.x) - (one.width + other.width) / 2,
        abs(one.y - other.y) - (one.height + other.height) / 2,
    )


def _on_rim(box: Box, frame: Box) -> bool:
    """Whether a box touches the border of a frame, from within or without."""
    within = (
        abs(box.x - frame.x) + box.width / 2 < frame.width / 2 - 1
        and abs(box.y - frame.y) + box.height / 2 < frame.height / 2 - 1
    )
    return not within and _apart(box, frame) < 2
