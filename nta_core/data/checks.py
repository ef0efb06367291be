"""What makes a dataset is checked here, once: sequences, labels, names.

Every check either returns clean arrays or raises a named error that says which row or entry is
wrong and what to do.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Ints
from nta_core.errors import DataError, UnknownToken

MAX_K = 2_000_000  # an edge is one integer key (last·K + label)·K + token, which must fit 63 bits


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
