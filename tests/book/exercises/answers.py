"""Tests of a checker as tables: answers that it accepts, answers with words of their hint, junk."""

import inspect

import pytest


def refuses(checker, *cases):
    """A test for each case, an answer (all arguments) and then words that its hint must have."""

    @pytest.mark.parametrize("case", cases, ids=lambda case: case[-1])
    def test(case):
        *answer, words = case
        verdict = checker(*answer)
        assert not verdict
        assert words in verdict.message, verdict.message

    return test


def accepts(checker, *answers):
    """A test for each answer, given as the tuple of all arguments."""

    @pytest.mark.parametrize("answer", answers)
    def test(answer):
        assert checker(*answer)

    return test


def refuses_junk(junk, *checkers):
    """A test for each checker and each piece of junk: given for every argument, it gets a hint."""

    @pytest.mark.parametrize("checker", checkers, ids=lambda checker: checker.__name__)
    @pytest.mark.parametrize("answer", junk)
    def test(checker, answer):
        verdict = checker(*[answer] * len(inspect.signature(checker).parameters))
        assert not verdict
        assert verdict.message

    return test
