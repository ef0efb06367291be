"""Where one attention layer looks: softmax(X W x̄), per position and per token."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Floats, check_context, check_embeddings, check_weights


def attention(W: ArrayLike, E: ArrayLike, context: ArrayLike) -> Floats:
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
        Token ids; the last one is the query.

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
    table = np.asarray(E)
    checked = check_embeddings(table, len(table) if table.ndim else 0)
    weights = check_weights(W, checked.shape[1])
    tokens = check_context(context, len(checked))
    scores = checked[tokens] @ (weights @ checked[tokens[-1]])
    tickets: Floats = np.exp(scores - scores.max())
    weights_by_position: Floats = tickets / tickets.sum()
    return weights_by_position


def token_mass(W: ArrayLike, E: ArrayLike, context: ArrayLike) -> Floats:
    """Return the attention mass of every token of the vocabulary, shape (K,).

    The sum of the attention weights over the positions that hold the token: what a tied head
    (Assumption 1) reads.  A token that is not in the context has mass 0.

    Examples
    --------
    >>> import numpy as np
    >>> token_mass(np.zeros((3, 3)), np.eye(3), [0, 1, 0, 0])
    array([0.75, 0.25, 0.  ])

    Explained in: chapter 1. Paper: Sec. 2.3, App. D.2.
    """
    weights = attention(W, E, context)
    mass: Floats = np.zeros(len(np.asarray(E)))
    np.add.at(mass, np.asarray(context), weights)
    return mass
