"""Two computations of the same numbers, against the diagonal."""

import numpy as np
import pytest

from nta_book import viz
from nta_book.errors import FigureError

PAIRS = {"exact": ([-1.0, 0.0, 2.0], [-1.0, 0.0, 2.0]), "trained": ([0.5], [0.75])}


def drawn(pairs=PAIRS, **options):
    return viz.agreement(pairs, x_title="counted", y_title="computed", **options)


def test_the_diagonal_spans_all_points():
    diagonal = drawn().data[0]
    np.testing.assert_allclose(diagonal.x, [-1, 2])
    np.testing.assert_allclose(diagonal.y, [-1, 2])
    assert diagonal.line.dash == "dash"


def test_every_pair_is_a_symbol_of_its_own():
    _, exact, trained = drawn().data
    assert exact.marker.symbol != trained.marker.symbol
    np.testing.assert_allclose(trained.y, [0.75])
    assert drawn().layout.showlegend
    assert not drawn({"exact": PAIRS["exact"]}).layout.showlegend


def test_the_alt_text_says_how_far_off_the_points_are():
    alt = drawn(means="Both count the same wins.").layout.meta["alt"]
    assert "exact: 3 points between -1 and 2, at most 0 off" in alt.replace("−", "-")
    assert "trained: 1 point between 0.5 and 0.5, at most 0.25 off" in alt
    assert alt.endswith("Both count the same wins.")


@pytest.mark.parametrize("pairs", [{}, {"a": ([], [])}, {"a": ([1, 2], [1])}, {"a": (1.0, 1.0)}])
def test_pairs_must_match(pairs):
    with pytest.raises(FigureError):
        drawn(pairs)
