"""A matrix as squares: signs by two colours without another meaning, names level where they fit."""

from nta_book import viz
from nta_book.viz.theme import tint


def drawn(columns):
    titles = {"row_title": "loss", "column_title": "data"}
    return viz.heatmap([[1.0, -2.0]], rows=["a"], columns=columns, **titles)


def test_positive_is_the_blue_of_measurements_and_negative_ink():
    (squares,) = drawn(["x", "y"]).data
    low, middle, high = (shade for _, shade in squares.colorscale)
    assert (low, high) == (tint("compare-1", 0.5), tint("practice", 0.5))
    assert middle not in (low, high)
    assert (squares.zmin, squares.zmax) == (-2, 2)


def test_short_names_stand_level_and_long_ones_may_turn():
    assert drawn(["cyclic", "one-hot"]).layout.xaxis.tickangle == 0
    assert drawn(["a very long name of a column", "another"]).layout.xaxis.tickangle is None
