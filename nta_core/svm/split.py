"""What gradient descent does when no W keeps all comparisons.

It cannot drive every loss to zero, so some comparisons stay soft: their margins neither grow nor
shrink.  They are those that take part in a contradiction; they behave like ties, the rest is
strict, and the direction of descent is the Graph-SVM of that split (after Ji and Telgarsky, 2019).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.boundary import Floats, Ints, a, check_embeddings
from nta_core.data.tables import html_table
from nta_core.graphs import Comparison, TokenPriorityGraphs
from nta_core.graphs.keys import by_track
from nta_core.svm.core import Conflict, shortest
from nta_core.svm.graph_svm import SHOWN, comparisons
from nta_core.svm.rows import Rows, lengths_of

Flags = NDArray[np.bool_]
FAR = 1e6  # condition number up to which float64 is sure that a matrix has full rank
ENTRIES = 20_000_000  # of a matrix whose rank is worth to know


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
    E = check_embeddings(E, a(TokenPriorityGraphs, graphs, "graphs").K)
    edges = graphs.edge_array
    rises, W = _split(graphs, E)
    strict, soft = (tuple(comparisons(edges[part])) for part in (rises, ~rises))
    return FeasibleSplit(strict, soft, W, graphs.names)


def _split(graphs: TokenPriorityGraphs, E: Floats) -> tuple[Flags, Floats]:
    """Which edges can grow together, as flags of `edge_array`, and the shortest W for them.

    Margins that may not fall cannot grow if they cancel out: so the members of a contradiction
    are soft, and what is left when there is none is strict.  Either way there is a proof.
    """
    edges = graphs.edge_array
    rises = np.isin(_keys(edges, graphs.K), _keys(graphs.strict_array, graphs.K))
    strict, ties = graphs.reduced_array, graphs.tie_array  # the other edges follow from these
    while True:
        try:
            return rises, shortest(E, strict, ties, edges[rises]).W
        except Conflict as conflict:
            rises &= ~np.isin(_keys(edges, graphs.K), _keys(strict[conflict.members], graphs.K))
            rises &= ~_filled(E, edges, ~rises)
            strict, ties = edges[rises], edges[~rises]


def _keys(pairs: Ints, K: int) -> Ints:
    return (pairs[:, 0] * K + pairs[:, 1]) * K + pairs[:, 2]


def _filled(E: Floats, edges: Ints, soft: Flags) -> Flags:
    """Edges that lie in the span of soft ones, as far as a count can tell: they cannot grow either.

    Full rank cannot be an accident of rounding if it is far from being lost.
    """
    filled = np.zeros(len(edges), dtype=bool)
    short = np.flatnonzero(lengths_of(E, edges) == 0)
    last, winner, loser = edges[short].T
    filled[short] = (E[winner] == E[loser]).all(axis=1) | ~E[last].any(axis=1)
    every, stuck = (Rows.build(E, part, part[:0], tight=True) for part in (edges, edges[soft]))
    size = stuck.dimensions
    if every.dimensions == size <= len(stuck) <= ENTRIES // size and full_rank(stuck.dense()):
        return np.ones_like(filled)
    for _, track in by_track(edges[:, 0]):
        last, winner, loser = edges[track][soft[track]].T
        if last.size >= E.shape[1] and E[last].any() and full_rank(E[winner] - E[loser]):
            filled[track] = True
    return filled


def full_rank(rows: Floats) -> bool:
    """Whether the rows span as much as their number and length allow, beyond any rounding."""
    sizes = np.linalg.svd(rows, compute_uv=False)
    return bool(sizes[-1] * FAR > sizes[0])
