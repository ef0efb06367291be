"""Checkers of chapter 2: what does the data say beats what?"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nta_book.exercises.verdict import Verdict, checker, hint, ok
from nta_core.data import FIG3, Dataset
from nta_core.graphs import TokenPriorityGraph, token_priority_graphs

BY_HAND = Dataset.from_text("e2 e3 e1 -> e2\ne3 e3 e1 -> e3\ne1 e3 e2 -> e1\ne4 e1 e2 -> e4")
PUZZLE = Dataset.from_text(
    "e5 e4 e1 -> e5\ne3 e5 e1 -> e5\ne2 e3 e1 -> e3\ne3 e2 -> e3\ne2 e3 e2 -> e2"
)

NamedEdge = tuple[str, str]


@checker
def by_hand(track_e1: Iterable[NamedEdge], track_e2: Iterable[NamedEdge]) -> Verdict:
    """Compare two sets of edges (winner, loser) with the graphs of `BY_HAND`.

    Examples
    --------
    >>> by_hand({("e2", "e3")}, set())
    hint: track e1 lacks e2 → e1: the last token runs too

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    for last, answer in enumerate((track_e1, track_e2)):
        graph = token_priority_graphs(BY_HAND)[last]
        fault = _first_fault(graph, {(str(i), str(j)) for i, j in answer})
        if fault is not None:
            return fault
    return ok("sort by last token, then draw label → every other token: that is the whole recipe")


def _first_fault(graph: TokenPriorityGraph, answer: set[NamedEdge]) -> Verdict | None:
    names, track = graph.names, f"track {graph.names[graph.last]}"
    true = {(names[i], names[j]) for i, j in graph.edges}
    for i, j in sorted(answer - true):
        if i == j:
            return hint(f"{track}: drop {i} → {j}, nobody races against itself")
        if (j, i) in true:
            return hint(f"{track}: {i} → {j} points the wrong way, from winner to loser please")
        return hint(f"{track}: no sequence that ends in {names[graph.last]} gives {i} → {j}")
    for i, j in sorted(true - answer):
        why = (
            "the last token runs too" if j == names[graph.last] else f"{i} won a race that {j} ran"
        )
        return hint(f"{track} lacks {i} → {j}: {why}")
    return None


@checker
def equal_graphs(first: object, second: object) -> Verdict:
    """Accept two datasets that hold different sets of tokens and have equal graphs.

    Examples
    --------
    >>> equal_graphs(Dataset([[0, 1]], [0]), Dataset([[0, 0, 1]], [0]))
    hint: the graphs are equal, but both texts are made of the same sets of tokens

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    if not isinstance(first, Dataset) or not isinstance(second, Dataset):
        return hint('make two Datasets, for example Dataset.from_text("e2 e1 -> e2")')
    if not (first.realizable and second.realizable):
        return hint("a label is not in its own sequence: such a race plays no part")
    one, two = _named_edges(first), _named_edges(second)
    if only := sorted(one ^ two):
        (last, i, j), where = only[0], "first" if only[0] in one else "second"
        return hint(f"the graphs differ: only the {where} has {i} → {j} on track {last}")
    if _token_sets(first) == _token_sets(second):
        return hint("the graphs are equal, but both texts are made of the same sets of tokens")
    return ok("different texts, equal graphs: training will run in the same direction on both")


def _named_edges(data: Dataset) -> set[tuple[str, str, str]]:
    names = data.names
    return {
        (names[last], names[i], names[j])
        for last, graph in token_priority_graphs(data).items()
        for i, j in graph.edges
    }


def _token_sets(data: Dataset) -> set[frozenset[str]]:
    return {frozenset(data.names[token] for token in sequence) for sequence in data.sequences}


@checker
def never_compared(track: str, one: str, another: str) -> Verdict:
    """Accept two tokens that `PUZZLE` has on one track and never compares.

    Examples
    --------
    >>> never_compared("e1", "e5", "e2")
    hint: on track e1 a chain leads from e5 to e2: look for a pair without one

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    last, i, j = (PUZZLE.token(name) for name in (track, one, another))
    graphs = token_priority_graphs(PUZZLE)
    if last not in graphs:
        return hint(f"no sequence ends in {track}")
    graph = graphs[last]
    for token, name in ((i, one), (j, another)):
        if token not in graph.nodes:
            return hint(f"{name} never runs on track {track}: both tokens must occur there")
    if i == j:
        return hint("name two different tokens")
    if graph.component_of(i) == graph.component_of(j):
        return hint(f"{one} and {another} have beaten each other: that is a tie, not silence")
    if graph.comparable(i, j):
        upper, lower = (one, another) if graph.level(i) > graph.level(j) else (another, one)
        direct = (i, j) in graph.edges or (j, i) in graph.edges
        way = "an edge" if direct else "a chain"
        return hint(
            f"on track {track} {way} leads from {upper} to {lower}: look for a pair without one"
        )
    return ok(f"the data never says whether {one} or {another} has priority after {track}")


@checker
def upset(context: Iterable[str | int], label: str | int) -> Verdict:
    """Accept one sequence that, added to `FIG3`, undoes a strict order.

    Examples
    --------
    >>> upset(["e3", "e2", "e1"], "e3")
    hint: this sequence adds no edge: all its comparisons are there already

    Explained in: chapter 2. Paper: Sec. 2.1.
    """
    row, winner = [_token(token) for token in context], _token(label)
    if winner not in row:
        return hint("the label is not in the sequence: such a race plays no part")
    after = Dataset([*FIG3.sequences, row], [*FIG3.labels, winner], K=FIG3.K)
    if _named_edges(after) == _named_edges(FIG3):
        return hint("this sequence adds no edge: all its comparisons are there already")
    lost = sorted(_orders(FIG3) - _orders(after))
    if not lost:
        return hint("an edge is new, but every strict order still stands: let a loser win")
    last, i, j = (FIG3.names[token] for token in lost[0])
    count = f"{len(lost)} strict orders are" if len(lost) > 1 else "1 strict order is"
    return ok(f"{count} gone; after {last}, {i} is no longer above {j}")


def _token(token: str | int) -> int:
    return FIG3.token(token) if isinstance(token, str) else int(token)


def _orders(data: Dataset) -> set[tuple[int, int, int]]:
    """All (last, i, j) with i strictly above j, by an edge or by a chain."""
    found = set()
    for last, graph in token_priority_graphs(data).items():
        beaten = np.zeros((data.K, data.K), dtype=bool)
        for i, j in graph.edges:
            beaten[i, j] = True
        for middle in range(data.K):  # Warshall: chains through one more token at a time
            beaten |= beaten[:, [middle]] & beaten[[middle], :]
        found |= {(last, int(i), int(j)) for i, j in np.argwhere(beaten & ~beaten.T)}
    return found
