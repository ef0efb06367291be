"""How many copies put a token on top whose score is lower."""

from __future__ import annotations

import math

from nta_core.boundary import number

WIDEST = 700.0  # of which the exponential is still a float64
HAIR = 1e-13  # relative: what rounding of a gap up to the widest does to its exponential


def takeover(gap: float) -> int:
    """Return the smallest number of copies with which a loser outweighs one copy of the winner.

    One copy of the winner weighs e^gap times one of the loser, so that the loser is the likelier
    next token from the first whole number above e^gap on.  An e^gap that is whole but for rounding
    counts as whole: so many copies are level.

    Parameters
    ----------
    gap : float
        Score of the winner minus score of the loser, after the same last token.

    Examples
    --------
    >>> takeover(0.0), takeover(1.0), takeover(math.log(25)), takeover(math.log(25.2))
    (2, 3, 26, 26)

    Explained in: chapter 18.
    """
    return math.floor(math.exp(number(gap, "gap", most=WIDEST)) * (1 + HAIR)) + 1
