"""Small matrices beside each other: every number is there, one scale, and what is refused."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

NAMES = {"rows": ["a", "b"], "columns": ["x", "y"]}


def opacities(drawing):
    return [float(found) for found in re.findall(r'fill-opacity="([\d.]+)"', drawing.svg)]


def test_every_number_and_title_is_written():
    found = viz.matrices({"W": [[1, -0.25], [0, 1 / 3]], "other": np.eye(2)}, **NAMES)
    for words in ("W", "other", ">−.25<", ">.33<", ">1<", ">0<"):
        assert words in found.svg, words
    assert found.alt.startswith("Two tables of numbers with rows a, b and columns x, y. W: row a 1")
    assert "row b 0, 0.33" in found.alt


def test_all_tables_share_one_scale():
    small, large = [[0.5, 0], [0, 0]], [[-2.0, 0], [0, 0]]
    strengths = opacities(viz.matrices({"small": small, "large": large}, **NAMES))
    assert max(strengths) == strengths[4]
    assert strengths[0] == pytest.approx(strengths[4] / 4, abs=0.01)
    assert set(strengths[1:4]) == {0.0}
    assert not any(opacities(viz.matrices({"nothing": np.zeros((2, 2))}, **NAMES)))


def test_one_title_may_glow():
    plain = viz.matrices({"W": np.eye(2)}, **NAMES)
    glowing = viz.matrices({"W": np.eye(2)}, highlight="W", **NAMES)
    assert "--nta-highlight" not in plain.svg
    assert "--nta-highlight" in glowing.svg


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: viz.matrices({}, **NAMES), "at least one number"),
        (lambda: viz.matrices({"W": np.eye(7)}, rows="abcdefg", columns="abcdefg"), "at most 12"),
        (lambda: viz.matrices({"W": np.eye(3)}, **NAMES), "one per name"),
        (lambda: viz.matrices({"W": np.eye(2)}, highlight="V", **NAMES), "no table is called"),
        (lambda: viz.matrices({"W": np.eye(2)}, side_by_side=0, **NAMES), "side_by_side=0"),
    ],
)
def test_what_cannot_be_drawn_is_named(call, message):
    with pytest.raises(FigureError, match=message):
        call()
