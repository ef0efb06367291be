"""Softmax over ragged rows, against scipy's one row at a time."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import logsumexp, softmax

from nta_core.model.ragged import RaggedRows


def drawn(seed: int, scale: float) -> tuple[RaggedRows, np.ndarray, list[np.ndarray]]:
    """Rows of 1 to 6 scores: all of them, and row by row."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, size=20)
    z = scale * rng.standard_normal(sizes.sum())
    starts = np.r_[0, np.cumsum(sizes)]
    return RaggedRows.of(starts), z, np.split(z, starts[1:-1])


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1e5, 1e300])
@pytest.mark.parametrize("seed", range(4))
def test_every_row_is_a_softmax(seed, scale):
    rows, z, each = drawn(seed, scale)
    before = z.copy()
    log_totals, shares = rows.softmax(z)
    np.testing.assert_allclose(log_totals, [logsumexp(row) for row in each], rtol=1e-14, atol=1e-14)
    np.testing.assert_allclose(shares, np.concatenate([softmax(row) for row in each]), rtol=1e-13)
    np.testing.assert_array_equal(rows.log_sum(z), log_totals)
    np.testing.assert_array_equal(z, before)


@pytest.mark.parametrize("scale", [0.01, 1.0, 30.0, 1e5, 1e300])
@pytest.mark.parametrize("seed", range(4))
def test_in_a_race_of_duels_the_label_runs_with_score_0(seed, scale):
    rows, z, each = drawn(seed, scale)
    log_totals, shares = rows.softmax(z, duels=True)
    races = [np.r_[row, 0.0] for row in each]
    np.testing.assert_allclose(log_totals, [logsumexp(race) for race in races], rtol=1e-13)
    expected = np.concatenate([softmax(race)[:-1] for race in races])
    np.testing.assert_allclose(shares, expected, rtol=1e-13, atol=1e-323)
    np.testing.assert_array_equal(rows.log_sum(z, duels=True), log_totals)
    weights = np.arange(1.0, len(each) + 1)
    weighed = rows.softmax(z, duels=True, weights=weights)[1]
    np.testing.assert_allclose(weighed, expected * weights[rows.row], rtol=1e-13, atol=1e-321)


def test_a_loss_far_below_rounding_keeps_its_digits():
    rows = RaggedRows.of(np.array([0, 2, 3]))
    log_totals, shares = rows.softmax(np.array([-60.0, -61.0, -800.0]), duels=True)
    assert log_totals[0] == pytest.approx(np.exp(-60.0) + np.exp(-61.0), rel=1e-15)
    assert log_totals[1] == 0.0  # e^-800 is no number any more
    np.testing.assert_allclose(shares, np.exp([-60.0, -61.0, -800.0]), rtol=1e-14)


def test_a_runner_without_a_ticket_has_no_share():
    rows = RaggedRows.of(np.array([0, 2, 4]))
    z = np.array([-np.inf, 3.0, -np.inf, -np.inf])
    log_totals, shares = rows.softmax(z, duels=True)
    np.testing.assert_allclose(log_totals, [np.logaddexp(0.0, 3.0), 0.0], rtol=1e-15)
    np.testing.assert_allclose(shares, [0.0, 1 / (1 + np.exp(-3.0)), 0.0, 0.0], rtol=1e-15)


@pytest.mark.parametrize("duels", [True, False])
def test_no_rows_give_nothing(duels):
    rows = RaggedRows.of(np.array([0]))
    log_totals, shares = rows.softmax(np.zeros(0), duels=duels)
    assert log_totals.shape == shares.shape == rows.log_sum(np.zeros(0), duels=duels).shape == (0,)
    assert rows.sum(np.zeros((0, 3))).shape == (0, 3)


def test_sums_are_taken_row_by_row_along_the_first_axis():
    rows = RaggedRows.of(np.array([0, 1, 4]))
    values = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(rows.sum(values), [[0.0, 1.0], [12.0, 15.0]])
    np.testing.assert_array_equal(rows.row, [0, 1, 1, 1])
