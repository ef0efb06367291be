"""The sequence classes of the paper's experiments, and one's own of the same kind."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.errors import check_integers, check_numbers
from nta_beyond.scansnap.classes import SequenceClasses
from nta_core.errors import OptionError


def make_classes(
    K: int,
    *,
    queries: int = 1,
    common: int = 10,
    distinct: int = 10,
    common_weight: float = 1.0,
    lowest: float = 0.1,
    highest: float = 1.0,
    common_per_query: int = 0,
    shared: float | None = None,
    unused: int = 0,
    priors: ArrayLike | None = None,
) -> SequenceClasses:
    """Classes with some tokens in common and some of their own.

    Parameters
    ----------
    K : int
        Number of classes.
    queries : int
        Number of queries, from 1 to K; neighbouring classes share one.
    common, distinct : int
        Tokens that all classes share, and tokens of each class alone.
    common_weight : float
        Weight of a common token, before the frequencies of a class are divided by their sum.
    lowest, highest : float
        Weights of the distinct tokens of a class run from `lowest` to `highest` in equal steps.
    common_per_query : int
        Tokens of weight `common_weight` shared by the classes of one query.
    shared : float, optional
        One more token, of weight 1 in the first class and of this weight in the second.
    unused : int
        Tokens of the vocabulary that never occur (they raise M).
    priors : array of shape (K,), optional
        How often each class is drawn; equal by default.

    Examples
    --------
    >>> make_classes(4, queries=2, common=1, distinct=3, unused=100)
    SequenceClasses(K=4, 1 common and 12 distinct tokens, 2 queries, M=119)

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 7 and its code.
    """
    check_integers(1, K=K, queries=queries)
    check_integers(0, common=common, distinct=distinct, common_per_query=common_per_query)
    check_numbers(common_weight=common_weight, lowest=lowest, highest=highest, shared=shared or 0)
    if queries > K:
        raise OptionError(f"queries={queries}: from 1 to K={K}, a query belongs to some class")
    if common + distinct + common_per_query == 0:
        raise OptionError("common=0, distinct=0: a context needs some token")
    if shared is not None and K < 2:
        raise OptionError("shared: two classes at least can share a token")
    assigned = np.arange(K) * queries // K
    own = np.linspace(lowest, highest, distinct)
    blocks = [
        np.full((K, common), common_weight),
        np.kron(assigned[:, None] == np.arange(queries), np.full(common_per_query, common_weight)),
        np.kron(np.eye(K), own),
    ]
    if shared is not None:
        column = np.zeros((K, 1))
        column[:2, 0] = 1.0, shared
        blocks.append(column)
    return SequenceClasses(np.hstack(blocks), queries=assigned, priors=priors, unused=unused)


def syn_small(queries: int = 2, *, unused: int = 0) -> SequenceClasses:
    """Return the paper's Syn-Small: two classes, 10 common tokens, 10 distinct ones each.

    There are 2 queries in the authors' code; with 1 the context must decide.

    Examples
    --------
    >>> syn_small()
    SequenceClasses(K=2, 10 common and 20 distinct tokens, 2 queries, M=34)

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 4.
    """
    return make_classes(2, queries=queries, unused=unused)


def syn_medium(queries: int = 10, *, unused: int = 0) -> SequenceClasses:
    """Return the paper's Syn-Medium: two classes per query, 10 distinct tokens each.

    There are 1, 3, 5 or 10 queries in the paper.

    Examples
    --------
    >>> syn_medium(3)
    SequenceClasses(K=6, 10 common and 60 distinct tokens, 3 queries, M=79)

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 6.
    """
    return make_classes(2 * queries, queries=queries, unused=unused)
