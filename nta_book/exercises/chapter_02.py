"""Checkers of chapter 2: what does the data say beats what?"""

from collections.abc import Iterable
from itertools import product
from typing import Any

from nta_book.exercises.verdict import Hints, checker
from nta_core import FIG3, Dataset, token_priority_graphs

BY_HAND = Dataset.from_text("e2 e3 e1 -> e2\ne3 e3 e1 -> e3\ne1 e3 e2 -> e1\ne4 e1 e2 -> e4")
PUZZLE = Dataset.from_text(
    "e5 e4 e1 -> e5\ne3 e5 e1 -> e5\ne2 e3 e1 -> e3\ne3 e2 -> e3\ne2 e3 e2 -> e2"
)

NamedEdge = tuple[str, str]


@checker
def by_hand(track_e1: Iterable[NamedEdge], track_e2: Iterable[NamedEdge]) -> Hints:
    """Compare two sets of edges (winner, loser) with the graphs of `BY_HAND`.

    >>> by_hand({("e2", "e3")}, set())
    hint: track e1 lacks e2 → e1: the last token runs too
    """
    for last, edges in enumerate((track_e1, track_e2)):
        graph, answer = token_priority_graphs(BY_HAND)[last], {(str(i), str(j)) for i, j in edges}
        name = BY_HAND.names[last]
        true = {(BY_HAND.names[i], BY_HAND.names[j]) for i, j in graph.edges}
        for i, j in sorted(answer - true):
            if i == j:
                yield f"track {name}: drop {i} → {j}, nobody races against itself"
            if (j, i) in true:
                yield f"track {name}: {i} → {j} points the wrong way, from winner to loser please"
            yield f"track {name}: no sequence that ends in {name} gives {i} → {j}"
        for i, j in sorted(true - answer):
            why = "the last token runs too" if j == name else f"{i} won a race that {j} ran"
            yield f"track {name} lacks {i} → {j}: {why}"
    return "sort by last token, then draw label → every other token: that is the whole recipe"


@checker
def equal_graphs(first: Any, second: Any) -> Hints:
    """Accept two datasets that hold different sets of tokens and have equal graphs.

    >>> equal_graphs(Dataset([[0, 1]], [0]), Dataset([[0, 0, 1]], [0]))
    hint: the graphs are equal, but both texts are made of the same sets of tokens
    """
    if not isinstance(first, Dataset) or not isinstance(second, Dataset):
        yield 'make two Datasets, for example Dataset.from_text("e2 e1 -> e2")'
    if not (first.realizable and second.realizable):
        yield "a label is not in its own sequence: such a race plays no part"
    one, two = _named_edges(first), _named_edges(second)
    if only := sorted(one ^ two):
        (last, i, j), where = only[0], "first" if only[0] in one else "second"
        yield f"the graphs differ: only the {where} has {i} → {j} on track {last}"
    sets = [{frozenset(d.names[t] for t in x) for x in d.sequences} for d in (first, second)]
    if sets[0] == sets[1]:
        yield "the graphs are equal, but both texts are made of the same sets of tokens"
    return "different texts, equal graphs: trained layers will look up the same tokens"


def _named_edges(data: Dataset) -> set[tuple[str, str, str]]:
    names = data.names
    return {
        (names[last], names[i], names[j])
        for last, graph in token_priority_graphs(data).items()
        for i, j in graph.edges
    }


@checker
def never_compared(track: str, one: str, another: str) -> Hints:
    """Accept two tokens that `PUZZLE` has on one track and never compares.

    >>> never_compared("e1", "e5", "e2")
    hint: on track e1 a chain leads from e5 to e2: look for a pair without one
    """
    last, i, j = (PUZZLE.token(name) for name in (track, one, another))
    graphs = token_priority_graphs(PUZZLE)
    if last not in graphs:
        yield f"no sequence ends in {track}"
    graph = graphs[last]
    for token, name in ((i, one), (j, another)):
        if token not in graph.nodes:
            yield f"{name} never runs on track {track}: both tokens must occur there"
    if i == j:
        yield "name two different tokens"
    if graph.component_of(i) == graph.component_of(j):
        yield f"{one} and {another} have beaten each other: that is a tie, not silence"
    if graph.comparable(i, j):
        upper, lower = (one, another) if graph.level(i) > graph.level(j) else (another, one)
        way = "an edge" if {(i, j), (j, i)} & set(graph.edges) else "a chain"
        yield f"on track {track} {way} leads from {upper} to {lower}: look for a pair without one"
    return f"the data never says whether {one} or {another} has priority after {track}"


@checker
def upset(context: Iterable[str | int], label: str | int) -> Hints:
    """Accept one sequence that, added to `FIG3`, undoes a strict order.

    >>> upset(["e3", "e2", "e1"], "e3")
    hint: this sequence adds no edge: all its comparisons are there already
    """
    row, winner = [_token(token) for token in context], _token(label)
    if winner not in row:
        yield "the label is not in the sequence: such a race plays no part"
    after = Dataset([*FIG3.sequences, row], [*FIG3.labels, winner], K=FIG3.K)
    if _named_edges(after) == _named_edges(FIG3):
        yield "this sequence adds no edge: all its comparisons are there already"
    lost = sorted(_orders(FIG3) - _orders(after))
    if not lost:
        yield "an edge is new, but every strict order still stands: let a loser win"
    last, i, j = (FIG3.names[token] for token in lost[0])
    count = f"{len(lost)} strict orders are" if len(lost) > 1 else "1 strict order is"
    return f"{count} gone; after {last}, {i} is no longer above {j}"


def _token(token: str | int) -> int:
    return FIG3.token(token) if isinstance(token, str) else int(token)


def _orders(data: Dataset) -> set[tuple[int, int, int]]:
    """All (last, i, j) with i strictly above j, by an edge or by a chain."""
    return {
        (last, i, j)
        for last, graph in token_priority_graphs(data).items()
        for i, j in product(graph.nodes, repeat=2)
        if graph.comparable(i, j) and graph.level(i) > graph.level(j)
    }
