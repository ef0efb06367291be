"""What the pictures are made of: words, colours, signs, lines, axes, the panel."""

from __future__ import annotations

import base64

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz import charts, words
from nta_book.viz.canvas import Box, Canvas, bezier, text_width
from nta_book.viz.drawing import plain_json, plotly_panel
from nta_book.viz.layout import LeagueBox, free_bow, plan
from nta_book.viz.leagues import league_badge, league_frame
from nta_book.viz.marks import arrow, bow_point, chip, chip_width, chips_in_a_row, legend, short
from nta_book.viz.theme import color, described, finite, league_role, mark, tint, variable
from nta_core import FIG3, token_priority_graphs


def test_names_are_safe_and_titles_keep_their_index() -> None:
    assert words.plain("a\nb $5") == "a b ＄5"
    assert words.escaped("<b>") == "&lt;b&gt;"
    assert words.titled("W<sub>svm</sub> & <b>") == "W<sub>svm</sub> &amp; &lt;b&gt;"
    assert words.spoken("‖W<sub>svm</sub>‖<sup>2</sup>") == "‖W_svm‖^2"
    assert words.across_and_up("W<sub>1</sub>", "b") == "W_1 across and b up"


def test_lists_and_counts_are_prose() -> None:
    assert [words.listing(names) for names in ("", "a", "abc")] == ["", "a", "a, b and c"]
    assert words.valued("ab", [1, -2.5]) == "a 1, b −2.5"
    assert [words.plural(n, "race") for n in (0, 1, 2)] == ["0 races", "1 race", "2 races"]
    assert [words.counted(n, "league") for n in (0, 1, 6, 7)] == [
        "no league", "one league", "six leagues", "7 leagues"
    ]  # fmt: skip
    assert words.counted(5, "league", words=4) == "5 leagues"
    assert [words.number(x) for x in (-0.25, 12345.678, float("inf"))] == ["−0.25", "12300", "∞"]
    assert words.point(1, -0.5) == "(1, −0.5)"


def test_roles_have_a_colour_for_drawings_and_one_for_charts() -> None:
    assert variable("winner") == "--nta-winner"
    assert color("winner") == "var(--nta-winner, #D55E00)"
    assert (mark("league-1"), mark("theory")) == ("#0072B2", "#707070")
    assert tint("league-1", 0.5) == "rgba(0,114,178,0.5)"
    assert [league_role(rank) for rank in (1, 4, 5)] == ["league-1", "league-4", "league-1"]


def test_the_rules_about_words_and_numbers() -> None:
    seen = described("Three bars.", alt=None, means="The league decides.")
    assert seen == "Three bars. The league decides."
    assert finite([[1, 2]], (1, 2), "W", "a row").tolist() == [[1.0, 2.0]]
    with pytest.raises(FigureError, match=r"W has shape \(1,\), expected a row"):
        finite([1], (1, 2), "W", "a row")
    for values in ([[np.nan, 1]], np.empty((0, 2))):
        with pytest.raises(FigureError, match="W is empty, or holds NaN or infinite values"):
            finite(values, np.shape(values), "W", "a row")


def test_the_canvas_writes_roles_and_measures_wide_scripts() -> None:
    canvas = Canvas()
    canvas.rect(0, 0, 40, 20, fill="ink")
    box = '<rect x="0" y="0" width="40" height="20" fill="var(--nta-ink, #1B1F24)"/>'
    assert canvas.drawing("A dark box.").svg.splitlines()[1] == box
    assert text_width("abc") < text_width("日本語")
    assert bezier((0, 0), (1, 2), (2, 0), 0.5) == (1.0, 1.0)
    assert Box(1, 2, 3, 4).moved(10, 20) == Box(11, 22, 3, 4)
    assert Box(0, 0, 10, 10).holds((6, 0), 2)
    assert not Box(0, 0, 10, 10).holds((6, 0))


def test_chips_and_arrows_have_their_sizes() -> None:
    assert short("incomprehensibilities") == "incomprehensi…"
    assert chip_width("a") == 32.0
    assert chip(Canvas(), 0, 0, "cat", winner=True).width == 42.1
    assert chips_in_a_row(Canvas(), 0, 0, ["a", "b"]) == 68.0
    assert arrow(Canvas(), Box(0, 0, 30, 20), Box(100, 0, 30, 20)) == (50.0, 0.0)
    assert bow_point(Box(0, 0, 1, 1), Box(10, 0, 1, 1), 0.5) == (5.0, -10.0)
    canvas = Canvas()
    legend(canvas, [("winner", "label")])
    assert ">label<" in canvas.drawing("A star: the label.").svg


def test_leagues_stand_in_boxes_with_numbers() -> None:
    assert [league.label for league in plan(token_priority_graphs(FIG3)[1]).leagues] == ["1", "2"]
    canvas, box = Canvas(), LeagueBox((0,), 1, "1", Box(0, 0, 80, 40))
    league_frame(canvas, box)
    assert len(canvas.lines) == 1
    league_frame(canvas, box, opaque=True)
    assert len(canvas.lines) == 3
    league_badge(canvas, box)
    assert len(canvas.lines) == 6
    chips = {k: Box(0, 60 * k, 30, 20) for k in range(3)}
    assert (free_bow(0, 1, chips), free_bow(0, 2, chips)) == (0.0, 0.22)


def test_lines_are_light_thinned_and_bundled() -> None:
    assert charts.light([1, 2]).dtype == np.float32
    assert charts.thinned(3).tolist() == [0, 1, 2]
    assert len(charts.thinned(10_000)) <= charts.MOST_POINTS
    assert charts.runs_of([1, 2], np.array([0.0, 1.0]), "loss").shape == (1, 2)
    drawn = charts.line([0, 0], [1, 1], "#0072B2", dash="dot")
    assert drawn["line"] == {"color": "#0072B2", "width": 2.5, "dash": "dot"}
    assert len(charts.bundle(np.zeros(2), np.ones((3, 2)), "#0072B2")) == 4
    few, crowd = (charts.bundle(np.zeros(2), np.ones((m, 2)), "#0072B2") for m in (3, 100))
    assert crowd[0]["opacity"] < few[0]["opacity"]
    assert crowd[-1]["line"]["width"] > few[-1]["line"]["width"]
    assert charts.dots([1], [2], symbol="diamond")["marker"] == {"symbol": "diamond"}
    assert charts.rule(1.0, axis="x2")["x1"] == 1.0
    assert charts.hue(0) == charts.hue(len(charts.HUES))


def test_axes_name_their_scale() -> None:
    assert charts.axis("step", log=[1, 1000])["title"]["text"] == "step (log scale)"
    assert "dtick" not in charts.axis("step", log=[0, -1])  # nothing to show on a log axis
    assert charts.ticks([0.5, 200, 10_000])["ticktext"] == ["0.5", "200", "10<sup>4</sup>"]
    assert charts.round_numbers(0.3, 6).tolist() == [0.5, 1.0, 2.0, 5.0]
    assert charts.said("step", True) == "step (log scale)"


@pytest.mark.parametrize(
    ("curve", "told"),
    [
        ([2, 2], "stays at 2"),
        ([1, 3], "rises from 1 to 3"),
        ([3, 1], "falls from 3 to 1"),
        ([1, 5, 2], "rises from 1 to 2, with a peak of 5"),
        ([1, 5, 0, 1], "starts and ends at 1, with a peak of 5 and a low of 0"),
    ],
)
def test_the_way_of_a_curve_in_words(curve: list[float], told: str) -> None:
    assert charts.way(np.array(curve, dtype=float)) == told
    said = charts.course("loss", np.array([curve], dtype=float), 0.0)
    assert said == f"loss {told}; theory says 0."


def test_a_chart_becomes_the_same_panel_from_the_figure_and_from_its_json() -> None:
    chart = viz.trajectories([1, 2, 3], {"a": [1, 2, 4]}, limits={"a": 1 / 3}, alt="A curve.")
    panel = viz.panel(chart)
    assert panel == plotly_panel(chart.to_plotly_json())
    assert panel["alt"] == "A curve."
    assert set(panel["figure"]["layout"]).isdisjoint({"meta", "template"})
    assert panel["figure"]["layout"]["shapes"][0]["y0"] == 0.33333
    curve = panel["figure"]["data"][0]["y"]
    assert np.frombuffer(base64.b64decode(curve["bdata"]), curve["dtype"])[2] == 4
    assert plotly_panel({}) == {"kind": "plotly", "alt": "", "figure": {"data": [], "layout": {}}}
    short = plain_json({"y": np.array([1.0, 2 / 3, np.nan]), "n": np.float64(0.25)})
    assert short == {"y": [1, 0.66667, None], "n": 0.25}


def test_a_legend_that_panels_share_stands_once() -> None:
    def drawn(*entries: tuple[str, str]) -> viz.Drawing:
        canvas = Canvas()
        chip(canvas, 0, 0, "a")
        if entries:
            legend(canvas, entries)
        return canvas.drawing("A token.")

    star, bar = ("winner", "the winner"), ("bar", "attention")
    for pictures, kept in (
        ([drawn(star), drawn(star)], [False, True]),
        ([drawn(star, bar), drawn(star)], [True, False]),
        ([drawn(star), drawn(bar)], [True, True]),
        ([drawn(), drawn(star)], [False, True]),
    ):
        shown = viz.Panels(pictures).pictures
        assert [">the winner<" in p.svg or ">attention<" in p.svg for p in shown] == kept
        assert [p.alt for p in shown] == ["A token."] * len(pictures)
    bare, alone = viz.Panels([drawn(star), drawn(star)]).pictures[0], drawn()
    assert bare.svg == alone.svg
