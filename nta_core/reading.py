"""Reading a trained W: how much of it is order, how much is odds, and which graph it believes.

`decompose` holds W against the theory's two parts, C·W_svm + W_fin.  `pseudo_graphs` forgets the
labels and asks the model itself which tokens it selects: the graph the model believes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, a, check_embeddings, check_weights, number
from nta_core.data import Dataset
from nta_core.data.tables import Html, html_table
from nta_core.graphs import TokenPriorityGraphs, token_priority_graphs
from nta_core.graphs.condensation import condense
from nta_core.graphs.keys import sorted_unique
from nta_core.model import attention_masses, cosine
from nta_core.soft import FinitePart, Subspace, active_subspace, finite_part
from nta_core.svm import GraphSVM, solve_graph_svm

CELLS = 1 << 22  # of a table of masses, sequences × tokens, looked at in one go


@dataclass(frozen=True, eq=False, repr=False)
class Decomposition:
    """A matrix W read as C·W_svm + W_fin plus a rest.

    Attributes
    ----------
    W, W_svm, W_fin : float64 arrays of shape (d, d)
        The matrix, and the two parts the theory predicts for its data.
    C : float
        Strictness: the multiplier that brings C·W_svm closest to W; 0 if W_svm = 0.
    cosine : float
        Cosine between W and W_svm, the paper's correlation; nan if one of them is 0.
    soft_distance : float
        ‖Π_fin W − W_fin‖: how far the odds inside the leagues are from their limit.
    residual : float
        ‖W − C·W_svm − W_fin‖ / ‖W‖: the share that neither part explains; inf if only W is 0.
    frozen : float
        Norm of the part of W outside S_active: W(0) left it there and training never touches it.

    Explained in: chapter 7. Paper: Thm. 1-2.
    """

    W: Floats
    W_svm: Floats
    W_fin: Floats
    C: float
    cosine: float
    soft_distance: float
    residual: float
    frozen: float

    def __repr__(self) -> str:
        return (
            f"Decomposition(C={self.C:.4g}, cosine={self.cosine:.5f}, "
            f"soft distance {self.soft_distance:.3g}, residual {self.residual:.3g}, "
            f"frozen {self.frozen:.3g})"
        )

    def _repr_html_(self) -> str:
        rows = {
            "‖W‖": np.linalg.norm(self.W),
            "C, the strictness": self.C,
            "cosine of W and W<sub>svm</sub>": self.cosine,
            "‖Π<sub>fin</sub>W − W<sub>fin</sub>‖": self.soft_distance,
            "unexplained share of W": self.residual,
            "‖part of W(0) that is frozen‖": self.frozen,
        }
        caption = Html("W = C·W<sub>svm</sub> + W<sub>fin</sub> + rest")
        cells = [(Html(name), f"{value:.5g}") for name, value in rows.items()]
        return html_table("reading", cells, caption=caption)


@dataclass(frozen=True, eq=False, repr=False)
class Theory:
    """What the theory predicts for one dataset; reads any number of matrices against it.

    Attributes
    ----------
    graphs : TokenPriorityGraphs
        What beats what in the dataset.
    svm : GraphSVM
        The direction in which W runs off.
    fin : FinitePart
        The point of S_fin at which W settles.
    active : Subspace
        S_active, outside of which W never moves.

    Examples
    --------
    >>> from nta_core import FIG8
    >>> theory = Theory.of(FIG8, np.eye(4))
    >>> [round(theory.decompose(C * theory.svm.W).C, 9) for C in (1, 10, 100)]
    [1.0, 10.0, 100.0]

    Explained in: chapter 7. Paper: Thm. 2.
    """

    graphs: TokenPriorityGraphs
    svm: GraphSVM
    fin: FinitePart
    active: Subspace

    @classmethod
    def of(cls, dataset: Dataset, E: ArrayLike) -> Theory:
        """Compute both parts for a dataset and embeddings of shape (K, d).

        Raises what `solve_graph_svm` raises.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> Theory.of(FIG3, np.eye(4))
        Theory(‖W_svm‖=2.398, ‖W_fin‖=0, S_fin has 2 and S_active 6 of 16 dimensions)
        """
        graphs = token_priority_graphs(dataset)
        svm, fin = solve_graph_svm(graphs, E), finite_part(dataset, graphs, E)
        return cls(graphs, svm, fin, active_subspace(graphs, E))

    def decompose(self, W: ArrayLike) -> Decomposition:
        """Read one matrix W of shape (d, d); see `nta_core.decompose`.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> round(Theory.of(FIG3, np.eye(4)).decompose(np.eye(4)).frozen, 4)
        1.5811
        """
        hard, soft = self.svm.W, self.fin.W
        weights = check_weights(W, len(hard))
        square = float(np.vdot(hard, hard))
        C = float(np.vdot(hard, weights)) / square if square > 0 else 0.0
        length = float(np.linalg.norm(weights))
        rest = float(np.linalg.norm(weights - C * hard - soft))
        return Decomposition(
            W=weights,
            W_svm=hard,
            W_fin=soft,
            C=C,
            cosine=cosine(weights, hard),
            soft_distance=float(np.linalg.norm(self.fin.subspace.project(weights) - soft)),
            residual=rest / length if length > 0 else (math.inf if rest > 0 else 0.0),
            frozen=float(np.linalg.norm(weights - self.active.project(weights))),
        )

    def __repr__(self) -> str:
        d = len(self.svm.W)
        return (
            f"Theory(‖W_svm‖={self.svm.norm:.4g}, ‖W_fin‖={np.linalg.norm(self.fin.W):.4g}, "
            f"S_fin has {self.fin.subspace.dim} and S_active {self.active.dim} of {d * d} "
            "dimensions)"
        )


def decompose(W: ArrayLike, dataset: Dataset, E: ArrayLike) -> Decomposition:
    """Read a trained W as C·W_svm + W_fin: order that runs off, odds that settle.

    To read many matrices of one dataset (a training path), make a `Theory` once.

    Parameters
    ----------
    W : array of shape (d, d)
        Any weights, trained or not.
    dataset : Dataset
        The data it was trained on.
    E : array of shape (K, d)
        Token embeddings.

    Raises what `solve_graph_svm` raises.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> reading = decompose(7 * Theory.of(FIG3, np.eye(4)).svm.W, FIG3, np.eye(4))
    >>> round(reading.C, 9), round(reading.cosine, 9), reading.residual < 1e-12
    (7.0, 1.0, True)

    Explained in: chapter 7. Paper: Thm. 1-2.
    """
    return Theory.of(dataset, E).decompose(W)


def pseudo_graphs(
    dataset: Dataset, E: ArrayLike, W: ArrayLike, *, threshold: float = 0.01
) -> TokenPriorityGraphs:
    """Return the token-priority graphs that the model believes, whatever the labels say.

    In every sequence the tokens with an attention mass above the threshold are *selected*; each
    of them gets an edge to every token of the sequence.  Tokens selected together are thus tied.

    Parameters
    ----------
    dataset : Dataset
        Its sequences are read, its labels are not.
    E : array of shape (K, d)
        Token embeddings.
    W : array of shape (d, d)
        Trained weights.
    threshold : float
        Mass, in [0, 1), above which a token counts as selected; the paper means 0, its
        experiments use 0.01.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> W_svm = Theory.of(FIG3, np.eye(4)).svm.W
    >>> pseudo_graphs(FIG3, np.eye(4), 20 * W_svm)[1].components  # what the data says, too
    (frozenset({3}), frozenset({0, 1, 2}))
    >>> pseudo_graphs(FIG3, np.eye(4), 0 * W_svm)[1].components  # untrained: all tied
    (frozenset({0, 1, 2, 3}),)

    Explained in: chapter 11. Paper: Sec. 5.
    """
    threshold = number(threshold, "threshold", least=0, below=1)
    weights = check_weights(W, check_embeddings(E, a(Dataset, dataset, "dataset").K).shape[1])
    K, keys = dataset.K, [np.empty(0, dtype=np.int64)]
    for begin in range(0, dataset.n, rows := max(1, CELLS // K)):
        end = min(begin + rows, dataset.n)
        part = dataset if end - begin == dataset.n else dataset.subset(range(begin, end))
        row, winner = np.nonzero(attention_masses(part, weights, E) > threshold)
        lengths = np.diff(part.offsets)[row]
        ends = np.cumsum(lengths)
        first = np.repeat(part.offsets[row] - ends + lengths, lengths)  # every token of the row
        last, loser = (
            np.repeat(part.lasts[row], lengths),
            part.tokens[first + np.arange(len(first))],
        )
        pairs = (np.repeat(winner, lengths), loser), (loser, loser)  # self edges carry the nodes
        keys += [sorted_unique((last * K + i) * K + j) for i, j in pairs]
    return TokenPriorityGraphs(condense(sorted_unique(np.concatenate(keys)), K), dataset.names)
