"""Leagues of all token-priority graphs at once: components, levels, and what follows from what.

All graphs lie in one sparse matrix over the nodes (last, token) that occur; blocks of different
last tokens never touch.  scipy numbers the strong components so that an edge never goes to a
higher number, which makes every pass below a single sweep in that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Ints
from nta_core.graphs.keys import sorted_unique
from nta_core.graphs.reach import kept_by_reduction


@dataclass(frozen=True)
class Condensation:
    """The strongly connected components of all graphs, sinks first."""

    K: int
    nodes: Ints  # (V,) last·K + token of every node, sorted
    begins: Ints  # (V + 1,) node v beats heads[begins[v]:begins[v + 1]]
    heads: NDArray[np.int32]  # (edges,) node numbers
    component: NDArray[np.int32]  # (V,) of each node; an edge never leads to a larger number
    count: int

    @cached_property
    def levels(self) -> Ints:
        """Longest chain of strict edges below each component, shape (count,)."""
        upper, lower = self.league_edges
        levels = np.zeros(self.count, dtype=np.int64)
        low = np.arange(len(upper))  # edges whose upper end does not yet stand above the lower one
        while len(low):  # one round per level of the deepest graph
            np.maximum.at(levels, upper[low], levels[lower[low]] + 1)
            low = np.flatnonzero(levels[upper] <= levels[lower])
        return levels

    @property
    def league_edges(self) -> tuple[Ints, Ints]:
        """Distinct pairs (upper, lower) of components with an edge between them, sorted."""
        return self._cross[:2]

    @cached_property
    def _tails(self) -> Ints:
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.begins))

    @cached_property
    def _cross(self) -> tuple[Ints, Ints, Ints]:
        """The league edges, and the first edge for each of them."""
        upper = self.component[self._tails].astype(np.int64)
        lower = self.component[self.heads].astype(np.int64)
        edges = np.flatnonzero(upper != lower)
        keys = upper[edges] * self.count + lower[edges]
        order = np.argsort(keys, kind="stable")  # stable: the first edge of a pair represents it
        ordered = keys[order]
        first = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(ordered) else order > 0
        chosen = edges[order[first]]
        return upper[chosen], lower[chosen], chosen

    def edges(self) -> Ints:
        """All edges but those from a node to itself, as sorted rows (last, winner, loser)."""
        return self._rows(np.flatnonzero(self._tails != self.heads))

    def strict_edges(self) -> Ints:
        """The edges between components, as sorted rows."""
        crossing = self.component[self._tails] != self.component[self.heads]
        return self._rows(np.flatnonzero(crossing))

    def reduced_edges(self) -> Ints:
        """One edge per component pair that the transitive reduction keeps, as sorted rows."""
        upper, lower, chosen = self._cross
        return self._rows(np.sort(chosen[kept_by_reduction(upper, lower, self._block_starts())]))

    def tie_pairs(self) -> Ints:
        """Rows (last, token, root): each node of a component against its smallest node."""
        root = np.full(self.count, len(self.nodes), dtype=np.int64)
        np.minimum.at(root, self.component, np.arange(len(self.nodes)))
        others = np.flatnonzero(root[self.component] != np.arange(len(self.nodes)))
        last, token = np.divmod(self.nodes[others], self.K)
        return np.stack([last, token, self.nodes[root[self.component[others]]] % self.K], axis=1)

    def _rows(self, edges: Ints) -> Ints:
        last, winner = np.divmod(self.nodes[self._tails[edges]], self.K)
        return np.stack([last, winner, self.nodes[self.heads[edges]] % self.K], axis=1)

    def _block_starts(self) -> Ints:
        """For each component, the smallest component number of its own last token."""
        last = np.empty(self.count, dtype=np.int64)
        last[self.component] = self.nodes // self.K
        smallest = np.full(int(last.max(initial=0)) + 1, self.count, dtype=np.int64)
        np.minimum.at(smallest, last, np.arange(self.count))
        return smallest[last]


def condense(keys: Ints, K: int) -> Condensation:
    """Find the components of the graphs with these edges.

    `keys` are the sorted, distinct (last·K + winner)·K + loser.  At ten million sequences every
    array here weighs close to a gigabyte, hence the early deletions.
    """
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    tails = keys // K
    ends = keys - tails * K
    del keys
    ends += tails // K * K
    nodes = sorted_unique(ends)
    begins = np.append(np.searchsorted(tails, nodes), len(tails))
    del tails
    heads = np.searchsorted(nodes, ends).astype(np.int32)
    del ends
    matrix = sparse.csr_array(
        (np.ones(len(heads)), heads, begins.astype(np.int32)), shape=(len(nodes), len(nodes))
    )
    count, component = connected_components(matrix, directed=True, connection="strong")
    return Condensation(K, nodes, begins, heads, component, int(count))
