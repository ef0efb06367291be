"""Reduced races: what is left of the data when only tokens of the label's league run.

`ReducedLoss` is their log-loss as a function of coordinates in S_fin.  It works on *nodes*, the
(last token, tied token) pairs that occur: a large vocabulary costs no more than its ties.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nta_core.boundary import Floats, Ints, a
from nta_core.data import Dataset
from nta_core.errors import DataError
from nta_core.graphs import TokenPriorityGraphs
from nta_core.graphs.build import edge_keys
from nta_core.graphs.keys import places
from nta_core.model.ragged import RaggedRows
from nta_core.soft.subspaces import Subspace, score_slopes


@dataclass(frozen=True, eq=False)
class ReducedRaces:
    """The races in which the label has a rival of its own league."""

    lasts: Ints  # (nodes,) last token
    tokens: Ints  # (nodes,) tied token
    league_of: Ints  # (nodes,) a number that nodes of one league share
    starts: Ints  # (races + 1,) race r holds the entries starts[r]:starts[r + 1] of the next two
    runners: Ints  # (entries,) node of each runner, once per race
    tickets: Ints  # (entries,) how often its token occurs in the sequence
    winners: Ints  # (races,) node of the label
    n: int  # number of all sequences: the divisor of the loss


def reduced_races(dataset: Dataset, graphs: TokenPriorityGraphs) -> ReducedRaces:
    """Keep of each sequence the tokens in its label's league; the query stays as it was.

    Examples
    --------
    >>> from nta_core import FIG8, token_priority_graphs
    >>> races = reduced_races(FIG8, token_priority_graphs(FIG8))
    >>> races.tokens[races.runners].tolist(), races.starts.tolist()
    ([0, 1, 2, 1, 2, 0, 1, 2, 0, 1], [0, 3, 5, 8, 10])

    Explained in: chapter 6. Paper: Def. 3.
    """
    check_graphs(dataset, graphs)
    K, rows, (last, token, root) = dataset.K, dataset.rows, graphs.tie_array.T
    roots = last * K + root
    nodes, first = np.unique(np.concatenate([last * K + token, roots]), return_index=True)
    league_of = np.concatenate([roots, roots])[first]
    winner, tied = places(nodes, dataset.lasts * K + dataset.targets)
    tied &= dataset.realizable_rows
    runner, runs = places(nodes, dataset.lasts[rows] * K + dataset.tokens)
    runs &= tied[rows]
    runs[runs] = league_of[runner[runs]] == league_of[winner[rows[runs]]]
    entries, tickets = np.unique(rows[runs] * len(nodes) + runner[runs], return_counts=True)
    row, node = np.divmod(entries, max(len(nodes), 1))
    rivals = np.bincount(row, minlength=dataset.n)
    contested = rivals > 1
    kept = contested[row]
    return ReducedRaces(
        lasts=nodes // K,
        tokens=nodes % K,
        league_of=league_of,
        starts=np.concatenate([[0], np.cumsum(rivals[contested])]),
        runners=node[kept],
        tickets=tickets[kept],
        winners=winner[contested],
        n=dataset.n,
    )


def check_graphs(dataset: Dataset, graphs: TokenPriorityGraphs) -> None:
    """Raise `DataError` unless the graphs have the edges of the dataset, no more and no fewer."""
    keys, K = edge_keys(a(Dataset, dataset, "dataset")), dataset.K
    edges = keys[keys // K % K != keys % K]  # without those from a token to itself
    known = a(TokenPriorityGraphs, graphs, "graphs").edge_array @ [K * K, K, 1]
    if graphs.K != K or not np.array_equal(known, edges):
        raise DataError(
            "these graphs were made of other data, their edges are not those of the dataset: use "
            "token_priority_graphs(dataset)"
        )


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
        self.slopes = score_slopes(subspace, E[races.tokens], races.lasts, E)
        self.size = float(np.linalg.norm(self.slopes, axis=1).max(initial=0.0))
        self._rows = RaggedRows.of(races.starts)
        self._log_tickets = np.log(races.tickets)
        self._won = races.runners == races.winners[self._rows.row]
        # one sparse (races, nodes) matrix for all steps; only its numbers change
        shares = np.zeros(len(races.runners))
        shape = (len(races.winners), len(races.lasts))
        self._shares = csr_array((shares, races.runners, races.starts), shape=shape)

    def value(self, point: Floats) -> float:
        """Loss at the point, shape (dim,)."""
        return self._value_and_shares(point)[0]

    def derivatives(self, point: Floats) -> tuple[Floats, Floats]:
        """Gradient (dim,) and Hessian (dim, dim): the mean covariance of the slopes in a race."""
        _, shares = self._value_and_shares(point)
        nodes, n = len(self.slopes), self.races.n
        excess = np.bincount(self.races.runners, shares - self._won, nodes)
        weight = np.bincount(self.races.runners, shares, nodes)
        self._shares.data = shares
        means = self._shares @ self.slopes
        second = self.slopes.T @ (weight[:, None] * self.slopes) - means.T @ means
        return self.slopes.T @ excess / n, second / n

    def _value_and_shares(self, point: Floats) -> tuple[float, Floats]:
        """Loss, and the share of attention of every entry."""
        logits = (self.slopes @ point)[self.races.runners] + self._log_tickets
        log_totals, shares = self._rows.softmax(logits)
        return float((log_totals - logits[self._won]).sum() / self.races.n), shares
