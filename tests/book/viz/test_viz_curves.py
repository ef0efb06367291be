"""Curves say their names at their ends; what is written on them stands beside them."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.theme import mark

STEPS = np.array([1.0, 10.0, 100.0])
TITLES = {"x_title": "n", "y_title": "share"}
FALL = {"e3": 1 / STEPS, "e2": 1 / STEPS**2}


def notes(figure):
    return {note.text: note for note in figure.layout.annotations}


def test_names_stand_at_the_ends_and_replace_the_legend():
    figure = viz.growth(STEPS, FALL, **TITLES)
    assert not figure.layout.showlegend
    assert (notes(figure)["e3"].y, notes(figure)["e2"].y) == (-2, -4)  # logarithms
    assert {(note.x, note.xref) for note in figure.layout.annotations} == {(1, "paper")}  # the rim
    assert {note.xanchor for note in figure.layout.annotations} == {"left"}
    assert figure.layout.margin.r > 20
    assert {trace.mode for trace in figure.data} == {"lines"}
    assert {trace.line.dash for trace in figure.data} == {"solid"}


def test_names_that_would_touch_are_moved_apart():
    curves = {"a": [0.0, 1.0], "b": [0.0, 1.001], "c": [1.0, 0.0], "d": [0.5, 1.0]}
    moved = notes(viz.growth([1, 2], curves, **TITLES, log_x=False, log_y=False))
    pixels = sorted(250 * note.y + note.yshift for note in moved.values())
    assert np.diff(pixels).min() >= 16 - 0.3
    assert moved["c"].yshift == 0


def test_long_names_stay_in_the_legend_with_a_mark_each():
    curves = {"a name that is far too long": [1, 2], "another": [2, 1]}
    figure = viz.growth([1, 2], curves, **TITLES)
    assert figure.layout.showlegend
    assert not figure.layout.annotations
    assert [trace.marker.symbol for trace in figure.data] == ["circle", "square"]


def test_more_names_than_lines_of_text_fit_stay_in_the_legend():
    many = {f"c{k}": [1, 2 + k] for k in range(13)}
    assert viz.growth([1, 2], many, **TITLES).layout.showlegend
    few = dict(list(many.items())[:12])
    assert len(viz.growth([1, 2], few, **TITLES).layout.annotations) == 12


def test_one_curve_needs_no_name():
    assert not viz.growth(STEPS, {"e3": 1 / STEPS}, **TITLES).layout.annotations


def test_slopes_are_written_on_the_lines_and_read_aloud():
    figure = viz.growth(STEPS, FALL, **TITLES, notes={"e2": "slope −2"})
    note = notes(figure)["slope −2"]
    assert (note.x, note.y, note.xanchor) == (1, -2, "left")  # right of a line that falls
    assert "e2 falls from 1 to 0.0001 (slope −2)." in figure.layout.meta["alt"]
    rising = viz.growth(STEPS, {"up": STEPS}, **TITLES, notes={"up": "slope 1"})
    assert notes(rising)["slope 1"].xanchor == "right"


def test_words_stand_where_a_curve_can_be_seen():
    dies = {"dies": [1.0, 0.5, 0.0], "lives": [1.0, 1.0, 1.0], "never": [0.0, 0.0, 0.0]}
    figure = viz.growth(STEPS, dies, **TITLES, notes={"dies": "half", "never": "nowhere"})
    assert notes(figure)["dies"].x == 1
    assert {"never", "nowhere"}.isdisjoint(notes(figure))


def test_a_role_gives_a_curve_its_colour():
    figure = viz.growth(STEPS, FALL, **TITLES, roles={"e3": "league-2"})
    assert figure.data[0].line.color == mark("league-2")
    assert figure.data[1].line.color != mark("league-2")
    for option in ({"roles": {"e9": "ink"}}, {"notes": {"e9": "slope"}}):
        with pytest.raises(FigureError, match="no curve 'e9'"):
            viz.growth(STEPS, FALL, **TITLES, **option)


def test_quantities_with_a_chart_of_their_own_share_the_colour_of_measurements():
    figure = viz.trajectories(STEPS, {"length": STEPS, "angle": STEPS})
    assert {trace.line.color for trace in figure.data} == {mark("practice")}


def test_nothing_but_a_winner_is_orange():
    curves = {f"c{k}": k + STEPS for k in range(6)}
    for figure in (
        viz.growth(STEPS, curves, **TITLES),
        viz.against_paper(STEPS, curves, paper=([1], [1]), **TITLES),
        viz.trajectories(STEPS, curves),
    ):
        assert mark("winner") not in {trace.line.color for trace in figure.data}


@pytest.mark.parametrize("log", [True, False])
def test_words_upon_a_curve_do_not_stretch_its_axes(log):
    how = {"x_title": "n", "y_title": "y", "log_x": log, "log_y": log}
    figure = viz.growth([1, 1000], {"a": [1, 100]}, notes={"a": "a long note upon it"}, **how)
    for ends, last in ((figure.layout.xaxis.range, 1000), (figure.layout.yaxis.range, 100)):
        assert ends[1] < (np.log10(last) if log else last) * 1.2
