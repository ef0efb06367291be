"""Graph-SVM written down as the paper states it, for reading and as a second opinion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, a, check_embeddings, needs
from nta_core.errors import SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs

if TYPE_CHECKING:
    import cvxpy as cp


def graph_svm_reference(graphs: TokenPriorityGraphs, E: ArrayLike) -> Floats:
    """Solve the Graph-SVM with cvxpy, constraint by constraint; returns W of shape (d, d).

    Slow, and meant to be read: `solve_graph_svm` gives the same W at once, with a proof.
    The objective is squared because an interior-point method reaches only the square root of its
    tolerance on ‖W‖ itself.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> W = graph_svm_reference(token_priority_graphs(FIG3), np.eye(4))
    >>> np.round(W[:, 1], 6)
    array([-0.25, -0.25, -0.25,  0.75])

    Explained in: chapter 5. Paper: Sec. 2.2.
    """
    cp = needs("cvxpy", wanted_for="graph_svm_reference", extra="reference")
    E = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    W = cp.Variable((E.shape[1], E.shape[1]))
    rules = []
    for last, graph in graphs.items():
        scores = E @ W @ E[last]
        rules += [scores[i] - scores[j] == 0 for i, j in graph.ties]
        rules += [scores[i] - scores[j] >= 1 for i, j in graph.strict]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(W)), rules)
    # tighter still, and now and then the solver stops for lack of progress
    return minimise(problem, W, **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12))


def minimise(problem: cp.Problem, W: cp.Variable, **options: float) -> Floats:
    """Solve a problem of cvxpy; returns the value of W, or says how the solver ended."""
    import cvxpy as cp

    try:
        problem.solve(solver=cp.CLARABEL, **options)
    except cp.SolverError as error:
        raise SolverDidNotConverge(f"CLARABEL gave up: {error}") from None
    if problem.status != cp.OPTIMAL:
        raise SolverDidNotConverge(
            f"CLARABEL ended with the status {problem.status!r}; solve_graph_svm(graphs, E) names "
            "the comparisons if they contradict each other"
        )
    return np.array(W.value, dtype=np.float64)
