"""The scorecard: a bar per mean, a line per spread, honest rounding, and words."""

import re

import numpy as np
import pytest

from nta_book.errors import FigureError
from nta_book.viz import scorecard

GROUPS = {
    "kept": {"intact": [[1.0, 1.0], [1.0]], "almost": [[0.999, 1.0], [0.5]]},
    "lost": {"gone": [[np.nan], [0.0, 0.2]]},
}


def rects(svg):
    found = re.findall(r'<rect x="([\d.]+)" y="[-\d.]+" width="([\d.]+)".*?fill="([^"]+)', svg)
    return [float(width) for _x, width, fill in found if fill != "none"]


def test_bars_are_means_and_a_cell_without_numbers_has_none():
    card = scorecard(GROUPS, ["league", "answer"], control="intact")
    assert rects(card.svg) == [48.0, 48.0, 48.0, 24.0, 4.8]  # 0.9995 of 48 rounds to 48.0
    assert card.svg.count("stroke-dasharray") == 6  # in every cell of three rows
    assert "–" in card.svg


@pytest.mark.parametrize(("columns", "bar"), [(1, 72.0), (2, 48.0), (3, 24.0)])
def test_the_fewer_the_columns_the_longer_the_bars(columns, bar):
    card = scorecard({"g": {"half": [[0.5]] * columns}}, list("abc")[:columns])
    assert rects(card.svg) == [bar / 2] * columns


def test_almost_perfect_is_not_written_as_perfect():
    card = scorecard(GROUPS, ["league", "answer"])
    assert "intact 1.00, almost 0.99" in card.alt
    assert "gone nothing" in card.alt
    assert "Dashed" not in card.alt


def test_names_are_escaped():
    card = scorecard({"<g>": {"<b>": [[0.5]]}}, ["<i>"], means="It means something.")
    assert "<b>" not in card.svg
    assert "&lt;b&gt;" in card.svg
    assert card.alt.endswith("It means something.")


def test_what_it_refuses():
    with pytest.raises(FigureError, match="one to three columns"):
        scorecard(GROUPS, [])
    with pytest.raises(FigureError, match="at least one row"):
        scorecard({"empty": {}}, ["league"])
    with pytest.raises(FigureError, match="one array of shape"):
        scorecard(GROUPS, ["league"])
    with pytest.raises(FigureError, match="above 1"):
        scorecard({"g": {"a": [[1.5]]}}, ["league"])
    with pytest.raises(FigureError, match="no row is called 'nobody'"):
        scorecard(GROUPS, ["league", "answer"], control="nobody")


def test_a_long_name_is_set_smaller_and_a_longer_one_refused():
    card = scorecard({"g": {"seventeen letters": [[0.5]] * 3}}, ["a", "b", "c"])
    assert re.search(r'font-size="10.5"[^>]*>seventeen', card.svg)
    width = float(re.search(r'viewBox="[-\d.]+ [-\d.]+ ([\d.]+)', card.svg).group(1))
    assert width <= 296  # a phone of 360 px shows it in full size
    with pytest.raises(FigureError, match="shorten it"):
        scorecard({"g": {"a name of thirty-one characters": [[0.5]] * 3}}, ["a", "b", "c"])
