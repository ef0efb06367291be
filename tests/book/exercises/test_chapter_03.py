"""The checkers of chapter 3 accept right answers, name what is wrong first, and never raise."""

import networkx as nx
import pytest

from nta_book.exercises import chapter_03 as check

JUNK = [None, "leagues", 3, [[1], [2, "x"]], object()]


def by_reachability(edges):
    tokens = {token for edge in edges for token in edge}
    below = {i: {i} | {j for a, j in edges if a == i} for i in tokens}
    for _ in tokens:
        below = {i: set().union(*(below[j] for j in below[i])) for i in tokens}
    return {frozenset(j for j in tokens if j in below[i] and i in below[j]) for i in tokens}


def by_networkx(edges):
    return [list(c) for c in nx.strongly_connected_components(nx.DiGraph(edges))]


@pytest.mark.parametrize("find", [by_reachability, by_networkx])
def test_leagues_accepts_any_correct_function(find):
    assert check.leagues(find)


@pytest.mark.parametrize(
    ("find", "part"),
    [
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
    ],
)
def test_leagues_hints(find, part):
    verdict = check.leagues(find)
    assert not verdict
    assert part in verdict.message


@pytest.mark.parametrize("reason", ["b", "(b)", " B "])
def test_order_accepts(reason):
    assert check.order(2, reason)


@pytest.mark.parametrize(
    ("orders", "reason", "part"),
    [(1, "a", "property of a league"), (6, "b", "either beat the other"), (True, "b", "")],
)
def test_order_hints(orders, reason, part):
    verdict = check.order(orders, reason)
    assert not verdict
    assert part in verdict.message


@pytest.mark.parametrize("rows", [{3, 4}, [5, 3], (4, 5)])
def test_fewest_races_accepts_every_smallest_set(rows):
    assert check.fewest_races(rows)


@pytest.mark.parametrize(
    ("rows", "part"),
    [
        (set(), "league of 3 tokens on track e2"),
        ({3}, "league of 2"),
        ({3, 4, 5}, "fewer"),
        ({9}, "0…6"),
        (range(7), "no race is left"),
    ],
)
def test_fewest_races_hints(rows, part):
    verdict = check.fewest_races(rows)
    assert not verdict
    assert part in verdict.message


@pytest.mark.parametrize("races", [[([3, 0], 0), ([3, 1], 1)], [([1, 2, 3, 0], 0), ([3, 0, 1], 0)]])
def test_nothing_to_retrieve_accepts(races):
    assert check.nothing_to_retrieve(races)


@pytest.mark.parametrize(
    ("races", "part"),
    [
        ([], "track e1 still has 4 leagues"),
        ([([3, 0], 0)], "track e2 still has 2"),
        ([([3, 0], 2)], "must run in it"),
        ([([1, 0], 0), ([3, 0], 0), ([3, 1], 1)], "one upset per track"),
    ],
)
def test_nothing_to_retrieve_hints(races, part):
    verdict = check.nothing_to_retrieve(races)
    assert not verdict
    assert part in verdict.message


@pytest.mark.parametrize("junk", JUNK)
def test_junk_gets_a_hint(junk):
    for verdict in (
        check.leagues(junk),
        check.order(junk, junk),
        check.fewest_races(junk),
        check.nothing_to_retrieve(junk),
    ):
        assert not verdict
