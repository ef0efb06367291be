"""The checkers of chapter 2 accept what is right, reject what is not, and never raise."""

import pytest

from nta_book.exercises import chapter_02 as check
from nta_core import Dataset
from tests.book.exercises.answers import refuses, refuses_junk

E1 = {("e2", "e3"), ("e2", "e1"), ("e3", "e1")}
E2 = {("e1", "e3"), ("e1", "e2"), ("e4", "e1"), ("e4", "e2")}
JUNK = [None, 3, "words", [1, 2], {("e2", "e3", "e1")}, object()]


def test_edges_by_hand_as_sets_lists_or_lists_of_lists():
    assert check.by_hand(E1, E2)
    assert check.by_hand(sorted(E1), [list(edge) for edge in E2])


test_edges_by_hand_that_are_wrong = refuses(
    check.by_hand,
    ({("e2", "e3")}, {("e1", "e3"), ("e4", "e1")}, "track e1 lacks e2 → e1: the last token"),
    (E1 | {("e3", "e3")}, E2, "nobody races against itself"),
    (E1, (E2 - {("e4", "e1")}) | {("e1", "e4")}, "points the wrong way"),
    (E1 - {("e2", "e3")}, E2, "e2 won a race that e3 ran"),
    (E1 | {("e4", "e1")}, E2, "no sequence that ends in e1 gives e4 → e1"),
    (E2, E1, "track e1"),
)


def test_a_long_race_equals_two_short_ones():
    long = Dataset.from_text("e4 e3 e2 e1 -> e4")
    assert check.equal_graphs(long, Dataset.from_text("e4 e3 e1 -> e4\ne4 e2 e1 -> e4"))
    # the vocabularies may differ in ids as long as the names agree
    words = Dataset.from_text("cat dog end -> cat")
    more = Dataset.from_text("tokens: x end dog cat\ncat dog end -> cat\ncat end -> cat")
    assert check.equal_graphs(words, more)


test_texts_that_are_alike_or_differ = refuses(
    lambda first, second: check.equal_graphs(Dataset.from_text(first), Dataset.from_text(second)),
    ("e3 e2 e1 -> e3", "e2 e3 e1 -> e3\ne2 e3 e1 -> e3", "the same sets of tokens"),
    ("e3 e2 e1 -> e3", "e3 e1 -> e3", "only the first has e3 → e2 on track e1"),
    ("e3 e1 -> e3", "e3 e2 e1 -> e3", "only the second has e3 → e2 on track e1"),
    ("e3 e1 -> e2", "e3 e1 -> e3", "not in its own sequence"),
)


@pytest.mark.parametrize("pair", [("e4", "e3"), ("e3", "e4"), ("e4", "e2")])
def test_pairs_the_puzzle_never_compares(pair):
    assert check.never_compared("e1", *pair)


test_pairs_that_are_compared_or_absent = refuses(
    check.never_compared,
    ("e1", "e5", "e2", "a chain leads from e5 to e2"),
    ("e1", "e2", "e5", "a chain leads from e5 to e2"),
    ("e1", "e1", "e3", "an edge leads from e3 to e1"),
    ("e2", "e2", "e3", "a tie, not silence"),
    ("e2", "e4", "e3", "e4 never runs on track e2"),
    ("e3", "e1", "e2", "no sequence ends in e3"),
    ("e1", "e4", "e4", "two different tokens"),
    ("e1", "e9", "e4", "token 'e9' is not in the vocabulary"),
)


def test_the_puzzle_has_four_silent_pairs():
    names = check.PUZZLE.names
    found = {
        (track, one, another)
        for track in names
        for one in names
        for another in names
        if one < another and check.never_compared(track, one, another)
    }
    pairs = {("e3", "e4"), ("e2", "e4"), ("e1", "e4"), ("e1", "e2")}
    assert found == {("e1", *pair) for pair in pairs}


@pytest.mark.parametrize(
    ("context", "label", "count"),
    [
        (["e4", "e1"], "e1", "6 strict orders"),
        ([3, 0], 0, "6 strict orders"),
        (["e3", "e4", "e1"], "e3", "1 strict order is gone; after e1, e4 is no longer above e3"),
        (["e2", "e4", "e2"], "e2", "3 strict orders"),
    ],
)
def test_one_sequence_undoes_an_order(context, label, count):
    verdict = check.upset(context, label)
    assert verdict
    assert count in verdict.message


test_sequences_that_undo_nothing = refuses(
    check.upset,
    (["e4", "e2", "e1"], "e4", "every strict order still stands"),
    (["e3", "e2", "e1"], "e3", "adds no edge"),
    (["e2", "e1"], "e3", "not in the sequence"),
    (["e1", "e3"], "e1", "every strict order still stands"),
    (["e9", "e1"], "e9", "token 'e9' is not in the vocabulary"),
    ([], "e1", "not in the sequence"),
)


test_junk_gets_a_hint = refuses_junk(
    JUNK,
    lambda junk: check.by_hand(junk, E2),
    lambda junk: check.by_hand(E1, junk),
    check.equal_graphs,
    check.never_compared,
    check.upset,
)
