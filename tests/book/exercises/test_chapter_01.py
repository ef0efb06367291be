"""The checkers of chapter 1 accept what is right, reject what is not, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_01 as check
from nta_core import attention
from tests.book.exercises.answers import accepts, refuses, refuses_junk

JUNK = [None, 3, "words", [1, 2], [[1, 2], [3, 4]], [None] * 3, ["a"] * 4, object()]


@pytest.mark.parametrize("mass", [[1 / 12, 9 / 12, 2 / 12], (0.0833, 0.75, 0.1667)])
def test_tickets_are_counted(mass):
    assert check.softmax_by_hand(mass)
    assert check.softmax_by_hand(np.array(mass))


test_tickets_that_are_miscounted = refuses(
    check.softmax_by_hand,
    ([1 / 6, 3 / 6, 2 / 6], "every place is a ticket"),
    ([0.2, 0.6, 0.2], "the counts alone"),
    ([1, 9, 2], "sums to 1, yours to 12"),
    ([0.25, 0.5, 0.25], "count times e to its score"),
    ([0.1, 0.9], "three numbers"),
)


def test_bounds():
    assert check.out_of_reach([1, 1, 0, 0])
    assert check.out_of_reach((1.0, 1.0, 0.0, 0.0))


test_bounds_that_are_wrong = refuses(
    check.out_of_reach,
    ([1, 1, 1, 1], "e3 is not in the context"),
    ([1, 1, 0, 1], "e4 is not in the context"),
    ([2 / 3, 1 / 3, 0, 0], "the masses for W = 0"),
    ([1, 0.5, 0, 0], "give e2 a score far above"),
    ([1, 1], "four numbers"),
)


test_a_tied_head = accepts(
    check.tied_head, (lambda E: np.linalg.solve(E @ E.T, E),), (lambda E: np.linalg.pinv(E).T,)
)


test_heads_that_are_not_tied = refuses(
    check.tied_head,
    (lambda E: E, "row 1 of C sees e2"),
    (lambda E: 2 * np.linalg.pinv(E).T, "row 1 of C sees e1 with 2.00"),
    (np.linalg.pinv, "has shape (4, 6), yours has (6, 4)"),
    (np.linalg.inv, "LinAlgError"),
)


def with_places(W, E, context):
    X = E[list(context)] + np.arange(len(context))[:, None] / len(context)
    tickets = np.exp(X @ W @ X[-1])
    return tickets / tickets.sum()


def test_an_attention_with_positions():
    assert check.notices_order(with_places)
    assert check.notices_order(lambda W, E, context: [0.5, 0.3, 0.2])


test_attentions_that_notice_nothing = refuses(
    check.notices_order,
    (attention, "nothing depends on the place"),
    (lambda W, E, context: 2 * with_places(W, E, context), "sum to 1"),
    (lambda W, E, context: [1.2, -0.4, 0.2], "positive"),
    (lambda W, E, context: [0.5, 0.5], "shape (3,)"),
    (lambda W, E: 0, "TypeError"),
)


test_junk_gets_a_hint = refuses_junk(
    JUNK,
    check.softmax_by_hand,
    check.out_of_reach,
    check.tied_head,
    check.notices_order,
    lambda junk: check.tied_head(lambda E: junk),
    lambda junk: check.notices_order(lambda W, E, context: junk),
)
