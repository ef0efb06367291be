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

from nta_core.data import Ints


@dataclass(frozen=True)
class Condensation:
    """The strongly connected components of all graphs, sinks first.

    Attributes
    ----------
    nodes : int64 array of shape (V,)
        last·K + token of every node, sorted.
    begins, heads : arrays
        Edges in compressed rows: node v beats ``heads[begins[v]:begins[v + 1]]`` (node numbers).
    component : int array of shape (V,)
        Component of each node; an edge never leads to a larger number.
    """

    K: int
    nodes: Ints
    begins: Ints
    heads: NDArray[np.int32]
    component: NDArray[np.int32]
    count: int

    @cached_property
    def levels(self) -> Ints:
        """Longest chain of strict edges below each component, shape (count,)."""
        upper, lower, _ = self._cross
        levels = np.zeros(self.count, dtype=np.int64)
        low = np.arange(len(upper))  # edges whose upper end does not yet stand above the lower one
        while len(low):  # one round per level of the deepest graph
            np.maximum.at(levels, upper[low], levels[lower[low]] + 1)
            low = np.flatnonzero(levels[upper] <= levels[lower])
        return levels

    @cached_property
    def _tails(self) -> Ints:
        return np.repeat(np.arange(len(self.nodes)), np.diff(self.begins))

    @cached_property
    def _cross(self) -> tuple[Ints, Ints, Ints]:
        """Distinct edges between components (upper, lower), sorted, and one edge for each."""
        upper = self.component[self._tails].astype(np.int64)
        lower = self.component[self.heads].astype(np.int64)
        edges = np.flatnonzero(upper != lower)
        keys = upper[edges] * self.count + lower[edges]
        order = np.argsort(keys, kind="stable")  # stable: the first edge of a pair represents it
        ordered = keys[order]
        first = np.concatenate([[True], ordered[1:] != ordered[:-1]]) if len(ordered) else order > 0
        chosen = edges[order[first]]
        return upper[chosen], lower[chosen], chosen

    def edges_of(self, begin: int, end: int) -> tuple[tuple[int, int], ...]:
        """Pairs (winner, loser) among the nodes begin…end − 1, without self edges."""
        tokens = self.nodes % self.K
        return tuple(
            (winner, loser)
            for v in range(begin, end)
            for winner in [int(tokens[v])]
            for loser in tokens[self.heads[self.begins[v] : self.begins[v + 1]]].tolist()
            if winner != loser
        )

    def strict_edges(self) -> Ints:
        """All edges between components as sorted rows (last, winner, loser)."""
        tails = self._tails
        return self._rows(np.flatnonzero(self.component[tails] != self.component[self.heads]))

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


def kept_by_reduction(upper: Ints, lower: Ints, base: Ints) -> NDArray[np.bool_]:
    """Which edges of an acyclic graph no longer path explains.

    Parameters
    ----------
    upper, lower : int64 arrays
        Edges sorted by `upper`, with upper > lower on each.
    base : int64 array of shape (count,)
        Smallest node number of the block a node belongs to: reach sets are bit rows within it.

    Notes
    -----
    Nodes are visited sinks first.  The lower ends of a node are tried from the highest down: an
    end that a higher one already reaches is implied, and needs no set of its own.
    """
    starts = np.searchsorted(upper, np.arange(len(base) + 1))
    keep = np.ones(len(upper), dtype=bool)
    inner = starts[lower + 1] > starts[lower]  # ends that reach something themselves
    wanted = np.zeros(len(base), dtype=bool)
    wanted[lower[inner]] = True
    work = wanted.copy()
    work[upper[inner]] = True
    reach: dict[int, NDArray[np.uint8]] = {}
    block = -1
    for node in np.flatnonzero(work).tolist():
        if base[node] != block:  # sets of a finished block are never asked again
            block, reach = int(base[node]), {}
        edges = slice(starts[node], starts[node + 1])
        ends = lower[edges] - block
        implied = np.zeros((node - block + 7) // 8, dtype=np.uint8)
        for end in ends[inner[edges]][::-1].tolist():
            if not implied[end >> 3] >> (end & 7) & 1:
                implied[: len(reach[end])] |= reach[end]
        keep[edges] = (implied[ends >> 3] >> (ends & 7) & 1) == 0
        if wanted[node]:
            np.bitwise_or.at(implied, ends >> 3, (1 << (ends & 7)).astype(np.uint8))
            reach[node - block] = implied
    return keep


def sorted_unique(keys: NDArray[np.int64]) -> Ints:
    """Sort and drop repetitions; numpy's hashing `unique` is many times slower on such keys."""
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys
