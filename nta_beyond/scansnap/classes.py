"""Sequence classes: where the sequences of Scan and Snap come from.

A class n fixes the next token, the query and how often every context token occurs, P(l|n).
Nothing else about a sequence matters: without positions its context is a bag of counts.
`syn_small` and `syn_medium` are the classes of the paper's experiments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.boundary import (
    MAX_K,
    Floats,
    Ints,
    check_names,
    generator,
    integers,
    number,
    reals,
    room_for,
    whole,
)
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import DataError, OptionError


@dataclass(frozen=True, eq=False, repr=False, init=False)
class SequenceClasses:
    """K classes of sequences over L context tokens.

    The vocabulary of M tokens is: the L context tokens, the Q queries, the K next tokens, and
    `unused` tokens that never occur but are possible answers.

    Raises `DataError` when P, queries or priors cannot be what they should be.

    Parameters
    ----------
    P : array of shape (K, L)
        Frequency of context token l in class n; rows are divided by their sums.
    queries : array of int of shape (K,), optional
        Query ψ(n) of each class, numbered 0…Q−1 without a gap; one query for all by default.
    priors : array of shape (K,), optional
        How often each class is drawn; equal by default.
    unused : int
        Tokens of the vocabulary that never occur.
    names : sequence of str, optional
        What people call the context tokens; by default c1, c2, … for common ones, and a letter
        per class with a number for distinct ones.

    Attributes
    ----------
    P, queries, priors
        As above, read-only; rows of P and `priors` sum to 1.
    K, L, Q, M : int
        Classes, context tokens, queries, size of the vocabulary.

    Examples
    --------
    >>> pair = SequenceClasses([[2, 1, 1, 0], [2, 0, 0, 2]])
    >>> pair
    SequenceClasses(K=2, 1 common and 3 distinct tokens, 1 query, M=7)
    >>> pair.P[0].tolist(), pair.common.tolist()
    ([0.5, 0.25, 0.25, 0.0], [True, False, False, False])

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.2.
    """

    P: Floats
    queries: Ints
    priors: Floats
    unused: int
    names: tuple[str, ...]

    def __init__(
        self,
        P: ArrayLike,
        *,
        queries: ArrayLike | None = None,
        priors: ArrayLike | None = None,
        unused: int = 0,
        names: Sequence[str] | None = None,
    ) -> None:
        frequencies = _frequencies(P)
        K = len(frequencies)
        whole(unused, "unused", most=MAX_K)
        called = _default_names(frequencies) if names is None else check_names(names)
        if len(called) != frequencies.shape[1]:
            raise DataError(f"{len(called)} names for {frequencies.shape[1]} context tokens")
        values = (
            frequencies,
            _queries(np.zeros(K, dtype=np.int64) if queries is None else queries, K),
            _priors(np.ones(K) if priors is None else priors, K),
            int(unused),
            called,
        )
        for field, value in zip(self.__dataclass_fields__, values, strict=True):
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
            object.__setattr__(self, field, value)
        sizes = {"q": self.Q, "n": self.K, "u": self.unused}
        for name in called if names is not None else ():
            if name[1:].isdecimal() and 1 <= int(name[1:]) <= sizes.get(name[0], 0):
                raise DataError(f"the name {name!r} belongs to a query, a next or an unused token")

    @property
    def K(self) -> int:
        """Number of classes, which is the number of next tokens."""
        return len(self.P)

    @property
    def L(self) -> int:
        """Number of context tokens."""
        return int(self.P.shape[1])

    @property
    def Q(self) -> int:
        """Number of queries."""
        return int(self.queries.max()) + 1

    @property
    def M(self) -> int:
        """Size of the vocabulary: context tokens, queries, next tokens and unused ones."""
        return self.L + self.Q + self.K + self.unused

    @cached_property
    def common(self) -> NDArray[np.bool_]:
        """Whether each context token occurs in two classes or more, shape (L,)."""
        return np.asarray((self.P > 0).sum(axis=0) >= 2)

    @cached_property
    def distinct(self) -> NDArray[np.bool_]:
        """Whether token l occurs in class n and in no other, shape (K, L)."""
        return (self.P > 0) & ~self.common

    @cached_property
    def top(self) -> Ints:
        """Most frequent distinct token of each class, shape (K,)."""
        if not self.distinct.any(axis=1).all():
            lonely = int(np.flatnonzero(~self.distinct.any(axis=1))[0])
            raise DataError(f"class {lonely} has no distinct token", row=lonely)
        return np.asarray(np.where(self.distinct, self.P, -1.0).argmax(axis=1), dtype=np.int64)

    def sample(self, n: int, *, T: int = 128, seed: int) -> Dataset:
        """Draw n sequences of T tokens, the query last, as a `Dataset` over all M tokens.

        Examples
        --------
        >>> data = SequenceClasses([[1, 1, 0], [1, 0, 1]]).sample(5, T=4, seed=0)
        >>> data.n, data.names
        (5, ('c1', 'a1', 'b1', 'q1', 'n1', 'n2'))

        Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.2.
        """
        whole(n, "n", least=1)
        whole(T, "T", least=2)
        rng = generator(seed)
        room_for(n * (T + 16) * self.L, f"drawing {n:,} sequences", instead="draw fewer at a time")
        classes = rng.choice(self.K, size=n, p=self.priors)
        steps = np.cumsum(self.P, axis=1)[classes][:, None, :]
        tokens = (rng.random((n, T - 1, 1)) * steps[..., -1:] >= steps).sum(axis=2)
        rows = np.column_stack([tokens, self.L + self.queries[classes]])
        return Dataset(rows, self.L + self.Q + classes, K=self.M, names=self.vocabulary)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Names of all M tokens: context tokens, queries q1…, next tokens n1…, unused u1…."""
        kinds = (("q", self.Q), ("n", self.K), ("u", self.unused))
        return self.names + tuple(f"{kind}{i + 1}" for kind, size in kinds for i in range(size))

    def __repr__(self) -> str:
        commons = int(self.common.sum())
        queries = "1 query" if self.Q == 1 else f"{self.Q} queries"
        return (
            f"SequenceClasses(K={self.K}, {commons} common and {int(self.distinct.sum())} distinct "
            f"tokens, {queries}, M={self.M})"
        )

    def _repr_html_(self) -> str:
        shown = 8
        rows = (
            (f"n{n + 1}", f"q{self.queries[n] + 1}", f"{common:.3f}", self._favourite(n))
            for n, common in enumerate((self.P[:shown] @ self.common).tolist())
        )
        more = f", the first {shown} shown" if shown < self.K else ""
        head = ("next", "query", "common share", "most frequent distinct token")
        caption = f"{self.K} sequence classes, M={self.M}{more}"
        return html_table("classes", rows, head=head, caption=caption)

    def _favourite(self, n: int) -> str:
        if not self.distinct[n].any():
            return "none"
        token = int(np.where(self.distinct[n], self.P[n], -1.0).argmax())
        return f"{self.names[token]} ({self.P[n, token]:.3f})"


def _frequencies(P: ArrayLike) -> Floats:
    array = reals(P, "P", error=DataError)
    if array.ndim != 2 or 0 in array.shape:
        raise DataError(f"P must have shape (K, L), classes by context tokens, got {array.shape}")
    if (array < 0).any():
        raise DataError("P holds frequencies: finite numbers, 0 or more")
    with np.errstate(over="ignore"):
        sums = array.sum(axis=1, keepdims=True)
    for row, total in enumerate(sums.ravel().tolist()):
        if total == 0:
            raise DataError(f"class {row} has no context token at all", row=row)
        if not 1e-200 < total < 1e200:
            raise DataError(f"class {row}: its frequencies sum to {total:g}, rescale them", row=row)
    return np.asarray(array / sums)


def _queries(queries: ArrayLike, K: int) -> Ints:
    array = integers(queries, "queries")
    if array.shape != (K,):
        raise DataError(f"queries: one integer per class, shape ({K},), got shape {array.shape}")
    if set(array.tolist()) != set(range(int(array.max()) + 1)):
        raise DataError(f"queries are numbered 0, 1, … without a gap, got {array.tolist()}")
    return array


def _priors(priors: ArrayLike, K: int) -> Floats:
    array = reals(priors, "priors", error=DataError)
    if array.shape != (K,) or (array <= 0).any() or not 1e-200 < array.max() * K < 1e200:
        raise DataError(f"priors: one positive number per class, shape ({K},), got {array}")
    return np.asarray(array / array.sum())


_LETTERS = "abdefghijklmoprstvwxyz"  # c, n, q and u have a meaning of their own


def _default_names(P: Floats) -> tuple[str, ...]:
    """c1, c2, … for common tokens; a1, a2, … for the distinct ones of the first class."""
    homes = (P > 0).sum(axis=0)
    owner = (P > 0).argmax(axis=0)
    seen: dict[str, int] = {}
    names = []
    for count, n in zip(homes.tolist(), owner.tolist(), strict=True):
        letter = _LETTERS[n] if len(P) <= len(_LETTERS) else f"d{n + 1}."
        stem = "c" if count >= 2 else letter if count else "x"
        seen[stem] = seen.get(stem, 0) + 1
        names.append(f"{stem}{seen[stem]}")
    return tuple(names)


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
    whole(K, "K", least=1)
    whole(queries, "queries", least=1, most=K)
    for count, name in ((common, "common"), (distinct, "distinct")):
        whole(count, name)
    whole(common_per_query, "common_per_query")
    common_weight = number(common_weight, "common_weight", least=0)
    lowest, highest = number(lowest, "lowest", least=0), number(highest, "highest", least=0)
    shared = None if shared is None else number(shared, "shared", least=0)
    if common + distinct + common_per_query == 0:
        raise OptionError("common=0, distinct=0: a context needs some token")
    if shared is not None and K < 2:
        raise OptionError("shared: two classes at least can share a token")
    tokens = common + K * distinct + queries * common_per_query
    room_for(40 * K * tokens, f"{K:,} classes of {tokens:,} tokens", instead="take fewer classes")
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
    return make_classes(2 * whole(queries, "queries", least=1), queries=queries, unused=unused)
