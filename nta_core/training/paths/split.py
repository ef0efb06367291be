"""The log-loss in two sets of coordinates: soft (S_fin) and hard (the rest of S_active).

In the soft coordinates the loss has a finite minimum; in the hard ones it falls forever and all
that counts is e^(−margin).  Kept apart, each is computed at its own scale: rounding in the soft
part (1e-16) never drowns the hard part (1e-100).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.data import Dataset, Floats, Ints
from nta_core.errors import InfeasibleGraphSVM, SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs, graphs_from_edges, token_priority_graphs
from nta_core.soft import Subspace, active_subspace, cyclic_subspace
from nta_core.svm import feasible_split, solve_graph_svm
from nta_core.training.races import Races, races_of

NEWTON_STEPS = 100
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
    row, begins : int arrays
        Row of each duel; where each row begins.
    weights : array, one entry per row
    soft_basis, hard_basis : arrays of shape (dim, d·d), together orthonormal
    """

    soft: Floats
    hard: Floats
    log_ratios: Floats
    strict: np.ndarray
    row: Ints
    begins: Ints
    weights: Floats
    soft_basis: Floats
    hard_basis: Floats

    def matrix(self, f: Floats, h: Floats) -> Floats:
        """W of the coordinates, shape (..., d, d)."""
        flat: Floats = f @ self.soft_basis + h @ self.hard_basis
        d = round(self.soft_basis.shape[1] ** 0.5)
        return flat.reshape(*flat.shape[:-1], d, d)

    def log_shares(self, f: Floats, h: Floats | None) -> Floats:
        """Log attention mass of every duel's loser; without h, of its league alone."""
        z = self.log_ratios + self.soft @ f
        z = np.where(self.strict, -np.inf, z) if h is None else z + self.hard @ h
        return z - self._log_total(z)[self.row]

    def risk(self, f: Floats, h: Floats) -> float:
        """The log-loss."""
        z = self.log_ratios + self.soft @ f + self.hard @ h
        return float(self._log_total(z) @ self.weights)

    def per_row(self, values: Floats) -> Floats:
        """Sums over the duels of each row."""
        if not len(self.begins):
            return np.zeros((0, *values.shape[1:]))
        sums: Floats = np.add.reduceat(values, self.begins, axis=0)
        return sums

    def soft_minimum(self, h: Floats | None, ridge: float, start: Floats) -> Floats:
        """Minimise over f with h held fixed (None: infinitely far out) and a ridge/2 ‖f‖².

        Damped Newton; the loss is strictly convex in f.
        """
        f, best = start, np.inf
        for _ in range(NEWTON_STEPS):
            shares = np.exp(self.log_shares(f, h))
            slope = self._soft_slope(shares) + ridge * f
            size = float(np.linalg.norm(slope))
            if size == 0.0 or (size < 1e-13 * max(1.0, ridge) and size > 0.5 * best):
                return f
            best = size
            move = solve(self.soft_hessian(shares, ridge), slope)
            f = self._damped(f, move, (h, ridge, float(slope @ move)))
        raise SolverDidNotConverge(
            f"the soft part still has gradient {size:.1e} after {NEWTON_STEPS} Newton steps: "
            "embeddings of tied tokens nearly coincide; choose them farther apart"
        )

    def soft_hessian(self, shares: Floats, ridge: float) -> Floats:
        """Second derivatives in f, with the ridge: mean covariance of the soft slopes."""
        weighted = self.soft * (shares * self.weights[self.row])[:, None]
        second = weighted.T @ (self.soft - self.mean(self.soft, shares)[self.row])
        matrix: Floats = second + ridge * np.eye(self.soft.shape[1])
        return matrix

    def mean(self, slopes: Floats, shares: Floats) -> Floats:
        """Mean slope of each row under its attention, shape (rows, dim)."""
        return self.per_row(slopes * shares[:, None])

    def _soft_slope(self, shares: Floats) -> Floats:
        slope: Floats = (shares * self.weights[self.row]) @ self.soft
        return slope

    def _damped(
        self, f: Floats, move: Floats, context: tuple[Floats | None, float, float]
    ) -> Floats:
        """Step back from a full Newton step until the loss falls."""
        h, ridge, decrease = context

        def value(point: Floats) -> float:
            z = self.log_ratios + self.soft @ point
            z = np.where(self.strict, -np.inf, z) if h is None else z + self.hard @ h
            return float(self._log_total(z) @ self.weights + 0.5 * ridge * point @ point)

        if decrease < 1e-10:  # Newton's own territory; values differ by rounding only
            return f - move
        before, t = value(f), 1.0
        while value(f - t * move) > before - 0.1 * t * decrease:
            t *= 0.5
        return f - t * move

    def _log_total(self, z: Floats) -> Floats:
        """log(1 + Σ e^z) of every row."""
        if not len(z):
            return np.zeros(0)
        top = np.maximum(np.maximum.reduceat(z, self.begins), 0.0)
        rivals = np.add.reduceat(np.exp(z - top[self.row]), self.begins)
        total: Floats = np.where(top > 0, top + np.log(np.exp(-top) + rivals), np.log1p(rivals))
        return total


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve a linear system in float64."""
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def split_loss(dataset: Dataset, E: Floats) -> SplitLoss:
    """Build the split form of a dataset's log-loss."""
    graphs = token_priority_graphs(dataset)
    active = active_subspace(graphs, E).flat
    soft_basis = _soft_subspace(graphs, E).flat
    inside = soft_basis @ active.T
    # The rest of S_active: what the soft directions leave over, in active coordinates.
    rest = np.linalg.svd(inside, full_matrices=True)[2][len(inside) :]
    hard_basis = rest @ active
    races = races_of(dataset)
    slopes = _slopes(races, E, active)
    soft, hard = slopes @ inside.T, slopes @ rest.T
    strict = np.linalg.norm(hard, axis=1) > NEGLIGIBLE * np.linalg.norm(slopes, axis=1)
    contested = np.flatnonzero(np.diff(races.starts))
    return SplitLoss(
        soft=soft,
        hard=np.where(strict[:, None], hard, 0.0),
        log_ratios=races.log_ratios,
        strict=strict,
        row=np.repeat(np.arange(len(contested)), np.diff(races.starts)[contested]),
        begins=races.starts[contested],
        weights=races.weights[contested],
        soft_basis=soft_basis,
        hard_basis=hard_basis,
    )


def _soft_subspace(graphs: TokenPriorityGraphs, E: Floats) -> Subspace:
    """S_fin; for data no W satisfies, the span of all comparisons that must stay soft."""
    try:
        solve_graph_svm(graphs, E)
    except InfeasibleGraphSVM:
        edges: dict[int, list[tuple[int, int]]] = {}
        for last, winner, loser in feasible_split(graphs, E).soft:
            edges.setdefault(last, []).extend([(winner, loser), (loser, winner)])
        return cyclic_subspace(graphs_from_edges(edges, graphs.K), E)
    return cyclic_subspace(graphs, E)


def _slopes(races: Races, E: Floats, basis: Floats) -> Floats:
    """⟨(e_loser − e_label) x̄ᵀ, basis_i⟩ of every duel, shape (duels, dim), track by track."""
    d = E.shape[1]
    rows = races.rows
    lasts = races.lasts[rows]
    differences = E[races.losers] - E[races.labels[rows]]
    slopes = np.zeros((len(rows), len(basis)))
    for last in np.unique(lasts):
        track = lasts == last
        slopes[track] = differences[track] @ (basis.reshape(-1, d, d) @ E[last]).T
    return slopes
