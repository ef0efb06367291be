"""A dataset as the risk sees it: distinct races with weights.

Attention depends on a sequence only through its token counts, its last token and its label, so
equal rows are merged.  Under the log-loss a race is a list of *duels*, its label against every
other token present.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Floats, Ints, room_for
from nta_core.data import Dataset, warn_unrealizable
from nta_core.model.ragged import RaggedRows

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Races:
    """The distinct realizable rows of a dataset, and the duels of each."""

    K: int
    lasts: Ints  # (n,) last token of every distinct row
    labels: Ints  # (n,)
    weights: Floats  # (n,) how often the row occurs, over the number of all rows of the dataset
    starts: Ints  # (n + 1,) row i holds the duels starts[i]:starts[i + 1]
    losers: Ints  # (duels,) the tokens of the row other than its label
    log_ratios: Floats  # (duels,) log of count of the loser / count of the label in the sequence
    row_of: Ints  # the distinct row of every row of the dataset; −1 if its label is absent

    @property
    def n(self) -> int:
        return len(self.lasts)

    @property
    def rows(self) -> Ints:
        """Row of every duel, shape (duels,)."""
        return np.repeat(np.arange(self.n), np.diff(self.starts))

    def contested(self) -> tuple[Ints, RaggedRows]:
        """The rows that have a duel, and the duels of each; the others cost nothing at any W."""
        rows = np.flatnonzero(np.diff(self.starts))
        return rows, RaggedRows.of(np.r_[self.starts[rows], len(self.losers)])

    def padded(self) -> tuple[Ints, Floats]:
        """Losers and log-ratios as arrays of shape (most duels of a row, n).

        Padding repeats the label with log-ratio −∞: a runner without a ticket.
        """
        sizes = np.diff(self.starts)
        place = np.arange(len(self.losers)) - np.repeat(self.starts[:-1], sizes)
        losers = np.repeat(self.labels[None], max(sizes.max(initial=0), 1), axis=0)
        log_ratios = np.full(losers.shape, -np.inf)
        losers[place, self.rows] = self.losers
        log_ratios[place, self.rows] = self.log_ratios
        return losers, log_ratios

    def log_counts(self) -> Floats:
        """Log of the counts relative to the label's, shape (n, K); −∞ for absent tokens."""
        what = f"a loss that reads all {self.K} tokens in {self.n} races"  # ten tables like this
        room_for(80.0 * self.n * self.K, what, instead="use loss='log', or fewer tokens")
        table = np.full((self.n, self.K), -np.inf)
        table[np.arange(self.n), self.labels] = 0.0
        table[self.rows, self.losers] = self.log_ratios
        return table


def races_of(dataset: Dataset) -> Races:
    """Merge equal rows; rows whose label is absent are left out, with a warning."""
    warn_unrealizable(dataset)
    keep = np.flatnonzero(dataset.realizable_rows)
    # Rows are equal if last token, label and the counts of their tokens are.
    keys, counts = np.unique(dataset.rows * dataset.K + dataset.tokens, return_counts=True)
    row, token = np.divmod(keys, dataset.K)
    place = np.arange(len(row)) - np.searchsorted(row, np.arange(dataset.n))[row]
    base, width = counts.max() + 1, int(place.max()) + 1
    what = f"a table of {dataset.n} sequences with up to {width} different tokens"
    room_for(32.0 * dataset.n * width, what, instead="cut the longest sequences")
    bags = np.full((dataset.n, width), -1)  # rows with fewer tokens end in −1
    bags[row, place] = token * base + counts
    signature = np.column_stack([dataset.lasts, dataset.targets, bags])[keep]
    row_of = np.full(dataset.n, -1)
    distinct, row_of[keep], times = np.unique(
        signature, axis=0, return_inverse=True, return_counts=True
    )
    lasts, labels, bags = distinct[:, 0], distinct[:, 1], distinct[:, 2:]
    row, place = np.nonzero(bags >= 0)
    token, counts = np.divmod(bags[row, place], base)
    own = token == labels[row]
    duels, rows = ~own, row[~own]
    return Races(
        K=dataset.K,
        lasts=lasts,
        labels=labels,
        weights=times / dataset.n,
        starts=np.r_[0, np.cumsum(np.bincount(rows, minlength=len(labels)))],
        losers=token[duels],
        log_ratios=np.log(counts[duels] / counts[own][rows]),
        row_of=row_of,
    )


def padded(arrays: Sequence[NDArray[Scalar]], fill: float = 0.0) -> NDArray[Scalar]:
    """Arrays of different shapes in one: each stands in the corner of its block of `fill`."""
    shape = np.max([array.shape for array in arrays], axis=0)
    needed = 8.0 * len(arrays) * float(np.prod(shape, dtype=float))
    room_for(needed, f"a batch of {len(arrays)} datasets", instead="train them in smaller batches")
    table = np.full((len(arrays), *shape), fill, dtype=arrays[0].dtype)
    for block, array in zip(table, arrays, strict=True):
        block[tuple(slice(size) for size in array.shape)] = array
    return table
