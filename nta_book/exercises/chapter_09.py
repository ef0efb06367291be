"""Checkers of chapter 9: a limit by hand, equal lengths, and what a loss must have."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from nta_beyond.paths import regularization_path
from nta_book.exercises.verdict import Hints, checker, close
from nta_core import FIG8, Dataset, Run, cosine, gradient_descent
from nta_core.boundary import Floats

LENGTHS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0)
FAR_APART = 9.0  # degrees
REASONS = {
    "square": "square: its slope vanishes at u = 1, and the strict race fades twice as fast",
    "linear": "linear: its slope is fine, but does it care how a tie is split?",
    "root": "root: its slope at u = 1 is infinite; the condition bounds it on both sides",
}
GOOD = {"log", "exp", "shifted"}


@checker
def cube(limit: float) -> Hints:
    """The limit of the path's cosine on the four tokens for the loss (1 − u)³.

    >>> cube(11 / np.sqrt(133))
    hint: that is the limit for the square; with the cube the strict race fades like e^(−3s)
    """
    value = float(limit)
    if close(value, 11 / np.sqrt(133), tolerance=2e-3):
        yield "that is the limit for the square; with the cube the strict race fades like e^(−3s)"
    if close(value, 1, tolerance=1e-6):
        yield "1 is what the theorem claims; the exponents of the two kinds of races differ"
    if not close(value, 15 / np.sqrt(273), tolerance=2e-3):
        yield "equal exponents mean t = 3s: put s = 1, t = 3 into the formula of the cosine"
    return "15/√273 ≈ 0.908: the flatter the loss at u = 1, the farther from the Graph-SVM."


@checker
def matching(step_at: Callable[[Run, float], int | None]) -> Hints:
    """A function that returns the first recorded step at which W is at least so long.

    >>> matching(lambda run, R: int(run.steps[-1]))
    hint: for length 2 the first such step is 13, yours is 500; look for the first, not the last
    """
    run = _plain_descent(FIG8, 500, record=range(501))
    for length in (2.0, 0.5, 6.0):
        wanted = int(run.steps[np.argmax(run.norms >= length)])
        given = step_at(run, length)
        if given is None:
            yield f"W does reach length {length:g}; is the comparison the right way round?"
        if given == int(np.argmin(np.abs(run.norms - length))) != wanted:
            yield "that is the step with the nearest length; W must be at least R long"
        if given != wanted:
            first = f"for length {length:g} the first such step is {wanted}"
            yield f"{first}, yours is {given}; look for the first, not the last"
    late = _plain_descent(FIG8, 500, record=9)
    if step_at(late, 3.0) != int(late.steps[np.argmax(late.norms >= 3.0)]):
        yield "with few records an index is not a step: return run.steps at that index"
    if step_at(run, 1e6) is not None:
        yield "W never gets 1,000,000 long in this run: return None"
    return "lengths are matched, so the two roads can be compared."


@checker
def losses(names: Iterable[str]) -> Hints:
    """The losses whose path tends to W_svm on the four tokens.

    >>> losses({"log", "linear", "exp", "shifted"})
    hint: linear: its slope is fine, but does it care how a tie is split?
    """
    chosen = {names} if isinstance(names, str) else set(names)
    if unknown := sorted(map(str, chosen - GOOD - set(REASONS))):
        yield f"{unknown[0]} is none of the six: log, linear, exp, square, shifted, root"
    for name, reason in REASONS.items():
        if name in chosen:
            yield reason
    if missing := sorted(GOOD - chosen):
        yield f"one is missing: compute −ℓ′ of {missing[0]} on [0, 1]. Does it come near 0?"
    return "a slope between two positive numbers, and a tie with one best split."


@checker
def apart(races: Any) -> Hints:
    """Races for which descent and the path differ by more than 9 degrees at equal length.

    >>> apart(Dataset([[0, 1]], [0]))
    hint: at most 0.0° apart (at length 0.25). What does descent learn first and unlearn later?
    """
    if not isinstance(races, Dataset):
        yield "give a Dataset, for example Dataset.from_text('a b -> a')"
    if races.n > 24 or races.K > 6:
        yield f"at most 24 races over at most 6 tokens, yours has {races.n} over {races.K}"
    run = _plain_descent(races, 4000, record=300)
    lengths = [length for length in LENGTHS if length < run.norms[-1]]
    path = regularization_path(races, np.eye(races.K), lengths).W
    cosines = [min(cosine(_at(run, R), W), 1.0) for R, W in zip(lengths, path, strict=True)]
    angles = np.degrees(np.arccos(cosines)).tolist()
    if not angles:
        yield "W stays shorter than 0.25 on these races: they ask for nothing"
    angle, length = max(zip(angles, lengths, strict=True), key=lambda found: found[0])
    if angle <= FAR_APART:
        question = "What does descent learn first and unlearn later?"
        yield f"at most {angle:.1f}° apart (at length {length:g}). {question}"
    return f"{angle:.1f}° apart at length {length:g}: the gradient has turned."


def _plain_descent(data: Dataset, steps: int, *, record: int | Iterable[int]) -> Run:
    E = np.eye(data.K)
    return gradient_descent(data, E, steps=steps, step_size=1.0, normalized=False, record=record)


def _at(run: Run, length: float) -> Floats:
    """The weights of a run at a length, on the line between two records."""
    after = int(np.searchsorted(run.norms, length))
    low, high = run.norms[after - 1 : after + 1]
    step: Floats = run.path[after] - run.path[after - 1]
    reached: Floats = run.path[after - 1] + (length - low) / (high - low) * step
    return reached
