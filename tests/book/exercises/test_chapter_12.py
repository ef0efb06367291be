"""The checkers of chapter 12 accept what is right, in any form, and hint at what is not."""

import numpy as np

from nta_book.exercises import chapter_12 as check
from nta_core import (
    FIG8,
    active_subspace,
    finite_part,
    gradient_descent,
    loss_value,
    solve_graph_svm,
    token_priority_graphs,
)
from tests.book.exercises.answers import refuses_junk

GRAPHS = token_priority_graphs(FIG8)
EYE = np.eye(4)


def says(verdict, words):
    assert not verdict
    assert words in verdict.message, verdict.message


def test_the_floor():
    assert check.floor(0.45)
    assert check.floor(finite_part(check.VOTES, token_priority_graphs(check.VOTES), np.eye(3)).loss)
    says(check.floor(0.0), "no W gives both")
    says(check.floor(0.5623), "all five")
    says(check.floor(np.log(2)), "coin toss")
    says(check.floor(1.0), "give a its 3/4")


def test_the_label_out_of_sight():
    assert check.out_of_sight(3)
    assert check.out_of_sight(np.int64(3))
    says(check.out_of_sight(0), "track e1")
    says(check.out_of_sight(6), "still {e1, e2, e3}")
    says(check.out_of_sight(7), "from 0 to 6")


def test_turned_weights_with_the_same_answers():
    right = 30 * solve_graph_svm(GRAPHS, EYE).W + finite_part(FIG8, GRAPHS, EYE).W
    frozen = np.ones((4, 4))
    frozen -= active_subspace(GRAPHS, EYE).project(frozen)
    assert check.same_answers(right + 100 * frozen)
    W0 = 100 * np.diag([0.0, 0.0, 1.0, 1.0])  # a start in columns that no track uses
    assert check.same_answers(gradient_descent(FIG8, EYE, steps=4000, step_size=0.02, W0=W0).W)
    says(check.same_answers(right), "bring it below 0.5")
    says(check.same_answers(np.zeros((4, 4))), "no direction")
    says(check.same_answers(-right), "points off")


def solution(data, E, run):
    more = gradient_descent(data, E, steps=2000, step_size=0.05, loss=run.readout, W0=run.W)
    before, after = (loss_value(W, data, E) for W in (run.W, more.W))
    return "not converged" if after < before else "local"


def test_local_or_slow():
    assert check.local_or_slow(solution)
    says(check.local_or_slow(lambda data, E, run: "local"), "few steps is")
    says(check.local_or_slow(lambda data, E, run: "not converged"), "picks one token")
    says(
        check.local_or_slow(lambda d, E, r: "not converged" if r.loss == "log" else "local"),
        "acyclic data",
    )
    says(check.local_or_slow(lambda data, E, run: "broken"), "not 'broken'")


test_junk_gets_a_hint = refuses_junk(
    [None, "e3", [1, 2], np.zeros((2, 3)), {}, float("nan")],
    check.floor,
    check.out_of_sight,
    check.same_answers,
    check.local_or_slow,
)
