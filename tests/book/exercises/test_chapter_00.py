"""The landing page's exercise: the answer passes, each wrong idea gets its own hint."""

from nta_book.exercises import chapter_00 as check
from tests.book.exercises.answers import refuses


def test_the_answer_passes():
    assert check.unseen_sequence([2 / 3, 1 / 3, 0, 0])
    assert check.unseen_sequence((0.67, 0.33, 0, 0))


test_a_wrong_answer_gets_one_fitting_hint = refuses(
    check.unseen_sequence,
    ([0.25] * 4, "lower leagues"),
    ([1, 0, 0, 0], "neither can take all"),
    ([0.5, 0.5, 0, 0], "count how often"),
    ([0.5, 0.2, 0, 0], "add up to 0.7"),
    ([1, 0], "not enough values"),
    (None, "TypeError"),
    ("abcd", "ValueError"),
)
