"""The plane of weights: where names stand, what is hatched, and the comb of walls that quarrel."""

import itertools
import re
from xml.etree import ElementTree

import numpy as np
import pytest

from nta_book import viz
from nta_book.viz.canvas import SMALL, text_width
from nta_book.viz.plane import SIDE

CHAIN = np.sqrt([[1.5, 0.5], [1.5, 0.5], [0.0, 2.0]]) * [[1, 1], [-1, 1], [1, 1]]
CROSS = np.array([[1, -1], [1, 1], [-1, -1], [-1, 1]])  # four walls around W = 0
NAMES = ["e1 > e2", "e1 > e4", "e3 > e2", "e3 > e4"]


def words(drawing: viz.Drawing) -> dict[str, tuple[float, float]]:
    root = ElementTree.fromstring(drawing.svg)
    texts = [element for element in root.iter() if element.tag.endswith("text")]
    return {str(e.text): (float(e.get("x", 0)), float(e.get("y", 0))) for e in texts}


def strokes(drawing: viz.Drawing, path: str) -> list[tuple[float, ...]]:
    """Numbers of every stroke of the paths whose first command has this form."""
    return [
        tuple(map(float, found))
        for d in re.findall(r'd="([^"]+)"', drawing.svg)
        for found in re.findall(path, d)
    ]


HATCH = r"M([-\d.]+),([-\d.]+)L([-\d.]+),([-\d.]+)"
TOOTH = r"M([-\d.]+),([-\d.]+)l([-\d.]+),([-\d.]+)"


def weights(x: float, y: float, reach: float) -> np.ndarray:
    return np.array([x, -y]) / SIDE * reach


@pytest.mark.parametrize("seed", range(12))
def test_names_stand_outside_the_window_and_do_not_touch(seed: int) -> None:
    walls = np.random.default_rng(seed).normal(size=(6, 2))
    labels = [f"e{k} > e{k + 1}" for k in range(6)]
    places = words(viz.cone(walls, labels=labels, reach=3))
    seen = [places[label] for label in labels if label in places]
    width = text_width(labels[0], SMALL)
    for x, y in seen:
        assert abs(x) >= SIDE + width / 2 or abs(y) > SIDE
    for (a, b), (c, d) in itertools.combinations(seen, 2):
        assert abs(a - c) >= width or abs(b - d) >= SMALL


def test_a_wall_is_named_at_one_of_its_ends() -> None:
    x, y = words(viz.cone([[2, 0]], labels=["half"], reach=2))["half"]
    assert x == pytest.approx(SIDE / 4, abs=0.1)
    assert abs(y) > SIDE


def test_exactly_what_some_wall_forbids_is_hatched() -> None:
    drawing = viz.cone(CHAIN, labels=["a", "b", "c"], reach=3)
    lines = strokes(drawing, HATCH)
    assert len(lines) > 20
    for a, b, c, d in lines:
        middle = weights((a + c) / 2, (b + d) / 2, 3)
        assert (CHAIN @ middle).min() < 1
    allowed = viz.cone([[0, 0.001]], labels=["far"], reach=3)
    total = sum(np.hypot(c - a, d - b) for a, b, c, d in strokes(allowed, HATCH))
    some = sum(np.hypot(c - a, d - b) for a, b, c, d in lines)
    free = sum((CHAIN @ weights(x, y, 3) >= 1).all() for x, y in grid()) / len(grid())
    assert some / total == pytest.approx(1 - free, abs=0.03)
    assert not strokes(viz.cone(np.empty((0, 2)), labels=[]), HATCH)  # nothing is forbidden


def grid() -> list[tuple[float, float]]:
    steps = np.linspace(-SIDE, SIDE, 61)
    return [(x, y) for x in steps for y in steps]


def test_walls_that_quarrel_carry_a_comb_on_the_side_they_allow() -> None:
    drawing = viz.cone(CROSS, labels=NAMES, reach=2)
    teeth = strokes(drawing, TOOTH)
    assert len(teeth) > 40
    for x, y, across, up in teeth:
        root, tip = CROSS @ weights(x, y, 2), CROSS @ weights(x + across, y + up, 2)
        wall = np.abs(root - 1).argmin()
        assert root[wall] == pytest.approx(1, abs=0.01)
        assert tip[wall] > 1
    assert {"no point is", "on all", "four good sides"} <= set(words(drawing))
    assert "tinted" not in drawing.alt


def test_no_comb_where_some_point_keeps_all_walls_be_it_far_away() -> None:
    for walls in (CHAIN, [[0.01, 0]]):
        drawing = viz.cone(walls, labels="abc"[: len(walls)])
        assert not strokes(drawing, TOOTH)
        assert "no point is" not in words(drawing)


def test_the_shortest_is_the_boldest_and_nothing_is_orange() -> None:
    drawing = viz.cone(CHAIN, labels="abc", solution=[0, 1.4], point=[1, 2], deciding=[0, 1])
    widths = [
        (float(width), role)
        for role, width in re.findall(
            r'stroke="var\(--nta-([\w-]+)[^"]*" stroke-width="([\d.]+)"', drawing.svg
        )
        if role not in ("highlight", "paper")
    ]
    assert max(widths) == (4.0, "theory")
    assert "--nta-winner" not in drawing.svg
    assert {"W", "shortest W"} <= set(words(drawing))
    same = viz.cone(CHAIN, labels="abc", solution=[0, 1.4], point=[0, 1.4])
    assert "W" not in words(same)
    assert "shortest W" in words(same)


def test_the_names_of_both_arrows_stand_on_different_sides() -> None:
    for turn in (-0.3, 0.3):
        places = words(viz.cone(CHAIN, labels="abc", solution=[0, 1.4], point=[turn, 1.5]))
        assert (places["W"][0] - places["shortest W"][0]) * turn > 0


def test_the_window_can_stand_anywhere() -> None:
    moved = viz.cone(CHAIN, labels="abc", solution=[0, 1.4], reach=2, middle=(0, 1.5))
    assert words(moved)["W = 0"][1] == pytest.approx(1.5 / 2 * SIDE + 18, abs=0.1)
    head = re.search(
        r'<polygon points="([-\d.]+),([-\d.]+) [^"]+" fill="var\(--nta-theory', moved.svg
    )
    assert [float(v) for v in head.groups()] == pytest.approx([0, 0.1 / 2 * SIDE], abs=0.1)
    for a, b, c, d in strokes(moved, HATCH):
        middle = weights((a + c) / 2, (b + d) / 2, 2) + np.array([0, 1.5])
        assert (CHAIN @ middle).min() < 1.02
    assert "W = 0" not in words(viz.cone(CHAIN, labels="abc", reach=2, middle=(0, 5)))
