"""The log-loss on (last token, token) nodes: any size, any ‖W‖.

Scores are computed once per node that occurs and looked up by the duels, so that the cost follows
the data and never d² per duel.  For many rows the exponentials are taken per node as well.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import csr_array

from nta_core.boundary import Floats
from nta_core.training.logloss import SAFE
from nta_core.training.races import Races

MANY = 4  # duels per node from which exponentials per node pay


class NodeLogLoss:
    """Log-loss of races as a function of W, flat: shape (d·d,); W0 is where training starts.

    Rows without a duel have loss 0 whatever W is; of E only the tokens that occur are touched.
    """

    def __init__(self, races: Races, E: Floats, W0: Floats) -> None:
        self.contested, self.rows = races.contested()
        self.weights = races.weights[self.contested]
        self.log_ratios = races.log_ratios
        tracks, labels = races.lasts[self.contested] * races.K, races.labels[self.contested]
        keys = np.r_[tracks[self.rows.row] + races.losers, tracks + labels]
        nodes, where = np.unique(keys, return_inverse=True)
        self.loser, self.winner = np.split(where, [len(races.losers)])
        tokens, self._token = np.unique(nodes % races.K, return_inverse=True)
        queries, self._track = np.unique(nodes // races.K, return_inverse=True)
        self._keys, self._queries = E[tokens], E[queries]
        self.origin = W0

    @property
    def start(self) -> Floats:
        """W0 flat, shape (d·d,)."""
        return self.origin.ravel()

    def matrices(self, w: Floats) -> list[Floats]:
        """Weights W of recorded points (..., d·d), in a list of one (..., d, d) array."""
        return [w.reshape(*w.shape[:-1], *self.origin.shape)]

    def scores(self, w: Floats) -> Floats:
        """Scores e_jᵀ W e_k of all nodes, shape (nodes,)."""
        table = self._keys @ (w.reshape(self.origin.shape) @ self._queries.T)
        scores: Floats = table[self._token, self._track]
        return scores

    def loss(self, w: Floats) -> Floats:
        """Risk at every recorded point (..., d·d), shape (...)."""
        scores = map(self.scores, w.reshape(-1, w.shape[-1]))
        risks = [self.rows.log_sum(self._duels(s), duels=True) @ self.weights for s in scores]
        return np.array(risks).reshape(w.shape[:-1])

    def gradient(self, w: Floats, weights: Floats | None = None) -> Floats:
        """Gradient in w, flat; `weights` replace those of all races."""
        rows = self.weights if weights is None else weights[self.contested]
        scores = self.scores(w)
        if len(self.loser) > MANY * len(scores) and np.ptp(scores) < SAFE:
            pull = self._pull_by_node(scores, rows)
        else:
            pull = self._pull_by_duel(scores, rows)
        table = np.zeros((len(self._keys), len(self._queries)))
        table[self._token, self._track] = pull
        # in this order, because last tokens are never more than tokens
        slope: Floats = ((self._keys.T @ table) @ self._queries).ravel()
        return slope

    def curvature(self, w: Floats, v: Floats) -> float:
        """Second derivative of the risk along v: mean variance of v's scores under attention."""
        log_totals, shares = self.rows.softmax(self._duels(self.scores(w)), duels=True)
        slopes = self.scores(v)
        lead = slopes[self.loser] - slopes[self.winner][self.rows.row]
        mean = self.rows.sum(shares * lead)
        spread = self.rows.sum(shares * (lead - mean[self.rows.row]) ** 2)
        return float((spread + mean**2 * np.exp(-log_totals)) @ self.weights)

    def _duels(self, scores: Floats) -> Floats:
        """Score of every loser relative to its label's, with their counts."""
        return scores[self.loser] - scores[self.winner][self.rows.row] + self.log_ratios

    def _pull_by_duel(self, scores: Floats, weights: Floats) -> Floats:
        """Derivative of the risk in every node's score, duel by duel: safe at any ‖W‖."""
        shares = self.rows.softmax(self._duels(scores), duels=True, weights=weights)[1]
        pull: Floats = np.bincount(self.loser, shares, len(scores)).astype(np.float64)
        pull -= np.bincount(self.winner, self.rows.sum(shares), len(scores))
        return pull

    def _pull_by_node(self, scores: Floats, weights: Floats) -> Floats:
        """The same with one exponential per node."""
        heights = np.exp(scores - scores.max())
        matrix, transposed = self._matrices
        rivals = matrix @ heights
        share = weights / (rivals + heights[self.winner])
        pull: Floats = heights * (transposed @ share)
        pull -= np.bincount(self.winner, rivals * share, len(scores))
        return pull

    @cached_property
    def _matrices(self) -> tuple[csr_array, csr_array]:
        """Count ratios of losers, rows × nodes, and the transpose in row order."""
        starts = np.r_[self.rows.begins, len(self.loser)]
        shape = (len(self.winner), len(self._token))
        matrix = csr_array((np.exp(self.log_ratios), self.loser, starts), shape=shape)
        return matrix, matrix.T.tocsr()
