"""Chapter 18's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import math
from fractions import Fraction

import pytest

from nta_book.exercises import chapter_18 as check
from tests.book.exercises.answers import refuses


def test_same_word():
    assert check.same_word(1 / 5)
    assert check.same_word(Fraction(1, 5))


test_same_word_hints = refuses(
    check.same_word,
    (1 / 16, "fair coin"),
    (1 / 4, "one more factor"),
    (0.5, "tickets before each draw"),
    (None, "TypeError"),
)


def chance(strengths, context, text, *, grow=True, tickets=True, turned=False):
    """The solution, or the solution with one of the usual mistakes."""
    product, seen = 1.0, list(context)
    for token in text:
        last = seen[-1]
        pairs = [(last, j) if turned else (j, last) for j in (0, 1)]
        weights = [strengths[i][k] for i, k in pairs]
        if tickets:
            weights = [w * seen.count(j) for j, w in enumerate(weights)]
        product *= weights[token] / sum(weights)
        if grow:
            seen.append(token)
    return product


def test_text_chance():
    assert check.text_chance(chance)


@pytest.mark.parametrize(
    ("mistake", "words"),
    [
        ({"grow": False}, "joins the context"),
        ({"tickets": False}, "context [0, 1, 1]"),
        ({"turned": True}, "context [0, 1]"),
    ],
)
def test_text_chance_hints(mistake, words):
    verdict = check.text_chance(lambda *answer: chance(*answer, **mistake))
    assert not verdict
    assert words in verdict.message


def test_copies():
    assert check.copies(lambda gap: math.floor(math.exp(gap) + 1e-12) + 1)


test_copies_hints = refuses(
    check.copies,
    (lambda gap: math.ceil(math.exp(gap) - 1e-12), "level is not on top"),
    (lambda gap: math.floor(math.exp(gap)) + 2, "but so is"),
    (lambda gap: 2, "one winner weighs"),
    (lambda gap: math.exp(gap) + 0.5, "a whole number"),
    (None, "TypeError"),
)


def test_no_winner():
    assert check.no_winner([[1, 3], [3, 1]])
    assert check.no_winner([[1, 4], [3, 1]])


test_no_winner_hints = refuses(
    check.no_winner,
    ([[1, 1], [1, 1]], "elsewhere in every text"),
    ([[5, 5], [5, 5]], "elsewhere in every text"),
    ([[3, 1], [1, 3]], "stronger after the other"),
    ([[2, 2], [1, 1]], "stronger after the other"),
    ([1, 2], "two rows"),
    ([[1, 0], [1, 1]], "OptionError"),
)
