"""The log-loss in two sets of coordinates: soft (S_fin) and hard (the rest of S_active).

In the soft coordinates the loss has a finite minimum; in the hard ones it falls forever and all
that counts is e^(−margin).  Kept apart, each is computed at its own scale: rounding in the soft
part (1e-16) never drowns the hard part (1e-100).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nta_core.data import Dataset, Floats
from nta_core.graphs import token_priority_graphs
from nta_core.model.ragged import RaggedRows
from nta_core.soft import active_subspace
from nta_core.soft.newton import minimise
from nta_core.soft.subspaces import span
from nta_core.svm.split import soft_pairs
from nta_core.training.races import races_of

NEGLIGIBLE = 1e-9  # hard slope of a tie, relative to the duel's own slope


@dataclass(frozen=True, eq=False)
class SplitLoss:
    """Log-loss of W = Σ f_i soft_basis_i + Σ h_i hard_basis_i.

    Attributes
    ----------
    soft, hard : arrays of shape (duels, dim)
        Slopes of the duels z in the soft and hard coordinates; ties have hard slope exactly 0.
    log_ratios : array of shape (duels,)
        z at W = 0.
    strict : bool array of shape (duels,)
        Duels with a hard slope.
    rows : RaggedRows
        Which duels are of one race.
    weights : array, one entry per row
    soft_basis, hard_basis : arrays of shape (dim, d·d), together orthonormal
    """

    soft: Floats
    hard: Floats
    log_ratios: Floats
    strict: np.ndarray
    rows: RaggedRows
    weights: Floats
    soft_basis: Floats
    hard_basis: Floats

    def matrix(self, f: Floats, h: Floats) -> Floats:
        """W of the coordinates, shape (..., d, d)."""
        flat: Floats = f @ self.soft_basis + h @ self.hard_basis
        d = round(self.soft_basis.shape[1] ** 0.5)
        return flat.reshape(*flat.shape[:-1], d, d)

    def scores(self, f: Floats, h: Floats | None) -> Floats:
        """z of every duel; without h, infinitely far out, only ties still run."""
        z = self.log_ratios + self.soft @ f
        return np.where(self.strict, -np.inf, z) if h is None else z + self.hard @ h

    def log_shares(self, f: Floats, h: Floats | None) -> Floats:
        """Log attention mass of every duel's loser; without h, of its league alone."""
        z = self.scores(f, h)
        return z - self.rows.softmax(z, duels=True)[0][self.rows.row]

    def risk(self, f: Floats, h: Floats | None) -> float:
        """The log-loss."""
        return float(self.rows.softmax(self.scores(f, h), duels=True)[0] @ self.weights)

    @cached_property
    def log_weights(self) -> Floats:
        """Log of the weight of every duel's row."""
        return np.asarray(np.log(self.weights)[self.rows.row])

    def around_mean(self, slopes: Floats, shares: Floats) -> Floats:
        """Slopes less the mean of their row under its attention, shape (duels, dim)."""
        return slopes - self.rows.sum(slopes * shares[:, None])[self.rows.row]

    def soft_hessian(self, shares: Floats, ridge: float) -> Floats:
        """Second derivatives in f, with the ridge: mean covariance of the soft slopes."""
        weighted = self.soft * (shares * self.weights[self.rows.row])[:, None]
        second: Floats = weighted.T @ self.around_mean(self.soft, shares)
        return second + ridge * np.eye(self.soft.shape[1])

    def soft_minimum(self, h: Floats | None, ridge: float, start: Floats) -> Floats:
        """Minimise over f with h held fixed (None: infinitely far out) and a ridge/2 ‖f‖²."""
        return minimise(_SoftSlice(self, h, ridge), start, 1e-13 * max(1.0, ridge))[0]


class _SoftSlice:
    """The loss as a function of f alone, with a ridge."""

    def __init__(self, loss: SplitLoss, h: Floats | None, ridge: float) -> None:
        self.loss, self.h, self.ridge, self.slopes = loss, h, ridge, loss.soft

    def value(self, point: Floats) -> float:
        return self.loss.risk(point, self.h) + 0.5 * self.ridge * float(point @ point)

    def derivatives(self, point: Floats) -> tuple[Floats, Floats]:
        shares = np.exp(self.loss.log_shares(point, self.h))
        slope = (shares * self.loss.weights[self.loss.rows.row]) @ self.slopes
        return slope + self.ridge * point, self.loss.soft_hessian(shares, self.ridge)


def split_loss(dataset: Dataset, E: Floats) -> SplitLoss:
    """Build the split form of a dataset's log-loss."""
    graphs = token_priority_graphs(dataset)
    active = active_subspace(graphs, E)
    # S_fin; for data no W satisfies, the span of all comparisons that must stay soft
    soft_basis = span(soft_pairs(graphs, E), E, name="soft").flat
    inside = soft_basis @ active.flat.T
    # The rest of S_active: what the soft directions leave over, in active coordinates.
    rest = np.linalg.svd(inside, full_matrices=True)[2][len(inside) :]
    races = races_of(dataset)
    contested, rows = races.contested()
    differences = E[races.losers] - E[races.labels[races.rows]]
    slopes = active.slopes(differences, races.lasts[races.rows], E)
    hard = slopes @ rest.T
    strict = np.linalg.norm(hard, axis=1) > NEGLIGIBLE * np.linalg.norm(slopes, axis=1)
    return SplitLoss(
        soft=slopes @ inside.T,
        hard=np.where(strict[:, None], hard, 0.0),
        log_ratios=races.log_ratios,
        strict=strict,
        rows=rows,
        weights=races.weights[contested],
        soft_basis=soft_basis,
        hard_basis=rest @ active.flat,
    )
