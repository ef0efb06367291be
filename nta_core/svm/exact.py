"""What float64 cannot decide, decided in whole numbers.

Embeddings in float64 are whole numbers over a power of two, and so are their products: whether a
given W keeps a comparison, and whether comparisons cancel out, are questions of integer
arithmetic with a definite answer.  `kept` and `contradict` ask them of every answer before it is
shown; integers are needed only for what float64 with its error bound leaves open.

`walk` finds an answer where float64 found none that stands: the dual method of Goldfarb and
Idnani on numbers of six hundred binary digits.  It adds the comparison that is violated most,
takes weight from those it replaces, and ends in the shortest W or in comparisons that cancel.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Floats, Ints
from nta_core.errors import SolverDidNotConverge
from nta_core.svm.least_distance import without_ties
from nta_core.svm.rows import EPS, Rows, lengths_of, margins

Whole = NDArray[Any]  # Python's integers, of any length

KEPT = 1e-9  # by how much a margin may miss 1, or a tie 0
SPOILT = 0.1  # ... and by how much more where the rounding of W alone is to blame
BITS = 640  # binary digits after the point
NOTHING = 1 << (BITS - 250)  # 2⁻²⁵⁰: above all rounding, below all that is not zero
LONGEST = 24  # comparisons whose cancellation is worked out
WORK = 20_000_000  # products of long numbers, or entries of a dense matrix, that we dare


def whole(values: Floats) -> tuple[Whole, int]:
    """Integers n and a shift s ≥ 0 with values = n / 2**s, exactly."""
    mantissas, exponents = np.frexp(values)
    shift = max(0, 53 - int(exponents[mantissas != 0].min(initial=53)))
    moved = np.where(mantissas != 0, exponents + (shift - 53), 0)
    return np.ldexp(mantissas, 53).astype(np.int64).astype(object) << moved.astype(object), shift


def _floats(numbers: Whole, exponent: Whole | int) -> Floats:
    """The float64 nearest to n · 2**exponent, entry by entry; OverflowError if there is none."""
    nearest = np.frompyfunc(lambda n, e: float(n * Fraction(2) ** e), 2, 1)
    return np.asarray(nearest(numbers, exponent), dtype=np.float64)


def kept(E: Floats, W: Floats, strict: Ints, ties: Ints) -> Floats | None:
    """The margins of the strict rows, if W keeps them and the ties as `solve_graph_svm` promises.

    None if W does not, or if it would take too long to find out.
    """
    found, norm, d = margins(E, W, strict), float(np.linalg.norm(W)), E.shape[1]
    rounding = (2 * d + 8) * EPS if norm < 1e100 else np.inf
    close = np.flatnonzero(found - 2 * d * np.abs(E).max() ** 2 * norm * rounding < 1 - KEPT)
    if not len(close) and not len(ties):
        return found
    pairs = np.concatenate([strict[close], ties])
    wanted = np.repeat([1.0, 0.0], [len(close), len(ties)])
    reach = lengths_of(E, pairs) * norm
    values = np.concatenate([found[close], margins(E, W, ties)])
    missed = np.where(wanted > 0, wanted - values, np.abs(values))
    allowed = KEPT * np.where(wanted > 0, 1.0, np.minimum(1.0, reach))
    open_ = np.flatnonzero(~(missed + rounding * reach <= allowed))
    if len(open_):
        if (len(open_) + E.size) * d > WORK:
            return None
        last, winner, loser = pairs[open_].T
        missed, values[open_] = _look(E, W, pairs[open_], wanted[open_])
        noise = (np.abs(E[winner] - E[loser]) * (np.abs(E[last]) @ np.abs(W.T))).sum(axis=1)
        if (missed > allowed[open_] + np.minimum(0.5 * EPS * noise, SPOILT)).any():
            return None
        found[close] = values[: len(close)]
    return found


def _look(E: Floats, W: Floats, pairs: Ints, wanted: Floats) -> tuple[Floats, Floats]:
    """By how much margins miss what is wanted, and the margins, from integers: (m,) each."""
    (points, places), (weights, more) = whole(E), whole(W)
    last, winner, loser = pairs.T
    tracks, track = np.unique(last, return_inverse=True)
    values = ((points[winner] - points[loser]) * (points[tracks] @ weights.T)[track]).sum(axis=1)
    shift = 2 * places + more
    short = np.where(wanted > 0, (1 << shift) - values, np.abs(values))
    return _floats(short, -shift), _floats(values, -shift)


def contradict(E: Floats, strict: Ints, ties: Ints) -> bool:
    """Whether strict rows are proved to cancel, given the ties, with weights that are all positive.

    If many of them take part, the proof is a count.  Rows that span all dimensions there are can
    make up for the remainder of an almost cancelling combination, and if they span them well,
    small changes are enough.
    """
    from scipy.linalg import qr

    ties = ties[lengths_of(E, ties) > 0]
    rows = Rows.build(E, strict, ties, tight=True)
    if not len(strict) or len(rows) * rows.dimensions > WORK:
        return False
    dense, rest = rows.dense(), without_ties(rows)
    weights = np.linalg.svd(rest.T)[2][-1]
    weights = weights * np.sign(weights[np.abs(weights).argmax()])
    basis, triangle, order = qr(dense[len(strict) :].T, mode="economic", pivoting=True)
    rank = int((np.abs(triangle.diagonal()) > 1e-10).sum())
    given = np.linalg.solve(
        triangle[:rank, :rank], -(weights @ dense[: len(strict)]) @ basis[:, :rank]
    )
    used = np.abs(given) > 1e-12
    ties = ties[order[:rank][used]]
    rows = Rows.build(E, strict, ties, tight=True)
    if len(rows) <= LONGEST and cancel(E, np.concatenate([strict, ties]), len(strict)):
        return True
    if len(rows) < rows.dimensions:
        return False
    dense, weights = rows.dense(), np.concatenate([weights, given[used]])
    error = 8 * E.shape[1] * EPS * len(rows) ** 0.5
    remainder = np.linalg.norm(weights @ dense) + error * np.abs(weights).sum()
    smallest = np.linalg.svd(dense, compute_uv=False)[-1] - error
    return bool(weights[: len(strict)].min() * smallest > remainder)


def cancel(E: Floats, pairs: Ints, members: int) -> bool:
    """Whether these rows cancel in one way, and that way weighs the first `members` all positive.

    Elimination without fractions (Bareiss) in the Gram matrix: its kernel is the same.
    """
    gram = _gram(whole(E)[0], pairs)
    before = 1
    for k in range(len(gram) - 1):
        if gram[k, k] == 0:
            return False  # fewer rows cancel already
        rest = gram[k + 1 :, k:]
        gram[k + 1 :, k:] = (gram[k, k] * rest - rest[:, :1] * gram[k, k:]) // before
        before = gram[k, k]
    weights = np.array([0] * (len(gram) - 1) + [before], dtype=object)
    for k in range(len(gram) - 2, -1, -1):
        weights[k] = -(gram[k, k + 1 :] @ weights[k + 1 :]) // gram[k, k]
    signs = {int(np.sign(weight)) for weight in weights[:members]}
    return bool(gram[-1, -1] == 0 and signs in ({1}, {-1}))


def _gram(points: Whole, pairs: Ints) -> Whole:
    last, winner, loser = pairs.T
    apart, lasts = points[winner] - points[loser], points[last]
    return np.asarray((apart @ apart.T) * (lasts @ lasts.T))


def walk(E: Floats, strict: Ints, ties: Ints) -> tuple[Floats, Floats] | Ints:
    """The shortest W with the multipliers of the strict rows; or strict rows that contradict.

    The second answer is proved, or an empty array.

    Raises
    ------
    SolverDidNotConverge
        W does not fit into float64.
    """
    pairs, free = np.concatenate([ties, strict]), len(ties)
    points, shift = whole(E)
    gram = _gram(points, pairs)
    half = np.array([int(square).bit_length() // 2 for square in gram.diagonal()], dtype=object)
    gram = (gram << BITS) >> (half[:, None] + half)
    top = max(half[free:])
    demands = np.array([0] * free + [1 << (BITS + top - h) for h in half[free:]], dtype=object)
    x = _dual(gram, demands, free)
    if isinstance(x, list):
        chosen = np.array(sorted(x, reverse=True))
        members = np.sort(chosen[chosen >= free]) - free
        few = len(chosen) <= 2 * LONGEST and cancel(E, pairs[chosen], len(members))
        return members if few or contradict(E, strict[members], ties) else members[:0]
    last, winner, loser = pairs.T
    unit = max(half)
    weights = (x << (unit - half))[:, None] * (points[winner] - points[loser])
    exponent = 2 * shift - top - unit - BITS
    try:
        W = _floats(weights.T @ points[last], exponent)
        return W, _floats(x << (unit - half), exponent + 2 * shift)[free:]
    except OverflowError:
        raise SolverDidNotConverge(
            "the shortest W is too long for float64; use embeddings that are further apart"
        ) from None


def _dual(gram: Whole, demands: Whole, free: int) -> Whole | list[int]:
    """Minimise ½ xᵀ gram x − demands·x over x ≥ 0 (the first `free` entries may be negative).

    If there is no minimum: entries that may grow forever together.
    """
    x, active = np.zeros(len(gram), dtype=object), list[int]()
    inverse = np.zeros((0, 0), dtype=object)

    def against(c: int) -> tuple[Whole, int]:
        """Row c as a combination of active rows, and the square of what that leaves over."""
        shares = (inverse @ gram[active, c]) >> BITS
        return shares, int(gram[c, c] - ((gram[c, active] @ shares) >> BITS))

    def join(c: int, shares: Whole, left: int) -> Whole:
        active.append(c)
        column = np.array([*-shares, 1 << BITS], dtype=object)
        grown = (column[:, None] * ((column << BITS) // left)) >> BITS
        grown[:-1, :-1] += inverse
        return np.asarray(grown)

    for c in range(free):
        shares, left = against(c)
        if left > NOTHING:
            inverse = join(c, shares, left)
    for _ in range(20 * len(gram)):
        short = demands - ((gram[:, active] @ x[active]) >> BITS)
        short[active] = 0
        c = free + int(np.argmax(short[free:]))
        if short[c] <= NOTHING:
            return x
        missing, joined = int(short[c]), False
        while not joined:
            shares, left = against(c)
            parts = list(zip(active, shares, strict=True))
            steps = [
                ((x[a] << BITS) // share, place)
                for place, (a, share) in enumerate(parts)
                if a >= free and share > NOTHING
            ]
            if left <= NOTHING and not steps:
                return [c, *(a for a, share in parts if abs(share) > NOTHING)]
            step, place = min(steps, default=(0, -1))
            if left > NOTHING and (place < 0 or (missing << BITS) // left <= step):
                step, joined = (missing << BITS) // left, True
            x[active] -= (step * shares) >> BITS
            x[c] += step
            missing -= (step * left) >> BITS
            if joined:
                inverse = join(c, shares, left)
            else:  # this weight is used up: its row leaves
                x[active.pop(place)] = 0
                column = inverse[:, place]
                inverse = inverse - (
                    (column[:, None] * ((column << BITS) // column[place])) >> BITS
                )
                inverse = np.delete(np.delete(inverse, place, 0), place, 1)
    raise SolverDidNotConverge(f"no answer after {20 * len(gram)} steps in long numbers")
