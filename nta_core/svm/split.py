"""What gradient descent does when no W keeps all comparisons.

It cannot drive every loss to zero, so some comparisons stay soft: their margins neither grow nor
shrink.  A linear program finds them: stretch as many margins to 1 as possible while none falls
below 0.  What reaches 1 is strict, the rest behaves like ties, and the direction of descent is
the Graph-SVM of that split (after Ji and Telgarsky, 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, Ints, check_embeddings
from nta_core.data.tables import html_table
from nta_core.errors import SolverDidNotConverge
from nta_core.graphs import Comparison, TokenPriorityGraphs
from nta_core.svm.core import Conflict, shortest
from nta_core.svm.graph_svm import SHOWN, comparisons
from nta_core.svm.rows import Rows


@dataclass(frozen=True, eq=False, repr=False)
class FeasibleSplit:
    """Which edges can be strict together, and the direction that makes them so.

    Attributes
    ----------
    strict : tuple of Comparison
        Edges whose margin grows without bound along W.
    soft : tuple of Comparison
        Edges whose margin stays finite; W gives each of them exactly 0.
    W : array of shape (d, d)
        The shortest matrix with margin ≥ 1 on `strict` and 0 on `soft`; 0 if nothing is strict
        (then descent has a finite limit).
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 5. Paper: App. D (Fig. 12), made precise here.
    """

    strict: tuple[Comparison, ...]
    soft: tuple[Comparison, ...]
    W: Floats
    names: tuple[str, ...]

    def __repr__(self) -> str:
        norm = float(np.linalg.norm(self.W))
        return f"FeasibleSplit({len(self.strict)} strict, {len(self.soft)} soft, ‖W‖={norm:.4g})"

    def _repr_html_(self) -> str:
        rows = []
        for name, pairs in (("strict", self.strict), ("soft", self.soft)):
            shown = [pair.words(self.names) for pair in pairs[:SHOWN]] + ["…"] * (
                len(pairs) > SHOWN
            )
            rows.append((f"{name} ({len(pairs)})", "; ".join(shown) or "none"))
        return html_table("split", rows)


def feasible_split(graphs: TokenPriorityGraphs, E: ArrayLike) -> FeasibleSplit:
    """Split the edges into those that can grow together and those that must stay soft.

    With embeddings of full row rank the split is the one the leagues give: edges between leagues
    are strict, edges inside a league are soft, and W is the Graph-SVM solution.

    Takes what `solve_graph_svm` takes.

    Examples
    --------
    Two tokens in one dimension, and each track asks for the opposite sign of W:

    >>> from nta_core import Dataset, token_priority_graphs
    >>> graphs = token_priority_graphs(Dataset([[0, 1], [1, 0]], [0, 0]))
    >>> feasible_split(graphs, [[1.0], [-1.0]])
    FeasibleSplit(0 strict, 2 soft, ‖W‖=0)

    Explained in: chapter 5. Paper: App. D (Fig. 12).
    """
    E = check_embeddings(E, graphs.K)
    edges = graphs.edge_array
    grows = _stretch(E, edges)
    try:
        W = shortest(E, edges[grows], edges[~grows])[0]
    except Conflict:
        raise SolverDidNotConverge(
            "the linear program called comparisons strict that contradict each other up to "
            "rounding; perturb the embeddings or use more dimensions"
        ) from None
    strict, soft = (tuple(comparisons(edges[part])) for part in (grows, ~grows))
    return FeasibleSplit(strict, soft, W, graphs.names)


def soft_pairs(graphs: TokenPriorityGraphs, E: Floats) -> Ints:
    """Rows (last, token, token) whose span no comparison can grow in: ties, or more if d < K."""
    occurring = E[np.unique(graphs.edge_array)]
    if np.linalg.matrix_rank(occurring) == len(occurring):
        return graphs.tie_array  # independent embeddings let every strict pair grow
    try:
        # a W that keeps all pairs is the cheapest proof that they can: a linear program is dearer
        shortest(E, graphs.reduced_array, graphs.tie_array)
    except Conflict:
        return graphs.edge_array[~_stretch(E, graphs.edge_array)]
    return graphs.tie_array


def _stretch(E: Floats, edges: Ints) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Solve max Σ t with margin_c ≥ t_c and 0 ≤ t ≤ 1: at the optimum every t is 0 or 1."""
    from scipy.optimize import linprog

    if not len(edges):
        return np.zeros(0, dtype=bool)
    rows = Rows.build(E, edges, edges[:0])
    matrix = rows.dense()
    m, size = matrix.shape
    answer = linprog(
        np.repeat([0.0, -1.0], [size, m]),
        A_ub=np.hstack([-matrix, np.eye(m)]),
        b_ub=np.zeros(m),
        bounds=[(None, None)] * size + [(0.0, 1.0)] * m,
        method="highs",
    )
    if answer.status != 0:
        raise SolverDidNotConverge(f"the linear program of the split ended so: {answer.message}")
    return np.asarray(answer.x[size:] > 0.5)
