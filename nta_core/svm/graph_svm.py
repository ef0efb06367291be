"""Graph-SVM: the shortest W that ranks every league above the leagues it beat.

This is the *hard* half of what gradient descent learns: W(τ)/‖W(τ)‖ tends to W_svm/‖W_svm‖.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, Ints, a, check_embeddings
from nta_core.data.tables import html_table
from nta_core.errors import InfeasibleGraphSVM
from nta_core.graphs import Comparison, TokenPriorityGraphs
from nta_core.svm.core import Conflict, shortest

SHOWN = 12  # deciding comparisons in the table


@dataclass(frozen=True, eq=False, repr=False)
class GraphSVM:
    """The Graph-SVM solution W_svm, and which comparisons decide it.

    Attributes
    ----------
    W : array of shape (d, d)
        The shortest matrix with (e_i − e_j)ᵀ W e_k ≥ 1 for i ⇒ j and = 0 for i ≍ j in graph k.
    norm : float
        Its Frobenius norm; 1/norm is the margin of the direction W/‖W‖.
    margins : dict from Comparison to float
        (e_i − e_j)ᵀ W e_k of every strict pair; none is below 1 (see `solve_graph_svm`).
    multipliers : dict from Comparison to float
        Weight λ ≥ 0 of every pair the transitive reduction keeps: W = Σ λ (e_i − e_j) e_kᵀ, up to
        the ties.
    support : tuple of Comparison
        The pairs with λ > 0, heaviest first: without them W would be shorter.
    gap : float
        Relative duality gap |‖W‖² − Σλ| / ‖W‖², the proof that W is optimal.
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 5. Paper: Sec. 2.2.
    """

    W: Floats
    norm: float
    margins: dict[Comparison, float] = field(repr=False)
    multipliers: dict[Comparison, float] = field(repr=False)
    support: tuple[Comparison, ...]
    gap: float
    names: tuple[str, ...]

    def __repr__(self) -> str:
        return (
            f"GraphSVM(‖W‖={self.norm:.4g}, {len(self.margins)} strict pairs, "
            f"{len(self.support)} decide, gap {self.gap:.0e})"
        )

    def _repr_html_(self) -> str:
        rows = []
        for pair in self.support[:SHOWN]:
            last, winner, loser = (self.names[token] for token in pair)
            numbers = f"{self.margins[pair]:.4g}", f"{self.multipliers[pair]:.4g}"
            rows.append((last, f"{winner} above {loser}", *numbers))
        titles, decide = ("after", "comparison", "margin", "weight λ"), len(self.support)
        caption = (
            f"‖W‖ = {self.norm:.4g}; {decide} of {len(self.margins)} strict comparisons decide"
        )
        return html_table("svm", rows, head=titles, caption=caption, hidden=decide - len(rows))


def solve_graph_svm(graphs: TokenPriorityGraphs, E: ArrayLike) -> GraphSVM:
    """Find the shortest W that keeps every strict comparison with margin 1 and every tie.

    Parameters
    ----------
    graphs : TokenPriorityGraphs
        What beats what, per last token.
    E : array of shape (K, d)
        Token embeddings, one per row.

    Returns
    -------
    GraphSVM
        W = 0 if there is no strict pair at all.

    Raises
    ------
    InfeasibleGraphSVM
        No W does; `conflict` holds comparisons that contradict each other, irreducibly.
    SolverDidNotConverge
        Neither could be proved.
    TooLarge
        It would not fit this machine, or take hours.

    Notes
    -----
    Solved through the dual, whose unknowns are one multiplier per comparison and which needs only
    inner products of embeddings.  Small problems take one non-negative least-squares fit, large
    ones matrix-free projected conjugate gradients; both end in an exact solve on the comparisons
    that decide.  Where last tokens are orthogonal, each track is solved by itself.

    Both answers are checked before they are given, in whole numbers where float64 leaves a doubt,
    and small problems that float64 cannot decide are solved in longer numbers.  Margins of the
    returned W, computed exactly, are at least 1 − 1e-9 and ties at most 1e-9, relative to the
    scale s = Σ |(e_i − e_j) e_kᵀ| |W| of their row in this sense: rounding the entries of W to
    float64 changes a margin by up to 1.1e-16 s, and this much is granted on top (never more than
    0.1).  It matters where embeddings nearly coincide, so that W is long and its terms cancel.
    Comparisons are called contradictory only if weights are known with which they cancel exactly.
    The relative duality gap is at most 1e-10, unless W is as long as that.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> svm = solve_graph_svm(token_priority_graphs(FIG3), np.eye(4))
    >>> np.round(svm.W[:, 0], 6)
    array([-1.5, -0.5,  0.5,  1.5])
    >>> svm.support[0]
    Comparison(last=0, winner=2, loser=1)

    Explained in: chapter 5. Paper: Sec. 2.2.
    """
    E = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    strict, reduced = graphs.strict_array, graphs.reduced_array
    pairs = comparisons(reduced)
    try:
        found = shortest(E, reduced, graphs.tie_array, strict)
    except Conflict as conflict:
        told = [pairs[i] for i in conflict.members]
        raise InfeasibleGraphSVM(told, graphs.names, E.shape[1]) from None
    multipliers = found.multipliers
    order = np.argsort(-multipliers, kind="stable")[: np.count_nonzero(multipliers)]
    return GraphSVM(
        W=found.W,
        norm=float(np.linalg.norm(found.W)),
        margins=dict(zip(comparisons(strict), found.margins.tolist(), strict=True)),
        multipliers=dict(zip(pairs, multipliers.tolist(), strict=True)),
        support=tuple(pairs[i] for i in order.tolist()),
        gap=found.gap,
        names=graphs.names,
    )


def comparisons(rows: Ints) -> list[Comparison]:
    """Rows (last, winner, loser) as named tuples."""
    return [Comparison(*row) for row in rows.tolist()]
