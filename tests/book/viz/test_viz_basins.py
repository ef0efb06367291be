"""A map of starts: every region is grey and carries the league table that its starts end with."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.theme import league_role, mark, tint

X, Y = [0.0, 1.0, 2.0], [-1.0, 1.0]
ENDS = [[0, 0, 2], [0, 2, 2]]
TABLES = ["left <b>", "nowhere", "right > left"]


def drawn(ends=ENDS, tables=TABLES, **options):
    return viz.basins(X, Y, ends, tables=tables, x_title="e1", y_title="e3", **options)


def test_regions_are_tints_of_one_grey_and_neighbours_differ():
    (field,) = drawn().data
    np.testing.assert_array_equal(field.z, ENDS)
    grey = tint("input", 1).rpartition(",")[0]
    shades = [shade for _, shade in field.colorscale]
    assert all(shade.startswith(grey) for shade in shades)
    assert len(set(shades)) == 6
    assert not drawn().layout.showlegend


def test_every_region_carries_its_table_strongest_on_top():
    notes = drawn().layout.annotations
    assert [note.text for note in notes] == ["<b>left &lt;b&gt;</b>", "<b>right</b>", "<b>left</b>"]
    top, below = notes[1:]
    assert (top.x, top.y) == (below.x, below.y)
    assert top.yshift > below.yshift
    assert [note.bordercolor for note in notes] == [mark(league_role(k)) for k in (1, 1, 2)]


def test_tables_stand_inside_their_regions():
    wide = np.zeros((9, 9), dtype=int)
    wide[5:, 5:] = 1
    figure = viz.basins(range(9), range(9), wide, tables=["a", "b"], x_title="x", y_title="y")
    for k, note in enumerate(figure.layout.annotations):
        assert wide[int(note.y), int(note.x)] == k
    assert (figure.layout.annotations[1].x, figure.layout.annotations[1].y) in {(6, 6), (7, 7)}


def test_a_table_does_not_hide_the_marked_start():
    field = np.zeros((17, 17), dtype=int)
    for point in ((8, 8), (16, 15), (0, 0)):
        figure = viz.basins(
            *(range(17), range(17), field), tables=["a > b"], x_title="x", y_title="y", point=point
        )
        note = figure.layout.annotations[0]
        assert max(abs(note.x - point[0]), abs(note.y - point[1])) > 2
    alone = viz.basins([0], [0], [[0]], tables=["a"], x_title="x", y_title="y", point=(0, 0))
    assert (alone.layout.annotations[0].x, alone.layout.annotations[0].y) == (0, 0)


def test_the_alt_text_counts_and_reads_the_point():
    alt = drawn(point=(2, -1), means="Neighbours may part.").layout.meta["alt"]
    assert "Map of 6 starts" in alt
    assert "3 end with left <b> and 3 end with right above left." in alt
    assert "start (2, −1) ends with right above left. Neighbours may part." in alt
    assert drawn(point=(2, -1)).data[-1].name == "start"
    assert "marked" not in drawn().layout.meta["alt"]


@pytest.mark.parametrize(
    ("ends", "tables", "part"),
    [
        ([[0, 0]], TABLES, "grid of"),
        (ENDS, TABLES[:2], "numbered 0 to 1"),
        ([[0, 0, -1], [0, 0, 0]], TABLES, "numbered"),
        (ENDS, [], "0 tables"),
        (ENDS, ["x"] * 7, "7 tables"),
    ],
)
def test_what_does_not_fit_is_named(ends, tables, part):
    with pytest.raises(FigureError, match=part):
        drawn(ends, tables)
