"""What makes a dataset is checked here, once: sequences, labels, the size of the vocabulary.

Every check either returns clean arrays or raises a named error that says which row is wrong and
what to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import numpy as np

from nta_core.boundary import MAX_K, Ints, array_of, entries, integers, is_integer, shown, whole
from nta_core.errors import DataError, UnknownToken


def flatten(sequences: object, names: Sequence[str]) -> tuple[Ints, Ints]:
    """All tokens in one array, and where each sequence starts."""
    if getattr(sequences, "ndim", 0) == 2 and hasattr(sequences, "__array__"):
        table = array_of(sequences, "sequences", DataError)
        if not table.size:
            raise DataError(f"no sequences in a table of shape {table.shape}: give at least one")
        if table.dtype.kind not in "OUT":
            starts = np.arange(0, table.size + 1, table.shape[1], dtype=np.intp)
            return integers(table, "sequences").ravel(), starts
        sequences = table.tolist()  # of names
    known = {name: token for token, name in enumerate(names)}
    found = entries(sequences, "sequences")
    rows = [_row(sequence, i, known) for i, sequence in enumerate(found)]
    if not rows:
        raise DataError("no sequences: a dataset needs at least one")
    offsets = np.zeros(len(rows) + 1, dtype=np.intp)
    np.cumsum([len(row) for row in rows], out=offsets[1:])
    try:
        return np.fromiter(chain.from_iterable(rows), np.int64, count=int(offsets[-1])), offsets
    except OverflowError:
        row = next(i for i, row in enumerate(rows) if not -(2**63) <= min(row) <= max(row) < 2**63)
        raise DataError(
            f"row {row} holds {shown(max(rows[row]))}: ids are below 2⁶³", row=row
        ) from None


def _row(sequence: object, i: int, known: dict[str, int]) -> list[int]:
    try:
        row = [*sequence] if type(sequence) in (list, tuple) else entries(sequence, "")  # type: ignore[misc]
    except DataError:
        words = f"row {i} is {shown(sequence)}, not a list of token ids; for words use "
        raise DataError(f"{words}Dataset.from_text('a b c -> b')", row=i) from None
    if not row:
        raise DataError(f"row {i} is empty: a sequence needs at least its last token", row=i)
    if set(map(type, row)) == {int}:
        return row
    for place, token in enumerate(row):
        if isinstance(token, str) and token in known:
            row[place] = known[token]
        elif not is_integer(token):
            what = f"row {i} holds {shown(token)}, which is no token id (an integer from 0)"
            raise DataError(f"{what}; for words use Dataset.from_text('a b c -> b')", row=i)
    return row


def as_targets(labels: object, n: int, names: Sequence[str]) -> Ints:
    """The labels as ids, shape (n,)."""
    if not isinstance(labels, np.ndarray) or labels.dtype.kind not in "iu":
        known = {name: token for token, name in enumerate(names)}
        labels = [known.get(y, y) if isinstance(y, str) else y for y in entries(labels, "labels")]
    targets = integers(labels, "labels")
    if targets.shape != (n,):
        raise DataError(
            f"{n} sequences need {n} labels, got shape {targets.shape}: one label per sequence"
        )
    return targets


def vocabulary_size(tokens: Ints, targets: Ints, K: int | None, names: Sequence[str] | None) -> int:
    """K, or what names or ids ask for."""
    needed = int(max(tokens.max(), targets.max())) + 1
    size = K if K is not None else len(names) if names is not None else needed
    size = whole(size, "K", least=1, error=DataError)
    if names is not None and len(names) != size:
        raise DataError(f"{len(names)} names for K={size} tokens: give one name per token")
    if max(size, needed) > MAX_K:
        raise DataError(
            f"K={max(size, needed)} is above {MAX_K}: relabel the tokens that occur as 0, 1, 2, …"
        )
    return size


def check_range(tokens: Ints, offsets: Ints, targets: Ints, K: int) -> None:
    """Refuse tokens and labels outside the vocabulary."""
    for ids, ends, what in ((tokens, offsets[1:], "holds token"), (targets, None, "has label")):
        wrong = np.flatnonzero((ids < 0) | (ids >= K))
        if len(wrong):
            row = int(wrong[0] if ends is None else np.searchsorted(ends, wrong[0], side="right"))
            raise UnknownToken(
                f"row {row} {what} {ids[wrong[0]]}, outside the vocabulary 0…{K - 1}: "
                "raise K or correct the row",
                row=row,
            )
