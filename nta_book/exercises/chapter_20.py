"""Checkers for chapter 20: what if the head learns?"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_beyond.decoder import Language, NotSeparable, margin_part
from nta_book.exercises.verdict import Hints, checker, close

_HALF = float(np.log(3)) / 2
_MARGIN, _ODDS = [0.5, 0.5, -0.5, -0.5], [_HALF, -_HALF, 0.0, 0.0]
_CONTEXTS = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 2.0]])
_CHANCES = np.array([[0.75, 0.25, 0.0], [0.2, 0.3, 0.5], [0.0, 0.0, 1.0]])

Floats = NDArray[np.float64]


@checker
def column(margin: ArrayLike, odds: ArrayLike) -> Hints:
    """Check both parts of a head for one context and four words, of which two follow.

    >>> column([1, 1, 0, 0], [0, 0, 0, 0])
    hint: W_mm: the gap is right, but a head of mean zero is shorter
    """
    given, chances = (np.asarray(part, dtype=float) for part in (margin, odds))
    if given.shape != (4,) or chances.shape != (4,):
        yield "give two lists of four numbers"
    if not close(given[:2], [given[0]] * 2) or not close(given[2:], [given[2]] * 2):
        yield "W_mm: words that follow are tied, and so are those that never do"
    if not close(given[0] - given[2], 1.0):
        yield f"W_mm: those that follow stand 1 above the others, not {given[0] - given[2]:g}"
    if not close(given, _MARGIN):
        yield "W_mm: the gap is right, but a head of mean zero is shorter"
    if not close(chances[0] - chances[1], 2 * _HALF):
        yield "W_odds: three to one is a difference of ln 3 in logits"
    if not close(chances, _ODDS):
        yield "W_odds lies in the span of e₁ − e₂: the two are opposite, the others 0"
    return "one gap outside the support, one set of log-odds inside: that is all"


@checker
def odds_missed(missed: Callable[[Floats, Floats, Floats], float]) -> Hints:
    """Check a function that says by how much a head misses the log-odds.

    >>> odds_missed(lambda W, contexts, probabilities: 0.0)
    hint: a head of zeros gives equal logits, but the odds are 3 to 1: it misses ln 3
    """
    zero = np.zeros((3, 2))
    if not close(missed(zero, _CONTEXTS[:1], _CHANCES[:1]), 2 * _HALF):
        yield "a head of zeros gives equal logits, but the odds are 3 to 1: it misses ln 3"
    if not close(missed(zero, _CONTEXTS[2:], _CHANCES[2:]), 0.0):
        yield "a context with one word has no pair: nothing is missed"
    rng = np.random.default_rng(0)
    for _ in range(5):
        W = rng.standard_normal((3, 2))
        if not close(missed(W, _CONTEXTS, _CHANCES), _worst(W)):
            yield "it is the largest miss over all contexts, and over all pairs of a support"
    return "training takes it to zero, if one head can meet all odds and separate the supports"


def _worst(W: Floats) -> float:
    """The definition, pair by pair."""
    return max(
        float(abs((W[z] - W[v]) @ h - np.log(p[z] / p[v])))
        for h, p in zip(_CONTEXTS, _CHANCES, strict=True)
        for z in range(3)
        for v in range(3)
        if p[z] > 0 and p[v] > 0
    )


@checker
def contradiction(contexts: Sequence[float], words: Sequence[str]) -> Hints:
    """Check three contexts in one dimension that no head separates.

    >>> contradiction([1, 2, 3], ["a", "a", "a"])
    hint: use both words
    """
    places = np.asarray(contexts, dtype=float)
    if places.shape != (3,) or len(words) != 3 or not set(words) <= {"a", "b"}:
        yield 'give three numbers, and three words out of "a" and "b"'
    if len(set(places.tolist())) < 3 or not places.all():
        yield "the three contexts are different numbers, none of them 0"
    if len(set(words)) < 2:
        yield "use both words"
    odds = [[float(word == one) for one in "ab"] for word in words]
    try:
        margin_part(Language(places[:, None], odds, words=["a", "b"]))
    except NotSeparable as conflict:
        return f"{len(conflict.contexts)} of them already contradict each other"
    yield "a head separates them: its lead is a slope times the context, so look at the signs"
    raise AssertionError  # nothing runs behind the last hint
