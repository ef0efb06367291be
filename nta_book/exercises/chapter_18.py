"""Checkers for chapter 18: generation as a chain."""

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.chain import TokenChain, simulate
from nta_book.exercises.verdict import Hints, checker, close
from nta_core.boundary import Floats

#: Two tokens; row = next token, column = last token.
STRENGTHS = ((1.0, 4.0), (2.0, 1.0))
TEXTS, WORDS = 40, 4000  # of the last exercise
SETTLED, TAKEN = 0.1, 0.9  # spread of a share, and a share, that are too much there


@checker
def same_word(chance: float) -> Hints:
    """Check the chance that equal strengths write ``a a a a`` after the prompt ``a b``.

    >>> same_word(1 / 16)
    hint: that is a fair coin four times, but the first a is one more ticket for a
    >>> same_word(0.2)
    ok: and so has every other number of a's: 0, 1, 2, 3 and 4 are equally likely
    """
    right = TokenChain([1.0, 1.0]).chance([0, 1], [0, 0, 0, 0])
    chance = float(chance)  # a fraction is welcome
    if not close(chance, right, tolerance=1e-6):
        if close(chance, 1 / 16, tolerance=1e-6):
            yield "that is a fair coin four times, but the first a is one more ticket for a"
        if close(chance, 1 / 4, tolerance=1e-6):
            yield "that is the chance of three in a row: one more factor"
        yield "the first a has chance 1/2; multiply by a's share of the tickets before each draw"
    return "and so has every other number of a's: 0, 1, 2, 3 and 4 are equally likely"


@checker
def text_chance(
    answer: Callable[[Sequence[Sequence[float]], list[int], list[int]], float],
) -> Hints:
    """Check a reader's probability of a whole text.

    >>> text_chance(lambda strengths, context, text: 1.0)
    hint: after the context [0, 1] the text [0] has probability 0.8, you say 1
    """
    chain = TokenChain(np.array(STRENGTHS))
    for context, text in (
        *(([0, 1], [0]), ([0, 1, 1], [0]), ([0, 1, 0], [1]), ([0, 1], [0, 1])),
        *(([1, 0], [0, 0, 1]), ([0, 1], [1, 1, 0, 1, 0])),
    ):
        said = answer(STRENGTHS, [*context], [*text])
        right = chain.chance(context, text)
        if not close(said, right, tolerance=1e-9):
            place = f"after the context {context} the text {text} has probability {right:.4g}"
            if len(text) > 1:
                place += " (each drawn token joins the context)"
            yield f"{place}, you say {float(said):.4g}"
    return "a product of shares: with it you can compute any short text exactly"


@checker
def copies(answer: Callable[[float], int]) -> Hints:
    """Check how many copies put a loser on top, for several score gaps.

    >>> copies(lambda gap: round(math.exp(gap)))
    hint: gap 0: with 1 copy the two are level, and level is not on top
    """
    for gap in (0.0, 1.0, math.log(2.0), math.log(25.2), 4.0):
        said = answer(gap)
        one, many = math.exp(gap), said
        if many < one - 1e-9:
            yield f"gap {gap:.3g}: {said} copies weigh {said}, one winner weighs {one:.4g}"
        if abs(many - one) < 1e-9:
            some = "copy" if said == 1 else "copies"
            yield f"gap {gap:.3g}: with {said} {some} the two are level, and level is not on top"
        if many - 1 > one + 1e-9:
            yield f"gap {gap:.3g}: {said} is enough, but so is {said - 1}"
        if said != int(said):
            yield f"gap {gap:.3g}: nobody writes {said} copies: give a whole number"
    return "the threshold is e to the gap, and the gap grows as long as training goes on"


@checker
def no_winner(strengths: ArrayLike) -> Hints:
    """Check that two tokens with these strengths share for good, alike in every text.

    >>> no_winner([[1, 1], [1, 1]])  # doctest: +ELLIPSIS
    hint: the shares stop, but elsewhere in every text (a's share from ...
    >>> no_winner([[2, 2], [1, 1]])  # doctest: +ELLIPSIS
    hint: in some text one token has ...
    >>> no_winner([[1, 1.3], [1.3, 1]])  # doctest: +ELLIPSIS
    hint: neither can take all, you are right; but so slowly that 4,000 words do not show it...
    """
    table = np.asarray(strengths, dtype=float)
    if table.shape != (2, 2):
        yield "two rows and two columns, please: row = next token, column = last token"
    share = _ends(table)
    largest = float(np.maximum(share, 1 - share).max())
    if float(share.std()) > SETTLED and largest < 1 - 1e-9 and _equal(table):
        low, high = float(share.min()), float(share.max())
        yield (
            f"the shares stop, but elsewhere in every text (a's share from {low:.2f} to "
            f"{high:.2f}): make them come back to one place"
        )
    fond = table[0, 0] >= table[1, 0] or table[1, 1] >= table[0, 1]
    if not fond and (largest > TAKEN or float(share.std()) > SETTLED):
        yield (
            f"neither can take all, you are right; but so slowly that {WORDS:,} words do not show "
            "it: make each token much stronger after the other"
        )
    if largest > TAKEN:
        yield (
            f"in some text one token has {largest:.0%} after {WORDS:,} words: "
            "let each token be stronger after the other than after itself"
        )
    if float(share.std()) > SETTLED:
        yield "the texts end far apart: make the preference for the other token stronger"
    return "two tokens that call for each other: the chain has found a balance, and keeps it"


def _ends(table: Floats) -> Floats:
    """The share of the first token at the end of some texts."""
    counts = simulate(TokenChain(table), [0, 1], runs=TEXTS, record=[WORDS], seed=18)[:, -1]
    return np.asarray(counts[:, 0] / counts.sum(axis=1))


def _equal(table: Floats) -> bool:
    return bool(np.allclose(table[0], table[1]))
