"""Checkers of chapter 4: scaling, the growth law, why 0.99, and how descent fails to settle."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nta_book.exercises.verdict import Hints, checker
from nta_core import FIG3, Dataset, gradient_descent, token_priority_graphs

TRACK = FIG3.subset([0, 1, 2])  # the races of FIG3 that end with e1: a strict order
LAST = range(980, 1001)  # steps whose losses are looked at
RESTLESS = 1e-3  # spread of the last losses that counts as "has not settled"


@checker
def scaling(slope: Any) -> Hints:
    """dL/dC at C = 0 for W = C·W_svm on track e1 of FIG3.

    >>> scaling(1)
    hint: the size is right, the sign is not: does the loss rise or fall when C grows?
    """
    value = float(slope)
    if not abs(value + 1) < 1e-3:
        if abs(value - 1) < 1e-3:
            yield "the size is right, the sign is not: does the loss rise or fall when C grows?"
        if abs(value + 3) < 1e-3:
            yield "that is the sum over the three races; the risk is their mean"
        if abs(value + 8 / 9) < 1e-3:
            yield "in e1 e2 e1 the loser e1 runs twice: its attention at C = 0 is 2/3"
        yield (
            "at C = 0 every position has the same attention. For each race, add attention × margin "
            "over the losers, then take minus the mean of the three"
        )
    return "every term is −(attention on a loser) × (its margin): never positive."


@checker
def growth_law(rate: Any) -> Hints:
    """How fast ‖W‖ grows per unit of ln τ under plain descent on track e1 of FIG3.

    >>> growth_law(5.15)
    hint: that is the growth per factor ten; divide by ln 10, the law is in natural logarithms
    """
    value, expected = float(rate), float(np.sqrt(5))
    if not abs(value - expected) < 0.01 * expected:
        if abs(value - expected * np.log(10)) < 0.1:
            unit = "divide by ln 10, the law is in natural logarithms"
            yield f"that is the growth per factor ten; {unit}"
        if 0.7 * expected < value < 1.3 * expected:
            yield "close: use late steps only, the law holds when the attention is nearly hard"
        yield "fit a line through ‖W‖ against ln τ, and give its slope"
    return "‖W‖ grows by ‖W_svm‖ = √5 per unit of ln τ: the slope is the Graph-SVM's norm."


@checker
def steps_needed(steps: Any, constant: float) -> Hints:
    """Normalized steps of 0.01 until cos = 0.9999, if 1 − cos = constant/‖W‖².

    >>> steps_needed(200, 4.0)
    hint: 200 is the norm ‖W‖ you need; each normalized step adds 0.01 to it
    """
    value, radius = float(steps), float(np.sqrt(constant / 1e-4))
    if not abs(value - radius / 0.01) <= 0.05 * radius / 0.01:
        if abs(value - radius) <= 0.05 * radius:
            yield f"{value:.0f} is the norm ‖W‖ you need; each normalized step adds 0.01 to it"
        if abs(value - constant / 1e-4 / 0.01) <= 0.05 * constant / 1e-4 / 0.01:
            yield "1 − cos falls with the square of ‖W‖: take a square root"
        yield "solve constant/‖W‖² = 0.0001 for ‖W‖, then ask how many steps of 0.01 that is"
    return "the direction was right all along; ‖W‖ = ητ was still too small to show it."


@checker
def never_settles(sequence: Sequence[int], label: int, step_size: float) -> Hints:
    """One race added to track e1 and a step size with which plain descent hops forever.

    >>> never_settles([3, 0], 0, 1.0)
    hint: the upset is there, but the loss settles: what would a larger step do?
    """
    runners = [int(token) for token in sequence]
    if not runners or label not in runners:
        yield "the winner must run in its race (Assumption 2)"
    if runners[-1] != 0:
        yield "the race must end with e1 (id 0) to run on track e1"
    if not 0 < float(step_size) <= 1000:
        yield "choose a step size between 0 and 1000"
    data = Dataset([*TRACK.sequences, runners], [*TRACK.labels, label], K=4)
    run = gradient_descent(
        data, np.eye(4), steps=LAST[-1], step_size=float(step_size), normalized=False, record=LAST
    )
    settled = not np.ptp(run.losses) > RESTLESS
    if settled and not len(token_priority_graphs(data).tie_array):
        yield "the order is still strict: the gradient dies out, so even long steps come to rest"
    if settled:
        yield "the upset is there, but the loss settles: what would a larger step do?"
    return "a tie keeps the gradient alive, and too long a step jumps over it every time."
