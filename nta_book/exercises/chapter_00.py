"""Checker for the exercise of the landing page."""

from collections.abc import Sequence

from nta_book.exercises.verdict import Hints, checker, close


@checker
def unseen_sequence(attention: Sequence[float]) -> Hints:
    """Check the attention on a, b, c, d for the unseen sequence c b a d of the data "one tie".

    >>> unseen_sequence([1, 0, 0, 0])
    hint: a and b are tied: neither can take all of it
    """
    a, b, c, d = (float(share) for share in attention)
    if not close(a + b + c + d, 1.0, tolerance=0.02):
        yield f"attention is shared out completely: your numbers add up to {a + b + c + d:g}"
    if max(c, d) > 0.02:
        yield "c and d stand in lower leagues: what do they get when a or b is present?"
    if min(a, b) < 0.02:
        yield "a and b are tied: neither can take all of it"
    if not close(a, 2 / 3, tolerance=0.02):
        yield "count how often a beat b, and how often b beat a"
    return "two thirds on a, one third on b: the top league takes all, strength shares it out"
