"""From almost right to exact: solve "margin = 1" on the comparisons that decide.

An iterative method knows after a while *which* comparisons carry weight.  On those the problem
is a linear system.  If its solution has non-negative multipliers and keeps all other margins,
it is the optimum up to rounding; if not, the offenders change sides and the system is solved
again.  The walk may fail (it has no guarantee), and then the iteration simply goes on.
"""

from __future__ import annotations

import numpy as np

from nta_core.data import Floats, Ints
from nta_core.svm.optimum import Optimum, weigh
from nta_core.svm.rows import Rows

ROUNDS = 12  # exchanges of offenders; from a good start two or three are enough
SHIFT = 1e-12  # added to the diagonal, relatively, so that dependent rows can be factored
CORRECTIONS = 8
LARGEST = 3000  # rows in one dense system: 72 MB, about a second


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
