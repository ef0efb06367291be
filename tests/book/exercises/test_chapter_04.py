"""The checkers of chapter 4 accept right answers, name what is wrong first, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_04 as check
from nta_core import FIG3, gradient_descent, loss_value, solve_graph_svm, token_priority_graphs
from tests.book.exercises.answers import refuses, refuses_junk

TRACK = FIG3.subset([0, 1, 2])
SVM = solve_graph_svm(token_priority_graphs(TRACK), np.eye(4))


def test_scaling_is_the_slope_of_the_loss():
    step = 1e-5
    rise = loss_value(step * SVM.W, TRACK, np.eye(4)) - loss_value(-step * SVM.W, TRACK, np.eye(4))
    assert check.scaling(rise / (2 * step))
    assert check.scaling(-1)


test_scaling_hints = refuses(
    check.scaling,
    (1, "sign"),
    (-3, "mean"),
    (-8 / 9, "runs twice"),
    (0, "same attention"),
)


def test_growth_law_is_measured_late():
    run = gradient_descent(TRACK, np.eye(4), steps=20_000, step_size=1.0, normalized=False)
    late = run.steps >= 2000
    assert check.growth_law(np.polyfit(np.log(run.steps[late]), run.norms[late], 1)[0])
    early = run.steps >= 1
    verdict = check.growth_law(np.polyfit(np.log(run.steps[early]), run.norms[early], 1)[0])
    assert not verdict
    assert "late steps" in verdict.message


test_growth_law_hints = refuses(
    check.growth_law,
    (5.149, "factor ten"),
    (0, "fit a line"),
    (100, "fit"),
)


def test_steps_needed():
    assert check.steps_needed(np.sqrt(4.6 / 1e-4) / 0.01, 4.6)
    assert check.steps_needed(21_500, 4.6)


test_steps_needed_hints = refuses(
    lambda steps: check.steps_needed(steps, 4.6),
    (4000, "solve"),
    (214, "norm"),
    (4_600_000, "square root"),
)


@pytest.mark.parametrize(("race", "step_size"), [(([3, 0], 0), 10), (([3, 2, 1, 0], 0), 40)])
def test_never_settles_accepts(race, step_size):
    assert check.never_settles(*race, step_size)


test_never_settles_hints = refuses(
    check.never_settles,
    ([2, 0], 2, 1.0, "still strict"),
    ([3, 0], 0, 1.0, "larger step"),
    ([3, 1], 1, 10.0, "end with e1"),
    ([3, 0], 2, 10.0, "must run"),
    ([3, 0], 0, -1.0, "between 0 and 1000"),
)


test_junk_gets_a_hint = refuses_junk(
    [None, "x", [[1], [2, 3]], object(), float("nan")],
    check.scaling,
    check.growth_law,
    lambda junk: check.steps_needed(junk, 4.6),
    check.never_settles,
)
