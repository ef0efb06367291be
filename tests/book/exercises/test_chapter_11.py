"""The checkers of chapter 11 accept right answers, name what is wrong first, and never raise."""

import numpy as np

from nta_book.exercises import chapter_11 as check
from tests.book.exercises.answers import refuses, refuses_junk

JUNK = [None, "graph", [[1], [2, "x"]], object(), {}, np.full((4, 4), np.nan), 3]
ONE, TWO = [{"a", "b", "c"}], [{"a", "b"}, {"c"}]


def leads(token, lead=1.0):
    start = np.zeros((4, 4))
    start[token, 1] = lead
    return start


def test_by_hand_accepts():
    assert check.by_hand(ONE, TWO)
    assert check.by_hand([["c", "a", "b"]], (("b", "a"), "c"))


test_by_hand_hints = refuses(
    check.by_hand,
    (TWO, TWO, "c is selected"),
    (ONE, TWO[::-1], "strongest league comes first"),
    (ONE, ONE, "who ties"),
    (ONE, [{"b"}, {"a"}, {"c"}], "who ties"),
)


def right(sequence, mass, threshold):
    return {(i, j) for i in sequence for j in sequence if mass[i] > threshold and i != j}


def test_edges_accepts():
    assert check.edges(right)
    assert check.edges(lambda *case: [list(edge) for edge in right(*case)])


test_edges_hints = refuses(
    check.edges,
    (lambda x, m, t: {(max(x, key=lambda j: m[j]), j) for j in x}, "to itself"),
    (
        lambda x, m, t: {(i, j) for i in x for j in x if m[i] == max(m) and i != j},
        "(1, 0) is missing",
    ),
    (
        lambda x, m, t: {(i, j) for i in x for j in x if m[i] > 0 and i != j},
        "(2, 0) is too much",
    ),
    (
        lambda x, m, t: {(i, j) for i in x for j in x if m[i] >= t and i != j},
        "(1, 0) is too much",
    ),
    (lambda x, m, t: right(x, m, 0.01), "threshold 0.05"),
)


def test_two_starts():
    assert check.two_starts(leads(0), leads(2))
    assert check.two_starts(leads(2, 4).tolist(), leads(0).tolist())
    same = check.two_starts(leads(0), leads(0, 2))
    assert not same
    assert "e1 and e2 on top" in same.message


test_valleys_hints = refuses(
    check.valleys,
    ([1] * 7, "K = 5"),
    ([2] * 7, "K = 2"),
    ([1, 1, 1, 1, 2, 2, 2], "K = 5"),
    ([1, 1, 1, 3, 3, 3, 3], "both ends"),
    ([1, 1, 1, 2], "seven numbers"),
)


def test_valleys_accepts():
    assert check.valleys((1, 1, 1, 2, 2, 2, 2))
    assert check.valleys(np.array([1, 1, 1, 2, 2, 2, 2]))


test_junk_gets_a_hint = refuses_junk(
    JUNK, check.by_hand, check.edges, check.two_starts, check.valleys
)
