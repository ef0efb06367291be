"""What a bag of tokens can never know: against lists of all texts, in whole fractions."""

import itertools
import math
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest

from nta_beyond.induction import bigram, chain_limits, cycle_limits
from nta_core.errors import TooLarge


def probability(text, K):
    """Mean probability of a text over all chains: every next token by its counts so far."""
    p, followed = Fraction(1, K), defaultdict(int)
    for a, b in itertools.pairwise(text):
        p *= Fraction(followed[a, b] + 1, sum(followed[a, j] for j in range(K)) + K)
        followed[a, b] += 1
    return p


def least_loss(K, T, law, known):
    """Conditional entropy of the next token, given what is known of the context."""
    masses = defaultdict(lambda: [Fraction(0)] * K)
    for text in itertools.product(range(K), repeat=T + 1):
        masses[known(text[:-1])][text[-1]] += law(text)
    return -sum(float(p) * math.log(p / sum(row)) for row in masses.values() for p in row if p)


def bag(context):
    return context[-1], tuple(sorted(context))


KNOWN = {"order": lambda context: context, "bag": bag, "last": lambda context: context[-1]}


@pytest.mark.parametrize(("K", "T"), [(2, 1), (2, 3), (2, 6), (3, 4), (4, 3)])
def test_chains_against_a_list_of_all_texts(K, T):
    found = chain_limits(K, T)
    for name, known in KNOWN.items():
        listed = least_loss(K, T, lambda text: probability(text, K), known)
        assert getattr(found, name) == pytest.approx(listed, abs=1e-12)
    assert found.gap == pytest.approx(found.bag - found.order)


def test_the_probability_of_a_text_is_a_mean_over_chains():
    rng = np.random.default_rng(0)
    rows = rng.dirichlet(np.ones(2), size=(200_000, 2))
    text = (0, 1, 0, 0, 1)
    drawn = np.prod([rows[:, a, b] for a, b in itertools.pairwise(text)], axis=0) / 2
    assert drawn.mean() == pytest.approx(float(probability(text, 2)), abs=4 * drawn.std() / 447)


@pytest.mark.parametrize(("K", "rounds"), [(2, 2), (3, 2), (4, 1), (5, 2)])
def test_on_cycles_a_bag_says_nothing(K, rounds):
    found = cycle_limits(K, K * rounds + 1)
    assert found.order == pytest.approx(0, abs=1e-12)
    assert found.bag == found.last == pytest.approx(math.log(K - 1), abs=1e-12)


def test_on_cycles_against_a_list_of_all_texts():
    K, T = 3, 4
    orders = set(itertools.permutations(range(K)))

    def law(text):
        again = all(text[t] == text[t % K] for t in range(T + 1))
        return Fraction(int(again and text[:K] in orders), len(orders))

    for name, known in KNOWN.items():
        assert getattr(cycle_limits(K, T), name) == pytest.approx(
            least_loss(K, T, law, known), abs=1e-12
        )


def test_two_texts_that_no_bag_tells_apart():
    aba, baa = bigram([[0, 1, 0]], 2)[0, -1], bigram([[1, 0, 0]], 2)[0, -1]
    assert bag((0, 1, 0)) == bag((1, 0, 0))
    assert np.allclose(aba, [1 / 3, 2 / 3])
    assert np.allclose(baa, [2 / 3, 1 / 3])
    assert probability((0, 1, 0), 2) == probability((1, 0, 0), 2)


def test_too_much_is_refused():
    with pytest.raises(TooLarge, match="counts of pairs"):
        chain_limits(4, 40)
    with pytest.raises(TooLarge, match="orders"):
        cycle_limits(12, 3)
