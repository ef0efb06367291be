"""The checkers of chapter 3 accept right answers, name what is wrong first, and never raise."""

import networkx as nx
import pytest

from nta_book.exercises import chapter_03 as check
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "leagues", 3, [[1], [2, "x"]], object()]


def by_reachability(edges):
    tokens = {token for edge in edges for token in edge}
    below = {i: {i} | {j for a, j in edges if a == i} for i in tokens}
    for _ in tokens:
        below = {i: set().union(*(below[j] for j in below[i])) for i in tokens}
    return {frozenset(j for j in tokens if j in below[i] and i in below[j]) for i in tokens}


def by_networkx(edges):
    return [list(c) for c in nx.strongly_connected_components(nx.DiGraph(edges))]


test_leagues_accepts_any_correct_function = accepts(
    check.leagues, (by_reachability,), (by_networkx,)
)


test_leagues_hints = refuses(
    check.leagues,
    (lambda edges: {frozenset({t}) for e in edges for t in e}, "the leagues are {0, 1} {2}"),
    (lambda edges: [{t for e in edges for t in e}], "the leagues are {0} {1} {2}"),
    # direct mutual wins only: misses longer circles
    (
        lambda edges: {
            frozenset({i} | {j for a, j in edges if a == i and (j, i) in edges})
            for e in edges
            for i in e
        },
        "[(0, 1), (1, 2), (2, 3), (3, 0)]",
    ),
    (lambda edges: 1 / 0, "ZeroDivisionError"),
)


@pytest.mark.parametrize("reason", ["b", "(b)", " B "])
def test_order_accepts(reason):
    assert check.order(2, reason)


test_order_hints = refuses(
    check.order,
    (1, "a", "property of a league"),
    (6, "b", "either beat the other"),
    (True, "b", ""),
)


test_fewest_races_accepts_every_smallest_set = accepts(
    check.fewest_races, ({3, 4},), ([5, 3],), ((4, 5),)
)


test_fewest_races_hints = refuses(
    check.fewest_races,
    (set(), "league of 3 tokens on track e2"),
    ({3}, "league of 2"),
    ({3, 4, 5}, "fewer"),
    ({9}, "0…6"),
    (range(7), "no race is left"),
)


test_nothing_to_retrieve_accepts = accepts(
    check.nothing_to_retrieve, ([([3, 0], 0), ([3, 1], 1)],), ([([1, 2, 3, 0], 0), ([3, 0, 1], 0)],)
)


test_nothing_to_retrieve_hints = refuses(
    check.nothing_to_retrieve,
    ([], "track e1 still has 4 leagues"),
    ([([3, 0], 0)], "track e2 still has 2"),
    ([([3, 0], 2)], "must run in it"),
    ([([1, 0], 0), ([3, 0], 0), ([3, 1], 1)], "one upset per track"),
)


test_junk_gets_a_hint = refuses_junk(
    JUNK, check.leagues, check.order, check.fewest_races, check.nothing_to_retrieve
)
