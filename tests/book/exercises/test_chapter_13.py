"""Chapter 13's checkers: solutions pass, stubs and typical mistakes get their own hint."""

from nta_book.exercises import chapter_13 as check
from tests.book.exercises.answers import accepts, refuses

test_pull = accepts(check.pull, (-0.046, 0.046))


test_pull_hints = refuses(
    check.pull,
    (0.1, 0.1, "sum to zero"),
    (0.046, -0.046, "minus sign"),
    (-0.046, 0.8, "project first"),
    (-0.12, 0.046, "must balance"),
    (None, 1, "TypeError"),
)


test_flip = accepts(check.flip, (0.28,))


test_flip_hints = refuses(
    check.flip,
    (0.5, "sinks"),
    (0.1, "still rises"),
    (3, "between 0"),
    ("x", "ValueError"),
)


test_sparser = accepts(check.sparser, (1.0, 4.0))


test_sparser_hints = refuses(
    check.sparser,
    (8.0, 16.0, "right of the dip"),
    (4, 1, "larger"),
    (float("nan"), 1, "between 0.05"),
    (None, 1, "TypeError"),
)
