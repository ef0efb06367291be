"""The log-loss in two sets of coordinates: soft (S_fin) and hard (the rest of S_active).

`split_descent` is normalized descent that does not stall: ties solved, the rest descended.

In the soft coordinates the loss has a finite minimum; in the hard ones it falls forever and all
that counts is e^(−margin).  Kept apart, each is computed at its own scale: rounding in the soft
part (1e-16) never drowns the hard part (1e-100).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, Ints, a, check_embeddings, in_float64
from nta_core.data import Dataset
from nta_core.graphs import TokenPriorityGraphs, token_priority_graphs
from nta_core.model.ragged import RaggedRows
from nta_core.soft import active_subspace
from nta_core.soft.newton import minimise
from nta_core.soft.subspaces import score_slopes, span
from nta_core.svm.split import feasible_split, full_rank
from nta_core.training.descent import Plan
from nta_core.training.races import races_of
from nta_core.training.run import RECORDS, Run, walk

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
    size : float
        Squared length of the longest embedding, up to a power of two: to divide by it loses no
        digit.  The coordinates are those of embeddings of length at most 1, so that tolerances
        mean the same at every scale.
    """

    soft: Floats
    hard: Floats
    log_ratios: Floats
    strict: np.ndarray
    rows: RaggedRows
    weights: Floats
    soft_basis: Floats
    hard_basis: Floats
    size: float

    def matrix(self, f: Floats, h: Floats) -> Floats:
        """W of the coordinates, shape (..., d, d)."""
        flat: Floats = f @ self.soft_basis + h @ self.hard_basis
        d = round(self.soft_basis.shape[1] ** 0.5)
        return flat.reshape(*flat.shape[:-1], d, d) / self.size

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

    def pull(self, f: Floats, h: Floats) -> tuple[Floats, float]:
        """Gradient in h up to a factor, and the logarithm of that factor."""
        logs = (self.log_shares(f, h) + self.log_weights)[self.strict]
        top = float(logs.max(initial=-np.inf))
        return np.exp(logs - top) @ self.hard[self.strict], top

    def soft_hessian(self, shares: Floats, ridge: float) -> Floats:
        """Second derivatives in f, with the ridge: mean covariance of the soft slopes."""
        weighted = self.soft * (shares * self.weights[self.rows.row])[:, None]
        second: Floats = weighted.T @ self.around_mean(self.soft, shares)
        return second + ridge * np.eye(self.soft.shape[1])

    def soft_minimum(self, h: Floats | None, ridge: float, start: Floats) -> Floats:
        """Minimise over f with h held fixed (None: infinitely far out) and a ridge/2 ‖f‖²."""

        def value(f: Floats) -> float:
            return self.risk(f, h) + 0.5 * ridge * float(f @ f)

        def derivatives(f: Floats) -> tuple[Floats, Floats]:
            shares = np.exp(self.log_shares(f, h))
            slope = (shares * self.weights[self.rows.row]) @ self.soft + ridge * f
            return slope, self.soft_hessian(shares, ridge)

        return minimise(value, derivatives, self.soft, start, 1e-13)[0]


def split_loss(dataset: Dataset, E: ArrayLike) -> SplitLoss:
    """Build the split form of a dataset's log-loss."""
    unit = check_embeddings(E, a(Dataset, dataset, "dataset").K)
    longest = 2.0 ** float(np.ceil(np.log2(np.linalg.norm(unit, axis=1).max() or 1.0)))
    unit = unit / longest
    graphs = token_priority_graphs(dataset)
    active = active_subspace(graphs, unit)
    # S_fin; for data no W satisfies, the span of all comparisons that must stay soft
    soft_basis = span(_soft_pairs(graphs, unit), unit, name="soft").flat
    inside = soft_basis @ active.flat.T
    # The rest of S_active: what the soft directions leave over, in active coordinates.
    rest = np.linalg.qr(inside.T, mode="complete")[0][:, len(inside) :].T
    races = races_of(dataset)
    contested, rows = races.contested()
    differences = unit[races.losers] - unit[races.labels[races.rows]]
    slopes = score_slopes(active, differences, races.lasts[races.rows], unit)
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
        size=longest**2,
    )


def _soft_pairs(graphs: TokenPriorityGraphs, E: Floats) -> Ints:
    """Rows (last, token, token) whose span no comparison can grow in: ties, or more if d < K."""
    occurring = E[np.unique(graphs.edge_array)]
    if not len(occurring) or (len(occurring) <= E.shape[1] and full_rank(occurring)):
        return graphs.tie_array  # independent embeddings let every strict pair grow
    split = feasible_split(graphs, E)
    more = len(split.strict) < len(graphs.strict_array)
    return np.array(split.soft) if more else graphs.tie_array


def split_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W by normalized descent on the strict comparisons alone, from W_fin.

    A constant normalized step never settles inside the leagues: it hops to and fro over W_fin
    and has no length left to grow (the distance stays at half a step).  Here the soft part is set
    to W_fin at once and every step goes into the direction; attention is kept in logarithms, so
    that no ‖W‖ is too large.

    Parameters
    ----------
    dataset, E, steps, step_size, record
        As in `gradient_descent`; step size 1 and 1000 steps reach a cosine of 0.9999 with the
        Graph-SVM at the paper's sizes.

    Returns
    -------
    Run
        Its `gradient_norms` are those of the strict part.

    Examples
    --------
    >>> from nta_core import FIG3, cosine, solve_graph_svm, token_priority_graphs
    >>> run = split_descent(FIG3, np.eye(4), steps=300, step_size=1.0)
    >>> cosine(run.W, solve_graph_svm(token_priority_graphs(FIG3), np.eye(4)).W) > 0.9999
    True

    Explained in: chapter 7. Paper: Theorem 2.
    """
    plan, loss = Plan(steps, step_size, "log", record), split_loss(dataset, E)
    with in_float64("the soft part", instead="choose embeddings that are farther apart"):
        f = loss.soft_minimum(None, 0.0, np.zeros(loss.soft.shape[1]))

    def step(h: Floats) -> Floats:
        direction, _ = loss.pull(f, h)
        length = np.linalg.norm(direction)
        return h - plan.step_size * loss.size * direction / length if length > 0 else h

    def look(h: Floats) -> tuple[float, float]:
        direction, log = loss.pull(f, h)
        return loss.risk(f, h), float(np.linalg.norm(direction) * np.exp(log)) * loss.size

    def make(points: Floats, seen: list[Any], end: Floats) -> list[Run]:
        losses, norms = np.array(seen).reshape(-1, 2).T
        path = loss.matrix(np.repeat(f[None], len(seen), axis=0), points)
        method = f"split normalized descent, step {plan.step_size:g}"
        return [Run(loss.matrix(f, end), path, plan.chosen[: len(seen)], losses, norms, method)]

    start, size = np.zeros(loss.hard.shape[1]), loss.soft_basis.shape[1]
    (run,), _ = walk(start, step, plan.chosen, plan.steps, look, make, size=size)
    return run
