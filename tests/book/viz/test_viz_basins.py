"""A map of starts: every end has a colour, a number and a place in the legend."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

X, Y = [0.0, 1.0, 2.0], [-1.0, 1.0]
ENDS = [[0, 0, 2], [0, 2, 2]]
NAMES = ["left <b>", "nowhere", "right"]


def drawn(ends=ENDS, names=NAMES, **options):
    return viz.basins(X, Y, ends, names=names, x_title="e1", y_title="e3", **options)


def test_squares_and_legend_use_the_same_colour():
    field, left, right = drawn().data
    np.testing.assert_array_equal(field.z, ENDS)
    assert (left.name, right.name) == ("1: left &lt;b&gt;", "3: right")
    assert left.marker.color != right.marker.color
    low, high = field.zmin, field.zmax
    for end, entry in ((0, left), (2, right)):
        place = (end - low) / (high - low)
        shade = next(c for edge, c in reversed(field.colorscale) if edge <= place)
        rgb = [int(entry.marker.color[i : i + 2], 16) for i in (1, 3, 5)]
        assert shade.startswith(f"rgba({','.join(map(str, rgb))},")


def test_numbers_stand_inside_their_regions():
    wide = np.zeros((9, 9), dtype=int)
    wide[5:, 5:] = 1
    figure = viz.basins(range(9), range(9), wide, names=["a", "b"], x_title="x", y_title="y")
    for k, note in enumerate(figure.layout.annotations):
        assert note.text == f"<b>{k + 1}</b>"
        assert wide[int(note.y), int(note.x)] == k
    assert (figure.layout.annotations[1].x, figure.layout.annotations[1].y) in {(6, 6), (7, 7)}


def test_the_alt_text_counts_and_reads_the_point():
    alt = drawn(point=(2, -1), means="Neighbours may part.").layout.meta["alt"]
    assert "Map of 6 starts" in alt
    assert "3 end in 1, left <b> and 3 end in 3, right." in alt
    assert "start (2, −1) ends in 3, right. Neighbours may part." in alt
    assert drawn(point=(2, -1)).data[-1].name == "start"
    assert "marked" not in drawn().layout.meta["alt"]


@pytest.mark.parametrize(
    ("ends", "names", "part"),
    [
        ([[0, 0]], NAMES, "grid of"),
        (ENDS, NAMES[:2], "numbered 0 to 1"),
        ([[0, 0, -1], [0, 0, 0]], NAMES, "numbered"),
        (ENDS, [], "0 names"),
        (ENDS, ["x"] * 7, "7 names"),
    ],
)
def test_what_does_not_fit_is_named(ends, names, part):
    with pytest.raises(FigureError, match=part):
        drawn(ends, names)
