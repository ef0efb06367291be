"""Marks with bars: quantiles of several settings, one row each."""

import json

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.theme import ROLES, mark
from tests.book.viz import zoo

LABELS = ["log · tied", "<b>"]
ROWS = {"global": [[0.1, 0.5, 0.9], [0.2, 0.1, 0.4]], "local": [[0.8, 0.9, 1.0], [1.0, 1.0, 1.0]]}


def drawn(rows=ROWS, labels=LABELS, **options):
    return viz.spread(labels, rows, x_title="cosine", **options)


def test_every_series_is_bars_and_marks():
    bars, marks, _, other = drawn().data
    np.testing.assert_allclose(marks.x, [0.5, 0.1])
    np.testing.assert_allclose(np.reshape(bars.x, (2, 3))[:, :2], [[0.1, 0.9], [0.2, 0.4]])
    assert np.isnan(np.reshape(bars.x, (2, 3))[:, 2]).all()
    np.testing.assert_allclose(np.reshape(bars.y, (2, 3))[:, 0], marks.y)
    assert marks.marker.symbol != other.marker.symbol


def test_series_of_one_row_stand_apart_and_rows_do_not_meet():
    _, first, _, second = drawn().data
    assert (np.asarray(second.y) - np.asarray(first.y) > 0.2).all()
    assert np.asarray(second.y)[0] < np.asarray(first.y)[1] - 0.5
    alone = drawn({"global": ROWS["global"]})
    np.testing.assert_allclose(alone.data[1].y, [0, 1])
    assert not alone.layout.showlegend
    assert drawn().layout.showlegend


def test_labels_are_text_above_their_marks_from_the_top_down():
    layout, marks = drawn().layout, drawn().data[1]
    assert [note.text for note in layout.annotations] == ["log · tied", "&lt;b&gt;"]
    assert layout.yaxis.range[0] > layout.yaxis.range[1]
    for note, height in zip(layout.annotations, marks.y, strict=True):
        assert note.y < height < note.y + 0.3


def test_limits_fix_the_axis():
    assert drawn(limits=(0, 1)).layout.xaxis.range == (0, 1)
    assert drawn().layout.xaxis.range is None


def test_the_alt_text_reads_every_row():
    alt = drawn(means="The tie is lost.").layout.meta["alt"]
    assert "global: log · tied 0.5 (0.1 to 0.9), <b> 0.1 (0.2 to 0.4)." in alt
    assert alt.endswith("The tie is lost.")


def test_colours_come_from_the_palette():
    spec = json.dumps(viz.panel(drawn()))
    assert zoo.colours(spec) <= {mark(role) for role in ROLES}


@pytest.mark.parametrize(
    ("rows", "labels"),
    [
        ({}, LABELS),
        (ROWS, []),
        ({"a": [[1, 2, 3]]}, LABELS),
        ({"a": [[1, 2, 0], [1, 2, 3]]}, LABELS),
    ],
)
def test_what_cannot_be_drawn_is_refused(rows, labels):
    with pytest.raises(FigureError):
        drawn(rows, labels)
