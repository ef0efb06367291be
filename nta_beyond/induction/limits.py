"""How well can a prediction be that knows the last token and a bag of the others?  Exactly."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass
from math import exp, lgamma, log, perm

import numpy as np

from nta_core.boundary import Floats, whole
from nta_core.errors import TooLarge

MOST = 300_000  # counts that are looked at: some seconds

#: How often each token followed each other one, and the last token.
_Counts = tuple[tuple[tuple[int, ...], ...], int]


@dataclass(frozen=True)
class Limits:
    """The least mean loss that a prediction of token T + 1 can have, in nats.

    Attributes
    ----------
    order : float
        Of a prediction that knows the whole context.
    bag : float
        Of one that knows the last token and how often each token occurs: of every model whose
        attention has neither positions nor a mask, whatever its tables.
    last : float
        Of one that knows the last token alone.

    Explained in: chapter 21.
    """

    order: float
    bag: float
    last: float

    @property
    def gap(self) -> float:
        """What the order of the context is worth: a loss that no table can save."""
        return self.bag - self.order


def chain_limits(K: int, T: int) -> Limits:
    """Return the limits for texts from `random_chains`, exactly, after T tokens.

    The probability of a text depends only on how often each token followed each other one.  So the
    texts are not listed: equal counts are gathered, with the number of texts that have them.

    Examples
    --------
    >>> limits = chain_limits(2, 3)
    >>> round(limits.order, 4), round(limits.bag, 4), round(limits.last, 4)
    (0.6212, 0.6495, 0.6792)

    Explained in: chapter 21.
    """
    whole(K, "K", least=2, most=50)
    whole(T, "T", least=1, most=1_000)
    groups = _Groups(K)
    for (counts, last), texts in _all_counts(K, T).items():
        row = np.array(counts[last], dtype=np.float64) + 1
        bag = tuple(sum(seen) + (token == last) for token, seen in enumerate(counts))
        groups.add(texts * _probability(counts, K), row / row.sum(), bag=bag, last=last)
    return groups.limits()


def cycle_limits(K: int, T: int) -> Limits:
    """Return the limits for `cycle_texts` after T tokens, by listing all of them.

    Examples
    --------
    >>> limits = cycle_limits(3, 7)
    >>> round(limits.order, 4), round(limits.bag, 4), round(log(2), 4)
    (0.0, 0.6931, 0.6931)

    Explained in: chapter 21.
    """
    whole(K, "K", least=2, most=50)
    whole(T, "T", least=1, most=1_000)
    texts: dict[tuple[int, ...], Floats] = defaultdict(lambda: np.zeros(K))
    if perm(K) > MOST:
        raise TooLarge(f"{K} tokens have {perm(K):,} orders, more than {MOST:,}: take fewer")
    for order in itertools.permutations(range(K)):
        text = tuple(order[t % K] for t in range(T + 1))
        texts[text[:-1]][text[-1]] += 1 / perm(K)
    groups = _Groups(K)
    for text, followed in texts.items():
        share = followed.sum()
        bag = tuple(text.count(token) for token in range(K))
        groups.add(share, followed / share, bag=bag, last=text[-1])
    return groups.limits()


class _Groups:
    """Contexts with their next token's law, gathered by what a model knows of them."""

    def __init__(self, K: int) -> None:
        self.order = 0.0
        self.bags: dict[tuple[tuple[int, ...], int], Floats] = defaultdict(lambda: np.zeros(K))
        self.lasts: dict[int, Floats] = defaultdict(lambda: np.zeros(K))

    def add(self, share: float, law: Floats, *, bag: tuple[int, ...], last: int) -> None:
        self.order += _loss(share * law)
        self.bags[bag, last] += share * law
        self.lasts[last] += share * law

    def limits(self) -> Limits:
        bag, last = (sum(map(_loss, kept.values())) for kept in (self.bags, self.lasts))
        return Limits(self.order, float(bag), float(last))


def _loss(masses: Floats) -> float:
    """Loss of the best prediction for contexts that look alike: masses of their next tokens."""
    some = masses[masses > 0]
    return float(-(some * np.log(some / masses.sum())).sum())


def _all_counts(K: int, T: int) -> dict[_Counts, int]:
    """Counts of pairs with the last token, and how many texts of T tokens have them."""
    nothing = ((0,) * K,) * K
    found: dict[_Counts, int] = {(nothing, first): 1 for first in range(K)}
    for _ in range(T - 1):
        longer: dict[_Counts, int] = defaultdict(int)
        for (counts, last), texts in found.items():
            for token in range(K):
                longer[_one_more(counts, last, token), token] += texts
        if len(longer) > MOST:
            raise TooLarge(
                f"K={K}, T={T}: more than {MOST:,} counts of pairs: take fewer or shorter texts"
            )
        found = longer
    return found


def _one_more(
    counts: tuple[tuple[int, ...], ...], last: int, token: int
) -> tuple[tuple[int, ...], ...]:
    row = counts[last]
    row = (*row[:token], row[token] + 1, *row[token + 1 :])
    return (*counts[:last], row, *counts[last + 1 :])


def _probability(counts: tuple[tuple[int, ...], ...], K: int) -> float:
    """Of one text with these counts: a mean over all chains, row by row."""
    return exp(-log(K) + sum(_row(row, K) for row in counts))


def _row(row: tuple[int, ...], K: int) -> float:
    return lgamma(K) - lgamma(sum(row) + K) + sum(lgamma(count + 1) for count in row)
