"""Contexts as sparse counts: any data a Scan-and-Snap layer can be trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, sparray

from nta_core.data import Dataset, Ints
from nta_core.errors import DataError


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """Contexts, queries and next tokens.

    Attributes
    ----------
    counts : scipy csr_array of shape (n, M)
        How often each token occurs in each context; no row is empty.
    queries, answers : int64 arrays of shape (n,)
        Query and next token of each context.

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    counts: csr_array
    queries: Ints
    answers: Ints

    @property
    def n(self) -> int:
        """Number of contexts."""
        return len(self.queries)

    @property
    def M(self) -> int:
        """Size of the vocabulary."""
        return int(self.counts.shape[1])

    def __repr__(self) -> str:
        return f"Contexts({self.n} contexts, M={self.M})"


def contexts_from_counts(
    counts: ArrayLike | sparray, queries: ArrayLike, answers: ArrayLike
) -> Contexts:
    """Return contexts from counts (n, M), dense or sparse, queries (n,) and next tokens (n,).

    Examples
    --------
    >>> contexts_from_counts([[2, 1, 0], [0, 0, 3]], [0, 1], [2, 2])
    Contexts(2 contexts, M=3)

    Explained in: chapter 13.
    """
    table = csr_array(counts, dtype=np.float64)
    table.sum_duplicates()
    table.eliminate_zeros()
    n, M = table.shape
    if not np.isfinite(table.data).all() or (table.data < 0).any():
        raise DataError("counts: finite numbers, 0 or more")
    empty = np.flatnonzero(np.diff(table.indptr) == 0)
    if len(empty):
        raise DataError(f"context {empty[0]} is empty: drop it", row=int(empty[0]))
    return Contexts(table, _ids(queries, n, M, "queries"), _ids(answers, n, M, "answers"))


def contexts_of(dataset: Dataset) -> Contexts:
    """Return each sequence as a query, its last token, and a context, all tokens before it.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> contexts_of(FIG3)
    Contexts(7 contexts, M=4)

    Explained in: chapter 13.
    """
    short = np.flatnonzero(np.diff(dataset.offsets) < 2)
    if len(short):
        raise DataError(
            f"row {short[0]} has one token, which is its query: a context needs another",
            row=int(short[0]),
        )
    inside = np.ones(len(dataset.tokens), dtype=bool)
    inside[dataset.offsets[1:] - 1] = False
    places = (dataset.rows[inside], dataset.tokens[inside])
    counts = csr_array((np.ones(len(places[0])), places), shape=(dataset.n, dataset.K))
    return contexts_from_counts(counts, dataset.lasts, dataset.targets)


def contexts_from_windows(tokens: ArrayLike, answers: ArrayLike, *, M: int) -> Contexts:
    """Return windows of a text as contexts: the last column is the query, the rest the context.

    Parameters
    ----------
    tokens : int array of shape (n, T)
        Token ids; −1 in the context marks a gap (a word outside the vocabulary).  Windows with
        nothing but gaps before their query are left out.
    answers : int array of shape (n,)
        The token that came next.
    M : int
        Size of the vocabulary.

    Examples
    --------
    >>> contexts_from_windows([[0, 1, 0], [-1, 2, 1], [-1, -1, 2]], [1, 2, 0], M=3)
    Contexts(2 contexts, M=3)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 7 and 10.
    """
    windows, following = np.asarray(tokens), np.asarray(answers)
    if windows.ndim != 2 or windows.shape[1] < 2 or windows.dtype.kind not in "iu":
        raise DataError(f"windows: token ids of shape (n, T), T ≥ 2, got shape {windows.shape}")
    if following.shape != windows.shape[:1]:
        raise DataError(f"{len(windows)} windows need as many next tokens, got {following.shape}")
    context = windows[:, :-1]
    if context.size and (context.min() < -1 or context.max() >= M):
        raise DataError(f"windows hold token ids from 0 to {M - 1}, and −1 for a gap")
    kept = (context >= 0).any(axis=1)
    rows, columns = np.nonzero(context[kept] >= 0)
    places = (rows, context[kept][rows, columns])
    counts = csr_array((np.ones(len(rows)), places), shape=(int(kept.sum()), M))
    return contexts_from_counts(counts, windows[kept, -1], following[kept])


def _ids(values: ArrayLike, n: int, M: int, name: str) -> Ints:
    array: np.ndarray[Any, Any] = np.asarray(values)
    if array.shape != (n,) or array.dtype.kind not in "iu":
        raise DataError(f"{name}: one token id per context, shape ({n},), got {array.shape}")
    wrong = np.flatnonzero((array < 0) | (array >= M))
    if len(wrong):
        raise DataError(
            f"{name}: context {wrong[0]} has token {array[wrong[0]]}, outside 0…{M - 1}",
            row=int(wrong[0]),
        )
    return array.astype(np.int64)
