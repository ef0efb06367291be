"""Rows of marks on one line: names to the left, a bar between the marks of a row."""

import json

import numpy as np
import pytest

from nta_book.errors import FigureError
from nta_book.viz import charts, panel
from nta_book.viz.points import dumbbells

LABELS = ["log · tied", "<b>"]
MARKS = {"found": [0.5, 0.9], "asked": [0.5, 0.4], "pooled": [0.7, 0.6]}


def drawn(labels=LABELS, marks=MARKS, **options):
    return dumbbells(labels, marks, x_title="share", **options)


def test_every_row_has_one_line_from_its_lowest_to_its_highest_mark():
    bars, *spots = drawn().data
    np.testing.assert_allclose(np.reshape(bars.x, (2, 3))[:, :2], [[0.5, 0.7], [0.4, 0.9]])
    np.testing.assert_allclose(np.reshape(bars.y, (2, 3))[:, :2], [[0, 0], [1, 1]])
    assert np.isnan(np.reshape(bars.x, (2, 3))[:, 2]).all()
    assert all(list(trace.y) == [0, 1] for trace in spots)


def test_the_measured_mark_is_filled_lies_on_top_and_is_named_first():
    *_, found = drawn().data
    assert (found.name, found.marker.symbol, found.legendrank) == ("found", "circle", 0)
    np.testing.assert_allclose(found.x, MARKS["found"])
    others = drawn().data[1:-1]
    assert all(trace.marker.symbol.endswith("-open") for trace in others)
    assert len({trace.marker.color for trace in [*others, found]}) == 3


def test_names_stand_in_a_column_from_the_top_down():
    axis = drawn().layout.yaxis
    assert list(axis.ticktext) == ["log · tied ", "&lt;b&gt; "]
    assert list(axis.tickvals) == [0, 1]
    assert axis.range[0] > axis.range[1]
    assert axis.automargin


def test_a_loss_keeps_its_colour():
    spots = drawn(marks={"cross-entropy": [0, 1], "log": [1, 0]}).data[1:]
    assert {t.name: t.marker.color for t in spots} == {
        name: charts.hue(0, name) for name in ("log", "cross-entropy")
    }


def test_limits_fix_the_axis_and_the_alt_text_reads_every_row():
    figure = drawn(limits=(0, 1), means="They part.")
    assert figure.layout.xaxis.range == (0, 1)
    assert drawn().layout.xaxis.range is None
    alt = figure.layout.meta["alt"]
    assert "log · tied: found 0.5, asked 0.5, pooled 0.7." in alt
    assert alt.endswith("They part.")
    json.dumps(panel(figure))


@pytest.mark.parametrize(
    ("labels", "marks"),
    [
        ([], MARKS),
        (LABELS, {"found": [1, 2]}),
        (LABELS, {**MARKS, "more": [1, 2]}),
        (LABELS, {"a": [1], "b": [1, 2]}),
        (LABELS, {"a": [1, np.nan], "b": [1, 2]}),
    ],
)
def test_what_cannot_be_drawn_is_refused(labels, marks):
    with pytest.raises(FigureError):
        drawn(labels, marks)
