"""The log-loss as a sum over duels, in coordinates of the subspace that training can reach.

With z = (e_j − e_y)ᵀ W x̄ + log(m_j / m_y) for every token j other than the label y of a row, the
row's loss is log(1 + Σ_j e^z) and its gradient Σ_j P_j (e_j − e_y) x̄ᵀ: the label needs no entry of
its own, so nothing cancels when P_y → 1 (the paper's eq. 18).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nta_core.boundary import Floats
from nta_core.training.races import Races, padded

SAFE = 600.0  # e^600 and its sums are far from overflow
DESIGN_LIMIT = 2e8  # multiplications for the SVD below; beyond it the sparse form is faster


@dataclass(frozen=True, eq=False)
class ActiveLogLoss:
    """Log-loss around W0 in orthonormal coordinates c of S_active: W = W0 + Σ c_i basis_i.

    The gradient lies in S_active (Lemma 8), so descent loses nothing there and a step costs two
    products with a (duels, dim) matrix.  Leading axes are batches.
    """

    design: Floats  # (..., m·n, dim) slope of every z in c, m losers of n rows, loser by loser
    offset: Floats  # (..., m, n) z at W0; −∞ for padding
    weights: Floats  # (..., n) of each row in the mean
    basis: tuple[Floats, ...]  # (dim, d·d), one per problem of a batch
    origin: tuple[Floats, ...]  # (d, d), one per problem of a batch: W0
    bounded: bool = False

    @property
    def start(self) -> Floats:
        """Coordinates of W0, shape (..., dim)."""
        return np.zeros((*self.design.shape[:-2], self.design.shape[-1]))

    def gradient(self, c: Floats, weights: Floats | None = None) -> Floats:
        """Gradient in c, shape (..., dim); `weights` replace those of the rows."""
        rows = self.weights if weights is None else weights
        z = np.matvec(self.design, c).reshape(self.offset.shape)
        z += self.offset
        if self.bounded:  # no exponential can overflow: skip the shift
            tickets = np.exp(z)
            share = rows / (1.0 + tickets.sum(axis=-2))
        else:
            top = np.maximum(z.max(axis=-2), 0.0)
            tickets = np.exp(z - top[..., None, :])
            share = rows / (np.exp(-top) + tickets.sum(axis=-2))
        tickets *= share[..., None, :]
        slope: Floats = np.vecmat(tickets.reshape(self.design.shape[:-1]), self.design)
        return slope

    def loss(self, c: Floats) -> Floats:
        """Risk at c, shape (...)."""
        z = np.matvec(self.design, c).reshape(*c.shape[:-1], *self.offset.shape[-2:]) + self.offset
        risk: Floats = np.vecdot(np.logaddexp(0.0, np.logaddexp.reduce(z, axis=-2)), self.weights)
        return risk

    def matrices(self, c: Floats) -> list[Floats]:
        """Weights W of recorded coordinates (..., dim): one (..., d, d) array per problem."""
        parts = [c] if self.design.ndim == 2 else [c[..., b, :] for b in range(len(self.basis))]
        return [
            W0 + (part[..., : len(basis)] @ basis).reshape(*part.shape[:-1], *W0.shape)
            for part, basis, W0 in zip(parts, self.basis, self.origin, strict=True)
        ]

    def within(self, reach: float) -> ActiveLogLoss:
        """The same loss, faster if coordinates of norm ≤ reach cannot overflow."""
        steepest = float(np.sqrt(np.vecdot(self.design, self.design).max(initial=0.0)))
        highest = float(self.offset.max(initial=0.0))
        return replace(self, bounded=highest + steepest * reach < SAFE)


def fits(races: Races, d: int) -> bool:
    """Whether a dense design matrix is small enough to be the faster form."""
    duels, padded_duels = len(races.losers), races.n * int(np.diff(races.starts).max(initial=0))
    work = duels * d * d * min(duels, d * d)
    return work <= DESIGN_LIMIT and padded_duels * d * d <= DESIGN_LIMIT / 10


def active_log_loss(races: Races, E: Floats, W0: Floats, *, reduced: bool = True) -> ActiveLogLoss:
    """Build the loss of one dataset around W0; `reduced=False` keeps all d·d coordinates."""
    losers, offset = races.padded()
    differences = E[losers] - E[races.labels]
    queries = E[races.lasts]
    rows = (differences[..., :, None] * queries[..., None, :]).reshape(-1, W0.size)
    basis = row_space(rows) if reduced else np.eye(W0.size)
    offset = offset + (rows @ W0.ravel()).reshape(offset.shape)
    return ActiveLogLoss(rows @ basis.T, offset, races.weights, (basis,), (W0,))


def row_space(rows: Floats) -> Floats:
    """Orthonormal basis of the span of the rows, shape (rank, columns)."""
    _, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    rounding = np.finfo(float).eps * max(rows.shape) * sizes.max(initial=0.0)
    basis: Floats = directions[sizes > rounding]
    return basis


def stack(problems: list[ActiveLogLoss]) -> ActiveLogLoss:
    """One batch of several problems; missing rows, losers and coordinates are padded."""
    design = padded([p.design.reshape(*p.offset.shape, p.design.shape[1]) for p in problems])
    return ActiveLogLoss(
        design.reshape(len(problems), -1, design.shape[-1]),
        padded([p.offset for p in problems], -np.inf),
        padded([p.weights for p in problems]),
        tuple(p.basis[0] for p in problems),
        tuple(p.origin[0] for p in problems),
    )
