"""The training data: sequences of tokens, each with the token that came next.

A `Dataset` is a bag of *races*: every sequence is a race, its tokens are the runners, its label
is the winner, and its last token names the track.  Inside, all sequences lie in one flat array,
so that ten million of them are handled as readily as the eight of the paper's Fig. 3.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from html import escape
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.boundary import Ints, a, check_names, check_rows, default_names, room_for, token_id
from nta_core.data import files, textform
from nta_core.data.checks import as_targets, check_range, flatten, vocabulary_size
from nta_core.data.tables import Html, html_table
from nta_core.errors import DataError, UnrealizableLabelWarning
from nta_core.indices import as_index


@dataclass(frozen=True, eq=False, repr=False, init=False)
class Dataset:
    """Sequences and their next tokens; immutable, with ragged lengths and repeated tokens.

    Parameters
    ----------
    sequences : lists of int, or an array, tensor or data frame of shape (n, T)
        Token ids, 0-based, or names that `names` holds.  The last token is the query.
    labels : list, array, tensor or column of int
        The next token of each sequence.
    K : int, optional
        Vocabulary size; by default just large enough for the tokens that occur.
    names : sequence of str, optional
        What people call the tokens; by default e1, e2, …, eK.

    Attributes
    ----------
    tokens, offsets : integer arrays of shapes (total,) and (n + 1,)
        Sequence i is ``tokens[offsets[i]:offsets[i + 1]]``.
    targets, lasts : int64 arrays of shape (n,)
        Label and last token of each sequence.

    Examples
    --------
    >>> data = Dataset([[0, 1, 0], [2, 1, 0]], [1, 2])
    >>> data
    Dataset(2 sequences, K=3)
    >>> data.sequences, data.labels, data.names
    (((0, 1, 0), (2, 1, 0)), (1, 2), ('e1', 'e2', 'e3'))

    Explained in: chapter 2. Paper: Sec. 2.
    """

    tokens: Ints
    offsets: Ints
    targets: Ints
    K: int
    _names: tuple[str, ...] | None

    def __init__(
        self,
        sequences: Iterable[Iterable[int | str]] | NDArray[Any],
        labels: Iterable[int | str] | NDArray[Any],
        *,
        K: int | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        checked = None if names is None else check_names(names)
        tokens, offsets = flatten(sequences, checked or ())
        targets = as_targets(labels, len(offsets) - 1, checked or ())
        size = vocabulary_size(tokens, targets, K, checked)
        if checked is not None and checked == default_names(size):
            checked = None  # so that equal datasets hash alike
        check_range(tokens, offsets, targets, size)
        for array in (tokens, offsets, targets):
            array.flags.writeable = False
        # past the refusing __setattr__ of a frozen class
        self.__dict__.update(
            tokens=tokens, offsets=offsets, targets=targets, K=size, _names=checked
        )

    @classmethod
    def from_text(cls, text: str) -> Dataset:
        """Read one race per line, ``a b c -> b``.

        A line ``tokens: a b c`` before the first race fixes the vocabulary and its order; without
        it the vocabulary is what occurs, in natural order (e2 before e10).  Blank lines, and lines
        that start with ``#`` and hold no arrow, are skipped.

        Raises
        ------
        TextError
            With the line and the column of the first thing that cannot be read.

        Examples
        --------
        >>> Dataset.from_text("e1 e2 e1 -> e2\\ne3 e2 e1 -> e3").sequences
        ((0, 1, 0), (2, 1, 0))

        Explained in: chapter 2.
        """
        sequences, labels, names = textform.parse(a(str, text, "text", error=DataError))
        return cls(sequences, labels, names=names)

    def to_text(self) -> str:
        """Write the races as `from_text` reads them; the two are inverses.

        Examples
        --------
        >>> print(Dataset([[0, 1, 0]], [1]).to_text())
        e1 e2 e1 -> e2
        """
        return textform.write(self.sequences, self.labels, self.names)

    def save(self, path: str | PathLike[str], *, force: bool = False) -> Path:
        """Write the dataset to a file, as its suffix says: .txt (the text form), .json or .parquet.

        The file appears whole or not at all.  One that is there is replaced only with `force`.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> Dataset.load(FIG3.save(mkdtemp() + "/races.json")) == FIG3
        True
        """
        return files.save(path, self.sequences, self.labels, self.names, force=force)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Dataset:
        """Read what `save` wrote, or a file of that form; errors name its line or row."""
        sequences, labels, names = files.load(path)
        return cls(sequences, labels, names=names)

    @property
    def n(self) -> int:
        """Number of sequences."""
        return len(self.targets)

    @cached_property
    def sequences(self) -> tuple[tuple[int, ...], ...]:
        """The sequences as tuples, for people; the arrays are faster."""
        flat = self.tokens.tolist()
        cuts = self.offsets.tolist()
        return tuple(tuple(flat[a:b]) for a, b in pairwise(cuts))

    @cached_property
    def labels(self) -> tuple[int, ...]:
        """The labels as a tuple, for people."""
        return tuple(self.targets.tolist())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What people call the tokens, by id."""
        return self._names or default_names(self.K)

    @cached_property
    def lasts(self) -> Ints:
        """Last token of each sequence, shape (n,)."""
        return _frozen(self.tokens[self.offsets[1:] - 1])

    @cached_property
    def rows(self) -> Ints:
        """Row of each entry of `tokens`, shape (total,)."""
        return _frozen(np.repeat(np.arange(self.n), np.diff(self.offsets)))

    @cached_property
    def counts(self) -> Ints:
        """How often token j occurs in sequence i, shape (n, K)."""
        room_for(16 * self.n * self.K, "a table of n × K counts", instead="ask of a subset of rows")
        keys = as_index(self.rows * self.K + self.tokens)
        return _frozen(np.bincount(keys, minlength=self.n * self.K).reshape(self.n, self.K))

    @cached_property
    def realizable_rows(self) -> NDArray[np.bool_]:
        """Whether each label occurs in its own sequence (Assumption 2), shape (n,)."""
        hits = self.tokens == np.repeat(self.targets, np.diff(self.offsets))
        return np.logical_or.reduceat(hits, self.offsets[:-1])

    @property
    def realizable(self) -> bool:
        """Whether Assumption 2 holds for every sequence."""
        return bool(self.realizable_rows.all())

    def token(self, name: str | int) -> int:
        """Return the id of the token called `name`; an id is itself.

        Examples
        --------
        >>> FIG3.token("e4")
        3
        """
        return token_id(name, self.K, self.names)

    def subset(self, rows: ArrayLike) -> Dataset:
        """Return the dataset of these rows (ids or a mask), with the same vocabulary.

        Examples
        --------
        >>> FIG3.subset([0, 2]).to_text().splitlines()
        ['e1 e2 e1 -> e2', 'e3 e4 e1 -> e4']
        """
        chosen = check_rows(rows, self.n)
        picked = [self.tokens[self.offsets[i] : self.offsets[i + 1]] for i in chosen]
        return Dataset(picked, self.targets[chosen], K=self.K, names=self._names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Dataset):
            return NotImplemented
        return (
            self.K == other.K
            and self.names == other.names
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.targets, other.targets)
            and np.array_equal(self.tokens, other.tokens)
        )

    def __hash__(self) -> int:
        return hash((self.K, self._names, self.tokens.tobytes(), self.targets.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        # explicit, so that arrays are read-only again and nothing cached travels
        rebuild = partial(Dataset, K=self.K, names=self._names)
        return rebuild, (np.split(self.tokens, self.offsets[1:-1]), self.targets)

    def __repr__(self) -> str:
        absent = int(self.n - self.realizable_rows.sum())
        note = f", {absent} labels not in their sequence" if absent else ""
        return f"Dataset({self.n} sequences, K={self.K}{note})"

    def _repr_html_(self) -> str:
        shown = min(12, self.n)
        heads = np.split(self.tokens[: self.offsets[shown]], self.offsets[1:shown])
        winners = [self.names[label] for label in self.targets[:shown]]
        rows = (
            (" ".join(map(self.names.__getitem__, row)), "→", Html(f"<b>{escape(name)}</b>"))
            for row, name in zip(heads, winners, strict=True)
        )
        more = f"… and {self.n - shown} more" if self.n > shown else ""
        return html_table("dataset", rows, caption=more)


def warn_unrealizable(dataset: Dataset) -> None:
    """Say which rows play no part because their label is not in their sequence."""
    bad = np.flatnonzero(~a(Dataset, dataset, "dataset", error=DataError).realizable_rows)
    if len(bad):
        first = ", ".join(map(str, bad[:5])) + (", …" if len(bad) > 5 else "")
        warnings.warn(
            f"{len(bad)} of {dataset.n} labels do not occur in their own sequence (rows {first}): "
            "their gradient is zero and they play no part. Drop them, or add the label to the "
            "sequence, to silence this.",
            UnrealizableLabelWarning,
            stacklevel=3,
        )


def _frozen(array: Ints) -> Ints:
    array.flags.writeable = False
    return array


# The paper's running example (Fig. 3): track e1 is a strict order, track e2 has a three-way tie.
FIG3 = Dataset(
    [[0, 1, 0], [2, 1, 0], [2, 3, 0], [2, 0, 1], [2, 0, 1], [2, 0, 1], [1, 3, 1]],
    [1, 2, 3, 2, 1, 0, 3],
)

# The paper's Fig. 8.  Its caption calls the data "the same as Fig. 3"; they are not: here the
# league {e1, e2, e3} beats e4 on track e2, there e4 beats it.
FIG8 = Dataset(
    [[0, 1, 0], [2, 1, 0], [2, 3, 0], [2, 0, 1], [2, 3, 1], [2, 0, 1], [0, 3, 1]],
    [1, 2, 3, 2, 1, 0, 1],
)
