"""Checkers for chapter 17: reading a head."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.heads import Head
from nta_book.exercises.verdict import Hints, checker, close
from nta_book.results import stored_result
from nta_core.boundary import Floats, Ints

HAND = Head.from_arrays(
    [[0.0], [2.0]], [[1.0], [0.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], names=["a", "b", "c"]
)
BEST_BLIND = 0.55  # what a ranking that ignores the last word must reach in `blind_ranking`

Reader = Callable[[Floats, Floats, Floats, int, int, int], ArrayLike]
Share = Callable[[Floats, Ints, Ints], float]


@checker
def by_hand(scores: ArrayLike, silent: str) -> Hints:
    """Check the scores after b of a head with two dimensions, and where it is silent.

    >>> by_hand([0, 0, 0], "a")
    hint: that is what others give to b; the query is the last token's, e_b W_Q = 2
    """
    if not close(scores, HAND.scores("b")):
        if close(scores, HAND.score_matrix()[:, 1]):
            yield "that is what others give to b; the query is the last token's, e_b W_Q = 2"
        yield "the keys e W_K are 1, 0 and 1; multiply them by the query e_b W_Q"
    if silent != "a":
        yield "a head is silent where its query is zero: all tokens then get the same score"
    return "after b it looks at a and c alike; after a it looks at everything alike"


@checker
def read_head(answer: Reader) -> Hints:
    """Check a function that reads one head of several from weights in PyTorch's layout.

    >>> read_head(lambda Q, K, E, head, heads, last: np.zeros(len(E)))
    hint: head 1 of 2, last token 3: not these scores; queries are E @ Q.T, cut into 2 equal parts
    """
    rng = np.random.default_rng(17)
    for heads, width, head, last in ((2, 6, 1, 3), (1, 4, 0, 0), (3, 6, 2, 5)):
        Q, K = rng.normal(size=(2, width, 8))
        E = rng.normal(size=(7, 8))
        part = slice(head * width // heads, (head + 1) * width // heads)
        right = Head.from_arrays(Q[part].T, K[part].T, E).scores(last)
        given = answer(Q.copy(), K.copy(), E.copy(), head, heads, last)
        if not close(given, right, tolerance=1e-9):
            told = f"head {head} of {heads}, last token {last}"
            d_head = width // heads
            if close(given, right * d_head**0.5, tolerance=1e-9):
                yield f"{told}: right but for the scale 1/√{d_head}, the width of one head"
            if close(given, right * (d_head / width) ** 0.5, tolerance=1e-9):
                yield f"{told}: the scale is 1/√{d_head}, the width of one head, not of all"
            swapped = Head.from_arrays(K[part].T, Q[part].T, E).scores(last)
            if close(given, swapped, tolerance=1e-9):
                yield f"{told}: the last token asks with its query, the others answer with keys"
            yield f"{told}: not these scores; queries are E @ Q.T, cut into {heads} equal parts"
    return "four lines, and any first layer without places can be read"


@checker
def share_of_pairs(answer: Share) -> Hints:
    """Check the share of strict pairs that scores rank rightly, equal scores counting half.

    >>> share_of_pairs(lambda scores, winners, losers: np.mean(scores[winners] > scores[losers]))
    hint: all scores equal: you say 0.0, and a head that ranks nothing should get 1/2
    """
    pairs = np.array([0, 0, 3]), np.array([1, 2, 1])
    flat = float(answer(np.zeros(4), *pairs))
    if not close(flat, 0.5):
        yield f"all scores equal: you say {flat:.1f}, and a head that ranks nothing should get 1/2"
    for scores in ([3.0, 1.0, 2.0, 0.0], [0.0, 1.0, 0.0, 2.0]):
        lead = np.array(scores)[pairs[0]] - np.array(scores)[pairs[1]]
        right = float(np.mean((lead > 0) + 0.5 * (lead == 0)))
        given = float(answer(np.array(scores), *pairs))
        if not close(given, right):
            yield f"scores {scores}: you say {given:.2f}; compare each winner with its loser"
    return "half for ties: so a coin, a constant and an untrained head all get 1/2"


@checker
def blind_ranking(scores: ArrayLike) -> Hints:
    """Check one ranking for all last words that still ranks many words as the text does.

    >>> blind_ranking(np.zeros(800))
    hint: it puts followers above the others in 50% of the pairs: reach 55%
    """
    text = stored_result("heads_on_text").one(shape="the text")
    given = np.asarray(scores, dtype=float)
    K = len(text["names"])
    if given.shape != (K,) or not np.isfinite(given).all():
        yield f"{K} numbers are asked for, one per word, the same after every last word"
    reached = float(np.mean([followers_first(given, table) for table in text["tables"]]))
    if reached < BEST_BLIND:
        told = f"it puts followers above the others in {reached:.0%} of the pairs"
        yield f"{told}: reach {BEST_BLIND:.0%}"
    return f"{reached:.0%}, and it never looked at the last word: so compare with another last word"


def followers_first(scores: Floats, table: dict[str, list[int]]) -> float:
    """Share of pairs (a word that won after the last word, one that never did) ranked rightly.

    >>> followers_first(np.array([3.0, 1, 2]), {"tokens": [0, 1, 2], "wins": [4, 1, 0]})
    0.5
    """
    tokens, won = np.array(table["tokens"]), np.array(table["wins"]) > 0
    lead = scores[tokens[won]][:, None] - scores[tokens[~won]]
    return float(np.mean((lead > 0) + 0.5 * (lead == 0)))
