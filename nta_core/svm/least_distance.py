"""Graph-SVM of a small problem, exactly, by one non-negative least-squares fit.

Lawson and Hanson's *least distance programming*: fit the target (0, …, 0, s) by a non-negative
combination of the columns (unit row, s · demand).  What the fit cannot reach points along the
shortest W; if it reaches everything, its weights are the proof that no W exists.

Its weights stand on rows that are independent but for one combination: a *vertex* among all proofs,
so that the set is irreducible: without any one member the others can hold together (Gleeson and
Ryan).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.errors import SolverDidNotConverge
from nta_core.svm.optimum import VANISHES, Optimum, polish, weigh
from nta_core.svm.rows import Rows

RESCALINGS = 6  # each brings the target nearer to 1/‖W‖; one or two are enough as a rule
IDLE = 1e-9  # members with less than this share of the largest weight take no part


def least_distance(rows: Rows) -> Optimum | Floats:
    """Solve min ‖V‖ with margins ≥ 1 and ties at 0, or give weights with which the rows cancel."""
    matrix = without_ties(rows)
    demands = rows.demands[: rows.strict]
    target = 1.0 / float(demands.max())
    for _ in range(RESCALINGS):
        weights = _fit(matrix, target * demands)
        length = float(np.linalg.norm(weights @ matrix))
        if length <= VANISHES * weights.sum():
            return weights
        for found in _finishes(rows, matrix, weights):
            if found is not None and found.proved:
                return found
        # demands·u / ‖Σu z‖ bounds ‖W‖ from below; with the inverse as target the fit is balanced
        target = length / float(demands @ weights)
    raise SolverDidNotConverge(
        f"non-negative least squares did not settle after {RESCALINGS} scalings: any W has norm "
        f"≥ {1 / target:.1e}, and these embeddings leave float64 no room to find the shortest; "
        "use embeddings of similar length and in more dimensions"
    )


def without_ties(rows: Rows) -> Floats:
    """The strict unit rows with everything the ties span taken out, shape (strict, l·r)."""
    dense = rows.dense()
    strict, ties = dense[: rows.strict], dense[rows.strict :]
    if not len(ties):
        return strict
    _, values, basis = np.linalg.svd(ties, full_matrices=False)
    basis = basis[values > 1e-10 * values[0]]
    strict = strict - (strict @ basis.T) @ basis
    strict = strict - (strict @ basis.T) @ basis  # twice: the first pass leaves its own rounding
    return np.asarray(strict)


def _fit(matrix: Floats, demands: Floats) -> Floats:
    """Weights ≥ 0 that bring the columns (row, demand) nearest to (0, …, 0, 1)."""
    from scipy.optimize import nnls

    columns = np.vstack([matrix.T, demands])
    goal = np.zeros(len(columns))
    goal[-1] = 1.0
    limit = 10 * sum(columns.shape)
    try:
        return np.asarray(nnls(columns, goal, maxiter=limit)[0])
    except RuntimeError:
        raise SolverDidNotConverge(
            f"non-negative least squares on {len(matrix)} comparisons did not end in {limit} "
            "iterations; use embeddings of similar length and in more dimensions"
        ) from None


def _finishes(rows: Rows, matrix: Floats, weights: Floats) -> Iterator[Optimum | None]:
    """Two ways to make the fit exact, the second only for rows that are nearly dependent."""
    yield _on_support(rows, matrix, weights)
    yield polish(rows, np.concatenate([weights, np.zeros(len(rows) - rows.strict)]))


def _on_support(rows: Rows, matrix: Floats, weights: Floats) -> Optimum | None:
    """Solve margin = 1 on the support exactly: one QR gives V and the multipliers."""
    from scipy.linalg import LinAlgError, solve_triangular

    chosen = np.flatnonzero(weights)
    basis, triangle = np.linalg.qr(matrix[chosen].T)
    try:
        inner = solve_triangular(triangle, rows.demands[chosen], trans="T")
        outer = solve_triangular(triangle, inner)
    except LinAlgError:
        return None
    if outer.min() < -1e-9 * np.abs(outer).max():
        return None
    x = np.zeros(rows.strict)
    x[chosen] = np.maximum(outer, 0.0)
    return weigh(rows, (basis @ inner).reshape(rows.left.shape[1], -1), x)


def suspects(rows: Rows, weights: Floats) -> Ints:
    """Places of strict rows that seem to cancel, when a look at those with weight confirms it."""
    members = np.flatnonzero(weights > 0)
    try:
        answer = least_distance(rows.only(members))
    except SolverDidNotConverge:
        return members[:0]
    if isinstance(answer, Optimum):
        return members[:0]
    return np.asarray(members[answer > IDLE * answer.max()])
