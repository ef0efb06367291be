"""A priority graph in words, for those who hear the picture.

Explained in: chapters 2 and 3.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from nta_book.viz.layout import Plan
from nta_book.viz.words import listing, plain

if TYPE_CHECKING:
    from nta_core.graphs import TokenPriorityGraph

Edge = tuple[int, int]


def graph_words(
    graph: TokenPriorityGraph,
    places: Plan,
    highlight: Collection[Edge],
    new: Collection[Edge],
    highlight_means: str,
) -> str:
    """Leagues, arrows and what is marked among them.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> from nta_book.viz.layout import plan
    >>> graph = token_priority_graphs(FIG3.subset([0]))[0]
    >>> graph_words(graph, plan(graph), (), [(1, 0)], "decides")
    'Priority graph after e1, two leagues, strongest first: league 1 e2; league 2 e1. \
An arrow runs from winner to loser: e2 beats e1. New: e2 beats e1.'

    Explained in: chapters 2 and 3.
    """
    count = len(graph.components)
    words = ("no league", "one league", "two leagues", "three leagues", "four leagues")
    said = words[count] if count < len(words) else f"{count} leagues"
    groups = [f"league {b.label} {names_of(graph, list(b.tokens))}" for b in places.leagues]
    seen = f"Priority graph after {plain(graph.names[graph.last])}, {said}"
    seen += f", strongest first: {'; '.join(groups)}." if groups else "."
    strict = _beats(graph, graph.strict)
    inside = _beats(graph, [e for e in graph.edges if e not in graph.strict])
    if len(graph.edges) > 14:
        seen += f" {len(graph.edges)} arrows run from winner to loser."
    elif graph.edges:
        parts = [strict, f"inside a league {inside}" if inside else ""]
        seen += f" An arrow runs from winner to loser: {'; '.join(p for p in parts if p)}."
    for title, chosen in (("New", new), (f"On a glow ({highlight_means})", highlight)):
        shown = _beats(graph, [edge for edge in graph.edges if edge in chosen])
        seen += f" {title}: {shown}." if shown else ""
    return seen


def names_of(graph: TokenPriorityGraph, tokens: list[int]) -> str:
    """Names of tokens as prose.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> names_of(token_priority_graphs(FIG3)[0], [0, 1])
    'e1 and e2'

    Explained in: chapter 2.
    """
    return listing([plain(graph.names[token]) for token in tokens])


def _beats(graph: TokenPriorityGraph, edges: Collection[Edge]) -> str:
    losers: dict[int, list[int]] = {}
    for winner, loser in sorted(edges):
        losers.setdefault(winner, []).append(loser)
    return ", ".join(
        f"{plain(graph.names[winner])} beats {names_of(graph, beaten)}"
        for winner, beaten in losers.items()
    )
