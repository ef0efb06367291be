"""The shortest W, and the proof that it is.

An `Optimum` proves itself by duality: if a combination of the comparisons with weights λ ≥ 0
gives W back, no W' that keeps them can have ‖W'‖·‖W‖ below Σλ.

`polish` goes from almost right to exact.  An iterative method knows after a while *which*
comparisons carry weight.  On those "margin = 1" is a linear system.  If its solution has
non-negative multipliers and keeps all other margins, it is the optimum up to rounding; if not, the
offenders change sides and the system is solved again.  The walk may fail (it has no guarantee),
and then the iteration simply goes on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.svm.rows import EPS, Rows

GAP = 1e-10  # relative duality gap that is called exact
VANISHES = 1e-9  # unit rows whose weighted mean is this short cancel: any W would be 1e9 long
TINY = 1e-10  # multipliers below this share of the largest one are rounding
ROUNDS = 12  # exchanges of offenders; from a good start two or three are enough
SHIFT = 1e-12  # added to the diagonal, relatively, so that dependent rows can be factored
CORRECTIONS = 8
LARGEST = 3000  # rows in one dense system: 72 MB, about a second


@dataclass(frozen=True, eq=False)
class Optimum:
    """The shortest V, shape (l, r), with its multipliers, shape (strict,), and what they prove."""

    V: Floats
    multipliers: Floats
    gap: float
    slip: float  # the largest unit margin of a tie, against ‖V‖
    blur: float  # how exactly the sum of weighted rows that gives V can be known at all

    @property
    def proved(self) -> bool:
        """Whether V is optimal, as far as float64 can tell where multipliers nearly cancel."""
        return self.gap <= max(GAP, self.blur) and self.slip <= max(1e-12, self.blur)


def weigh(rows: Rows, V: Floats, x: Floats) -> Optimum | None:
    """Scale V until its smallest margin is 1 and measure the gap; None if that is far off.

    With every margin ≥ 1 the gap is ‖V‖² − Σλ = Σ λ (margin − 1) ≥ 0: a sum over the comparisons
    of how far complementary slackness fails.  x weighs unit rows: λ = x / length.
    """
    margins = rows.margins(V)
    lengths = rows.lengths[: rows.strict]
    norm = float(np.linalg.norm(V))
    # a margin cannot be known better than the entries of V are: a shortfall within that is none
    known = margins[: rows.strict] + 4 * EPS * norm
    smallest = min(1.0, float((known * lengths).min()))
    if smallest < 0.9:
        return None
    multipliers = np.where(x > TINY * x.max(), x, 0.0) / lengths / smallest
    square = (norm / smallest) ** 2
    return Optimum(
        V=V / smallest,
        multipliers=multipliers,
        gap=abs(square - float(multipliers.sum())) / square,
        slip=float(np.abs(margins[rows.strict :]).max(initial=0.0)) / norm,
        blur=64 * EPS * float(x.sum()) / norm,
    )


def polish(rows: Rows, x: Floats) -> Optimum | None:
    """Return the exact optimum next to the multipliers x, shape (strict + ties,), or None."""
    from scipy.linalg import LinAlgError

    strict = rows.demands > 0
    deciding = (x > 0) | ~strict
    for _ in range(ROUNDS):
        chosen = np.flatnonzero(deciding)
        if not 0 < len(chosen) <= LARGEST:
            return None
        try:
            V, x = _on(rows, chosen, np.where(deciding, x, 0.0))
        except LinAlgError:
            return None
        leave = strict & deciding & (x < -1e-11 * np.abs(x).max())
        slack = 1e-11 * rows.demands + 1e-14 * float(np.linalg.norm(V))
        enter = strict & ~deciding & (rows.margins(V) < rows.demands - slack)
        if not (leave | enter).any():
            return weigh(rows, V, np.maximum(x[: rows.strict], 0.0))
        deciding = (deciding & ~leave) | enter
    return None


def _on(rows: Rows, chosen: Ints, x: Floats) -> tuple[Floats, Floats]:
    """Correct x on the chosen rows until they meet their demands; V carries the corrections.

    V is corrected itself rather than computed anew from x: where multipliers are large and nearly
    cancel, their sum would lose the digits that the correction has just won.
    """
    from scipy.linalg import cho_factor, cho_solve

    gram = rows.gram(chosen)
    # dependent rows make the Gram matrix singular; the corrections below undo the small shift
    gram.flat[:: len(gram) + 1] += SHIFT * float(gram.diagonal().max())
    factor = cho_factor(gram, lower=True, overwrite_a=True, check_finite=False)
    V = rows.combine(x)
    for _ in range(CORRECTIONS):
        missing = (rows.demands - rows.margins(V))[chosen]
        change = np.zeros(len(x))
        change[chosen] = cho_solve(factor, missing, check_finite=False)
        V = V + rows.combine(change)
        x = x + change
        if np.abs(missing).max() <= 1e-15 * np.linalg.norm(V):
            break
    return V, x
