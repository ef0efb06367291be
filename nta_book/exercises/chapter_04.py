"""Checkers of chapter 4: scaling, the growth law, why 0.99, and how descent fails to settle."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nta_book.exercises.verdict import Verdict, checker, hint, ok
from nta_core.data import FIG3, Dataset
from nta_core.graphs import token_priority_graphs
from nta_core.training import gradient_descent

TRACK = FIG3.subset([0, 1, 2])  # the races of FIG3 that end with e1: a strict order
STEPS = 1000
RESTLESS = 1e-3  # spread of the last losses that counts as "has not settled"


@checker
def scaling(slope: Any) -> Verdict:
    """dL/dC at C = 0 for W = C·W_svm on track e1 of FIG3.

    Examples
    --------
    >>> scaling(1)
    hint: the size is right, the sign is not: does the loss rise or fall when C grows?

    Explained in: chapter 4. Paper: Lemma 3.
    """
    value = float(slope)
    if abs(value + 1) < 1e-3:
        return ok("every term is −(attention on a loser) × (its margin): never positive.")
    if abs(value - 1) < 1e-3:
        return hint("the size is right, the sign is not: does the loss rise or fall when C grows?")
    if abs(value + 3) < 1e-3:
        return hint("that is the sum over the three races; the risk is their mean")
    if abs(value + 8 / 9) < 1e-3:
        return hint("in e1 e2 e1 the loser e1 runs twice: its attention at C = 0 is 2/3")
    return hint(
        "at C = 0 every position has the same attention. For each race, add attention × margin "
        "over the losers, then take minus the mean of the three"
    )


@checker
def growth_law(rate: Any) -> Verdict:
    """How fast ‖W‖ grows per unit of ln τ under plain descent on track e1 of FIG3.

    Examples
    --------
    >>> growth_law(5.15)
    hint: that is the growth per factor ten; divide by ln 10, the law is in natural logarithms

    Explained in: chapter 4. Paper: Theorem 2.
    """
    value, expected = float(rate), float(np.sqrt(5))
    if abs(value - expected) < 0.01 * expected:
        return ok("‖W‖ grows by ‖W_svm‖ = √5 per unit of ln τ: the slope is the Graph-SVM's norm.")
    if abs(value - expected * np.log(10)) < 0.1:
        return hint(
            "that is the growth per factor ten; divide by ln 10, the law is in natural logarithms"
        )
    if 0.7 * expected < value < 1.3 * expected:
        return hint("close: use late steps only, the law holds when the attention is nearly hard")
    return hint("fit a line through ‖W‖ against ln τ, and give its slope")


@checker
def steps_needed(steps: Any, constant: float) -> Verdict:
    """Normalized steps of 0.01 until cos = 0.9999, if 1 − cos = constant/‖W‖².

    Examples
    --------
    >>> steps_needed(200, 4.0)
    hint: 200 is the norm ‖W‖ you need; each normalized step adds 0.01 to it

    Explained in: chapter 4. Paper: Fig. 5.
    """
    value, radius = float(steps), float(np.sqrt(constant / 1e-4))
    if abs(value - radius / 0.01) <= 0.05 * radius / 0.01:
        return ok("the direction was right all along; ‖W‖ = ητ was still too small to show it.")
    if abs(value - radius) <= 0.05 * radius:
        return hint(f"{value:.0f} is the norm ‖W‖ you need; each normalized step adds 0.01 to it")
    if abs(value - constant / 1e-4 / 0.01) <= 0.05 * constant / 1e-4 / 0.01:
        return hint("1 − cos falls with the square of ‖W‖: take a square root")
    return hint("solve constant/‖W‖² = 0.0001 for ‖W‖, then ask how many steps of 0.01 that is")


@checker
def never_settles(sequence: Sequence[int], label: int, step_size: float) -> Verdict:
    """One race added to track e1 and a step size with which plain descent hops forever.

    Examples
    --------
    >>> never_settles([3, 0], 0, 1.0)
    hint: the upset is there, but the loss settles: what would a larger step do?

    Explained in: chapter 4. Paper: Theorem 2.
    """
    runners = [int(token) for token in sequence]
    if not runners or label not in runners:
        return hint("the winner must run in its race (Assumption 2)")
    if runners[-1] != 0:
        return hint("the race must end with e1 (id 0) to run on track e1")
    if not 0 < float(step_size) <= 1000:
        return hint("choose a step size between 0 and 1000")
    data = Dataset([*TRACK.sequences, runners], [*TRACK.labels, label], K=4)
    run = gradient_descent(
        data,
        np.eye(4),
        steps=STEPS,
        step_size=float(step_size),
        normalized=False,
        record=range(STEPS - 20, STEPS + 1),
    )
    if float(np.ptp(run.losses)) > RESTLESS:
        return ok("a tie keeps the gradient alive, and too long a step jumps over it every time.")
    if not len(token_priority_graphs(data).tie_array):
        return hint(
            "the order is still strict: the gradient dies out, so even long steps come to rest"
        )
    return hint("the upset is there, but the loss settles: what would a larger step do?")
