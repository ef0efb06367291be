"""The chain against the layer, against exact enumeration, and against its random numbers."""

from __future__ import annotations

from collections import defaultdict
from itertools import product

import numpy as np
import pytest
from scipy import stats

from nta_beyond.chain import TokenChain, count_chances, mulberry32, simulate
from nta_core import FIG8, TooLarge, embeddings, gradient_descent, token_mass
from nta_core.errors import DataError, OptionError

CHASE = TokenChain([[1.0, 3.0, 0.5], [2.0, 1.0, 0.5], [1.0, 0.25, 4.0]])


@pytest.mark.parametrize("kind", ["orthonormal", "random"])
def test_the_chain_of_a_layer_is_the_layer(kind: str) -> None:
    E = embeddings(4, 6, kind=kind, seed=3)
    layer = gradient_descent(FIG8, E, steps=200, step_size=1.0, normalized=False)
    chain = TokenChain.from_layer(layer.W, E)
    for length in (1, 2, 3, 4):
        for context in product(range(4), repeat=length):
            assert np.allclose(chain.probabilities(context), token_mass(layer.W, E, context))


def test_every_table_of_strengths_is_the_chain_of_some_layer() -> None:
    E = embeddings(3, 5, seed=1)
    inverse = np.linalg.pinv(E)
    W = inverse @ np.log(CHASE.strengths) @ inverse.T
    assert np.allclose(TokenChain.from_layer(W, E).strengths, CHASE.strengths)


def test_only_ratios_after_one_token_matter() -> None:
    scaled = TokenChain(CHASE.strengths * [5.0, 0.01, 300.0])
    assert np.allclose(scaled.strengths, CHASE.strengths)


def test_counts_and_last_token_are_the_whole_memory() -> None:
    early, late = [0, 0, 1, 2, 1, 2], [2, 1, 0, 1, 0, 2]
    assert np.array_equal(CHASE.probabilities(early), CHASE.probabilities(late))
    assert not np.allclose(CHASE.probabilities(early), CHASE.probabilities([*late[1:], 2][::-1]))


@pytest.mark.parametrize("chain", [CHASE, TokenChain([1.0, 1.0, 1.0]), TokenChain([3.0, 2.0, 1.0])])
def test_chances_of_counts_are_those_of_all_texts(chain: TokenChain) -> None:
    context, length = [0, 1, 2, 1], 5
    sums: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for text in product(range(3), repeat=length):
        counts = np.bincount([*context, *text], minlength=3)
        sums[tuple(counts.tolist())] += chain.chance(context, text)
    exact = count_chances(chain, context, length)
    assert exact.keys() == sums.keys()
    assert all(exact[counts] == pytest.approx(chance) for counts, chance in sums.items())
    assert sum(exact.values()) == pytest.approx(1)


def test_texts_have_the_chances_that_are_computed() -> None:
    runs, exact = 20_000, count_chances(CHASE, [0, 1, 2], 6)
    drawn = simulate(CHASE, [0, 1, 2], runs=runs, record=[6], seed=5)[:, -1]
    seen = {counts: int((drawn == counts).all(axis=1).sum()) for counts in exact}
    assert sum(seen.values()) == runs
    frequent = [counts for counts, chance in exact.items() if chance * runs >= 5]
    observed = np.array([seen[counts] for counts in frequent])
    expected = np.array([exact[counts] * runs for counts in frequent])
    rest = runs - observed.sum(), runs - expected.sum()
    assert stats.chisquare([*observed, rest[0]], [*expected, rest[1]]).pvalue > 0.001


def test_a_token_that_is_not_there_never_comes() -> None:
    drawn = simulate(CHASE, [0, 2], runs=50, record=[1, 40], seed=0)
    assert (drawn[..., 1] == 0).all()
    assert (drawn.sum(axis=2) == [3, 42]).all()


def test_what_is_recorded_is_one_text_at_several_lengths() -> None:
    short = simulate(CHASE, [0, 1, 2], runs=7, record=[0, 3, 9, 30], seed=2)
    assert (short[:, 0] == 1).all()
    assert (np.diff(short, axis=1) >= 0).all()
    assert np.array_equal(
        short[:, -1], simulate(CHASE, [0, 1, 2], runs=7, record=[30], seed=2)[:, -1]
    )


def test_generate_draws_with_the_generator_of_the_page() -> None:
    text = CHASE.generate([0, 1, 2], 200, seed=11)
    tokens = list(text[:3])
    for draw in mulberry32(11, 200):
        running = np.cumsum(CHASE.probabilities(tokens))
        tokens.append(int(np.searchsorted(running, draw, side="right")))
    assert text == tuple(tokens)


def test_mulberry32_is_the_published_generator() -> None:
    def published(seed: int) -> float:
        """The reference, in Python's integers: JavaScript's Math.imul is & 0xFFFFFFFF."""
        state = (seed + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ state >> 15) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ t >> 7) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        return float((t ^ t >> 14) & 0xFFFFFFFF) / 2**32

    for seed in (0, 1, 12345, 2**32 - 1):
        states = [(seed + t * 0x6D2B79F5) & 0xFFFFFFFF for t in range(50)]
        assert mulberry32(seed, 50).tolist() == [published(state) for state in states]
    draws = mulberry32(7, 20_000)
    assert stats.kstest(draws, "uniform").pvalue > 0.01
    assert abs(np.corrcoef(draws[1:], draws[:-1])[0, 1]) < 0.03


def test_what_is_no_chain_is_refused() -> None:
    for strengths in ([1.0, 0.0], [[1.0, 2.0]], [1.0, -2.0], [1e-60, 1e60], []):
        with pytest.raises(OptionError):
            TokenChain(strengths)
    with pytest.raises(OptionError, match="divide W"):
        TokenChain.from_layer(np.diag([300.0, 0.0]), np.eye(2))
    with pytest.raises(DataError, match="must rise"):
        simulate(CHASE, [0], runs=1, record=[3, 3], seed=0)
    with pytest.raises(TooLarge, match="use simulate"):
        count_chances(CHASE, [0, 1, 2], 500)
