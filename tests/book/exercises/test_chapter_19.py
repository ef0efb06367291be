"""The checkers of chapter 19 accept what is right, in any form, and hint at what is not."""

import numpy as np
from scipy.linalg import polar

from nta_beyond.optimizers import graph_svm_in_norm
from nta_book.exercises import chapter_19 as check
from nta_core import FIG8, Dataset, random_dataset, token_priority_graphs
from tests.book.exercises.answers import accepts, refuses, refuses_junk

RIGHT = {"frobenius": 10**0.5, "spectral": 4, "largest": 6, "nuclear": 3}


def newton(G):
    X = G / np.linalg.norm(G)
    for _ in range(60):
        X = 1.5 * X - 0.5 * X @ X.T @ X
    return X


def one_winner(losers):
    return Dataset.from_text("\n".join(f"a {loser} -> a" for loser in losers))


test_right_falls = accepts(check.falls, (RIGHT,), ({k: np.float64(v) for k, v in RIGHT.items()},))
test_wrong_falls = refuses(
    check.falls,
    (RIGHT | {"frobenius": 3}, "sum of the four squares"),
    (RIGHT | {"spectral": 3}, "every one"),
    (RIGHT | {"largest": 2}, "not only the largest"),
    (RIGHT | {"nuclear": 4}, "the best one"),
    ({"frobenius": 1}, "give one number for each"),
)
test_right_factors = accepts(check.orthogonalised, (newton,), (lambda G: polar(G)[0],))
test_wrong_factors = refuses(
    check.orthogonalised,
    (lambda G: G / np.linalg.norm(G), "all should be 1"),
    (lambda G: np.eye(len(G)), "not U Rᵀ"),
    (lambda G: G[:1], "the shape"),
    (lambda G: np.full_like(G, np.inf), "leave float64"),
)
test_right_races = accepts(check.apart, (one_winner("bcde"),), (one_winner("bcdef"),))
test_wrong_races = refuses(
    check.apart,
    (one_winner("bcd"), "0.75 of the best"),
    (FIG8, "no ties"),
    (Dataset([[0]], [0], K=2), "at least one arrow"),
    (Dataset([[0, 1]] * 9, [0] * 9), "at most 8 races"),
)
test_junk_gets_a_hint = refuses_junk(
    [None, "e3", [1, 2], np.zeros((2, 3)), {}, float("nan")],
    check.falls,
    check.orthogonalised,
    check.apart,
)


def test_the_best_spectral_margin_is_that_of_a_general_solver():
    for seed in range(6):
        data = random_dataset(5, 4, 6, kind="acyclic", seed=seed)
        graphs = token_priority_graphs(data)
        best = graph_svm_in_norm(graphs, np.eye(data.K), norm="spectral").length
        assert abs(check._spectral_length(graphs) / best - 1) < 2e-3
