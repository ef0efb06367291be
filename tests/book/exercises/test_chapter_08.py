"""Chapter 8's checkers: solutions pass, stubs and typical mistakes get their own hint."""

from itertools import product

from nta_book.exercises import chapter_08 as check
from nta_core import FIG3, Automaton
from tests.book.exercises.answers import refuses


def first_league(graph, context):
    return next(league & set(context) for league in graph.components if league & set(context))


def test_retrieval():
    assert check.retrieval(first_league)
    assert "you keep {e1, e2}" in check.retrieval(lambda graph, context: set(context)).message
    assert "nothing" in check.retrieval(lambda graph, context: None).message

    def weakest(graph, context):
        present = set(context)
        return next(low & present for low in graph.components[::-1] if low & present)

    assert not check.retrieval(weakest)
    assert "TypeError" in check.retrieval(None).message


def test_determined_pairs():
    rule = Automaton.from_dataset(FIG3)
    assert check.determined_pairs(sum(map(rule.determined, product(range(4), repeat=2))))
    for wrong, words in ((16, "no table"), (8, "e3 e3"), (4, "count those"), (None, "TypeError")):
        assert words in check.determined_pairs(wrong).message


def test_loop():
    assert check.loop("b a b a b a")
    assert check.loop(["b", "a"] * 3)


test_loop_hints = refuses(
    check.loop,
    ("b b b b b b", "track b"),
    ("a b a b a b", "track a"),
    ("b a", "you gave 2"),
    (None, "TypeError"),
)


def test_disagreement():
    rule = Automaton.from_dataset(check.SILENT_RACES)
    silent = [[*c] for c in product(range(6), repeat=3) if not rule.determined(c)]
    verdicts = [check.disagreement(context) for context in silent]
    assert any(verdicts)
    refused = [verdict.message for verdict in verdicts if not verdict]
    assert any("differ by 0 points only" in message for message in refused)
    assert "differ by 100 points" in check.disagreement([0, 5]).message
    assert "every layer agrees" in check.disagreement([0]).message
    assert "UnknownToken" in check.disagreement([9, 0]).message
