"""Which route a problem takes, and what happens when a route does not reach the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, NoReturn

import numpy as np

from nta_core.boundary import Floats, Ints, room_for
from nta_core.errors import SolverDidNotConverge, TooLarge
from nta_core.svm.exact import contradict, kept, walk
from nta_core.svm.least_distance import least_distance, suspects
from nta_core.svm.optimum import Optimum, polish, weigh
from nta_core.svm.projected_cg import ProjectedCG
from nta_core.svm.rows import Rows

SMALL = 80  # min(comparisons, dimensions) up to which one least-squares fit is the quicker way
DENSE = 20_000_000  # entries (160 MB) up to which that fit is the last resort
TOLERANCES = (1e-3, 1e-5, 1e-8, 1e-11, 1e-13)
ITERATIONS = 20_000
QUICK, FEW = 32, 150  # comparisons that long numbers settle in milliseconds, in seconds
WIDE = 1_000_000  # comparisons × dimensions from which it pays to look for parts
ORTHOGONAL = 1e-13  # cosine of last tokens below which their tracks do not meet
STEPS, PATIENCE = 2000, 2e13  # iterations of a large problem, and multiplications that we dare
INSTEAD = (
    "use orthonormal embeddings, which make every track a problem of its own, "
    "Automaton.from_dataset(dataset), which solves only the tracks it is asked about, or fewer "
    "sequences"
)
SUSPECT = 1e-5  # once unit rows cancel to this degree, look for a contradiction among them


class Conflict(Exception):
    """Carries the places of strict rows that contradict each other, irreducibly."""

    def __init__(self, members: list[int]) -> None:
        super().__init__(members)
        self.members = members


class Shortest(NamedTuple):
    """The shortest W, shape (d, d), read-only; of its strict rows multipliers and margins."""

    W: Floats
    multipliers: Floats
    gap: float
    margins: Floats


def shortest(E: Floats, strict: Ints, ties: Ints, shown: Ints | None = None) -> Shortest:
    """Shortest W with margin ≥ 1 on the strict rows (last, winner, loser) and 0 on the ties.

    What it promises is checked before it returns, for the rows `shown` if they are given: they
    follow from the strict ones.  W = 0 if nothing is strict.

    Raises
    ------
    Conflict
        No W keeps the comparisons.
    SolverDidNotConverge
        Neither an optimum nor a conflict could be proved.
    """
    shown = strict if shown is None else shown
    if not len(strict):
        return _sealed(np.zeros((E.shape[1], E.shape[1])), np.zeros(0), np.zeros(0))
    needed = 32.0 * E.shape[1] ** 2 + 16.0 * E.size + 900.0 * len(shown)
    room_for(needed, f"the Graph-SVM of {len(shown)} comparisons", instead=INSTEAD)
    long_numbers = len(strict) + len(ties) <= FEW
    try:
        W, multipliers = _in_float64(E, strict, ties)
        found = kept(E, W, shown, ties)
    except SolverDidNotConverge:
        if not long_numbers:
            raise
        found = None
    if found is None and long_numbers:
        answer = walk(E, strict, ties)
        if isinstance(answer, np.ndarray):
            _raise_proved(answer)
        W, multipliers = answer
        found = kept(E, W, shown, ties)
    if found is None:
        raise SolverDidNotConverge(
            f"a W of norm {np.linalg.norm(W):.1e} was found, but its entries, rounded to float64, "
            "do not keep the comparisons; use embeddings that are further apart (or equal), in "
            "more dimensions, or fewer sequences"
        )
    return _sealed(W, multipliers, found)


def _sealed(W: Floats, multipliers: Floats, found: Floats) -> Shortest:
    square, total = float(np.linalg.norm(W)) ** 2, float(multipliers.sum())
    W.flags.writeable = False
    return Shortest(W, multipliers, abs(square - total) / square if total else 0.0, found)


def _raise_proved(members: Ints) -> NoReturn:
    """Raise a `Conflict` of strict rows that are proved to contradict, if there are any."""
    if len(members):
        raise Conflict(members.tolist())
    raise SolverDidNotConverge(
        "comparisons seem to cancel, and no proof of it was found; use embeddings that are further "
        "apart (or equal), or in more dimensions"
    )


def _in_float64(E: Floats, strict: Ints, ties: Ints) -> tuple[Floats, Floats]:
    """W and the multipliers as float64 finds them, in parts where last tokens are orthogonal."""
    multipliers, lefts, rights = np.zeros(len(strict)), [], []
    for hard, soft in _parts(E, strict, ties):
        rows = Rows.build(E, strict[hard], ties[soft])
        try:
            optimum = solve(rows)
        except Conflict as conflict:
            members = np.arange(len(strict))[hard][conflict.members]
            _raise_proved(members[_proved(E, strict[members], ties[soft])])
        multipliers[hard] = optimum.multipliers
        lefts.append(rows.bases[0] @ optimum.V)
        rights.append(rows.bases[1])
    if len(lefts) == 1:
        return lefts[0] @ rights[0].T, multipliers
    return np.hstack(lefts) @ np.hstack(rights).T, multipliers


def _proved(E: Floats, strict: Ints, ties: Ints) -> Ints | slice:
    """Which of these strict rows are proved to contradict each other, as float64 believes."""
    if 0 < len(strict) <= QUICK - len(ties):  # exact also in that none of them is idle
        answer = walk(E, strict, ties)
        return answer if isinstance(answer, np.ndarray) else slice(0)
    return slice(None if contradict(E, strict, ties) else 0)


def _parts(E: Floats, strict: Ints, ties: Ints) -> Iterator[tuple[Ints | slice, Ints | slice]]:
    """Places of strict rows and of ties that have nothing to do with those of other parts."""
    if (len(strict) + len(ties)) * E.shape[1] <= WIDE:
        yield slice(None), slice(None)
        return
    from scipy.sparse.csgraph import connected_components

    pairs = np.concatenate([strict, ties])
    lasts, place = np.unique(pairs[:, 0], return_inverse=True)
    unit = E[lasts] / np.maximum(np.linalg.norm(E[lasts], axis=1, keepdims=True), 1e-300)
    owner = connected_components(np.abs(unit @ unit.T) > ORTHOGONAL, directed=False)[1][place]
    order = np.argsort(owner, kind="stable")  # strict rows stay before the ties of their part
    for part in np.split(order, np.flatnonzero(np.diff(owner[order])) + 1):
        if part[0] < len(strict):  # ties alone ask for nothing
            yield part[part < len(strict)], part[part >= len(strict)] - len(strict)


def solve(rows: Rows) -> Optimum:
    """Solve the Graph-SVM of these rows, exactly; at least one must be strict."""
    coincide = np.flatnonzero(rows.lengths[: rows.strict] == 0)
    if len(coincide):
        raise Conflict(coincide[:1].tolist())
    too_large = len(rows) * rows.dimensions > DENSE
    if min(rows.strict, rows.dimensions) > SMALL or too_large:
        step = 2.0 * rows.left.size * len(rows.right) + 2.0 * rows.right.size * len(rows.left)
        if STEPS * step > PATIENCE:
            raise TooLarge(
                f"last tokens that are not orthogonal couple {rows.strict} comparisons: some "
                f"{STEPS} iterations of {step:.0e} multiplications would take hours; {INSTEAD}"
            )
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
    if isinstance(answer, Optimum):
        return answer
    raise Conflict(suspects(rows, answer).tolist())


def _iterate(rows: Rows) -> Optimum | None:
    """Run the matrix-free route in stages, and try after each to finish exactly."""
    method = ProjectedCG(rows)
    suspect = SUSPECT
    for tolerance in TOLERANCES:
        while not method.advance(tolerance, limit=ITERATIONS, suspect=suspect):
            if method.cancellation >= suspect or suspect < 1e-12:
                return None
            members = suspects(rows, method.x[: rows.strict])
            if len(members):
                raise Conflict(members.tolist())
            suspect *= 1e-2
        found = polish(rows, method.multipliers)
        if found is None:  # too many rows decide, as a rule; then what the iteration has must do
            found = weigh(rows, rows.combine(method.multipliers), method.multipliers[: rows.strict])
        if found is not None and found.proved:
            return found
    return None
