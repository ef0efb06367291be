"""Token embeddings, as the paper's experiments draw them (App. D.1)."""

from __future__ import annotations

import numpy as np

from nta_core.data.checks import Floats
from nta_core.errors import EmbeddingError, OptionError

KINDS = ("random", "orthonormal", "equicorrelated")


def embeddings(K: int, d: int, *, kind: str = "random", rho: float = 0.5, seed: int = 0) -> Floats:
    """Return K unit-norm token embeddings in d dimensions, shape (K, d).

    Parameters
    ----------
    kind : {"random", "orthonormal", "equicorrelated"}
        ``"random"``: uniform on the unit sphere, as in the paper.  ``"orthonormal"``: the first K
        coordinate axes, so that W itself is the matrix of scores.  ``"equicorrelated"``: every two
        tokens have inner product `rho`.  The last two need d ≥ K and take no part of `seed`.

    Examples
    --------
    >>> embeddings(2, 3, kind="orthonormal")
    array([[1., 0., 0.],
           [0., 1., 0.]])

    Explained in: chapter 1. Paper: App. D.1.
    """
    if kind not in KINDS:
        raise OptionError(f"kind={kind!r}: choose one of {', '.join(KINDS)}")
    if min(K, d) < 1:
        raise EmbeddingError(f"K={K}, d={d}: both must be at least 1")
    if kind == "random":
        E = np.random.default_rng(seed).standard_normal((K, d))
        E /= np.linalg.norm(E, axis=1, keepdims=True)
        return E
    if d < K:
        raise EmbeddingError(
            f"{K} {kind} embeddings need d ≥ {K} dimensions, got d={d}: raise d or use "
            "kind='random'"
        )
    if kind == "orthonormal":
        return np.eye(K, d)
    return _equicorrelated(K, d, rho)


def _equicorrelated(K: int, d: int, rho: float) -> Floats:
    lowest = -1 / (K - 1) if K > 1 else -1.0
    if not lowest < rho < 1:
        raise OptionError(
            f"rho={rho}: {K} vectors can share an inner product only in ({lowest:.3g}, 1)"
        )
    root = np.sqrt(1 - rho)
    # the symmetric square root of (1 − ρ)I + ρ11ᵀ, written out
    square = root * np.eye(K) + (np.sqrt(1 - rho + K * rho) - root) / K
    return np.pad(square, ((0, 0), (0, d - K)))
