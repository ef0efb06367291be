"""The checkers of chapter 7 accept right answers, name what is wrong first, and never raise."""

import numpy as np

from nta_book.exercises import chapter_07 as check
from nta_core import FIG8, solve_graph_svm, token_priority_graphs
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "frozen", [[1], [2, "x"]], object(), {}, np.full((4, 4), np.nan)]
HALF = np.log(3) / 2


test_frozen_accepts = accepts(check.frozen, (21,), (21.0,), (np.int64(21),))


test_frozen_hints = refuses(
    check.frozen,
    (4, "that do move"),
    (20, "e5 against itself"),
    (8, "independent differences"),
    (26, "0 to 25"),
    (True, "whole number"),
    (21.5, "whole number"),
)


test_inner_product_accepts = accepts(
    check.inner_product,
    (lambda W, E, i, j, k: (E[i] - E[j]) @ W @ E[k],),
    (lambda W, E, i, j, k: np.sum(W * np.outer(E[i] - E[j], E[k])),),
    (lambda W, E, i, j, k: np.trace(W.T @ np.outer(E[i] - E[j], E[k])),),
)


test_inner_product_hints = refuses(
    check.inner_product,
    (lambda W, E, i, j, k: 0.0, "entry by entry"),
    (lambda W, E, i, j, k: E[i] @ W @ E[k], "token i alone"),
    (lambda W, E, i, j, k: E[k] @ W @ (E[i] - E[j]), "transposed"),
    (lambda W, E, i, j, k: (E[j] - E[i]) @ W @ E[k], "sign"),
    (lambda W, E, i, j, k: W[i, k], "entry by entry"),
)


def test_not_convex():
    W = solve_graph_svm(token_priority_graphs(FIG8), np.eye(4)).W
    assert check.not_convex(-8 * W, 0 * W)
    assert check.not_convex((0 * W).tolist(), (-8 * W).tolist())
    bowl = check.not_convex(0 * W, W)
    assert not bowl
    assert "not above the mean" in bowl.message
    assert "same matrix" in check.not_convex(W, W).message


test_one_league_hints = refuses(
    check.one_league,
    (np.eye(2), "3 : 1"),
    ([[0, HALF], [0, -HALF]], "first column"),
    ([[1, HALF], [0, -HALF]], "sum"),
)


def test_one_league_accepts():
    assert check.one_league([[1, 0.5 + HALF], [0, 0.5 - HALF]])
    assert check.one_league([[1, 1.049], [0, -0.049]])


test_junk_gets_a_hint = refuses_junk(
    JUNK, check.frozen, check.inner_product, check.not_convex, check.one_league
)
