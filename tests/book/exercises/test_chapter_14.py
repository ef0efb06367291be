"""Chapter 14's checkers: solutions pass, stubs and typical mistakes get their own hint."""

from nta_book.exercises import chapter_14 as check
from tests.book.exercises.answers import accepts, refuses

AGREE = "x m m q -> x\nx m m q -> x\ny m m q -> y\ny m m q -> y"


test_favourites = accepts(check.favourites, ("x", "v"))


test_favourites_hints = refuses(
    check.favourites,
    ("m", "m", "who won the races of x"),
    ("x", "m", "common token"),
    ("x", "y", "more frequent"),
    ("x", "q", "count"),
    (None, None, "who won"),
)


test_flip = accepts(check.flip, (0.85,))


test_flip_hints = refuses(
    check.flip,
    (3.0, "already more frequent"),
    (0.2, "a3 is still"),
    (1.0, "for certain"),
    (-1, "0 or more"),
    (float("nan"), "0 or more"),
    ("x", "TypeError"),
)


test_agreement = accepts(check.agreement, (AGREE,))


test_agreement_hints = refuses(
    check.agreement,
    ("x u u q -> x\nx u u q -> x\ny v v q -> y\ny v v q -> y", "the scan bets on u"),
    ("x m m q -> x\ny m m q -> y", "at least four"),
    (AGREE.replace("y m m q -> y", "x m m q -> x"), "two labels"),
    (AGREE + "\ny m m r -> y", "one last token"),
    (AGREE + "\nx x m m q -> x", "sequence 5: its label stands there 2 times"),
    (AGREE + "\nx m q -> x", "sequence 5: some other token"),
    (AGREE + "\nx y y q -> x\ny x x q -> y", "the scan bets on no token"),
    ("x m", "line 1"),
    (None, "Error"),
)


def test_a_beaten_label_is_named():
    text = AGREE + "\nx m m y q -> x"  # x beats y, so y is no longer on top
    assert "y is not on top" in check.agreement(text).message
