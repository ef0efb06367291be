"""The Graph-SVM in other norms: which W is "shortest" depends on how length is measured.

Every way of training measures its steps in a way of its own: gradient descent by the Frobenius
norm, Muon by the spectral norm, roughly, Adam without memory by the largest entry, keys and queries
trained apart by the nuclear norm of their product, roughly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from nta_beyond.optimizers.reference import minimise
from nta_core.boundary import (
    Floats,
    Ints,
    a,
    check_embeddings,
    check_weights,
    needs,
    one_of,
    room_for,
)
from nta_core.errors import OptionError, SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs
from nta_core.svm import solve_graph_svm
from nta_core.svm.rows import margins
from nta_core.training.logloss import row_space

NORMS = ("frobenius", "spectral", "largest", "nuclear")
NO_MARGIN = 1e-9  # as a share of what one comparison could have alone: rounding


@dataclass(frozen=True, eq=False, repr=False)
class NormSVM:
    """The shortest W in one norm, and a ruler for other matrices.

    Attributes
    ----------
    W : array of shape (d, d)
        A shortest matrix; the only one for the Frobenius norm, one of possibly many for others.
    norm : {"frobenius", "spectral", "largest", "nuclear"}
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
    """Length of a matrix: root of the sum of squares, largest singular value, largest entry, or
    sum of the singular values.

    Examples
    --------
    >>> [norm_of(np.diag([3.0, 4.0]), norm) for norm in NORMS]
    [5.0, 4.0, 4.0, 7.0]

    Explained in: chapter 19.
    """
    if norm == "largest":
        return float(np.abs(W).max())
    if norm == "spectral":
        return float(np.linalg.norm(W, 2))
    return float(np.linalg.norm(W, "nuc" if norm == "nuclear" else "fro"))


def graph_svm_in_norm(graphs: TokenPriorityGraphs, E: ArrayLike, *, norm: str) -> NormSVM:
    """Find the W of least norm that keeps every strict comparison with margin 1 and every tie.

    The Frobenius norm is `solve_graph_svm`, the largest entry a linear program (HiGHS); the two
    norms of singular values are left to cvxpy.

    Parameters
    ----------
    graphs, E
        As in `solve_graph_svm`; at least one comparison must be strict.
    norm : {"frobenius", "spectral", "largest", "nuclear"}
        ``"spectral"`` takes the largest singular value, ``"nuclear"`` adds them up,
        ``"largest"`` takes the largest entry, which depends on the basis in which the embeddings
        are written.

    Raises
    ------
    InfeasibleGraphSVM
        No W keeps all comparisons (Frobenius norm, which can name them).
    SolverDidNotConverge
        No W keeps all comparisons (the other norms), or the solver gave up.

    Examples
    --------
    One comparison, and four rulers:

    >>> from nta_core import Dataset, token_priority_graphs
    >>> graphs = token_priority_graphs(Dataset([[0, 1]], [0]))
    >>> [round(graph_svm_in_norm(graphs, np.eye(2), norm=norm).length, 4) for norm in NORMS]
    [0.7071, 0.7071, 0.5, 0.7071]

    Explained in: chapters 12 and 19. Paper: Sec. 2.2, with other norms.
    """
    norm = one_of(norm, "norm", NORMS)
    checked = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    if not len(graphs.strict_array):
        raise OptionError("no comparison is strict: the shortest W is 0 in every norm")
    if norm == "frobenius":
        W = np.array(solve_graph_svm(graphs, checked).W)
    else:
        # every comparison is a dense row of d·d numbers, which the solvers copy
        pairs, d = len(graphs.reduced_array) + len(graphs.tie_array), checked.shape[1]
        what = f"{pairs:,} comparisons in {d * d:,} unknowns"
        room_for(64.0 * pairs * d * d, what, instead="use solve_graph_svm, or fewer dimensions d")
        W = (_by_entries if norm == "largest" else _by_singular_values)(graphs, checked, norm)
    W.flags.writeable = False
    return NormSVM(W, norm, norm_of(W, norm), graphs, checked)


def _by_entries(graphs: TokenPriorityGraphs, E: Floats, _norm: str) -> Floats:
    """The W whose largest entry is least; of several, one whose entries add up to the least.

    Two linear programs: the largest margin of a matrix with entries in [−1, 1], then the smallest
    such matrix with this margin.  W is the difference of two matrices without negative entries.
    """
    d = E.shape[1]

    def rows(pairs: Ints) -> Floats:
        apart, lasts = E[pairs[:, 1]] - E[pairs[:, 2]], E[pairs[:, 0]]
        one = (apart[:, :, None] * lasts[:, None, :]).reshape(len(pairs), d * d)
        table: Floats = np.c_[one, -one, np.zeros(len(pairs))]
        return table

    strict, ties = rows(graphs.reduced_array), rows(graphs.tie_array)
    highest = float(np.abs(strict).sum(axis=1).max()) / 2  # margin that a row could reach alone
    strict[:, -1] = -highest
    rules = {
        "A_ub": -strict / highest,
        "b_ub": np.zeros(len(strict)),
        "A_eq": ties / highest if len(ties) else None,
        "b_eq": np.zeros(len(ties)) if len(ties) else None,
    }
    box = [(0.0, 1.0)] * (2 * d * d)
    margin = _solved(np.r_[np.zeros(2 * d * d), -1.0], bounds=[*box, (0.0, 1.0)], **rules)[-1]
    if margin <= NO_MARGIN:
        raise SolverDidNotConverge(
            "HiGHS finds no W that keeps all comparisons: the problem is infeasible; "
            "solve_graph_svm(graphs, E) names the comparisons"
        )
    kept = [*box, (margin * (1.0 - NO_MARGIN), 1.0)]
    parts = _solved(np.r_[np.ones(2 * d * d), 0.0], bounds=kept, **rules)
    W: Floats = (parts[: d * d] - parts[d * d : -1]).reshape(d, d)
    W /= margins(E, W, graphs.reduced_array).min()
    return W


def _solved(costs: Floats, **problem: Any) -> Floats:
    """What a linear program of scipy finds, or why it found nothing."""
    found = linprog(costs, method="highs", **problem)
    if found.status != 0:
        raise SolverDidNotConverge(f"HiGHS gave up: {found.message}")
    return np.asarray(found.x)


def _by_singular_values(graphs: TokenPriorityGraphs, E: Floats, norm: str) -> Floats:
    """The W with the least largest singular value, or sum of them, by cvxpy.

    In coordinates of what the comparisons see, both sides: the rest of a W can be taken away
    without making it longer, and confuses the solver.
    """
    cp = needs("cvxpy", wanted_for="graph_svm_in_norm", extra="reference")
    pairs = np.concatenate([graphs.reduced_array, graphs.tie_array])
    left = row_space(E[pairs[:, 1]] - E[pairs[:, 2]])
    right = row_space(E[np.unique(pairs[:, 0])])
    variable = cp.Variable((len(left), len(right)))
    length = cp.normNuc(variable) if norm == "nuclear" else cp.sigma_max(variable)
    tokens, lasts = E @ left.T, E @ right.T
    rules = []
    for last, graph in graphs.items():
        scores = tokens @ variable @ lasts[last]
        rules += [scores[i] - scores[j] == 0 for i, j in graph.ties]
        rules += [scores[i] - scores[j] >= 1 for i, j in graph.reduced]
    # of a tighter one the solver sometimes says that it almost reached it
    tolerance = dict.fromkeys(("tol_gap_abs", "tol_gap_rel", "tol_feas"), 1e-7)
    V = minimise(cp.Problem(cp.Minimize(length), rules), variable, **tolerance)
    return np.asarray(left.T @ V @ right)
