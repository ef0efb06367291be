"""Fitted odds against two other fits; their error against the number of draws."""

from __future__ import annotations

import choix
import numpy as np
import pytest

from nta_beyond.chain import TokenChain, fit_odds, simulate, takeover
from nta_core import Dataset, luce_strengths, token_priority_graphs
from nta_core.errors import DataError


def draws(n: int, K: int, T: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Contexts of T different tokens, and winners by true log-strengths."""
    rng = np.random.default_rng(seed)
    theta = rng.uniform(-1, 1, size=K)
    counts = np.zeros((n, K), dtype=int)
    np.put_along_axis(counts, rng.permuted(np.tile(np.arange(K), (n, 1)), axis=1)[:, :T], 1, 1)
    shares = counts * np.exp(theta)
    shares /= shares.sum(axis=1, keepdims=True)
    drawn = (shares.cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return counts, drawn, theta - theta.mean()


@pytest.mark.parametrize("seed", range(3))
def test_choix_finds_the_same_strengths(seed: int) -> None:
    counts, drawn, _ = draws(120, 5, 3, seed)
    rows = zip(counts, drawn.tolist(), strict=True)
    choices = [(w, [j for j in np.flatnonzero(row).tolist() if j != w]) for row, w in rows]
    theirs = choix.mm_top1(5, choices, max_iter=100_000, tol=1e-12)
    assert np.allclose(fit_odds(counts, drawn).theta, theirs - np.mean(theirs), atol=1e-8)


def test_luce_strengths_agree_where_tokens_stand_several_times() -> None:
    rng = np.random.default_rng(1)
    sequences = [[*rng.integers(0, 3, size=4).tolist(), 3] for _ in range(60)]
    labels = [int(rng.choice(sequence[:-1])) for sequence in sequences]
    data = Dataset(sequences, labels, K=4)
    theta = luce_strengths(data, token_priority_graphs(data)).theta[3]
    counts = np.array([np.bincount(sequence[:-1], minlength=3) for sequence in sequences])
    ours = fit_odds(counts, labels).theta
    theirs = np.array([theta[j] for j in range(3)])
    assert np.allclose(ours, theirs - theirs.mean(), atol=1e-8)


def test_information_is_the_curvature_of_the_likelihood() -> None:
    counts, drawn, _ = draws(50, 4, 3, 0)
    fit, step = fit_odds(counts, drawn), 1e-4

    def loss(theta: np.ndarray) -> float:
        weights = counts * np.exp(theta)
        won = weights[np.arange(len(drawn)), drawn] / weights.sum(axis=1)
        return float(-np.log(won).sum())

    directions = np.eye(4) * step
    for i in range(4):
        for j in range(4):
            signs = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
            values = [
                a * b * loss(fit.theta + a * directions[i] + b * directions[j]) for a, b in signs
            ]
            assert sum(values) / (4 * step**2) == pytest.approx(fit.information[i, j], abs=1e-4)


def test_the_error_falls_like_one_over_n() -> None:
    errors = []
    for n in (200, 800, 3200):
        cases = [draws(n, 8, 4, seed) for seed in range(40)]
        errors.append(np.mean([(fit_odds(c, d).theta - theta) ** 2 for c, d, theta in cases]))
    slope = np.log(errors[-1] / errors[0]) / np.log(16)
    assert slope == pytest.approx(-1, abs=0.15)


def test_the_information_of_a_long_text_is_about_the_number_of_losers_in_it() -> None:
    """Each draw informs by p(1 − p), and p summed is the number of losers that are expected."""
    length = 4000
    text = np.array(TokenChain([1.0, 0.4]).generate([0, 1], length, seed=3))
    is_token = text[:, None] == np.arange(2)
    before = np.cumsum(is_token, axis=0)[1:-1]
    fit = fit_odds(before, text[2:])
    assert 0.7 < fit.information[1, 1] / is_token[2:, 1].sum() < 1.05


def test_what_has_no_best_odds_is_refused() -> None:
    with pytest.raises(DataError, match="infinite"):
        fit_odds([[1, 1]] * 3, [0, 0, 0])
    with pytest.raises(DataError, match="infinite"):  # two pairs that never met
        fit_odds([[1, 1, 0, 0], [0, 0, 1, 1]] * 2, [0, 2, 1, 3])
    with pytest.raises(DataError, match="does not hold"):
        fit_odds([[1, 0]], [1])
    with pytest.raises(DataError, match="shape"):
        fit_odds([1, 1], [0])


def test_two_groups_that_never_meet_leave_their_ratio_open() -> None:
    """And two groups that meet in one prompt do not."""
    strengths, scaled = np.array([1.0, 2.0, 0.5, 3.0]), np.array([1.0, 2.0, 3.5, 21.0])
    one, other = TokenChain(strengths), TokenChain(scaled)
    for apart in ([0, 1, 1], [0, 1], [2, 3], [3, 2, 2, 3]):
        assert np.allclose(one.probabilities(apart), other.probabilities(apart))
    assert not np.allclose(one.probabilities([1, 2]), other.probabilities([1, 2]))
    # shares of draws, in their exact proportions: prompts 0 1, 2 3 and the bridge 1 2
    prompts = [[1, 1, 0, 0]] * 3 + [[0, 0, 1, 1]] * 7 + [[0, 1, 1, 0]] * 5
    drawn = [*[0, 1, 1], *[2, 3, 3, 3, 3, 3, 3], *[1, 1, 1, 1, 2]]
    assert np.allclose(np.exp(fit_odds(prompts, drawn).theta) / strengths, 0.76, atol=0.01)
    with pytest.raises(DataError, match="infinite"):
        fit_odds(prompts[:10], drawn[:10])


def test_a_loser_takes_over_with_the_first_whole_number_above_the_exponential() -> None:
    for gap in (-3.0, 0.0, 0.3, np.log(2), 2.5, 4.46):
        copies = takeover(gap)
        scores = TokenChain(np.exp([gap, 0.0]))
        assert np.argmax(scores.probabilities([0] + [1] * copies)) == 1
        if copies > 1:
            assert scores.probabilities([0] + [1] * (copies - 1))[0] >= 0.5 - 1e-12


def test_simulated_losers_never_vanish() -> None:
    counts = simulate(TokenChain([4.0, 1.0]), [0, 1], runs=200, record=[100, 10_000], seed=0)
    assert np.median(counts[:, 1, 1]) > 2 * np.median(counts[:, 0, 1])
