"""Reduced races: what is left of the data when only tokens of the label's league run.

`ReducedLoss` is their log-loss as a function of coordinates in S_fin.  It works on *nodes*, the
(last token, tied token) pairs that occur: a large vocabulary costs no more than its ties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from nta_core.data import Dataset, Floats, Ints
from nta_core.soft.subspaces import Subspace


@dataclass(frozen=True, eq=False)
class ReducedRaces:
    """The races in which the label has a rival of its own league.

    Attributes
    ----------
    lasts, tokens, leagues : int64 arrays of shape (nodes,)
        Last token, tied token, and a number that nodes of one league share.
    starts : int64 array of shape (races + 1,)
        Race r holds the entries ``starts[r]:starts[r + 1]`` of the next two.
    runners, tickets : int64 arrays of shape (entries,)
        Node of each runner, once per race, and how often its token occurs in the sequence.
    winners : int64 array of shape (races,)
        Node of the label.
    n : int
        Number of all sequences: the divisor of the loss.
    """

    lasts: Ints
    tokens: Ints
    leagues: Ints
    starts: Ints
    runners: Ints
    tickets: Ints
    winners: Ints
    n: int

    def tracks(self) -> Iterator[tuple[int, slice]]:
        """Last tokens, with the nodes that belong to each."""
        cuts = np.flatnonzero(np.diff(self.lasts, prepend=-1, append=-1)).tolist()
        return ((int(self.lasts[begin]), slice(begin, end)) for begin, end in pairwise(cuts))


def reduced_races(dataset: Dataset, ties: Ints) -> ReducedRaces:
    """Keep of each sequence the tokens in its label's league; the query stays as it was.

    Parameters
    ----------
    ties : int64 array of shape (m, 3)
        Rows (last, token, root), as in ``TokenPriorityGraphs.tie_array``.

    Examples
    --------
    >>> from nta_core import FIG8, token_priority_graphs
    >>> races = reduced_races(FIG8, token_priority_graphs(FIG8).tie_array)
    >>> races.tokens[races.runners].tolist(), races.starts.tolist()
    ([0, 1, 2, 1, 2, 0, 1, 2, 0, 1], [0, 3, 5, 8, 10])

    Explained in: chapter 6. Paper: Def. 3.
    """
    K, rows = dataset.K, dataset.rows
    roots = ties[:, 0] * K + ties[:, 2]
    nodes, first = np.unique(
        np.concatenate([ties[:, 0] * K + ties[:, 1], roots]), return_index=True
    )
    leagues = np.concatenate([roots, roots])[first]
    winner = _position(nodes, dataset.lasts * K + dataset.targets)
    winner[~dataset.realizable_rows] = -1
    runner = _position(nodes, dataset.lasts[rows] * K + dataset.tokens)
    runs = (runner >= 0) & (winner[rows] >= 0)
    runs[runs] = leagues[runner[runs]] == leagues[winner[rows[runs]]]
    entries, tickets = np.unique(rows[runs] * len(nodes) + runner[runs], return_counts=True)
    row, node = entries // max(len(nodes), 1), entries % max(len(nodes), 1)
    rivals = np.bincount(row, minlength=dataset.n)
    contested = rivals > 1
    kept = contested[row]
    return ReducedRaces(
        lasts=nodes // K,
        tokens=nodes % K,
        leagues=leagues,
        starts=np.concatenate([[0], np.cumsum(rivals[contested])]),
        runners=node[kept],
        tickets=tickets[kept],
        winners=winner[contested],
        n=dataset.n,
    )


def _position(ordered: Ints, keys: Ints) -> Ints:
    """Index of each key in the ordered array, −1 where it is absent."""
    if not len(ordered):
        return np.full(len(keys), -1)
    place = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    return np.where(ordered[place] == keys, place, -1)


class ReducedLoss:
    """Mean log-loss of the reduced races at a point of S_fin.

    Attributes
    ----------
    slopes : float64 array of shape (nodes, dim)
        How the score e_jᵀ W e_k of each node grows along each basis matrix of S_fin.
    size : float
        Length of the longest row of `slopes`: the scale that gradients are measured in.

    Explained in: chapter 6. Paper: Def. 4.
    """

    def __init__(self, races: ReducedRaces, subspace: Subspace, E: Floats) -> None:
        self.races = races
        self.slopes = np.zeros((len(races.lasts), subspace.dim))
        for last, nodes in races.tracks():
            self.slopes[nodes] = E[races.tokens[nodes]] @ (subspace.basis @ E[last]).T
        self.size = float(np.linalg.norm(self.slopes, axis=1).max(initial=0.0))
        self._begins = races.starts[:-1]
        self._race = np.repeat(np.arange(len(races.winners)), np.diff(races.starts))
        self._log_tickets = np.log(races.tickets)
        self._won = races.runners == races.winners[self._race]
        # one sparse (races, nodes) matrix for all steps; only its numbers change
        shares = np.zeros(len(races.runners))
        shape = (len(races.winners), len(races.lasts))
        self._shares = csr_array((shares, races.runners, races.starts), shape=shape)

    def value(self, point: Floats) -> float:
        """Loss at the point, shape (dim,)."""
        return self._value_and_shares(point)[0]

    def derivatives(self, point: Floats) -> tuple[float, Floats, Floats]:
        """Loss, gradient (dim,) and Hessian (dim, dim).

        The Hessian is the mean over the races of the covariance of the slopes.
        """
        value, shares = self._value_and_shares(point)
        nodes, n = len(self.slopes), self.races.n
        excess = np.bincount(self.races.runners, shares - self._won, nodes)
        weight = np.bincount(self.races.runners, shares, nodes)
        self._shares.data = shares
        means = self._shares @ self.slopes
        second = self.slopes.T @ (weight[:, None] * self.slopes) - means.T @ means
        return value, self.slopes.T @ excess / n, second / n

    def _value_and_shares(self, point: Floats) -> tuple[float, Floats]:
        """Loss, and the share of attention of every entry."""
        logits = (self.slopes @ point)[self.races.runners] + self._log_tickets
        logits -= np.maximum.reduceat(logits, self._begins)[self._race]
        tickets = np.exp(logits)
        totals = np.add.reduceat(tickets, self._begins)
        surprise = np.log(totals) - logits[self._won]
        return float(surprise.sum() / self.races.n), tickets / totals[self._race]
