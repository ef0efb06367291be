"""All token-priority graphs of a dataset, cut out of common arrays when they are asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import numpy as np

from nta_core.data import Ints
from nta_core.graphs.condensation import Condensation
from nta_core.graphs.graph import TokenPriorityGraph
from nta_core.graphs.keys import sorted_unique


class TokenPriorityGraphs(Mapping[int, TokenPriorityGraph]):
    """All token-priority graphs of a dataset: a mapping from last token to graph.

    The graphs are cut out of common arrays when they are asked for; large data is better served
    by the arrays themselves.

    Attributes
    ----------
    K, names
        Vocabulary, as in the dataset.
    edge_array, strict_array, reduced_array : int64 arrays of shape (m, 3)
        Rows (last, winner, loser): all edges but those from a token to itself, the strict pairs
        among them, and of these what the transitive reduction keeps.
    tie_array : int64 array of shape (m, 3)
        Rows (last, token, root): every token of a league against its smallest; |C| − 1 per league.

    Explained in: chapters 2 and 3. Paper: Sec. 2.1.
    """

    def __init__(self, condensation: Condensation, names: tuple[str, ...]) -> None:
        self.K = condensation.K
        self.names = names
        self._condensation = condensation
        lasts = sorted_unique(condensation.nodes // condensation.K)
        self._lasts = dict.fromkeys(lasts.tolist())  # ordered, and quick to look into
        self._made: dict[int, TokenPriorityGraph] = {}

    @cached_property
    def edge_array(self) -> Ints:
        return self._condensation.edges()

    @cached_property
    def strict_array(self) -> Ints:
        return self._condensation.strict_edges()

    @cached_property
    def reduced_array(self) -> Ints:
        return self._condensation.reduced_edges()

    @cached_property
    def tie_array(self) -> Ints:
        return self._condensation.tie_pairs()

    @property
    def n_components(self) -> int:
        """Number of leagues, over all last tokens."""
        return self._condensation.count

    @property
    def n_edges(self) -> int:
        """Number of distinct edges, self edges included, over all last tokens."""
        return len(self._condensation.heads)

    def __getitem__(self, last: int) -> TokenPriorityGraph:
        if last not in self._made:
            if last not in self._lasts:
                raise KeyError(last)
            self._made[last] = self._cut(int(last))
        return self._made[last]

    def __iter__(self) -> Iterator[int]:
        return iter(self._lasts)

    def __len__(self) -> int:
        return len(self._lasts)

    def __repr__(self) -> str:
        leagues = self.n_components
        return f"TokenPriorityGraphs({len(self)} last tokens, {leagues} leagues, K={self.K})"

    def _cut(self, last: int) -> TokenPriorityGraph:
        """Cut the graph of one last token out of the common arrays."""
        parts = self._condensation
        begin, end = np.searchsorted(parts.nodes, [last * self.K, (last + 1) * self.K])
        nodes = (parts.nodes[begin:end] - last * self.K).tolist()
        components = parts.component[begin:end]
        levels = dict(zip(nodes, parts.levels[components].tolist(), strict=True))
        leagues: dict[int, set[int]] = {}
        for node, component in zip(nodes, components.tolist(), strict=True):
            leagues.setdefault(component, set()).add(node)
        ordered = sorted(leagues.values(), key=lambda league: (-levels[min(league)], min(league)))
        return TokenPriorityGraph(
            last=last,
            nodes=tuple(nodes),
            edges=_pairs(self.edge_array, last),
            components=tuple(frozenset(league) for league in ordered),
            strict=_pairs(self.strict_array, last),
            reduced=_pairs(self.reduced_array, last),
            names=self.names,
            _levels=levels,
        )


def _pairs(rows: Ints, last: int) -> tuple[tuple[int, int], ...]:
    """The (winner, loser) pairs of one last token from sorted rows."""
    begin, end = np.searchsorted(rows[:, 0], [last, last + 1])
    return tuple((i, j) for i, j in rows[begin:end, 1:].tolist())
