"""Checker for the exercise of the landing page."""

from collections.abc import Sequence

from nta_book.exercises.verdict import Hints, checker, close


@checker
def unseen_sequence(attention: Sequence[float]) -> Hints:
    """Check the attention on tea, coffee, milk, please for the unseen order milk coffee tea please.

    >>> unseen_sequence([1, 0, 0, 0])
    hint: tea and coffee are tied: neither can take all of it
    """
    tea, coffee, milk, please = (float(share) for share in attention)
    total = tea + coffee + milk + please
    if not close(total, 1.0, tolerance=0.02):
        yield f"attention is shared out completely: your numbers add up to {total:g}"
    if max(milk, please) > 0.02:
        yield "milk and please stand in lower leagues: what is left for them beside tea and coffee?"
    if min(tea, coffee) < 0.02:
        yield "tea and coffee are tied: neither can take all of it"
    if not close(tea, 2 / 3, tolerance=0.02):
        yield "count how often tea beat coffee, and how often coffee beat tea"
    return "two thirds on tea, one on coffee: the top league takes all, strength shares it out"
