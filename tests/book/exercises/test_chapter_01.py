"""The checkers of chapter 1 accept what is right, reject what is not, and never raise."""

import numpy as np
import pytest

from nta_book.exercises import chapter_01 as check
from nta_core import attention

JUNK = [None, 3, "words", [1, 2], [[1, 2], [3, 4]], [None] * 3, ["a"] * 4, object()]


@pytest.mark.parametrize("mass", [[1 / 12, 9 / 12, 2 / 12], (0.0833, 0.75, 0.1667)])
def test_tickets_are_counted(mass):
    assert check.softmax_by_hand(mass)
    assert check.softmax_by_hand(np.array(mass))


@pytest.mark.parametrize(
    ("mass", "words"),
    [
        ([1 / 6, 3 / 6, 2 / 6], "every place is a ticket"),
        ([0.2, 0.6, 0.2], "the counts alone"),
        ([1, 9, 2], "sums to 1, yours to 12"),
        ([0.25, 0.5, 0.25], "count times e to its score"),
        ([0.1, 0.9], "three numbers"),
    ],
)
def test_tickets_that_are_miscounted(mass, words):
    verdict = check.softmax_by_hand(mass)
    assert not verdict
    assert words in verdict.message


def test_bounds():
    assert check.out_of_reach([1, 1, 0, 0])
    assert check.out_of_reach((1.0, 1.0, 0.0, 0.0))


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ([1, 1, 1, 1], "e3 is not in the context"),
        ([1, 1, 0, 1], "e4 is not in the context"),
        ([2 / 3, 1 / 3, 0, 0], "the masses for W = 0"),
        ([1, 0.5, 0, 0], "give e2 a score far above"),
        ([1, 1], "four numbers"),
    ],
)
def test_bounds_that_are_wrong(bounds, words):
    verdict = check.out_of_reach(bounds)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize(
    "head", [lambda E: np.linalg.solve(E @ E.T, E), lambda E: np.linalg.pinv(E).T]
)
def test_a_tied_head(head):
    assert check.tied_head(head)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (lambda E: E, "row 1 of C sees e2"),
        (lambda E: 2 * np.linalg.pinv(E).T, "row 1 of C sees e1 with 2.00"),
        (np.linalg.pinv, "has shape (4, 6), yours has (6, 4)"),
        (np.linalg.inv, "LinAlgError"),
    ],
)
def test_heads_that_are_not_tied(head, words):
    verdict = check.tied_head(head)
    assert not verdict
    assert words in verdict.message


def with_places(W, E, context):
    X = E[list(context)] + np.arange(len(context))[:, None] / len(context)
    tickets = np.exp(X @ W @ X[-1])
    return tickets / tickets.sum()


def test_an_attention_with_positions():
    assert check.notices_order(with_places)
    assert check.notices_order(lambda W, E, context: [0.5, 0.3, 0.2])


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (attention, "nothing depends on the place"),
        (lambda W, E, context: 2 * with_places(W, E, context), "sum to 1"),
        (lambda W, E, context: [1.2, -0.4, 0.2], "positive"),
        (lambda W, E, context: [0.5, 0.5], "shape (3,)"),
        (lambda W, E: 0, "TypeError"),
    ],
)
def test_attentions_that_notice_nothing(answer, words):
    verdict = check.notices_order(answer)
    assert not verdict
    assert words in verdict.message


@pytest.mark.parametrize("junk", JUNK)
def test_junk_gets_a_hint(junk):
    for verdict in (
        check.softmax_by_hand(junk),
        check.out_of_reach(junk),
        check.tied_head(junk),
        check.notices_order(junk),
        check.tied_head(lambda E: junk),
        check.notices_order(lambda W, E, context: junk),
    ):
        assert not verdict
        assert verdict.message
