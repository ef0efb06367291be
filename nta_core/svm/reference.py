"""Graph-SVM written down as the paper states it, for reading, as a second opinion, in other norms.

Which W is "shortest" depends on how length is measured, and every way of training measures steps
in its own way: gradient descent by the Frobenius norm, keys and queries trained apart by the
nuclear norm of their product, Adam by the largest entry.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Floats, check_embeddings, check_weights
from nta_core.errors import OptionError, SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs
from nta_core.svm.rows import margins

if TYPE_CHECKING:
    import cvxpy as cp

NORMS = ("frobenius", "nuclear", "largest")


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
    import cvxpy as cp

    E = check_embeddings(E, graphs.K)
    W = cp.Variable((E.shape[1], E.shape[1]))
    rules = []
    for last, graph in graphs.items():
        scores = E @ W @ E[last]
        rules += [scores[i] - scores[j] == 0 for i, j in graph.ties]
        rules += [scores[i] - scores[j] >= 1 for i, j in graph.strict]
    problem = cp.Problem(cp.Minimize(cp.sum_squares(W)), rules)
    # tighter still, and now and then the solver stops for lack of progress
    return _minimise(problem, W, **dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-12))


@dataclass(frozen=True, eq=False, repr=False)
class NormSVM:
    """The shortest W in one norm, and a ruler for other matrices.

    Attributes
    ----------
    W : array of shape (d, d)
        A shortest matrix; the only one for the Frobenius norm, one of possibly many for others.
    norm : {"frobenius", "nuclear", "largest"}
        How length is measured.
    length : float
        Length of W; no allowed matrix is shorter.

    Explained in: chapter 12. Paper: Sec. 2.2, with other norms.
    """

    W: Floats
    norm: str
    length: float
    _graphs: TokenPriorityGraphs
    _E: Floats

    def __repr__(self) -> str:
        return f"NormSVM({self.norm} norm, length {self.length:.4g})"

    def reach(self, W: ArrayLike) -> float:
        """Smallest strict margin of W per unit of length, as a share of the best possible one.

        1 says that W points along a shortest matrix of this norm; a negative number says that it
        breaks a comparison.  Meant for data without ties, which W would have to keep exactly.

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> svm = graph_svm_in_norm(token_priority_graphs(FIG3), np.eye(4), norm="frobenius")
        >>> round(svm.reach(7 * svm.W), 6)
        1.0
        """
        weights = check_weights(W, len(self.W))
        smallest = margins(self._E, weights, self._graphs.strict_array).min(initial=np.inf)
        size = norm_of(weights, self.norm)
        return float(smallest * self.length / size) if size > 0 else 0.0


def norm_of(W: Floats, norm: str) -> float:
    """Length of a matrix: root of the sum of squares, sum of singular values, or largest entry.

    Examples
    --------
    >>> [norm_of(np.diag([3.0, 4.0]), norm) for norm in NORMS]
    [5.0, 7.0, 4.0]

    Explained in: chapter 12.
    """
    if norm == "largest":
        return float(np.abs(W).max())
    return float(np.linalg.norm(W, "nuc" if norm == "nuclear" else "fro"))


def graph_svm_in_norm(graphs: TokenPriorityGraphs, E: ArrayLike, *, norm: str) -> NormSVM:
    """Find the W of least norm that keeps every strict comparison with margin 1 and every tie.

    Parameters
    ----------
    graphs, E
        As in `solve_graph_svm`; at least one comparison must be strict.
    norm : {"frobenius", "nuclear", "largest"}
        ``"nuclear"`` adds up the singular values, ``"largest"`` takes the largest entry, which
        depends on the basis in which the embeddings are written.

    Raises
    ------
    SolverDidNotConverge
        No W keeps all comparisons, or the solver gave up.

    Examples
    --------
    One comparison, and three rulers that agree on it:

    >>> from nta_core import Dataset, token_priority_graphs
    >>> graphs = token_priority_graphs(Dataset([[0, 1]], [0]))
    >>> [round(graph_svm_in_norm(graphs, np.eye(2), norm=norm).length, 4) for norm in NORMS]
    [0.7071, 0.7071, 0.5]

    Explained in: chapter 12. Paper: Sec. 2.2, with other norms.
    """
    if norm not in NORMS:
        raise OptionError(f"norm={norm!r}: choose one of {', '.join(NORMS)}")
    if not len(graphs.strict_array):
        raise OptionError("no comparison is strict: the shortest W is 0 in every norm")
    import cvxpy as cp

    checked = check_embeddings(E, graphs.K)
    variable = cp.Variable((checked.shape[1], checked.shape[1]))
    length = {
        "frobenius": cp.norm(variable, "fro"),
        "nuclear": cp.normNuc(variable),
        "largest": cp.max(cp.abs(variable)),
    }[norm]
    rules = []
    for last, graph in graphs.items():
        scores = checked @ variable @ checked[last]
        rules += [scores[i] - scores[j] == 0 for i, j in graph.ties]
        rules += [scores[i] - scores[j] >= 1 for i, j in graph.reduced]
    W = _minimise(cp.Problem(cp.Minimize(length), rules), variable)
    W.flags.writeable = False
    return NormSVM(W, norm, norm_of(W, norm), graphs, checked)


def _minimise(problem: cp.Problem, W: cp.Variable, **options: float) -> Floats:
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
