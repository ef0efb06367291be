"""Softmax over ragged rows: the one home of the log-loss arithmetic on sparse data.

A row holds the runners of a race.  In a race of *duels* the label is not among them: it runs with
score 0 and every other score is relative to it, so that nothing cancels when the label leads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.indices import as_index


@dataclass(frozen=True, eq=False)
class RaggedRows:
    """Rows of different lengths, laid end to end; no row is empty or has only scores of −∞.

    Attributes
    ----------
    begins : int64 array of shape (rows,)
        First entry of every row.
    row : int64 array of shape (entries,)
        Row of every entry.

    Examples
    --------
    >>> import numpy as np
    >>> rows = RaggedRows.of(np.array([0, 2, 3]))
    >>> rows.sum(np.array([1.0, 2.0, 5.0]))
    array([3., 5.])
    >>> log_totals, shares = rows.softmax(np.log([1.0, 3.0, 1.0]))
    >>> np.exp(log_totals), shares
    (array([4., 1.]), array([0.25, 0.75, 1.  ]))
    >>> rows.softmax(np.log([1.0, 2.0, 1.0]), duels=True)[1]
    array([0.25, 0.5 , 0.5 ])

    Explained in: chapter 1. Paper: eq. 18.
    """

    begins: Ints
    row: Ints

    @classmethod
    def of(cls, starts: Ints) -> RaggedRows:
        """Rows ``starts[i]:starts[i + 1]``."""
        places = as_index(starts)
        return cls(places[:-1], np.repeat(np.arange(len(places) - 1), np.diff(places)))

    def sum(self, values: Floats) -> Floats:
        """Sums over the entries of each row, shape (rows, ...)."""
        if not len(self.begins):
            return np.zeros((0, *values.shape[1:]))
        sums: Floats = np.add.reduceat(values, self.begins, axis=0)
        return sums

    def softmax(
        self, z: Floats, *, duels: bool = False, weights: Floats | None = None
    ) -> tuple[Floats, Floats]:
        """Log of Σ e^z of every row, and the share e^z / Σ e^z of every entry.

        With `duels` each row has one more runner, its label, with score 0.  Shares are multiplied
        by the `weights` of their rows.
        """
        log_total, tickets, total = self._run(z, duels)
        tickets *= ((1.0 if weights is None else weights) / total)[self.row]
        return log_total, tickets

    def log_sum(self, z: Floats, *, duels: bool = False) -> Floats:
        """Log of Σ e^z of every row: the first part of `softmax` alone."""
        return self._run(z, duels)[0]

    def _run(self, z: Floats, duels: bool) -> tuple[Floats, Floats, Floats]:
        """Log of Σ e^z of every row; e^z of every entry and Σ e^z, both over the leader's."""
        if not len(z):
            return np.zeros(len(self.begins)), np.zeros(0), np.ones(len(self.begins))
        top: Floats = np.maximum.reduceat(z, self.begins)
        if not duels:
            tickets = np.exp(z - top[self.row])
            total = self.sum(tickets)
            return top + np.log(total), tickets, total
        np.maximum(top, 0.0, out=top)
        tickets = np.exp(z - top[self.row])
        rivals = self.sum(tickets)
        total = rivals + np.exp(-top)
        # log1p where the label leads: a loss of 1e-20 is not rounded to 0
        return np.where(top > 0, top + np.log(total), np.log1p(rivals)), tickets, total
