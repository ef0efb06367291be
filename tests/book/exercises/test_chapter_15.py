"""Chapter 15's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import math

import numpy as np

from nta_book.exercises import chapter_15 as check
from tests.book.exercises.answers import accepts, refuses

test_agreement_by_hand = accepts(check.agreement_by_hand, (0.6,))


test_agreement_by_hand_hints = refuses(
    check.agreement_by_hand,
    (0.4, "mean of two ratios"),
    (0.8, "chance must come off"),
    (0.0, "1/4"),
    (None, "1/4"),
)


def ceiling(exam):
    last = exam.contexts[:, -1]
    q = 0.5 + 0.5 * exam.top[np.arange(len(last)), last]
    return (q - exam.chance).sum() / (1 - exam.chance).sum()


def test_residual_ceiling():
    assert check.residual_ceiling(ceiling)
    assert "half of the output" in check.residual_ceiling(lambda exam: 1.0).message

    def forgets_the_last(exam):
        return (0.5 - exam.chance).sum() / (1 - exam.chance).sum()

    assert "both halves count" in check.residual_ceiling(forgets_the_last).message
    assert not check.residual_ceiling(lambda exam: math.nan)
    for junk in (None, "one", lambda exam: "one"):
        assert "stopped with" in check.residual_ceiling(junk).message


def lookup(data, context):
    known = dict(zip(data.sequences, data.labels, strict=True))
    if tuple(context) in known:
        return np.eye(data.K)[known[tuple(context)]]
    return np.bincount(context, minlength=data.K) / len(context)


def test_memory():
    assert check.memory(lookup)
    assert "return the label" in check.memory(lambda data, x: [1 / 6] * 6).message

    def too_clever(data, context):
        from nta_core import Automaton

        return np.eye(6)[min(Automaton.from_dataset(data).retrieve(context))]

    assert "knows nothing" in check.memory(too_clever).message
    assert "add up to 1" in check.memory(lambda data, x: [1.0] * 6).message
    assert "add up to 1" in check.memory(lambda data, x: [1.0]).message
    assert "stopped with" in check.memory(None).message


def test_seeds_needed():
    def right(values, width):
        return math.ceil((np.std(values, ddof=1) / width) ** 2)

    assert check.seeds_needed(right)
    population = check.seeds_needed(lambda v, w: math.ceil((np.std(v) / w) ** 2))
    assert "ddof=1" in population.message
    unrounded = check.seeds_needed(lambda v, w: (np.std(v, ddof=1) / w) ** 2)
    assert "round up" in unrounded.message
    assert "another n" in check.seeds_needed(lambda v, w: len(v)).message
    assert not check.seeds_needed(lambda v, w: right(v, w) + 1)
    assert "stopped with" in check.seeds_needed(3).message
    assert not check.seeds_needed(lambda v, w: None)
