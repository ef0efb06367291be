"""Where one attention layer looks: softmax(X W x̄), per position and per token."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import (
    Floats,
    a,
    check_context,
    check_embeddings,
    check_weights,
    reals,
    room_for,
)
from nta_core.data import Dataset
from nta_core.errors import DataError


def attention(
    W: ArrayLike, E: ArrayLike, context: ArrayLike, *, names: Sequence[str] | None = None
) -> Floats:
    """Return the attention weights softmax(X W x̄) of a context, one per position.

    The last token x̄ asks, every token answers with its score e_jᵀ W x̄.  There is no positional
    encoding: equal tokens get equal weights.

    Parameters
    ----------
    W : array of shape (d, d)
        Merged key-query matrix.
    E : array of shape (K, d)
        Token embeddings.
    context : ints of shape (T,)
        Token ids or names; the last one is the query.
    names : sequence of K texts, optional
        What people call the tokens; e1, e2, … by default.

    Returns
    -------
    array of shape (T,)
        Positive weights with sum 1.  Scores are shifted by their largest before the exponential,
        so that no ‖W‖ overflows.

    Examples
    --------
    >>> import numpy as np
    >>> attention(np.diag([0.0, np.log(3)]), np.eye(2), [0, 1])
    array([0.25, 0.75])

    Explained in: chapter 1. Paper: Sec. 2, eq. 1.
    """
    checked = check_embeddings(E)
    tokens = check_context(context, len(checked), names)
    return _attention(check_weights(W, checked.shape[1]), checked[tokens])


def _attention(W: Floats, X: Floats) -> Floats:
    return softmax(X @ (W @ X[-1]))


def token_mass(
    W: ArrayLike, E: ArrayLike, context: ArrayLike, *, names: Sequence[str] | None = None
) -> Floats:
    """Return the attention mass of every token of the vocabulary, shape (K,).

    The sum of the attention weights over the positions that hold the token: what a tied head
    (Assumption 1) reads.  A token that is not in the context has mass 0.  Arguments as in
    `attention`.

    Examples
    --------
    >>> import numpy as np
    >>> token_mass(np.zeros((3, 3)), np.eye(3), [0, 1, 0, 0])
    array([0.75, 0.25, 0.  ])

    Explained in: chapter 1. Paper: Sec. 2.3, App. D.2.
    """
    checked = check_embeddings(E)
    tokens = check_context(context, len(checked), names)
    mass: Floats = np.zeros(len(checked))
    np.add.at(mass, tokens, _attention(check_weights(W, checked.shape[1]), checked[tokens]))
    return mass


def attention_masses(dataset: Dataset, W: ArrayLike, E: ArrayLike) -> Floats:
    """Return the attention mass of every token in every sequence of a dataset, shape (n, K).

    Row i is ``token_mass(W, E, dataset.sequences[i])``; labels are not read.

    Parameters
    ----------
    dataset : Dataset
        Sequences.
    W : array of shape (..., d, d)
        One matrix, or many of them, such as the path of a run: masses then have shape (..., n, K).
    E : array of shape (K, d)
        Token embeddings.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> attention_masses(FIG3, np.zeros((4, 4)), np.eye(4))[0].round(3)
    array([0.667, 0.333, 0.   , 0.   ])

    Explained in: chapter 4. Paper: Sec. 2.3, App. D.2.
    """
    checked = check_embeddings(E, a(Dataset, dataset, "dataset", error=DataError).K)
    weights = check_weights(W, checked.shape[1], many=True)
    many = max(1, weights.size // checked.shape[1] ** 2)
    needed = 8.0 * (3 * many + 2) * dataset.n * dataset.K
    room_for(needed, "attention masses of shape (…, n, K)", instead="ask of a subset of rows")
    with np.errstate(divide="ignore"):
        log_counts = np.log(dataset.counts)
    return masses_of_counts(weights, checked, checked[dataset.lasts], log_counts)


def masses_of_counts(W: Floats, E: Floats, queries: Floats, log_counts: Floats) -> Floats:
    """Attention mass per row and token, shape (..., n, K).

    Queries are the rows' last tokens embedded, shape (..., n, d); `log_counts` are the logs of
    their token counts up to a constant per row, shape (..., n, K), −∞ for absent tokens.
    """
    return softmax((queries @ np.swapaxes(W, -1, -2)) @ np.swapaxes(E, -1, -2) + log_counts)


def softmax(z: Floats) -> Floats:
    """e^z / Σ e^z over the last axis; no score is too large."""
    tickets: Floats = np.exp(z - z.max(axis=-1, keepdims=True))
    tickets /= tickets.sum(axis=-1, keepdims=True)
    return tickets


def cosine(A: ArrayLike, B: ArrayLike) -> float:
    """Return the cosine of the angle between two vectors or matrices; nan if one of them is 0.

    Examples
    --------
    >>> import numpy as np
    >>> round(cosine(np.eye(2), [[1, 0], [0, 0]]), 4), cosine([1, 2], [0, 0])
    (0.7071, nan)

    Explained in: chapter 2. Paper: Sec. 3.
    """
    one, other = reals(A, "A", error=DataError), reals(B, "B", error=DataError)
    if one.shape != other.shape:
        shapes = f"{one.shape} and {other.shape}"
        raise DataError(f"a cosine needs two arrays of one shape, got {shapes}")
    if not (one.any() and other.any()):
        return math.nan
    one, other = one / np.abs(one).max(), other / np.abs(other).max()  # squares neither 0 nor ∞
    return float(np.vdot(one, other) / (np.linalg.norm(one) * np.linalg.norm(other)))
