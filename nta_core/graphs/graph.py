"""Token-priority graphs: what beats what after one last token, and its leagues.

All graphs of a dataset lie in common arrays; one is cut out of them when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from nta_core.boundary import Ints, check_names, entries, shown, token_id, token_ids
from nta_core.data.tables import html_table
from nta_core.errors import UnknownToken
from nta_core.graphs.condensation import Condensation
from nta_core.graphs.keys import sorted_unique
from nta_core.graphs.reach import reachable

if TYPE_CHECKING:
    import networkx as nx

League = frozenset[int]  # the tokens of a strongly connected component


class Comparison(NamedTuple):
    """After `last`, `winner` has priority over `loser`.

    The keys of `GraphSVM.margins`; a named tuple, so it can be unpacked.

    Attributes
    ----------
    last, winner, loser : int
        Tokens, numbered from 0.

    Examples
    --------
    >>> last, winner, loser = Comparison(last=1, winner=3, loser=0)
    >>> winner
    3

    Explained in: chapter 5. Paper: Sec. 2.2.
    """

    last: int
    winner: int
    loser: int

    def words(self, names: Sequence[str]) -> str:
        """The comparison as people say it, "after e2: e4 above e1"."""
        called = check_names(names)
        last, winner, loser = (called[token_id(token, len(called), called)] for token in self)
        return f"after {last}: {winner} above {loser}"


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
    >>> from nta_core import FIG3, token_priority_graphs
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
    components: tuple[League, ...]
    strict: tuple[tuple[int, int], ...] = field(repr=False)
    reduced: tuple[tuple[int, int], ...] = field(repr=False)
    names: tuple[str, ...] = field(repr=False, compare=False)
    _levels: Mapping[int, int] = field(repr=False, compare=False)

    @cached_property
    def ties(self) -> tuple[tuple[int, int], ...]:
        """Pairs i < j in one league: i ≍ j in the paper's notation."""
        pairs = (pair for league in self.components for pair in combinations(sorted(league), 2))
        return tuple(sorted(pairs))

    def level(self, token: int | str) -> int:
        """Length of the longest chain of strict wins below the token's league.

        Equal within a league, larger for i than for j whenever i ⇒ j.  Tokens on one level are
        tied or were never compared.

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> [token_priority_graphs(FIG3)[0].level(token) for token in range(4)]
        [0, 1, 2, 3]
        """
        return self._levels[min(self.component_of(token))]

    def component_of(self, token: int | str) -> League:
        """Return the league of a token.

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> sorted(token_priority_graphs(FIG3)[1].component_of(2))
        [0, 1, 2]
        """
        known = token_id(token, len(self.names), self.names)
        if known not in self.home:
            raise UnknownToken(
                f"token {token} never occurs in a sequence that ends with {self.names[self.last]}: "
                f"this graph has the nodes {shown(self.nodes)}"
            )
        return self.home[known]

    def comparable(self, i: int | str, j: int | str) -> bool:
        """Whether the data orders or ties i and j, directly or through other tokens.

        The paper says that any two nodes are comparable; they need not be.

        Examples
        --------
        >>> from nta_core import Dataset, token_priority_graphs
        >>> star = token_priority_graphs(Dataset([[0, 1, 2]], [2]))[2]
        >>> star.comparable(2, 0), star.comparable(0, 1)
        (True, False)
        """
        one, other = self.component_of(i), self.component_of(j)
        return one == other or other in self._under(one) or one in self._under(other)

    def below(self, league: Iterable[int | str]) -> set[League]:
        """Return the leagues that a league beats, directly or by a chain of wins.

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> token_priority_graphs(FIG3)[1].below(frozenset({3}))
        {frozenset({0, 1, 2})}
        """
        found = self._found(league)
        if found not in self._steps:
            raise UnknownToken(f"{shown(league)} is no league after {self.names[self.last]}")
        return self._under(found)

    def top(self, tokens: Iterable[int | str]) -> tuple[League, ...]:
        """Return the leagues of these tokens that no other of them beats, directly or by a chain.

        Tokens that the graph does not hold are passed over.

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> token_priority_graphs(FIG3)[1].top({0, 2, 3})
        (frozenset({3}),)
        """
        return unbeaten(self, self._found(tokens))

    def _found(self, tokens: Iterable[int | str]) -> League:
        """Tokens by their ids."""
        listed = tokens if isinstance(tokens, (set, frozenset)) else entries(tokens, "tokens")
        return frozenset(token_ids(listed, len(self.names), self.names))

    @cached_property
    def home(self) -> dict[int, League]:
        """The league of every token."""
        return {token: league for league in self.components for token in league}

    @cached_property
    def _steps(self) -> dict[League, set[League]]:
        """Under every league those that the transitive reduction keeps."""
        steps: dict[League, set[League]] = {league: set() for league in self.components}
        for winner, loser in self.reduced:
            steps[self.home[winner]].add(self.home[loser])
        return steps

    @cached_property
    def _below(self) -> dict[League, set[League]]:
        """What `below` has found so far."""
        return {}

    def _under(self, league: League) -> set[League]:
        if league not in self._below:
            self._below[league] = reachable(self._steps.__getitem__, league)
        return self._below[league]

    def to_networkx(self) -> nx.DiGraph:
        """Return the graph for networkx; nodes carry `name`, `level` and `rank` (0 = strongest).

        Examples
        --------
        >>> from nta_core import FIG3, token_priority_graphs
        >>> token_priority_graphs(FIG3)[1].to_networkx().nodes[3]
        {'name': 'e4', 'level': 1, 'rank': 0}
        """
        import networkx as nx

        graph = nx.DiGraph()
        for rank, league in enumerate(self.components):
            for token in sorted(league):
                graph.add_node(token, name=self.names[token], level=self.level(token), rank=rank)
        graph.add_edges_from(self.edges)
        return graph

    def _repr_html_(self) -> str:
        names, levels = self.names, self._levels
        rows = [(str(levels[min(league)]), as_set(league, names)) for league in self.components]
        caption = f"Leagues after {names[self.last]}, strongest first"
        return html_table("graph", rows, head=("level", "league"), caption=caption)


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

    def __getitem__(self, last: int | str) -> TokenPriorityGraph:
        known = last if type(last) is int else token_id(last, self.K, self.names)
        if known not in self._made:
            token_id(last, self.K, self.names)
            if known not in self._lasts:
                name = self.names[known]
                raise UnknownToken(f"no sequence ends with {name}: there is no graph after it")
            self._made[known] = self._cut(known)
        return self._made[known]

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
        leagues: dict[int, list[int]] = {}
        for node, component in zip(nodes, components.tolist(), strict=True):
            leagues.setdefault(component, []).append(node)
        ordered = sorted(leagues.values(), key=lambda league: (-levels[league[0]], league[0]))
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


def unbeaten(graph: TokenPriorityGraph, ids: Iterable[int]) -> tuple[League, ...]:
    """`TokenPriorityGraph.top` of ids that are known to be some."""
    present = {graph.home[token] for token in ids if token in graph.home}
    beaten = {loser for league in present for loser in present & graph._under(league)}
    return tuple(sorted(present - beaten, key=min))


def as_set(league: Iterable[int], names: tuple[str, ...]) -> str:
    """A league as people write it, {a, b}."""
    return "{" + ", ".join(names[token] for token in sorted(league)) + "}"
