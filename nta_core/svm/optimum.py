"""The two possible answers to "which W keeps all comparisons?", each with its own proof.

An `Optimum` proves itself by duality: if a combination of the comparisons with weights λ ≥ 0
gives W back, no W' that keeps them can have ‖W'‖·‖W‖ below Σλ.  A `Certificate` proves that there
is none at all: a combination with weights ≥ 0, not all zero, that cancels out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.data import Floats
from nta_core.svm.rows import Rows

GAP = 1e-10  # relative duality gap that is called exact
VANISHES = 1e-9  # unit rows whose weighted mean is this short cancel: any W would be 1e9 long
EPS = float(np.finfo(float).eps)
TINY = 1e-10  # multipliers below this share of the largest one are rounding


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


@dataclass(frozen=True, eq=False)
class Certificate:
    """Weights ≥ 0 of the strict unit rows, shape (strict,), that cancel out given the ties."""

    weights: Floats


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
