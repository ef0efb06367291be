"""Checkers of chapter 3: leagues, their order, and what one race can do to them."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from nta_book.exercises.verdict import Hints, checker
from nta_core import FIG3, Dataset, graphs_from_edges, token_priority_graphs

Edges = list[tuple[int, int]]
GRAPHS: tuple[Edges, ...] = (
    [(0, 1), (1, 2)],
    [(0, 1), (1, 0), (1, 2)],
    [(0, 1), (1, 2), (2, 3), (3, 0)],
    [(0, 2), (1, 2), (2, 3), (3, 2), (3, 4)],
)


@checker
def order(orders: Any, reason: Any) -> Hints:
    """Leagues have an order: how many for [e1 e2 e3] → e3, and what a circle would contradict.

    >>> order(1, "b")
    hint: one order too few or too many: e1 and e2 both lost to e3, but did either beat the other?
    """
    if str(reason).strip().strip("()").lower() != "b":
        yield (
            "the reason: if A stands above B and B above A, every token of A reaches every token "
            "of B and back. Which property of a league does that break?"
        )
    if isinstance(orders, bool) or orders != 2:
        lost = "e1 and e2 both lost to e3, but did either beat the other?"
        yield f"one order too few or too many: {lost}"
    return "a circle of leagues would have been one league, and unrelated leagues may swap."


@checker
def leagues(find: Callable[[Edges], Iterable[Iterable[int]]]) -> Hints:
    """A function from edges (winner, loser) to the set of leagues.

    >>> leagues(lambda edges: [{token} for edge in edges for token in edge])
    hint: on [(0, 1), (1, 0), (1, 2)] you give {0} {1} {2}; the leagues are {0, 1} {2}
    """
    rng = np.random.default_rng(3)
    draws = [rng.integers(0, 7, size=(9, 2)).tolist() for _ in range(20)]
    for edges in (*GRAPHS, *([(i, j) for i, j in draw if i != j] for draw in draws)):
        found = {frozenset(league) for league in find(list(edges))}
        expected = set(graphs_from_edges({0: edges}, K=8)[0].components)
        if found != expected:
            yield f"on {edges} you give {_shown(found)}; the leagues are {_shown(expected)}"
    return "two tokens share a league exactly when each reaches the other."


@checker
def fewest_races(rows: Iterable[int]) -> Hints:
    """The smallest set of FIG3's rows whose removal leaves no tie.

    >>> fewest_races({3})
    hint: without rows [3] there is still a league of 2 tokens on track e2
    """
    gone = sorted({int(row) for row in rows})
    if any(not 0 <= row < FIG3.n for row in gone):
        yield f"rows are numbered 0…{FIG3.n - 1}"
    kept = [row for row in range(FIG3.n) if row not in gone]
    if not kept:
        yield "no race is left: two races are enough to remove"
    for last, graph in token_priority_graphs(FIG3.subset(kept)).items():
        largest = max(map(len, graph.components))
        if largest > 1:
            league = f"a league of {largest} tokens on track {FIG3.names[last]}"
            yield f"without rows {gone} there is still {league}"
    if len(gone) > 2:
        yield f"that works with {len(gone)} races, but fewer are enough"
    return "each of the three winners contradicts the other two: only one of them may stay."


@checker
def nothing_to_retrieve(races: Sequence[tuple[Sequence[int], int]]) -> Hints:
    """As few races as possible, added to FIG3, that leave one league on every track.

    >>> nothing_to_retrieve([([3, 0], 0)])
    hint: track e2 still has 2 leagues, so the layer still has something to retrieve
    """
    for sequence, label in races:
        if label not in list(sequence):
            yield f"the winner of {list(sequence)} must run in it (Assumption 2), not {label}"
    sequences = [*FIG3.sequences, *(tuple(sequence) for sequence, _ in races)]
    data = Dataset(sequences, [*FIG3.labels, *(label for _, label in races)], K=FIG3.K)
    for last, graph in token_priority_graphs(data).items():
        if len(graph.components) > 1:
            track = f"track {FIG3.names[last]} still has {len(graph.components)} leagues"
            yield f"{track}, so the layer still has something to retrieve"
    if len(races) > 2:
        yield f"that works with {len(races)} races, but one upset per track is enough"
    return "one upset per track, bottom over top: no arrow is strict, and retrieval is soft."


def _shown(leagues: Iterable[Iterable[int]]) -> str:
    groups = sorted(sorted(league) for league in leagues)
    return " ".join("{" + ", ".join(map(str, group)) + "}" for group in groups) or "nothing"
