"""Which route a problem takes, and what happens when a route does not reach the end."""

from __future__ import annotations

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.errors import SolverDidNotConverge
from nta_core.svm.least_distance import irreducible, least_distance
from nta_core.svm.optimum import Certificate, Optimum, polish
from nta_core.svm.projected_cg import ProjectedCG
from nta_core.svm.rows import Rows

SMALL = 80  # min(comparisons, dimensions) up to which one least-squares fit is the quicker way
DENSE = 20_000_000  # entries (160 MB) up to which that fit is the last resort
TOLERANCES = (1e-3, 1e-5, 1e-8, 1e-11)
ITERATIONS = 20_000
SUSPECT = 1e-5  # once unit rows cancel to this degree, look for a contradiction among them


class Conflict(Exception):
    """Carries the places of strict rows that contradict each other, irreducibly."""

    def __init__(self, members: list[int]) -> None:
        super().__init__(members)
        self.members = members


def shortest(E: Floats, strict: Ints, ties: Ints) -> tuple[Floats, Floats, float]:
    """Shortest W with margin ≥ 1 on the strict rows (last, winner, loser) and 0 on the ties.

    Returns W of shape (d, d), read-only, the multipliers of the strict rows, and the relative
    duality gap; W = 0 if nothing is strict.

    Raises
    ------
    Conflict
        No W keeps the comparisons.
    SolverDidNotConverge
        Neither an optimum nor a conflict could be proved.
    """
    W, multipliers, gap = np.zeros((E.shape[1], E.shape[1])), np.zeros(0), 0.0
    if len(strict):
        rows = Rows.build(E, strict, ties)
        optimum = solve(rows)
        W, multipliers, gap = rows.expand(optimum.V), optimum.multipliers, optimum.gap
    W.flags.writeable = False
    return W, multipliers, gap


def solve(rows: Rows) -> Optimum:
    """Solve the Graph-SVM of these rows, exactly; at least one must be strict."""
    coincide = np.flatnonzero(rows.lengths[: rows.strict] == 0)
    if len(coincide):
        raise Conflict(coincide[:1].tolist())
    too_large = len(rows) * rows.dimensions > DENSE
    if min(rows.strict, rows.dimensions) > SMALL or too_large:
        found = _iterate(rows)
        if found is not None:
            return found
        if too_large:
            raise SolverDidNotConverge(
                f"{rows.strict} comparisons in {rows.dimensions} dimensions: projected conjugate "
                f"gradients proved neither an optimum nor a contradiction in {ITERATIONS} "
                "iterations; use better conditioned embeddings (more dimensions) or fewer sequences"
            )
    answer = least_distance(rows)
    if isinstance(answer, Certificate):
        raise Conflict(irreducible(rows, answer).tolist())
    return answer


def _iterate(rows: Rows) -> Optimum | None:
    """Run the matrix-free route in stages, and try after each to finish exactly."""
    method = ProjectedCG(rows)
    suspect = SUSPECT
    for tolerance in TOLERANCES:
        while not method.advance(tolerance, limit=ITERATIONS, suspect=suspect):
            if method.cancellation >= suspect or suspect < 1e-12:
                return None
            members = irreducible(rows, Certificate(method.x[: rows.strict]))
            if len(members):
                raise Conflict(members.tolist())
            suspect *= 1e-2
        found = polish(rows, method.multipliers)
        if found is not None and found.proved:
            return found
    return None
