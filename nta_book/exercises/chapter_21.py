"""Checkers for chapter 21: what a second layer can do that no table can."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.induction import bigram, chi_square_information, unigram
from nta_book.exercises.verdict import Hints, checker, close

TEXTS = ([0, 1, 0, 0, 1, 0], [2, 1, 0, 2, 1, 2, 0, 2], [1], [0, 0, 0, 1])


@checker
def worth_of_order(answer: float) -> Hints:
    """Check what the order is worth on the contexts aba and baa, equally likely, in nats.

    >>> worth_of_order(0.6365)
    hint: that is the loss of one who knows the order; how much more has one who does not?
    """
    third = log(3) - 2 / 3 * log(2)  # the loss of the shares 1/3 and 2/3
    if not close(answer, log(2) - third):
        if close(answer, third):
            yield "that is the loss of one who knows the order; how much more has one who does not?"
        if close(answer, log(2)):
            yield "that is the loss of a bag, which says one half; subtract that of the order"
        if close(answer, third - log(2)):
            yield "right up to its sign: the order lowers the loss"
        if close(answer, (log(2) - third) / log(2)):
            yield "that is in bits; losses here are in nats, with the natural logarithm"
        yield "with the order: shares 1/3 and 2/3; without: both contexts look alike, so one half"
    return "0.057 nats: one bag, two futures"


@checker
def follower(answer: Callable[[list[int], int], ArrayLike]) -> Hints:
    """Check the prediction by what followed the last token so far, every token counted once more.

    >>> follower(lambda text, K: [1 / K] * K)
    hint: text 0 1 0 0 1 0: you say 0.50 0.50, it is 0.40 0.60; what stood after each 0?
    """
    for text in TEXTS:
        K = max(text) + 1 + (len(set(text)) == 1)
        given = np.asarray(answer(list(text), K), dtype=float)
        right = bigram([text], K)[0, -1]
        if given.shape != right.shape:
            yield f"return {K} probabilities, one per token, got an array of shape {given.shape}"
        if not close(given, right, tolerance=1e-9):
            told = f"text {' '.join(map(str, text))}: you say {_said(given)}, it is {_said(right)}"
            if not np.isfinite(given).all():
                yield f"{told}; a token that nothing has followed yet: begin every count with 1"
            if close(given, unigram([text], K)[0, -1], tolerance=1e-9):
                yield f"{told}; you counted all tokens, not those that followed the last one"
            counts = right * (np.array(text[:-1]).tolist().count(text[-1]) + K) - 1
            if close(given, counts / max(counts.sum(), 1), tolerance=1e-9):
                yield f"{told}; begin every count with 1"
            yield f"{told}; what stood after each {text[-1]}?"
    return "this is the best prediction there is when every text has a random chain of its own"


def _said(shares: Sequence[float] | np.ndarray) -> str:
    return " ".join(f"{share:.2f}" for share in shares)


@checker
def same_bag(one: str, other: str) -> Hints:
    """Check two texts with one bag and one last token, whose next tokens are likely to differ.

    >>> same_bag("aab", "aba")
    hint: the last tokens are b and a: the layer of this book would see that
    """
    texts = [list(text) for text in (one, other)]
    if not all(texts) or not set("".join(map(str, (one, other)))) <= set("abc"):
        yield "write two texts of the letters a, b and c, as 'abca'"
    if texts[0][-1] != texts[1][-1]:
        last = " and ".join(text[-1] for text in texts)
        yield f"the last tokens are {last}: the layer of this book would see that"
    if Counter(texts[0]) != Counter(texts[1]):
        bags = " and ".join("".join(sorted(text)) for text in texts)
        yield f"the bags are {bags}: the layer of this book would see that"
    laws = [bigram([["abc".index(token) for token in text]], 3)[0, -1] for text in texts]
    best = [max(zip(law, "abc", strict=True)) for law in laws]
    if min(share for share, _ in best) < 0.5 - 1e-9:
        weak = best[0] if best[0][0] < best[1][0] else best[1]
        again = "repeat what follows the last token"
        yield f"one favourite, {weak[1]}, has {weak[0]:.2f} only: {again}"
    if best[0][1] == best[1][1]:
        yield f"both go on with {best[0][1]}: let another token follow in one of them"
    return "no table can tell them apart, and a reader can"


@checker
def information(answer: Callable[[float], float]) -> Hints:
    """Check the χ² information of neighbours in a chain of two tokens that stays with chance p.

    >>> information(lambda p: p)
    hint: p = 0.5: you say 0.50, but neighbours that ignore each other tell nothing
    """
    for p in (0.5, 0.1, 0.75):
        right = float(chi_square_information([[[p, 1 - p], [1 - p, p]]], 1)[0, 1])
        given = answer(p)
        if not close(given, right, tolerance=1e-9):
            if p == 0.5:
                silent = "neighbours that ignore each other tell nothing"
                yield f"p = 0.5: you say {given:.2f}, but {silent}"
            if close(given, right + 1, tolerance=1e-9):
                yield f"p = {p}: subtract 1 from the sum"
            if close(given, 2 * p - 1, tolerance=1e-9):
                yield f"p = {p}: information is never negative; square it"
            yield f"p = {p}: you say {given:.4f}, it is {right:.4f}; every pair has P(a) P(b) = 1/4"
    return "(2p − 1)²: what is always the same and what always changes tell equally much"
