"""The slope graph: lines end at their names, names never touch, grey lines lie behind."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from nta_book.errors import FigureError
from nta_book.viz.slopes import (
    HEIGHT,
    LINE,
    LOWEST,
    MOST_BEHIND,
    MOST_LINES,
    MOST_STEPS,
    WIDTH,
    slopes,
)

STEPS = [0, 8, 24]
LINES = {"a1": [1, 1, 0], "a2": [2, 4, 10]}
GREY = {"c1": [2, 1, 1], "c2": [2, 2, 1]}


def drawn(steps=STEPS, lines=LINES, **options):
    return slopes(steps, lines, x_title="step", y_title="attention", **options)


def elements(drawing, tag):
    root = ElementTree.fromstring(drawing.svg)
    return list(root.iter(f"{{http://www.w3.org/2000/svg}}{tag}"))


def paths(drawing, role):
    """Points of the lines of a colour."""
    found = [e for e in elements(drawing, "polyline") if f"--nta-{role}," in e.get("stroke")]
    return [[tuple(map(float, p.split(","))) for p in e.get("points").split()] for e in found]


def places(drawing, names):
    """Heights of the baselines of names."""
    return {e.text: float(e.get("y")) for e in elements(drawing, "text") if e.text in names}


def test_rules_stand_at_their_times_and_lines_at_their_values():
    low, high = paths(drawn(), "practice")
    assert [x for x, _ in low] == pytest.approx([0, WIDTH / 3, WIDTH], abs=0.1)
    assert [y for _, y in low] == pytest.approx([-HEIGHT / 10, -HEIGHT / 10, 0], abs=0.1)
    assert [y for _, y in high] == pytest.approx([-HEIGHT / 5, -HEIGHT * 0.4, -HEIGHT], abs=0.1)
    assert {"0", "8", "24", "step", "attention"} <= {e.text for e in elements(drawn(), "text")}


def test_limits_make_two_graphs_comparable():
    (line, _) = paths(drawn(limits=(0, 20)), "practice")
    assert [y for _, y in line] == pytest.approx([-HEIGHT / 20, -HEIGHT / 20, 0], abs=0.1)
    kept = paths(drawn(limits=(4, 5)), "practice")  # they never cut a line off
    assert kept == paths(drawn(), "practice")


def test_grey_lines_lie_behind_and_share_one_name():
    drawing = drawn(behind=GREY, behind_name="common")
    strokes = [e.get("stroke") for e in elements(drawing, "polyline")]
    grey = [k for k, stroke in enumerate(strokes) if "compare-2" in stroke]
    blue = [k for k, stroke in enumerate(strokes) if "practice" in stroke]
    assert (len(grey), len(blue)) == (2, 2)
    assert max(grey) < min(blue)
    assert [e.text for e in elements(drawing, "text")].count("common") == 1
    assert "common, 2 lines: the mean falls from 2 to 1." in drawing.alt
    assert "grey" not in drawn().alt


def test_names_stand_in_the_order_of_the_ends_and_never_touch():
    lines = {f"t{k}": [0, 0.001 * k] for k in range(MOST_LINES)} | {"t0": [0, 1]}
    heights = places(drawn([0, 1], lines), lines)
    order = sorted(lines, key=lambda name: lines[name][-1])
    found = np.array([heights[name] for name in order])
    assert (np.diff(found) <= -LINE + 0.11).all()  # upwards, in SVG
    assert found[0] == pytest.approx(LOWEST + 4.6, abs=0.1)  # not among the names of the steps
    assert heights["t0"] <= -HEIGHT + 4.7


def test_a_name_with_nobody_near_is_not_moved():
    heights = places(drawn(), LINES)
    assert heights == pytest.approx({"a1": 4.6, "a2": -HEIGHT + 4.6}, abs=0.1)


@pytest.mark.parametrize(
    "rows", [[[3, 3, 3]], [[-5e-4, 2e-4, 1e-4]], [[-1e30, 0, 1e30]], [[0, 0, 5e-324]]]
)
def test_any_range_has_a_scale_of_round_numbers(rows):
    drawing = drawn(lines={str(k): row for k, row in enumerate(rows)})
    scale = [e.text for e in elements(drawing, "text") if e.get("text-anchor") == "end"]
    assert 1 <= len(scale) <= 6
    assert all(len(re.sub(r"\D", "", mark.split("e")[0])) <= 5 for mark in scale)
    assert "nan" not in drawing.svg


def test_the_words_say_where_every_line_goes():
    assert drawn(means="They part.").alt == (
        "Slope graph, attention up, step 0 to 24 across. a1 falls from 1 to 0. "
        "a2 rises from 2 to 10. They part."
    )


@pytest.mark.parametrize(
    ("steps", "lines", "options"),
    [
        ([0], {"a": [1]}, {}),
        ([0, 0, 1], LINES, {}),
        ([2, 1, 0], LINES, {}),
        (range(MOST_STEPS + 1), {"a": range(MOST_STEPS + 1)}, {}),
        (STEPS, {}, {}),
        (STEPS, {"a": [1, 2]}, {}),
        (STEPS, {"a": [1, 2, np.nan]}, {}),
        (STEPS, {str(k): [0, 0, 0] for k in range(MOST_LINES + 1)}, {}),
        (STEPS, LINES, {"behind": {"c": [1]}}),
        (STEPS, LINES, {"behind": {str(k): [0, 0, 0] for k in range(MOST_BEHIND + 1)}}),
    ],
)
def test_what_cannot_be_drawn_is_refused(steps, lines, options):
    with pytest.raises(FigureError):
        drawn(steps, lines, **options)
