"""What a head sees of a text when attention stands still: contexts as vectors, and what follows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.errors import texts
from nta_core.boundary import (
    EXTREME,
    a,
    check_embeddings,
    check_names,
    check_weights,
    number,
    reals,
    room_for,
)
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import DataError, EmbeddingError
from nta_core.model import attention_masses

ROUNDED = 1e-9  # probabilities may miss their sum of 1 by this much
ALIKE = 12  # decimals of attention in which equal contexts agree


class Language:
    """Distinct contexts as vectors, how frequent each is, and how often each word follows it.

    Parameters
    ----------
    contexts : array of shape (m, d)
        One vector per context: what attention, held still, has mixed.
    odds : array of shape (m, V)
        Probabilities of the next word, one context per row; 0 outside its *support*.
    shares : array of shape (m,), optional
        How frequent each context is; all equally, unless given.
    words : sequence of V str, optional
        What people call the words.
    names : sequence of m str, optional
        What people call the contexts.

    Raises
    ------
    DataError, EmbeddingError
        Shapes that do not fit, or rows that are no probabilities.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]], words=["tea", "milk", "bread"])
    >>> talk
    Language(2 contexts in 2 dimensions, 3 words, entropy 0.2812)
    >>> talk.supports.sum(axis=1)
    array([2, 1])

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Sec. 2.
    """

    def __init__(
        self,
        contexts: ArrayLike,
        odds: ArrayLike,
        *,
        shares: ArrayLike | None = None,
        words: Sequence[str] | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        H = reals(contexts, "contexts")
        if H.ndim != 2 or 0 in H.shape or np.abs(H).max() > EXTREME:
            raise EmbeddingError(
                f"contexts: one vector per row, shape (m, d), entries up to {EXTREME:g}; got "
                f"shape {H.shape}"
            )
        m = len(H)
        P = reals(odds, "odds", error=DataError)
        if P.ndim != 2 or len(P) != m or P.shape[1] < 2:
            raise DataError(f"odds: {m} rows, one per context, of two words or more; got {P.shape}")
        pi = np.full(m, 1 / m) if shares is None else reals(shares, "shares", error=DataError)
        if pi.shape != (m,):
            raise DataError(f"shares: one number per context, and there are {m}; got {pi.shape}")
        for name, rows in (("odds", P), ("shares", pi[None])):
            sums = rows.sum(axis=1)
            if rows.min() < 0 or np.abs(sums - 1).max() > ROUNDED:
                raise DataError(f"{name}: probabilities are 0 or more and add up to 1")
        if pi.min() == 0:
            raise DataError("shares: a context that never occurs has no place here; leave it out")
        self.contexts, self.odds, self.shares = H, P, pi
        self.words = check_names(_numbered("w", P.shape[1]) if words is None else words, P.shape[1])
        self.names = tuple(texts(_numbered("c", m) if names is None else names, "names"))
        if len(self.names) != m:
            raise DataError(f"names: one per context, and there are {m}; got {len(self.names)}")

    @classmethod
    def from_counts(cls, counts: Mapping[str, Mapping[str, float]]) -> Language:
        """Contexts as texts, each with the words that followed and how often.

        Attention is uniform: the vector of a context is the mean of its tokens, which are one-hot.

        Examples
        --------
        >>> talk = Language.from_counts({"a cup of": {"tea": 3, "milk": 1}, "a loaf": {"tea": 1}})
        >>> talk.contexts.round(2)
        array([[0.33, 0.33, 0.33, 0.  ],
               [0.5 , 0.  , 0.  , 0.5 ]])
        """
        table = a(Mapping, counts, "counts", error=DataError)  # type: ignore[type-abstract]
        names = texts(list(table), "counts", error=DataError)
        rows = [a(Mapping, table[name], f"counts[{name!r}]", error=DataError) for name in names]  # type: ignore[type-abstract]
        tokens = list(dict.fromkeys(token for name in names for token in name.split()))
        words = list(dict.fromkeys(word for row in rows for word in row))
        if not names or not all(name.split() for name in names):
            raise DataError("counts: at least one context, and none of them empty")
        n = np.array(
            [
                [number(row.get(w, 0), f"counts of {w!r}", least=0, most=1e12) for w in words]
                for row in rows
            ]
        ).reshape(len(rows), len(words))
        if not n.size or n.sum(axis=1).min() == 0:
            raise DataError("counts: every context is followed by some word")
        mixed = [[name.split().count(t) / len(name.split()) for t in tokens] for name in names]
        totals = n.sum(axis=1)
        return cls(
            mixed, n / totals[:, None], shares=totals / totals.sum(), words=words, names=names
        )

    @classmethod
    def from_dataset(
        cls, dataset: Dataset, E: ArrayLike, *, W: ArrayLike | None = None
    ) -> Language:
        """What a head sees after the layer of this book, with its attention held still at W.

        Sequences that attention mixes to the same vector are one context.

        Parameters
        ----------
        dataset : Dataset
            Sequences and labels; a label need not occur in its sequence.
        E : array of shape (K, d)
            Token embeddings.
        W : array of shape (d, d), optional
            Attention weights; without them attention is uniform.

        Examples
        --------
        >>> data = Dataset([[0, 1], [1, 0], [0, 2]], [0, 1, 2])
        >>> Language.from_dataset(data, np.eye(3)).odds
        array([[0. , 0. , 1. ],
               [0.5, 0.5, 0. ]])
        """
        K = a(Dataset, dataset, "dataset").K
        E = check_embeddings(E, K)
        d = E.shape[1]
        held = np.zeros((d, d)) if W is None else check_weights(W, d)
        room_for(24.0 * dataset.n * K, f"{dataset.n:,} contexts", instead="use fewer sequences")
        masses = attention_masses(dataset, held, E)
        _, first, which = np.unique(
            masses.round(ALIKE), axis=0, return_index=True, return_inverse=True
        )
        counts = np.zeros((len(first), K))
        np.add.at(counts, (which.reshape(-1), dataset.targets), 1)
        totals = counts.sum(axis=1)
        names = [" ".join(dataset.names[t] for t in dataset.sequences[row]) for row in first]
        return cls(
            masses[first] @ E,
            counts / totals[:, None],
            shares=totals / dataset.n,
            words=dataset.names,
            names=names,
        )

    @cached_property
    def supports(self) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
        """Whether a word ever follows a context, shape (m, V)."""
        return np.asarray(self.odds > 0)

    @cached_property
    def entropy(self) -> float:
        """What no head can get below: the mean entropy of the next word, in nats."""
        logs = np.log(self.odds, where=self.supports, out=np.zeros_like(self.odds))
        return abs(float((self.shares[:, None] * self.odds * logs).sum()))

    def __repr__(self) -> str:
        (m, d), V = self.contexts.shape, len(self.words)
        size = f"{m} contexts in {d} dimensions, {V} words"
        return f"Language({size}, entropy {self.entropy:.4g})"

    def _repr_html_(self) -> str:
        rows = [
            (name, *(f"{p:.3g}" if p else "–" for p in row))
            for name, row in zip(self.names[:12], self.odds, strict=False)
        ]
        hidden = len(self.names) - len(rows)
        return html_table("language", rows, head=("context", *self.words), hidden=hidden)


def _numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{k + 1}" for k in range(count)]
