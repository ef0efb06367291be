"""The checkers of chapter 5 accept right answers, name what is wrong first, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_05 as check
from nta_core import Dataset, InfeasibleGraphSVM, solve_graph_svm, token_priority_graphs
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "scores", 3, [[1], [2, "x"]], object()]


def test_three_tokens_is_what_the_solver_says():
    data = Dataset([[1, 0], [2, 0]], [1, 2])
    svm = solve_graph_svm(token_priority_graphs(data), np.eye(3))
    assert check.three_tokens(svm.W[:, 0], svm.norm**2)
    assert check.three_tokens((-0.667, 0.333, 0.333), 0.667)


test_three_tokens_hints = refuses(
    check.three_tokens,
    ([-1, 0, 1], 2, "not the shortest"),
    ([-1, 0, 0], 1, "add up to -1"),
    ([0, 0, 0], 0, "e2 beat e1"),
    ([-0.5, 0.5, 0], 0.5, "e3 beat e1"),
    ([-2 / 3, 1 / 3, 1 / 3], 0.8165, "sum of their squares"),
    ([-1, 1], 2, "three scores"),
    ([np.nan] * 3, 1, "e2 beat e1"),
)


test_textbook_accepts = accepts(
    check.textbook, ("abe",), ({"e", "b", "a"},), (["A", "b", "E"],), ("a, b, e",)
)


test_textbook_hints = refuses(
    check.textbook,
    ("c", "(c) holds for both"),
    ("abde", "(d) holds for both"),
    ("abef", "(f) holds for both"),
    ("ae", "the ties"),
    ("be", "one vector w"),
    ("ab", "carries a sign"),
    ("", "one vector w"),
    ("xyz", "letters from (a) to (f)"),
)


@pytest.mark.parametrize("sequence", [[0, 2, 1], [2, 0, 1], [0, 1, 2], [1, 2, 0]])
def test_infeasible_accepts_the_middle_token_on_every_track(sequence):
    graphs = token_priority_graphs(Dataset([sequence], [1]))
    with pytest.raises(InfeasibleGraphSVM) as caught:
        solve_graph_svm(graphs, check.LINE)
    assert check.infeasible((sequence, 1), caught.value.conflict)
    assert check.infeasible((sequence, 1), {(sequence[-1], 1, 0), (sequence[-1], 1, 2)})


test_infeasible_hints = refuses(
    check.infeasible,
    (([0, 1, 2], 2), set(), "wins this race"),
    (([0, 1, 2], 0), set(), "wins this race"),
    (([0, 1], 1), set(), "wins this race"),
    (([0, 2], 1), set(), "must run"),
    (([0, 2, 1], 1), set(), "hand over its"),
    (([0, 2, 1], 1), {(1, 1, 0)}, "hand over its"),
)


test_same_weights_accepts_implied_comparisons = accepts(
    check.same_weights,
    ([3, 1, 0], 3),
    ([3, 0, 1], 3),
    ([3, 2, 1], 3),
    ([3, 2, 0, 1], 3),
    ([1, 2, 3, 0], 3),
)


test_same_weights_hints = refuses(
    check.same_weights,
    ([2, 1, 0], 2, "adds no new edge"),
    ([3, 0], 0, "on track e1"),
    ([3, 1], 1, "on track e2"),
    ([0, 2], 0, "on track e3"),
    ([0, 1], 3, "must run"),
)


test_junk_gets_a_hint = refuses_junk(
    JUNK, check.three_tokens, check.textbook, check.infeasible, check.same_weights
)
