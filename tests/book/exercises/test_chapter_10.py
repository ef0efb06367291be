"""The checkers of chapter 10 accept right answers, name what is wrong first, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_10 as check
from nta_core import Dataset, gradient_descent, token_mass
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "squared", [[1], [2, "x"]], object(), {}, np.full((2, 2), np.nan)]


def threshold(K, t):
    e = np.exp(1 / t)
    return (2 * e + K - 2) / (2 * (e + K - 1))


test_loudest_accepts = accepts(
    check.loudest, (1 / 3, 8 / 27), (0.33, 0.3), (np.float64(1 / 3), 0.296)
)


test_loudest_hints = refuses(
    check.loudest,
    (0, 2, "cannot move"),
    (0.5, 0.25, "moves fastest"),
    (1, 0, "find the other"),
    (1.5, 0, "between 0 and 1"),
    (1 / 3, -8 / 27, "sign"),
    (1 / 3, 0.5, "the place is right"),
)


test_three_to_two_to_one_accepts = accepts(
    check.three_to_two_to_one, ([0.6, 0.4, 0],), ((3 / 5, 2 / 5, 0.0),), (np.array([0.6, 0.4, 0]),)
)


test_three_to_two_to_one_hints = refuses(
    check.three_to_two_to_one,
    ([1 / 2, 1 / 3, 1 / 6], "log-loss wants"),
    ([1, 0, 0], "correlation loss"),
    ([7 / 11, 5 / 11, -1 / 11], "below 0"),
    ([0.6, 0.6, 0], "adds up to 1"),
    ([0.5, 0.4, 0.1], "from c to a"),
    ([0.5, 0.5, 0], "a and b alone"),
    ([0.6, 0.4], "three numbers"),
)


def test_three_to_two_to_one_is_where_training_ends():
    races = Dataset([[0, 1, 2]] * 6, [0, 0, 0, 1, 1, 2])
    run = gradient_descent(races, np.eye(3), steps=8000, step_size=0.01, loss="squared")
    assert np.allclose(token_mass(run.W, np.eye(3), [0, 1, 2]), [0.6, 0.4, 0], atol=3e-3)


test_one_token_share_accepts = accepts(
    check.one_token_share,
    (threshold,),
    (lambda K, t: 0.5 + 0.5 * (np.exp(1 / t) - 1) / (np.exp(1 / t) + K - 1),),
)


test_one_token_share_hints = refuses(
    check.one_token_share,
    (lambda K, t: 0.5, "keeps both"),
    (lambda K, t: threshold(2, t), "absent tokens"),
    (lambda K, t: 1.0, "everything already at 0.731"),
    (lambda K, t: threshold(K, 1.0), "K = 8, t = 0.5"),
)


@pytest.mark.parametrize("q", [0.59, 0.65])
def test_the_threshold_is_where_training_changes(q):
    """Six tokens, t = 1: below 0.611 both tokens keep some attention, above it one takes all."""
    wins = round(100 * q)
    races = Dataset([[0, 1]] * 100, [0] * wins + [1] * (100 - wins), K=6)
    run = gradient_descent(races, np.eye(6), steps=4000, step_size=0.01, loss="cross-entropy")
    loser = token_mass(run.W, np.eye(6), [0, 1])[1]
    assert (loser > 0.01) == (q < threshold(6, 1.0))


def test_bad_start():
    assert check.bad_start([[0, -6], [0, 6]])
    assert check.bad_start(np.array([[3.0, -20.0], [0, 0]]))
    near = check.bad_start(np.zeros((2, 2)))
    assert not near
    assert "almost none" in near.message
    wrong_column = check.bad_start([[-20, 0], [0, 0]])
    assert "almost none" in wrong_column.message
    far = check.bad_start([[0, -5000], [0, 0]])
    assert not far
    assert "even the log-loss" in far.message


test_junk_gets_a_hint = refuses_junk(
    JUNK, check.loudest, check.three_to_two_to_one, check.one_token_share, check.bad_start
)
