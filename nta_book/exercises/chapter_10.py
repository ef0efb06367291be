"""Checkers of chapter 10: what a loss hears, what it wants from a tie, and where it gets stuck."""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from nta_book.exercises.verdict import Hints, checker, close
from nta_core import Dataset, gradient_descent, token_mass
from nta_core.boundary import Floats, check_weights

RACE = Dataset([[0, 1]], [0], names=["a", "b"])  # one race, a b → a
PATIENCE = 1000  # plain steps of size 1


@checker
def loudest(u: float, pull: float) -> Hints:
    """Where a race pulls hardest at its score under the squared loss, and how hard.

    >>> loudest(0.0, 2.0)
    hint: at u = 0 the squared loss is large, but attention cannot move: the pull is 2u(1 − u)²
    """
    at, size = float(u), float(pull)
    if not 0 <= at <= 1:
        yield "u is an attention share, between 0 and 1"
    if at == 0:
        yield (
            "at u = 0 the squared loss is large, but attention cannot move: the pull is 2u(1 − u)²"
        )
    if close(at, 0.5, tolerance=0.02):
        yield "1/2 is where attention moves fastest; the loss's own slope 2(1 − u) matters too"
    if not close(at, 1 / 3, tolerance=0.02):
        yield "differentiate 2u(1 − u)² and set it to zero: u = 1 is one root, find the other"
    if size < 0:
        yield "the pull is meant as a size: leave out the sign"
    if not close(size, 8 / 27, tolerance=0.01):
        yield f"the place is right; 2u(1 − u)² at u = 1/3 is not {size:.3g}"
    return "a race is heard best when it is two thirds lost, and not at all when it is lost."


@checker
def three_to_two_to_one(mass: Sequence[float]) -> Hints:
    """Attention the squared loss wants for three tokens that win 3, 2 and 1 of 6 equal races.

    >>> three_to_two_to_one([1 / 2, 1 / 3, 1 / 6])
    hint: these are the winning shares: what the log-loss wants. Compute q_y (1 − P_y) for each
    """
    P = np.asarray(mass, dtype=np.float64)
    if P.shape != (3,):
        yield "three numbers: the attention on a, b and c"
    if close(P, [1 / 2, 1 / 3, 1 / 6]):
        shares = "these are the winning shares: what the log-loss wants"
        yield f"{shares}. Compute q_y (1 − P_y) for each"
    if not close(P.sum(), 1):
        yield f"attention adds up to 1, yours to {P.sum():.3g}"
    if P.min() < -1e-3:
        again = "set that one to 0 and solve again for the other two"
        below = f"Attention cannot go below 0: {again}"
        yield f"equal q_y (1 − P_y) asks for a negative share. {below}"
    if close(P, [1, 0, 0]):
        yield "the majority alone is what the correlation loss wants"
    if P[2] > 1e-3:
        yield "compare the pulls: does moving a little attention from c to a lower the loss?"
    if not close(P, [0.6, 0.4, 0.0]):
        yield "c gets nothing, right. For a and b alone: 3(1 − P_a) = 2(1 − P_b)"
    return "squared loss keeps a pair and drops the weakest of three: the league loses a member."


@checker
def one_token_share(threshold: Callable[[int, float], float]) -> Hints:
    """Winning share from which cross-entropy gives a pair's favourite everything.

    >>> one_token_share(lambda K, t: 0.5)
    hint: K = 2, t = 1: your share is 0.5, but at a share of 0.52 the loss still keeps both tokens
    """
    for K, t in ((2, 1.0), (6, 1.0), (8, 0.5), (50, 0.25)):
        given = float(threshold(K, t))
        e = np.exp(1 / t)
        right = 0.5 + 0.5 * (e - 1) / (e + K - 1)
        if close(given, right, tolerance=2e-3):
            continue
        where = f"K = {K}, t = {t:g}: your share is {given:.3g}, but"
        if given < right:
            kept = min(given + 0.02, (given + right) / 2)
            yield f"{where} at a share of {kept:.2f} the loss still keeps both tokens"
        if K > 2 and close(given, 0.5 + 0.5 * (e - 1) / (e + 1), tolerance=2e-3):
            yield f"{where} the {K - 2} absent tokens stand in the softmax, too, with logit 0"
        yield f"{where} the favourite has everything already at {right:.3f}"
    return "with a large vocabulary the smallest majority takes all, unless t is below 1/ln K."


@checker
def bad_start(W0: ArrayLike) -> Hints:
    """A start from which plain descent on one race recovers with log-loss, not with squared loss.

    >>> bad_start([[0, 0], [0, 0]])
    hint: from here the squared loss gives the winner 0.99 of the attention after 1,000 steps: \
start where the winner has almost none
    """
    start = check_weights(W0, 2)
    squared, log = (_mass_of_the_winner(start, loss) for loss in ("squared", "log"))
    if squared > 0.01:
        given = f"from here the squared loss gives the winner {squared:.2f} of the attention"
        yield f"{given} after 1,000 steps: start where the winner has almost none"
    if log < 0.9:
        gains = "which gains at most two units of margin per step"
        has = f"has only {log:.2f} after 1,000 steps"
        yield f"so far that even the log-loss, {gains}, {has}: come closer"
    return "the same valley, the same start: one loss hears the lost race, the other does not."


def _mass_of_the_winner(start: Floats, loss: str) -> float:
    plain = partial(gradient_descent, steps=PATIENCE, step_size=1.0, normalized=False, record=2)
    return float(token_mass(plain(RACE, np.eye(2), loss=loss, W0=start).W, np.eye(2), [0, 1])[0])
