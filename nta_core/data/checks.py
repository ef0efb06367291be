"""What goes into the package is checked here, once: sequences, labels, names, E, W, contexts.

Every check either returns clean arrays or raises a named error that says which row or entry is
wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.errors import DataError, EmbeddingError, UnknownToken

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_K = 2_000_000  # an edge is one integer key (last·K + label)·K + token, which must fit 63 bits


def check_embeddings(E: ArrayLike, K: int) -> Floats:
    """Return E as a finite float64 array of shape (K, d), or say what is wrong with it."""
    array = _finite(E, "E")
    if array.ndim != 2 or array.shape[0] != K or array.shape[1] < 1:
        raise EmbeddingError(
            f"E must have shape (K, d) = ({K}, d) with one row per token, got {array.shape}"
        )
    return array


def check_weights(W: ArrayLike, d: int, *, many: bool = False) -> Floats:
    """Return W as a finite float64 array of shape (d, d), or say what is wrong with it.

    With `many` it may be a stack of such matrices, of shape (..., d, d).
    """
    array = _finite(W, "W")
    if (array.shape[-2:] if many else array.shape) != (d, d):
        raise EmbeddingError(f"W must have shape (d, d) = ({d}, {d}), got {array.shape}")
    return array


def check_context(context: ArrayLike, K: int) -> Ints:
    """Return a context as token ids, shape (T,), or say which token is unknown."""
    array = np.asarray(context)
    if array.ndim != 1 or array.size == 0:
        raise DataError("a context needs at least one token: the last one is the query")
    if array.dtype.kind not in "iu":
        raise DataError(f"a context holds token ids (integers), got {context!r}")
    for token in array.tolist():
        if not 0 <= token < K:
            raise UnknownToken(f"token {token} is not in the vocabulary 0…{K - 1}")
    return array.astype(np.int64)


def _finite(values: ArrayLike, name: str) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EmbeddingError(f"{name} must be a matrix of real numbers: {error}") from None
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise EmbeddingError(f"{name} has a NaN or infinite entry, the first at {where}")
    return array


def flatten(sequences: Iterable[Iterable[int]] | NDArray[Any]) -> tuple[Ints, Ints]:
    """All tokens in one array, and where each sequence starts."""
    if isinstance(sequences, np.ndarray) and sequences.ndim == 2 and sequences.size:
        n, length = sequences.shape
        return _as_ids(sequences.ravel()), np.arange(0, n * length + 1, length, dtype=np.int64)
    rows = [_row(sequence, i) for i, sequence in enumerate(sequences)]
    if not rows:
        raise DataError("no sequences: a dataset needs at least one")
    offsets = np.zeros(len(rows) + 1, dtype=np.int64)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    return np.fromiter(chain.from_iterable(rows), np.int64, count=int(offsets[-1])), offsets


def _row(sequence: object, i: int) -> list[int]:
    words = "for words use Dataset.from_text('a b c -> b')"
    if isinstance(sequence, str) or not isinstance(sequence, Iterable):
        raise DataError(f"row {i} is {sequence!r}, not a list of token ids; {words}", row=i)
    row = sequence.tolist() if isinstance(sequence, np.ndarray) else list(sequence)
    if not row:
        raise DataError(f"row {i} is empty: a sequence needs at least its last token", row=i)
    for token in row:
        if isinstance(token, bool) or not isinstance(token, (int, np.integer)):
            what = f"row {i} holds {token!r}, which is no token id (an integer from 0)"
            raise DataError(f"{what}; {words}", row=i)
    return row


def _as_ids(values: NDArray[Any]) -> Ints:
    if values.dtype.kind not in "iu":
        raise DataError(f"token ids must be integers, got an array of {values.dtype}")
    return values.astype(np.int64)


def as_targets(labels: Iterable[int] | NDArray[Any], n: int) -> Ints:
    targets = _as_ids(np.asarray(labels if isinstance(labels, np.ndarray) else list(labels)))
    if targets.shape != (n,):
        raise DataError(
            f"{n} sequences need {n} labels, got shape {targets.shape}: one label per sequence"
        )
    return targets


def check_names(names: Sequence[str]) -> tuple[str, ...]:
    for i, name in enumerate(names):
        if not isinstance(name, str) or name in ("->", "→") or name.split() != [name]:
            raise DataError(
                f"name {i} is {name!r}: a token's name is a non-empty word without spaces, not '->'"
            )
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise DataError(f"the name {twice!r} is given to two tokens: names must differ")
    return tuple(names)


def vocabulary_size(
    tokens: Ints, targets: Ints, K: int | None, names: tuple[str, ...] | None
) -> int:
    needed = int(max(tokens.max(), targets.max())) + 1
    size = K if K is not None else len(names) if names is not None else needed
    if not isinstance(size, (int, np.integer)) or isinstance(size, bool) or size < 1:
        raise DataError(f"K={size!r}: the vocabulary size is a positive integer")
    if names is not None and len(names) != size:
        raise DataError(f"{len(names)} names for K={size} tokens: give one name per token")
    if max(size, needed) > MAX_K:
        raise DataError(
            f"K={max(size, needed)} is above {MAX_K}: relabel the tokens that occur as 0, 1, 2, …"
        )
    return int(size)


def check_range(tokens: Ints, offsets: Ints, targets: Ints, K: int) -> None:
    for ids, ends, what in ((tokens, offsets[1:], "holds token"), (targets, None, "has label")):
        wrong = np.flatnonzero((ids < 0) | (ids >= K))
        if len(wrong):
            row = int(wrong[0] if ends is None else np.searchsorted(ends, wrong[0], side="right"))
            raise UnknownToken(
                f"row {row} {what} {ids[wrong[0]]}, outside the vocabulary 0…{K - 1}: "
                "raise K or correct the row",
                row=row,
            )
