"""The checkers of chapter 6 accept right answers, name what is wrong first, and never raise."""

import math

import pytest

from nta_book.exercises import chapter_06 as check
from nta_core.graphs import token_priority_graphs
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, "strength", 3.5, [[1], [2, "x"]], object(), {}]


test_two_tokens_accepts = accepts(
    check.two_tokens, (lambda a, b: math.log(a / b),), (lambda a, b: math.log(a) - math.log(b),)
)


test_two_tokens_hints = refuses(
    check.two_tokens,
    (lambda a, b: a / b, "odds of 1 have logarithm 0"),
    (lambda a, b: a - b, "2 wins to 1"),
    (lambda a, b: math.log(b / a), "2 wins to 1"),
    (lambda a, b: math.log2(a / b), "2 wins to 1"),
    (lambda a, b: 1 / 0, "ZeroDivisionError"),
)


def right_shares(strengths, context):
    worth = [strengths[token] for token in context]
    return {
        token: sum(w for w, other in zip(worth, context, strict=True) if other == token)
        / sum(worth)
        for token in context
    }


def test_tickets_accepts():
    assert check.tickets(right_shares)
    assert check.tickets(lambda s, c: {**dict.fromkeys("xyz", 0.0), **right_shares(s, c)})


test_tickets_hints = refuses(
    check.tickets,
    (lambda s, c: {t: s[t] / sum(s[u] for u in set(c)) for t in set(c)}, "in a b a"),
    (lambda s, c: {t: c.count(t) / len(c) for t in c}, "0.75, you give 0.5"),
    (lambda s, c: {c[0]: 1.0}, "the token b runs too"),
    (lambda s, c: {t: s[t] / sum(s.values()) for t in c}, "in a b a"),
)


@pytest.mark.parametrize("upset", [("d", "a"), ("c", "b"), ["c", "a"], ("d", "b")])
def test_runaway_accepts_every_upset(upset):
    assert check.runaway({"a", "b"}, upset)
    assert check.runaway(["b", "a"], upset)


test_runaway_hints = refuses(
    check.runaway,
    ({"a", "b", "c"}, ("a", "d"), "loses to the rest: c d t -> d"),
    ({"c", "d"}, ("d", "a"), "b c t -> b"),
    ({"a"}, ("d", "a"), "a b t -> b"),
    ({"a", "b", "c", "d"}, ("d", "a"), "some, not all"),
    (set(), ("d", "a"), "some, not all"),
    ({"a", "b"}, ("a", "c"), "still never loses"),
    ({"a", "b"}, ("c", "c"), "two different"),
    ({"a", "b"}, ("t", "a"), "among a, b, c, d"),
)


def test_exactly_one_row_holds_the_record_together():
    assert [row for row in range(check.RECORD.n) if check.one_upset(row)] == [4]
    league, _ = token_priority_graphs(check.RECORD)[3].components
    assert league == {0, 1, 2}


test_one_upset_hints = refuses(
    check.one_upset,
    (0, "a b t -> a"),
    (9, "numbered"),
    (True, "numbered"),
    (2.5, "numbered"),
)


test_junk_gets_a_hint = refuses_junk(
    JUNK,
    check.two_tokens,
    check.tickets,
    check.runaway,
    lambda junk: check.runaway({"a", "b"}, junk),
    check.one_upset,
)
