"""Token-priority graphs: what the data says beats what, one graph per last token.

Every race adds an edge from its winner to each runner.  Tokens that beat each other in a circle
form a *league* (a strongly connected component); between leagues the order is strict.  One
integer key per edge, one sort, and one pass of scipy's component search do all of it, so the
cost follows the number of distinct edges and not the number of sequences.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nta_core.condensation import Condensation, condense, sorted_unique
from nta_core.data import Dataset, Ints, warn_unrealizable
from nta_core.errors import UnknownToken

if TYPE_CHECKING:
    import networkx as nx

CHUNK = 1 << 20  # sequences turned into keys at a time: bounds memory by the distinct edges


class Comparison(NamedTuple):
    """After `last`, `winner` has priority over `loser`."""

    last: int
    winner: int
    loser: int


@dataclass(frozen=True)
class TokenPriorityGraph:
    """The token-priority graph of one last token, and its leagues.

    Attributes
    ----------
    last : int
        The last token (the track) this graph belongs to.
    nodes : tuple of int
        Tokens that occur in its sequences.
    edges : tuple of (int, int)
        Pairs (winner, loser), sorted; an edge from a token to itself says nothing and is left out.
    components : tuple of frozenset of int
        The leagues, strongest first.  Two tokens share a league when each reaches the other by
        "beat" edges; the order is a topological order of the leagues.
    strict : tuple of (int, int)
        The edges between leagues: i ⇒ j in the paper's notation.
    reduced : tuple of (int, int)
        One strict pair for every step that is left after the transitive reduction of the leagues:
        all other strict pairs follow from these and from the ties.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> graph = token_priority_graphs(FIG3)[1]
    >>> graph.components
    (frozenset({3}), frozenset({0, 1, 2}))
    >>> graph.strict, graph.ties
    (((3, 1),), ((0, 1), (0, 2), (1, 2)))

    Explained in: chapters 2 and 3. Paper: Sec. 2.1.
    """

    last: int
    nodes: tuple[int, ...]
    edges: tuple[tuple[int, int], ...] = field(repr=False)
    components: tuple[frozenset[int], ...]
    strict: tuple[tuple[int, int], ...] = field(repr=False)
    reduced: tuple[tuple[int, int], ...] = field(repr=False)
    names: tuple[str, ...] = field(repr=False, compare=False)
    _levels: Mapping[int, int] = field(repr=False, compare=False)

    @cached_property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Pairs i < j in one league: i ≍ j in the paper's notation."""
        pairs = (pair for league in self.components for pair in combinations(sorted(league), 2))
        return tuple(sorted(pairs))

    def level(self, token: int) -> int:
        """Length of the longest chain of strict wins below the token's league.

        Equal within a league, larger for i than for j whenever i ⇒ j.  Tokens on one level are
        tied or were never compared.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> [token_priority_graphs(FIG3)[0].level(token) for token in range(4)]
        [0, 1, 2, 3]
        """
        self.component_of(token)
        return self._levels[token]

    def component_of(self, token: int) -> frozenset[int]:
        """Return the league of a token.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> sorted(token_priority_graphs(FIG3)[1].component_of(2))
        [0, 1, 2]
        """
        for league in self.components:
            if token in league:
                return league
        raise UnknownToken(
            f"token {token} never occurs in a sequence that ends with {self.names[self.last]}: "
            f"this graph has the nodes {self.nodes}"
        )

    def comparable(self, i: int, j: int) -> bool:
        """Whether the data orders or ties i and j, directly or through other tokens.

        The paper says that any two nodes are comparable; they need not be.

        Examples
        --------
        >>> star = token_priority_graphs(Dataset([[0, 1, 2]], [2]))[2]
        >>> star.comparable(2, 0), star.comparable(0, 1)
        (True, False)
        """
        return j in self._below(i) or i in self._below(j)

    def _below(self, token: int) -> frozenset[int]:
        """Everything that can be reached from the token, its own league included."""
        reached = self.component_of(token)
        lower: dict[frozenset[int], set[frozenset[int]]] = {}
        for winner, loser in self.reduced:
            lower.setdefault(self.component_of(winner), set()).add(self.component_of(loser))
        open_leagues = [reached]
        while open_leagues:
            for league in lower.get(open_leagues.pop(), ()):
                if not league <= reached:
                    reached |= league
                    open_leagues.append(league)
        return reached

    def to_networkx(self) -> nx.DiGraph:
        """Return the graph for networkx; nodes carry `name`, `level` and `league` (0 = strongest).

        Examples
        --------
        >>> from nta_core import FIG3
        >>> token_priority_graphs(FIG3)[1].to_networkx().nodes[3]
        {'name': 'e4', 'level': 1, 'league': 0}
        """
        import networkx as nx

        graph = nx.DiGraph()
        for rank, league in enumerate(self.components):
            for token in sorted(league):
                graph.add_node(token, name=self.names[token], level=self.level(token), league=rank)
        graph.add_edges_from(self.edges)
        return graph

    def _repr_html_(self) -> str:
        def words(league: frozenset[int]) -> str:
            return "{" + ", ".join(html.escape(self.names[t]) for t in sorted(league)) + "}"

        rows = "".join(
            f"<tr><td>{self._levels[min(league)]}</td><td>{words(league)}</td></tr>"
            for league in self.components
        )
        title = html.escape(self.names[self.last])
        return (
            f'<table class="nta-graph"><caption>Leagues after {title}, strongest first</caption>'
            f"<tr><th>level</th><th>league</th></tr>{rows}</table>"
        )


class TokenPriorityGraphs(Mapping[int, TokenPriorityGraph]):
    """All token-priority graphs of a dataset: a mapping from last token to graph.

    The graphs are cut out of common arrays when they are asked for; large data is better served
    by the arrays themselves.

    Attributes
    ----------
    K, names
        Vocabulary, as in the dataset.
    strict_array, reduced_array : int64 arrays of shape (m, 3)
        Rows (last, winner, loser): all strict pairs, and those the transitive reduction keeps.
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
            edges=parts.edges_of(int(begin), int(end)),
            components=tuple(frozenset(league) for league in ordered),
            strict=_pairs(self.strict_array, last),
            reduced=_pairs(self.reduced_array, last),
            names=self.names,
            _levels=levels,
        )


def token_priority_graphs(dataset: Dataset) -> TokenPriorityGraphs:
    """Build the token-priority graph of every last token of the data.

    A row whose label is not in its sequence plays no part (its gradient is zero) and is left out,
    with a warning.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> graphs = token_priority_graphs(FIG3)
    >>> graphs
    TokenPriorityGraphs(2 last tokens, 6 leagues, K=4)
    >>> graphs[0].edges
    ((1, 0), (2, 0), (2, 1), (3, 0), (3, 2))

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    warn_unrealizable(dataset)
    return TokenPriorityGraphs(condense(edge_keys(dataset), dataset.K), dataset.names)


def graphs_from_edges(
    edges: Mapping[int, Iterable[tuple[int, int]]], K: int, names: Sequence[str] | None = None
) -> TokenPriorityGraphs:
    """Build graphs from edges (winner, loser) per last token, for example those a model believes.

    An edge from a token to itself only makes the token a node.

    Examples
    --------
    >>> graphs_from_edges({0: [(1, 0), (0, 1), (1, 2)]}, K=3)[0].components
    (frozenset({0, 1}), frozenset({2}))

    Explained in: chapter 11. Paper: Sec. 5.
    """
    rows = [(last, i, j) for last, pairs in edges.items() for i, j in pairs]
    for row in rows:
        if not all(0 <= token < K for token in row):
            raise UnknownToken(f"edge {row[1:]} after {row[0]} leaves the vocabulary 0…{K - 1}")
    last, winner, loser = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    # self edges of both ends carry the nodes, as they do in data
    keys = [(last * K + a) * K + b for a, b in ((winner, loser), (winner, winner), (loser, loser))]
    shown = tuple(names) if names is not None else tuple(f"e{k + 1}" for k in range(K))
    return TokenPriorityGraphs(condense(sorted_unique(np.concatenate(keys)), K), shown)


def edge_keys(dataset: Dataset) -> Ints:
    """Sorted, distinct keys (last·K + label)·K + token of the realizable rows.

    Chunks are merged when together they outweigh what is held: every key is sorted O(log) times.
    """
    K = dataset.K
    held, fresh, waiting = np.empty(0, dtype=np.int64), [], 0
    for begin, end in pairwise([*range(0, dataset.n, CHUNK), dataset.n]):
        first, stop = dataset.offsets[begin], dataset.offsets[end]
        heads = (dataset.lasts[begin:end] * K + dataset.targets[begin:end]) * K
        heads = np.where(dataset.realizable_rows[begin:end], heads, -1)
        lengths = np.diff(dataset.offsets[begin : end + 1])
        keys = np.repeat(heads, lengths)
        keep = keys >= 0
        keys += dataset.tokens[first:stop]
        fresh.append(sorted_unique(keys[keep]))
        waiting += len(fresh[-1])
        if waiting > len(held):
            held, fresh, waiting = sorted_unique(np.concatenate([held, *fresh])), [], 0
    return sorted_unique(np.concatenate([held, *fresh])) if fresh else held


def _pairs(rows: Ints, last: int) -> tuple[tuple[int, int], ...]:
    """The (winner, loser) pairs of one last token from sorted rows."""
    begin, end = np.searchsorted(rows[:, 0], [last, last + 1])
    return tuple((i, j) for i, j in rows[begin:end, 1:].tolist())
