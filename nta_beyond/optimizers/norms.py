"""The Graph-SVM in other norms: which W is "shortest" depends on how length is measured.

Every way of training measures its steps in a way of its own: gradient descent by the Frobenius
norm, keys and queries trained apart by the nuclear norm of their product, Adam by the largest
entry.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.optimizers.reference import minimise
from nta_core.boundary import (
    Floats,
    a,
    check_embeddings,
    check_weights,
    needs,
    one_of,
    room_for,
)
from nta_core.errors import OptionError
from nta_core.graphs import TokenPriorityGraphs
from nta_core.svm.rows import margins

NORMS = ("frobenius", "nuclear", "largest")


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
    norm = one_of(norm, "norm", NORMS)
    checked = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    if not len(graphs.strict_array):
        raise OptionError("no comparison is strict: the shortest W is 0 in every norm")
    # every comparison is a dense row of d·d numbers, which cvxpy and its solver copy
    pairs, d = len(graphs.reduced_array) + len(graphs.tie_array), checked.shape[1]
    what = f"{pairs:,} comparisons in {d * d:,} unknowns"
    room_for(64.0 * pairs * d * d, what, instead="use solve_graph_svm, or fewer dimensions d")
    cp = needs("cvxpy", wanted_for="graph_svm_in_norm", extra="reference")
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
    W = minimise(cp.Problem(cp.Minimize(length), rules), variable)
    W.flags.writeable = False
    return NormSVM(W, norm, norm_of(W, norm), graphs, checked)
