"""From a proof of infeasibility to the smallest story about it.

A certificate may spread its weight over many comparisons.  A *vertex* among all certificates
uses a set that is irreducible: without any one member the others can hold together (Gleeson and
Ryan).  Non-negative least squares ends in a vertex, or next to one; a few steps of Carathéodory's
argument finish the walk.
"""

from __future__ import annotations

import numpy as np

from nta_core.data import Floats, Ints
from nta_core.errors import SolverDidNotConverge
from nta_core.svm.least_distance import least_distance, without_ties
from nta_core.svm.optimum import VANISHES, Certificate
from nta_core.svm.rows import Rows

IDLE = 1e-9  # members with less than this share of the largest weight take no part


def irreducible(rows: Rows, certificate: Certificate) -> Ints:
    """Strict comparisons, as sorted places, that contradict each other with none of them idle.

    Returns an empty array when the certificate does not survive an exact look at its members.
    """
    members = np.flatnonzero(certificate.weights)
    part = rows.only(members)
    try:
        answer = least_distance(part)
    except SolverDidNotConverge:
        return members[:0]
    if not isinstance(answer, Certificate):
        return members[:0]
    used = np.flatnonzero(answer.weights)
    return members[used[_vertex(without_ties(part)[used], answer.weights[used])]]


def _vertex(unit: Floats, weights: Floats) -> Ints:
    """Cut unit rows (s, l·r) that cancel with these weights until only one combination does."""
    members = np.arange(len(unit))
    while True:
        kept = weights > IDLE * weights.max()
        members, weights = members[kept], weights[kept]
        wide = len(members) <= unit.shape[1]  # then the thin form has all left vectors
        sides, values, _ = np.linalg.svd(unit[members], full_matrices=not wide)
        vanishing = sides[:, int((values > VANISHES).sum()) :]
        if vanishing.shape[1] <= 1:
            only = np.abs(vanishing).max(axis=1, initial=0.0)
            return np.asarray(members[only > IDLE * only.max()])
        # walk from the known combination along another one until the first weight is used up
        weights = vanishing @ (vanishing.T @ weights)
        other = vanishing[:, np.abs(vanishing.T @ weights).argmin()]
        other = other if other.max() >= -other.min() else -other
        falling = other > IDLE * other.max()
        step = float((weights[falling] / other[falling]).min())
        weights = np.maximum(weights - step * other, 0.0)
