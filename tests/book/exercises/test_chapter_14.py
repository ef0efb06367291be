"""Chapter 14's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import pytest

from nta_book.exercises import chapter_14 as check

AGREE = "x m m q -> x\nx m m q -> x\ny m m q -> y\ny m m q -> y"


@pytest.mark.parametrize(
    ("copying", "scanning", "words"),
    [
        ("m", "m", "who won the races of x"),
        ("x", "m", "common token"),
        ("x", "y", "more frequent"),
        ("x", "q", "count"),
        (None, None, "who won"),
    ],
)
def test_favourites(copying, scanning, words):
    assert check.favourites("x", "v")
    verdict = check.favourites(copying, scanning)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize(
    ("rho", "words"),
    [
        (3.0, "already more frequent"),
        (0.2, "a3 is still"),
        (1.0, "for certain"),
        (-1, "0 or more"),
        (float("nan"), "0 or more"),
        ("x", "TypeError"),
    ],
)
def test_flip(rho, words):
    assert check.flip(0.85)
    verdict = check.flip(rho)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x u u q -> x\nx u u q -> x\ny v v q -> y\ny v v q -> y", "the scan bets on u"),
        ("x m m q -> x\ny m m q -> y", "at least four"),
        (AGREE.replace("y m m q -> y", "x m m q -> x"), "two labels"),
        (AGREE + "\ny m m r -> y", "one last token"),
        (AGREE + "\nx x m m q -> x", "sequence 5: its label stands there 2 times"),
        (AGREE + "\nx m q -> x", "sequence 5: some other token"),
        (AGREE + "\nx y y q -> x\ny x x q -> y", "the scan bets on no token"),
        ("x m", "line 1"),
        (None, "Error"),
    ],
)
def test_agreement(text, words):
    assert check.agreement(AGREE)
    verdict = check.agreement(text)
    assert not verdict
    assert words in verdict.message


def test_a_beaten_label_is_named():
    text = AGREE + "\nx m m y q -> x"  # x beats y, so y is no longer on top
    assert "y is not on top" in check.agreement(text).message
