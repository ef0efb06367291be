"""What becomes of long texts: Pólya's limit, the strongest, and who can take all."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from nta_beyond.chain import TokenChain, count_chances, simulate


def shares(chain: TokenChain, context: list[int], length: int, runs: int, seed: int) -> np.ndarray:
    counts = simulate(chain, context, runs=runs, record=[length], seed=seed)[:, -1]
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("start", [(1, 1), (2, 1), (3, 5)])
def test_equal_strengths_have_polyas_exact_law(start: tuple[int, int]) -> None:
    context, length = [0] * start[0] + [1] * start[1], 12
    law = stats.betabinom(length, *start)
    for (first, _), chance in count_chances(TokenChain([1.0, 1.0]), context, length).items():
        assert chance == pytest.approx(law.pmf(first - start[0]), abs=1e-12)


@pytest.mark.parametrize("start", [(1, 1), (2, 1), (3, 5)])
def test_equal_strengths_end_beta(start: tuple[int, int]) -> None:
    context = [0] * start[0] + [1] * start[1]
    ends = shares(TokenChain([1.0, 1.0]), context, 2000, 1000, seed=4)[:, 0]
    assert stats.kstest(ends, stats.beta(*start).cdf).pvalue > 0.01
    wrong = stats.beta(start[0] + 1, start[1])  # the test would see one ticket more
    assert stats.kstest(ends, wrong.cdf).pvalue < 1e-4


def test_three_equal_tokens_end_dirichlet() -> None:
    ends = shares(TokenChain([1.0, 1.0, 1.0]), [0, 0, 1, 2], 2000, 1000, seed=1)
    for token, tickets in enumerate((2, 1, 1)):
        assert stats.kstest(ends[:, token], stats.beta(tickets, 4 - tickets).cdf).pvalue > 0.01


@pytest.mark.parametrize("ratio", [0.5, 2 / 3])
def test_losers_grow_like_a_power(ratio: float) -> None:
    lengths = [500, 2000, 8000]
    counts = simulate(TokenChain([1.0, ratio]), [0, 1], runs=800, record=lengths, seed=3)
    growth = np.log(counts[:, 1:, 1] / counts[:, :-1, 1]).mean(axis=0) / np.log(4)
    assert np.abs(growth - ratio).max() < 0.04
    # N₂ / n^ratio → G₂ / G₁^ratio with two exponential variables
    G = np.random.default_rng(0).exponential(size=(20_000, 2))
    limit = G[:, 1] / G[:, 0] ** ratio
    ends = counts[:, -1, 1] / lengths[-1] ** ratio
    assert stats.ks_2samp(ends, limit).pvalue > 0.001
    assert np.median(counts[:, -1, 0] / counts[:, -1].sum(axis=1)) > 0.93


def test_texts_of_equal_strengths_are_exchangeable_and_others_are_not() -> None:
    equal, other = TokenChain([1.0, 1.0]), TokenChain([2.0, 1.0])
    for one, another in (([0, 0, 1], [1, 0, 0]), ([0, 1, 1, 0], [0, 0, 1, 1])):
        assert equal.chance([0, 1], one) == pytest.approx(equal.chance([0, 1], another))
        assert other.chance([0, 1], one) != pytest.approx(other.chance([0, 1], another))


def after_itself(strengths: list[float], again: float) -> TokenChain:
    return TokenChain(np.array(strengths)[:, None] * np.where(np.eye(len(strengths)), again, 1.0))


@pytest.mark.parametrize(
    ("strengths", "again", "fate"),
    [
        ([3.0, 1.0, 1.0], 1.0, "one"),
        ([3.0, 1.0, 0.5], 0.75, "one"),
        ([1.0, 1.0, 1.0], 3.0, "any"),
        ([1.5, 1.0, 1.0], 0.25, "none"),
        ([1.0, 1.0, 1.0], 0.25, "none"),
        ([1.5, 1.25, 1.0], 0.5, "none"),
    ],
)
def test_who_can_take_all(strengths: list[float], again: float, fate: str) -> None:
    ends = shares(after_itself(strengths, again), [0, 1, 2], 6000, 300, seed=8)
    largest, first = ends.max(axis=1), ends[:, 0]
    if fate == "none":  # the same shares in every text, and nobody near all
        assert largest.max() < 0.8
        assert first.std() < 0.08  # equal strengths without a rule: 0.24
    else:
        assert np.median(largest) > 0.95
        winners = set(ends[largest > 0.95].argmax(axis=1).tolist())
        assert winners == ({0} if fate == "one" else {0, 1, 2})


@pytest.mark.parametrize(("a", "b"), [(3.0, 2.0), (4.0, 4.0), (1.5, 6.0)])
def test_two_tokens_that_chase_each_other_settle_where_the_drift_is_zero(
    a: float, b: float
) -> None:
    """a: how much stronger 1 is than 0 after 0; b: how much stronger 0 is than 1 after 1."""
    ends = shares(TokenChain([[1.0, b], [a, 1.0]]), [0, 1], 4000, 200, seed=2)
    odds = a * (b - 1) / (b * (a - 1))
    assert ends[:, 0].mean() == pytest.approx(odds / (1 + odds), abs=0.02)


def test_in_the_cold_one_token_is_alone_from_some_word_on() -> None:
    silent = {}
    for temperature in (0.5, 1.0):
        chain = TokenChain([1.0, 0.8], temperature=temperature)
        counts = simulate(chain, [0, 1], runs=400, record=[1000, 10_000], seed=6)
        rare = counts.min(axis=2)
        silent[temperature] = (rare[:, 1] == rare[:, 0]).mean()  # not drawn any more
        if temperature < 1:  # the weaker one, too, has its texts
            assert 0.2 < counts[:, -1].argmax(axis=1).mean() < 0.5
    assert silent[0.5] > 0.94
    assert silent[1.0] < 0.02


@pytest.mark.parametrize(("ratio", "temperature"), [(1.0, 2.0), (2.0, 2.0), (1.5, 3.0)])
def test_in_the_heat_shares_come_to_rest_where_strengths_put_them(
    ratio: float, temperature: float
) -> None:
    ends = shares(TokenChain([ratio, 1.0], temperature=temperature), [0, 1], 8000, 200, seed=7)
    odds = ratio ** (1 / (temperature - 1))
    assert ends[:, 0].mean() == pytest.approx(odds / (1 + odds), abs=0.02)
    assert ends[:, 0].std() < 0.03


def test_a_temperature_is_a_power_of_the_probabilities() -> None:
    table = [[1.0, 3.0, 0.5], [2.0, 1.0, 0.5], [1.0, 0.25, 4.0]]
    plain, cold = TokenChain(table), TokenChain(table, temperature=0.25)
    for context in ([0, 1, 2], [0, 2], [2, 1, 1, 0, 1]):
        powers = plain.probabilities(context) ** 4
        assert np.allclose(cold.probabilities(context), powers / powers.sum())
    assert "temperature 0.25" in repr(cold)
