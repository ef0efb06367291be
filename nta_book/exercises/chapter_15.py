"""Checkers for chapter 15: the open lab."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.openlab import Exam, exams, league_agreement
from nta_book.exercises.verdict import Hints, checker, close
from nta_core import Dataset, random_dataset
from nta_core.boundary import Floats

Model = Callable[[Dataset, list[int]], ArrayLike]


@checker
def agreement_by_hand(answer: float) -> Hints:
    """Check the agreement of a model on two contexts of four different tokens.

    In the first the top league holds one token and gets 0.85, in the second it holds three tokens
    and gets 0.75.

    >>> agreement_by_hand(0.4)
    hint: you took the mean of two ratios; add up what was gained and what could be gained first
    """
    gained, room = np.array([0.85 - 0.25, 0.75 - 0.75]), np.array([0.75, 0.25])
    if not close(answer, gained.sum() / room.sum()):
        if close(answer, (gained / room).mean()):
            sums = "add up what was gained and what could be gained first"
            yield f"you took the mean of two ratios; {sums}"
        if close(answer, 0.8):
            yield "0.8 is the first context alone, or the mean of q: chance must come off"
        yield "chance is 1/4 in the first context and 3/4 in the second: what was gained?"
    return "0.6: a context with little room to err weighs little"


@checker
def residual_ceiling(answer: Callable[[Exam], float]) -> Hints:
    """Check the largest agreement that one layer with a residual and the paper's head can reach.

    >>> residual_ceiling(lambda exam: 1.0)
    hint: exam 1: you say 1.000; half of the output is the last token, in the top league or not
    """
    for number, (kind, seed) in enumerate((("acyclic", 0), ("cyclic", 1), ("cyclic", 2)), start=1):
        _, exam = exams(random_dataset(24, 4, 6, kind=kind, seed=seed), seed=0)
        last_on_top = np.take_along_axis(exam.top, exam.contexts[:, -1:], axis=1)[:, 0]
        given, right = float(answer(exam)), _agreement((1 + last_on_top) / 2, exam)
        if not close(given, right, tolerance=1e-9):
            half = "half of the output is the last token, in the top league or not"
            if close(given, _agreement(0.5, exam), tolerance=1e-9):
                half = "where the last token is in the top league itself, both halves count"
            yield f"exam {number}: you say {given:.3f}; {half}"
    return "half of the output is the last token: only contexts it wins can reach 1"


def _agreement(on_top: Floats | float, exam: Exam) -> float:
    """The agreement of a model that gives the top leagues this much."""
    return float((on_top - exam.chance).sum() / (1 - exam.chance).sum())


@checker
def memory(model: Model) -> Hints:
    """Check a model with agreement 1 on its training contexts and at most 0 on unseen ones.

    >>> memory(lambda data, context: [1 / data.K] * data.K)
    hint: on training contexts it scores -0.11: return the label it was given there
    """
    data = random_dataset(24, 4, 6, kind="acyclic", seed=7)
    scores = []
    for exam in exams(data, seed=7):
        table = np.array([np.asarray(model(data, x), dtype=float) for x in exam.contexts.tolist()])
        if table.shape != exam.top.shape or not np.allclose(table.sum(axis=1), 1):
            yield f"return {data.K} probabilities that add up to 1, one per token"
        scores.append(league_agreement(table, exam))
    seen, unseen = scores
    if seen < 1 - 1e-9:
        yield f"on training contexts it scores {seen:.2f}: return the label it was given there"
    if unseen > 1e-9:
        yield f"on unseen contexts it scores {unseen:.2f}: a memory knows nothing of them"
    return "a perfect pupil on old questions, blind on new ones: agreement needs unseen contexts"


@checker
def seeds_needed(answer: Callable[[Sequence[float], float], int]) -> Hints:
    """Check how many runs bring the standard error of a mean below a wanted width.

    >>> seeds_needed(lambda values, width: len(values))
    hint: values with deviation 0.22, width 0.05: you say 4 runs; s/√n ≤ width needs another n
    """
    for values, width in (([0.4, 0.8, 0.6, 0.9], 0.05), ([0.9, 1.0, 0.95], 0.02)):
        s = float(np.std(values, ddof=1))
        right, given = math.ceil((s / width) ** 2 - 1e-9), answer(values, width)
        if given != right:
            told = f"values with deviation {s:.2f}, width {width}: you say {given} runs"
            if math.ceil(given - 1e-9) == right:
                yield f"{told}; there is no part of a run: round up"
            if given == math.ceil((float(np.std(values)) / width) ** 2 - 1e-9):
                yield f"{told}; a sample's deviation divides by n - 1 (ddof=1)"
            yield f"{told}; s/√n ≤ width needs another n"
    return "the spread of a pilot run tells when you may stop; write it down before you start"
