"""The risk of a head over still attention: cross-entropy, convex in the head."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.decoder.language import Language
from nta_core.boundary import EXTREME, Floats, a, reals
from nta_core.errors import EmbeddingError


def head_loss(language: Language, W: ArrayLike) -> float:
    """Return the mean cross-entropy of the next word when logits are W h.

    Parameters
    ----------
    language : Language
    W : array of shape (V, d)
        The head, one row per word.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> round(head_loss(talk, np.zeros((3, 2))), 4)  # ln 3
    1.0986

    Explained in: chapter 20.
    """
    W = check_head(language, W)
    return slope(W, language)[0]


def head_gradient(language: Language, W: ArrayLike) -> Floats:
    """Return the gradient of `head_loss`, shape (V, d).

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> head_gradient(talk, np.zeros((3, 2))).round(3)
    array([[-0.208,  0.167],
           [ 0.042,  0.167],
           [ 0.167, -0.333]])

    Explained in: chapter 20.
    """
    W = check_head(language, W)
    return slope(W, language)[1]


def check_head(language: Language, W: ArrayLike) -> Floats:
    """Return W as float64 of shape (V, d), or say what is wrong with it."""
    shape = len(a(Language, language, "language").words), language.contexts.shape[1]
    found = reals(W, "W")
    if found.shape != shape:
        raise EmbeddingError(f"W must have shape (V, d) = {shape}, got {found.shape}")
    if np.abs(found).max() > EXTREME**2:
        raise EmbeddingError("W has entries so large that its logits leave float64: divide it")
    return found


def slope(W: Floats, language: Language) -> tuple[float, Floats]:
    """Cross-entropy and its gradient."""
    H, P, shares = language.contexts, language.odds, language.shares
    loss, errors = errors_of(H @ W.T, P, shares)
    return loss, errors.T @ H


def errors_of(logits: Floats, P: Floats, shares: Floats) -> tuple[float, Floats]:
    """Cross-entropy of logits (m, V), and its gradient in them."""
    logits = logits - logits.max(axis=1, keepdims=True)
    answers = np.exp(logits)
    totals = answers.sum(axis=1, keepdims=True)
    loss = float(shares @ (np.log(totals[:, 0]) - (P * logits).sum(axis=1)))
    answers /= totals
    answers -= P
    answers *= shares[:, None]
    return loss, answers


def curvature(language: Language) -> float:
    """A bound on the curvature of the risk: half the largest eigenvalue of Σ π h hᵀ."""
    mixed = np.sqrt(language.shares)[:, None] * language.contexts
    return 0.5 * float(np.linalg.norm(mixed, 2)) ** 2
