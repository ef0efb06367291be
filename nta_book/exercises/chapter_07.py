"""Checkers of chapter 7: what is frozen, what is orthogonal, and what is not convex."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from nta_book.exercises.verdict import Hints, checker, close
from nta_core import FIG8, embeddings, loss_value
from nta_core.boundary import Floats, check_weights


@checker
def frozen(dimensions: int) -> Hints:
    """In how many of its 25 dimensions W never moves on the four races of the exercise.

    >>> frozen(4)
    hint: 4 is the number of dimensions that do move; the question is about the others
    """
    if isinstance(dimensions, bool) or not 0 <= int(dimensions) == dimensions <= 25:
        yield "a whole number from 0 to 25"
    if dimensions == 4:
        yield "4 is the number of dimensions that do move; the question is about the others"
    if dimensions == 20:
        yield "20 lets the race of e5 against itself move W: what does it compare?"
    if dimensions != 21:
        tracks = "track e3 sees four tokens, track e2 two, track e5 one"
        yield f"{tracks}: how many independent differences do four scores have?"
    return "3 differences on track e3 and 1 on track e2 move; 21 dimensions remember W(0)."


@checker
def inner_product(inner: Callable[[Floats, Floats, int, int, int], float]) -> Hints:
    """A function for the inner product of W with (e_i − e_j) e_kᵀ.

    >>> inner_product(lambda W, E, i, j, k: float(E[i] @ W @ E[k]))
    hint: that is the score of token i alone; subtract the score of token j on the same track
    """
    rng = np.random.default_rng(7)
    for seed in range(3):
        W, E = rng.standard_normal((5, 5)), embeddings(4, 5, seed=seed)
        i, j, k = rng.permutation(4)[:3].tolist()
        given = float(inner(W.copy(), E.copy(), i, j, k))
        direction = np.outer(E[i] - E[j], E[k])
        if close(given, np.vdot(W, direction), tolerance=1e-9):
            continue
        if close(given, E[i] @ W @ E[k], tolerance=1e-9):
            other = "subtract the score of token j on the same track"
            yield f"that is the score of token i alone; {other}"
        if close(given, np.vdot(W.T, direction), tolerance=1e-9):
            yield "W is transposed: its left side meets e_i − e_j, its right side the query"
        if close(given, -np.vdot(W, direction), tolerance=1e-9):
            yield "the sign: token i comes with plus"
        yield "multiply W entry by entry with the matrix (e_i − e_j) e_kᵀ and add up"
    return "the inner product is the margin of i over j, and on ties W_svm has margin 0."


@checker
def not_convex(A: ArrayLike, B: ArrayLike) -> Hints:
    """Two (4, 4) matrices between which the squared loss of FIG8 bulges upwards.

    >>> not_convex(np.eye(4), np.eye(4))
    hint: A and B are the same matrix: there is nothing between them
    """
    ends = [check_weights(matrix, 4) for matrix in (A, B)]
    if np.abs(ends[0] - ends[1]).max() < 1e-9:
        yield "A and B are the same matrix: there is nothing between them"
    middle = (ends[0] + ends[1]) / 2
    at_a, at_b, between = (loss_value(W, FIG8, np.eye(4), loss="squared") for W in (*ends, middle))
    if between <= (at_a + at_b) / 2 + 1e-9:
        seen = f"the loss is {at_a:.3f} at A, {at_b:.3f} at B and {between:.3f} half way"
        flat = "Where along t·W_svm is the squared loss flat?"
        yield f"{seen}: that is not above the mean. {flat}"
    return "one chord below its curve is enough: the squared loss is not convex."


@checker
def one_league(W: ArrayLike) -> Hints:
    """Where descent ends on a b → a (3×), a b → b (1×), one-hot, from W(0) = I.

    >>> one_league([[1, 0], [0, 1]])
    hint: the odds of a over b after b must become 3 : 1, yours are 0.37 : 1
    """
    end = check_weights(W, 2)
    odds = float(np.exp(end[0, 1] - end[1, 1]))
    if abs(odds - 3) > 0.02:
        yield f"the odds of a over b after b must become 3 : 1, yours are {odds:.2g} : 1"
    if not close(end[:, 0], [1, 0]):
        yield "no race ends with a, so the first column never moves from its start (1, 0)"
    if not close(end[:, 1].sum(), 1):
        total = "What is its sum, at the start and for ever?"
        yield f"only the difference of the second column moves. {total}"
    return "W_fin for the odds, the start for everything else, and nothing runs off."
