"""Chapter 20's checkers: solutions pass, stubs and typical mistakes get their own hint."""

import numpy as np

from nta_book.exercises import chapter_20 as check
from tests.book.exercises.answers import accepts, refuses

HALF = np.log(3) / 2
MARGIN, ODDS = [0.5, 0.5, -0.5, -0.5], [HALF, -HALF, 0, 0]


def missed(W, contexts, probabilities):
    worst = 0.0
    for h, p in zip(contexts, probabilities, strict=True):
        left = (W @ h)[p > 0] - np.log(p[p > 0])
        worst = max(worst, left.max() - left.min())
    return worst


test_column = accepts(check.column, (MARGIN, ODDS))

test_column_hints = refuses(
    check.column,
    ([1.0, 1.0, 0.0, 0.0], [0.75, 0.25, 0.0, 0.0], "mean zero is shorter"),
    ([0.5, 0.4, -0.5, -0.5], ODDS, "are tied"),
    ([1, 1, -1, -1], ODDS, "not 2"),
    (MARGIN, [0.75, 0.25, 0, 0], "ln 3"),
    (MARGIN, [2 * HALF, 0, 0, 0], "opposite"),
    ([0.5], ODDS, "four numbers"),
    (None, ODDS, "four numbers"),
)

test_odds_missed = accepts(check.odds_missed, (missed,))

test_odds_missed_hints = refuses(
    check.odds_missed,
    (lambda W, contexts, probabilities: 0.0, "misses ln 3"),
    (lambda W, contexts, probabilities: 2 * HALF, "no pair"),
    (lambda W, contexts, probabilities: missed(W, contexts[:1], probabilities[:1]), "largest"),
    (None, "TypeError"),
)

test_contradiction = accepts(
    check.contradiction, ([1.0, 2.0, 3.0], ["a", "b", "a"]), ([-5, -1, 2], ["b", "a", "a"])
)

test_contradiction_hints = refuses(
    check.contradiction,
    ([1.0, 2.0, 3.0], ["a", "a", "a"], "both words"),
    ([-1.0, 1.0, 2.0], ["b", "a", "a"], "look at the signs"),
    ([1.0, 0.0, 3.0], ["a", "b", "a"], "none of them 0"),
    ([1.0, 1.0, 3.0], ["a", "b", "a"], "different"),
    ([1.0, 2.0], ["a", "b"], "three numbers"),
    ([1.0, 2.0, 3.0], ["a", "c", "a"], "three words"),
)
