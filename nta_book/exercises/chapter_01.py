"""Checkers of chapter 1: what can one layer say at all?"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nta_book.exercises.verdict import Hints, checker, close
from nta_core.data import embeddings


@checker
def softmax_by_hand(mass: Sequence[float]) -> Hints:
    """Check the masses of e1, e2, e3 in e2 e3 e2 e2 e1 for scores 0, log 3, log 2.

    >>> softmax_by_hand([1 / 6, 3 / 6, 2 / 6])
    hint: e2 stands there three times: every place is a ticket of its own
    """
    if np.shape(mass) != (3,):
        yield "write three numbers: the masses of e1, e2 and e3"
    if not close(mass, [1 / 12, 9 / 12, 2 / 12]):
        if close(mass, [1 / 6, 3 / 6, 2 / 6]):
            yield "e2 stands there three times: every place is a ticket of its own"
        if close(mass, [0.2, 0.6, 0.2]):
            yield "these are the counts alone, as with W = 0: the scores are missing"
        if not close(np.sum(mass), 1):
            yield f"attention sums to 1, yours to {np.sum(mass):.3g}"
        yield "the tickets of a token are its count times e to its score, and e^(log 3) = 3"
    return "tickets are count times e to the score; softmax only divides by their sum"


@checker
def out_of_reach(bounds: Sequence[float]) -> Hints:
    """Check the least upper bounds of the masses of e1…e4 in the context e1 e2 e1.

    >>> out_of_reach([1, 1, 1, 1])
    hint: e3 is not in the context: over which positions would its mass be summed?
    """
    if np.shape(bounds) != (4,):
        yield "write four numbers, one for each of e1, e2, e3 and e4"
    for token in (2, 3):
        if not close(bounds[token], 0):
            where = "over which positions would its mass be summed?"
            yield f"e{token + 1} is not in the context: {where}"
    if close(bounds, [2 / 3, 1 / 3, 0, 0]):
        yield "these are the masses for W = 0: now let W grow"
    for token in (0, 1):
        if not close(bounds[token], 1):
            yield f"give e{token + 1} a score far above the other: what does softmax do?"
    return "a token in sight can take nearly all, a token out of sight can take nothing"


@checker
def tied_head(head: Any) -> Hints:
    """Check that a function returns, for any embeddings, the head that reads attention mass.

    >>> tied_head(lambda E: E)
    hint: row 1 of C sees e2 with -0.09: C Eᵀ should be the identity
    """
    if not callable(head):
        yield "write a function of E"
    for seed, (K, d) in enumerate([(4, 6), (3, 3), (5, 8)]):
        E = embeddings(K, d, seed=seed)
        C = np.asarray(head(E.copy()), dtype=float)
        if C.shape != (K, d):
            yield f"for E of shape {(K, d)} the head has shape {(K, d)}, yours has {C.shape}"
        sight = C @ E.T
        wrong = np.argwhere(~np.isclose(sight, np.eye(K), atol=1e-6))
        if len(wrong):
            y, k = wrong[0]
            seen = f"row {y + 1} of C sees e{k + 1} with {sight[y, k]:.2f}"
            yield f"{seen}: C Eᵀ should be the identity"
    return "C f = C Eᵀ P = P: the loss reads the mass of the label and nothing else"


@checker
def notices_order(my_attention: Any) -> Hints:
    """Check that an attention is a distribution over positions and depends on their order.

    >>> from nta_core import attention
    >>> notices_order(attention)
    hint: e2 e3 e1 and e3 e2 e1 give e2 the same mass: nothing depends on the place yet
    """
    if not callable(my_attention):
        yield "write a function of W, E and a context"
    E, W = embeddings(3, 4, seed=0), np.random.default_rng(0).normal(size=(4, 4))
    masses = []
    for context in ([1, 2, 0], [2, 1, 0]):
        weights = np.asarray(my_attention(W.copy(), E.copy(), list(context)), dtype=float)
        if weights.shape != (3,):
            yield f"three positions need weights of shape (3,), yours has {weights.shape}"
        if not (np.all(weights > 0) and np.isclose(weights.sum(), 1)):
            yield "the weights must be positive and sum to 1: end with a softmax"
        masses.append(weights[context.index(1)])
    if np.isclose(*masses):
        yield "e2 e3 e1 and e3 e2 e1 give e2 the same mass: nothing depends on the place yet"
    return "with positions the layer reads sequences, and one graph per last token is too little"
