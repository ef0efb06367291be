"""Cards of many runs: bars, or dots that fall short of a control; honest rounding, and words."""

import itertools
import json
import re

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError
from nta_book.viz.scorecard import scorecard, shortfalls
from nta_book.viz.theme import ROLES, mark
from nta_core.errors import OptionError
from tests.book.viz import zoo

GROUPS = {
    "kept": {"intact": [[1.0, 1.0], [1.0]], "almost": [[0.999, 1.0], [0.5]]},
    "lost": {"gone": [[np.nan], [0.0, 0.2]]},
}
TWO = ["league", "answer"]


# ---- bars ----------------------------------------------------------------------------------------


def bars(svg):
    found = re.findall(r'<rect x="([\d.]+)" y="[-\d.]+" width="([\d.]+)".*?fill="([^"]+)', svg)
    return [float(width) for _x, width, fill in found if fill != "none"]


def test_bars_are_means_and_a_cell_without_numbers_has_none():
    card = scorecard(GROUPS, TWO)
    assert bars(card.svg) == [55.0, 55.0, 55.0, 27.5, 5.5]  # 0.9995 of 55 rounds to 55.0
    assert "–" in card.svg


@pytest.mark.parametrize(("columns", "bar"), [(1, 110.0), (2, 55.0)])
def test_the_fewer_the_columns_the_longer_the_bars(columns, bar):
    card = scorecard({"g": {"half": [[0.5]] * columns}}, TWO[:columns])
    assert bars(card.svg) == [bar / 2] * columns


def test_almost_perfect_is_not_written_as_perfect():
    card = scorecard(GROUPS, TWO)
    assert "intact 1.00, almost 0.99" in card.alt
    assert "gone nothing" in card.alt


def test_a_full_bar_may_stand_for_another_number():
    card = scorecard({"g": {"few": [[0.38]], "most": [[99.99]]}}, ["%"], full=100, digits=1)
    assert "few 0.4, most 99.9" in card.alt
    np.testing.assert_allclose(bars(card.svg), [0.38 * 1.1, 99.99 * 1.1], atol=0.06)
    with pytest.raises(FigureError, match="a value is above"):
        scorecard({"g": {"a": [[0.2]]}}, ["bits"], full=0.1, digits=3)
    with pytest.raises(OptionError, match="full=0"):
        scorecard({"g": {"a": [[0.0]]}}, ["bits"], full=0)


def test_chance_crosses_every_bar_that_is_there():
    card = scorecard({"g": {"a": [[0.2], [0.3]], "b": [[0.4], [np.nan]]}}, TWO, chance=0.5)
    assert card.svg.count("stroke-dasharray") == 3
    assert card.alt.endswith("A dashed line at 0.50.")


def test_a_range_ends_in_strokes_and_a_single_run_has_none():
    lines = [
        scorecard({"g": {"a": [runs]}}, ["x"]).svg.count("<polyline") for runs in ([1], [0, 1])
    ]
    assert lines == [1, 3]


def test_names_are_escaped():
    card = scorecard({"<g>": {"<b>": [[0.5]]}}, ["<i>"], means="It means something.")
    assert "<b>" not in card.svg
    assert "&lt;b&gt;" in card.svg
    assert card.alt.endswith("It means something.")


def test_a_card_fits_a_phone_or_is_refused():
    card = scorecard({"g": {"fourteen chars": [[0.5]] * 2}}, TWO)
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', card.svg).group(1))
    assert width <= 330  # with its margins
    assert set(re.findall(r'font-size="([\d.]+)"', card.svg)) <= {"13", "14.5"}
    with pytest.raises(FigureError, match="shorten it"):
        scorecard({"g": {"a name of thirty-one characters": [[0.5]] * 2}}, TWO)


# ---- dots ----------------------------------------------------------------------------------------


def coloured(chart, axis="x"):
    """The means drawn in colour in a column, and the thick lines that lead to them."""
    blue = [t for t in chart.data if (t.xaxis or "x") == axis and zoo.colours(t.to_json()) & HUE]
    spots = [x for t in blue if t.mode == "markers" for x in t.x]
    ways = [t for t in blue if t.mode == "lines" and t.line.width == 4]
    return spots, [np.reshape(t.x, (-1, 3))[:, :2].tolist() for t in ways]


HUE = {mark("practice")}


def test_only_what_falls_short_is_coloured_and_the_loss_leads_to_it_from_the_control():
    chart = shortfalls(GROUPS, TWO, control="intact")
    assert coloured(chart, "x") == ([], [])  # 0.9995 is as good as 1
    spots, (ways,) = coloured(chart, "x2")
    np.testing.assert_allclose(spots, [0.5, 0.1])
    np.testing.assert_allclose(ways, [[1, 0.5], [1, 0.1]])


def test_the_control_is_a_row_or_the_best_possible():
    groups = {"g": {"low": [[0.5]], "lower": [[0.4, 0.2]]}}
    low = shortfalls(groups, ["share"], control="low")
    assert low.layout.shapes[0].x0 == 0.5
    np.testing.assert_allclose(coloured(low)[0], [0.3])
    best = shortfalls(groups, ["share"])
    assert best.layout.shapes[0].x0 == 1
    np.testing.assert_allclose(coloured(best)[0], [0.5, 0.3])
    assert best.layout.meta["alt"].endswith(
        "Lines lead from the best possible, 1, to what falls short of it."
    )


def test_ranges_reach_from_the_lowest_to_the_highest_run():
    chart = shortfalls({"g": {"a": [[0.2, 0.4, np.nan]]}}, ["share"])
    thin = next(t for t in chart.data if t.mode == "lines" and t.line.width < 2)
    np.testing.assert_allclose(np.asarray(thin.x)[:2], [0.2, 0.4])
    assert "0.30 (0.20 to 0.40)" in chart.data[-1].text[0]


def test_names_stand_level_with_their_dots_below_their_headline():
    chart = shortfalls({"": {"<b>": [[0.1]]}, "more": {"last": [[0.2]]}}, ["W<sub>svm</sub>\nx"])
    notes = {note.text: note.y for note in chart.layout.annotations}
    assert notes == {"&lt;b&gt;": 0, "<b>more</b>": 1, "last": 2}
    np.testing.assert_allclose(chart.data[-1].y, [0, 2])
    assert chart.layout.xaxis.title.text == "W<sub>svm</sub><br>x"
    assert "W_svm x: <b> 0.10." in chart.layout.meta["alt"]


def test_every_column_has_its_own_axis_and_the_palette_its_colours():
    chart = shortfalls({"g": {"a": [[0.1]] * 3}}, list("abc"))
    domains = [chart.layout[f"xaxis{k}"].domain for k in ("", 2, 3)]
    assert all(left[1] < right[0] for left, right in itertools.pairwise(domains))
    assert zoo.colours(json.dumps(viz.panel(chart))) <= {mark(role) for role in ROLES}


# ---- both ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("card", [scorecard, shortfalls])
def test_what_it_refuses(card):
    with pytest.raises(FigureError, match="at least one row and column"):
        card(GROUPS, [])
    with pytest.raises(FigureError, match="columns"):
        card(GROUPS, list("abcd"))
    with pytest.raises(FigureError, match="at least one row"):
        card({"empty": {}}, ["league"])
    with pytest.raises(FigureError, match="one array of shape"):
        card(GROUPS, ["league"])
    with pytest.raises(FigureError, match="above 1"):
        card({"g": {"a": [[1.5]]}}, ["league"])


def test_the_control_must_be_a_row():
    with pytest.raises(FigureError, match="no row is called 'nobody'"):
        shortfalls(GROUPS, TWO, control="nobody")
