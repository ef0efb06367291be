"""Checkers of chapter 1: what can one layer say at all?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nta_book.exercises.verdict import Verdict, checker, close, hint, ok
from nta_core.data import embeddings


@checker
def softmax_by_hand(mass: Sequence[float]) -> Verdict:
    """Check the masses of e1, e2, e3 in e2 e3 e2 e2 e1 for scores 0, log 3, log 2.

    Examples
    --------
    >>> softmax_by_hand([1 / 6, 3 / 6, 2 / 6])
    hint: e2 stands there three times: every place is a ticket of its own

    Explained in: chapter 1. Paper: Sec. 2, eq. 1.
    """
    if np.shape(mass) != (3,):
        return hint("write three numbers: the masses of e1, e2 and e3")
    if close(mass, [1 / 12, 9 / 12, 2 / 12]):
        return ok("tickets are count times e to the score; softmax only divides by their sum")
    if close(mass, [1 / 6, 3 / 6, 2 / 6]):
        return hint("e2 stands there three times: every place is a ticket of its own")
    if close(mass, [0.2, 0.6, 0.2]):
        return hint("these are the counts alone, as with W = 0: the scores are missing")
    if not close(np.sum(mass), 1):
        return hint(f"attention sums to 1, yours to {np.sum(mass):.3g}")
    return hint("the tickets of a token are its count times e to its score, and e^(log 3) = 3")


@checker
def out_of_reach(bounds: Sequence[float]) -> Verdict:
    """Check the least upper bounds of the masses of e1…e4 in the context e1 e2 e1.

    Examples
    --------
    >>> out_of_reach([1, 1, 1, 1])
    hint: e3 is not in the context: over which positions would its mass be summed?

    Explained in: chapter 1. Paper: Assumption 2.
    """
    if np.shape(bounds) != (4,):
        return hint("write four numbers, one for each of e1, e2, e3 and e4")
    for token in (2, 3):
        if not close(bounds[token], 0):
            absent = f"e{token + 1} is not in the context"
            return hint(f"{absent}: over which positions would its mass be summed?")
    if close(bounds, [2 / 3, 1 / 3, 0, 0]):
        return hint("these are the masses for W = 0: now let W grow")
    for token in (0, 1):
        if not close(bounds[token], 1):
            return hint(f"give e{token + 1} a score far above the other: what does softmax do?")
    return ok("a token in sight can take nearly all, a token out of sight can take nothing")


@checker
def tied_head(head: object) -> Verdict:
    """Check that a function returns, for any embeddings, the head that reads attention mass.

    Examples
    --------
    >>> tied_head(lambda E: E)
    hint: row 1 of C sees e2 with -0.09: C Eᵀ should be the identity

    Explained in: chapter 1. Paper: Assumption 1.
    """
    if not callable(head):
        return hint("write a function of E")
    for seed, (K, d) in enumerate([(4, 6), (3, 3), (5, 8)]):
        E = embeddings(K, d, seed=seed)
        C = np.asarray(head(E.copy()), dtype=float)
        if C.shape != (K, d):
            return hint(f"for E of shape {(K, d)} the head has shape {(K, d)}, yours has {C.shape}")
        sight = C @ E.T
        wrong = np.argwhere(~np.isclose(sight, np.eye(K), atol=1e-6))
        if len(wrong):
            y, k = wrong[0]
            seen = f"row {y + 1} of C sees e{k + 1} with {sight[y, k]:.2f}"
            return hint(f"{seen}: C Eᵀ should be the identity")
    return ok("C f = C Eᵀ P = P: the loss reads the mass of the label and nothing else")


@checker
def notices_order(my_attention: object) -> Verdict:
    """Check that an attention is a distribution over positions and depends on their order.

    Examples
    --------
    >>> from nta_core import attention
    >>> notices_order(attention)
    hint: e2 e3 e1 and e3 e2 e1 give e2 the same mass: nothing depends on the place yet

    Explained in: chapter 1. Paper: Sec. 2.
    """
    if not callable(my_attention):
        return hint("write a function of W, E and a context")
    E, W = embeddings(3, 4, seed=0), np.random.default_rng(0).normal(size=(4, 4))
    masses = []
    for context in ([1, 2, 0], [2, 1, 0]):
        weights = np.asarray(my_attention(W.copy(), E.copy(), list(context)), dtype=float)
        if weights.shape != (3,):
            return hint(f"three positions need weights of shape (3,), yours has {weights.shape}")
        if not (np.all(weights > 0) and np.isclose(weights.sum(), 1)):
            return hint("the weights must be positive and sum to 1: end with a softmax")
        masses.append(weights[context.index(1)])
    if np.isclose(*masses):
        return hint("e2 e3 e1 and e3 e2 e1 give e2 the same mass: nothing depends on the place yet")
    return ok(
        "with positions the layer reads sequences, and one graph per last token is too little"
    )
