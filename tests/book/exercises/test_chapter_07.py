"""The checkers of chapter 7 accept right answers, name what is wrong first, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_07 as check
from nta_core import FIG8, solve_graph_svm, token_priority_graphs

JUNK = [None, "frozen", [[1], [2, "x"]], object(), {}, np.full((4, 4), np.nan)]
HALF = np.log(3) / 2


@pytest.mark.parametrize("answer", [10, 10.0, np.int64(10)])
def test_frozen_accepts(answer):
    assert check.frozen(answer)


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        (6, "that do move"),
        (14, "ties only"),
        (8, "independent differences"),
        (17, "0 to 16"),
        (True, "whole number"),
        (10.5, "whole number"),
    ],
)
def test_frozen_hints(answer, part):
    verdict = check.frozen(answer)
    assert not verdict
    assert part in verdict.message


@pytest.mark.parametrize(
    "inner",
    [
        lambda W, E, i, j, k: (E[i] - E[j]) @ W @ E[k],
        lambda W, E, i, j, k: np.sum(W * np.outer(E[i] - E[j], E[k])),
        lambda W, E, i, j, k: np.trace(W.T @ np.outer(E[i] - E[j], E[k])),
    ],
)
def test_inner_product_accepts(inner):
    assert check.inner_product(inner)


@pytest.mark.parametrize(
    ("inner", "part"),
    [
        (lambda W, E, i, j, k: 0.0, "entry by entry"),
        (lambda W, E, i, j, k: E[i] @ W @ E[k], "token i alone"),
        (lambda W, E, i, j, k: E[k] @ W @ (E[i] - E[j]), "transposed"),
        (lambda W, E, i, j, k: (E[j] - E[i]) @ W @ E[k], "sign"),
        (lambda W, E, i, j, k: W[i, k], "entry by entry"),
    ],
)
def test_inner_product_hints(inner, part):
    verdict = check.inner_product(inner)
    assert not verdict
    assert part in verdict.message


def test_not_convex():
    W = solve_graph_svm(token_priority_graphs(FIG8), np.eye(4)).W
    assert check.not_convex(-8 * W, 0 * W)
    assert check.not_convex((0 * W).tolist(), (-8 * W).tolist())
    bowl = check.not_convex(0 * W, W)
    assert not bowl
    assert "not above the mean" in bowl.message
    assert "same matrix" in check.not_convex(W, W).message


@pytest.mark.parametrize(
    ("W", "part"),
    [
        (np.eye(2), "3 : 1"),
        ([[0, HALF], [0, -HALF]], "first column"),
        ([[1, HALF], [0, -HALF]], "sum"),
    ],
)
def test_one_league_hints(W, part):
    verdict = check.one_league(W)
    assert not verdict
    assert part in verdict.message


def test_one_league_accepts():
    assert check.one_league([[1, 0.5 + HALF], [0, 0.5 - HALF]])
    assert check.one_league([[1, 1.049], [0, -0.049]])


@pytest.mark.parametrize("junk", JUNK)
def test_junk_gets_a_hint(junk):
    for verdict in (
        check.frozen(junk),
        check.inner_product(junk),
        check.not_convex(junk, junk),
        check.one_league(junk),
    ):
        assert not verdict
