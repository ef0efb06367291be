"""What a chain writes, exactly: every state it can be in, with its probability."""

from __future__ import annotations

from collections import defaultdict
from math import comb

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.chain.generator import TokenChain
from nta_core.boundary import a, check_context, whole
from nta_core.errors import TooLarge
from nta_core.indices import as_index

MOST_STATES = 200_000


def count_chances(
    chain: TokenChain, context: ArrayLike, length: int
) -> dict[tuple[int, ...], float]:
    """Return the probability of all counts that a text can have after `length` further tokens.

    The chain forgets everything but its counts and its last token, so that the states after t
    tokens number at most K times as many as there are ways to write t as a sum of K counts, where
    the texts would number Kᵗ.

    Parameters
    ----------
    chain : TokenChain
        Who writes.
    context : list of tokens
        What the text begins with; it counts.
    length : int
        Number of further tokens.

    Returns
    -------
    dict from counts (K integers, the context's included) to probabilities

    Examples
    --------
    >>> chances = count_chances(TokenChain([1.0, 1.0]), [0, 1], 3)
    >>> {counts: round(chance, 4) for counts, chance in sorted(chances.items())}
    {(1, 4): 0.25, (2, 3): 0.25, (3, 2): 0.25, (4, 1): 0.25}

    Explained in: chapter 18.
    """
    K = a(TokenChain, chain, "chain").K
    tokens, steps = check_context(context, K), whole(length, "length")
    present = len(set(tokens.tolist()))
    if steps > 10**6 or steps * comb(steps + present - 1, present - 1) > MOST_STATES:
        raise TooLarge(f"{steps} tokens of {present} kinds have too many counts: use simulate")
    start = tuple(np.bincount(as_index(tokens), minlength=K).tolist())
    states = {(start, int(tokens[-1])): 1.0}
    for _ in range(steps):
        reached: defaultdict[tuple[tuple[int, ...], int], float] = defaultdict(float)
        for (counts, last), chance in states.items():
            weights = chain._weights(np.array([counts]), np.array([last]))[0]
            for j, share in enumerate((weights / weights.sum()).tolist()):
                if counts[j]:
                    more = (*counts[:j], counts[j] + 1, *counts[j + 1 :])
                    reached[more, j] += chance * share
        states = reached
    chances: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for (counts, _), chance in states.items():
        chances[counts] += chance
    return dict(chances)
