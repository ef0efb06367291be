"""Chapter 13's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import pytest

from nta_book.exercises import chapter_13 as check


@pytest.mark.parametrize(
    ("common", "distinct", "words"),
    [
        (0.1, 0.1, "sum to zero"),
        (0.046, -0.046, "minus sign"),
        (-0.046, 0.8, "project first"),
        (-0.12, 0.046, "must balance"),
        (None, 1, "TypeError"),
    ],
)
def test_pull(common, distinct, words):
    assert check.pull(-0.046, 0.046)
    verdict = check.pull(common, distinct)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize(
    ("r", "words"),
    [(0.5, "sinks"), (0.1, "still rises"), (3, "between 0"), ("x", "ValueError")],
)
def test_flip(r, words):
    assert check.flip(0.28)
    verdict = check.flip(r)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize(
    ("slow", "fast", "words"),
    [
        (8.0, 16.0, "right of the dip"),
        (4, 1, "larger"),
        (float("nan"), 1, "between 0.05"),
        (None, 1, "TypeError"),
    ],
)
def test_sparser(slow, fast, words):
    assert check.sparser(1.0, 4.0)
    verdict = check.sparser(slow, fast)
    assert not verdict
    assert words in verdict.message
