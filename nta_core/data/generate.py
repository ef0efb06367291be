"""Random datasets and token embeddings, as the paper's experiments draw them (App. D.1)."""

from __future__ import annotations

import numpy as np

from nta_core.boundary import MAX_K, Floats, Ints, flag, number, one_of, room_for, seed_of, whole
from nta_core.data.dataset import Dataset
from nta_core.errors import DataError, EmbeddingError, OptionError

KINDS = ("any", "acyclic", "cyclic")
EMBEDDINGS = ("random", "orthonormal", "equicorrelated")
TRIES = 1000  # a cyclic dataset is drawn again and again; beyond this it is as good as impossible


def random_dataset(
    n: int, T: int, K: int, *, kind: str = "any", same_last: bool = False, seed: int
) -> Dataset:
    """Draw n random races of T tokens from a vocabulary of K.

    Tokens differ within a sequence as long as T ≤ K; a longer sequence holds every token once and
    T − K repetitions, the last token among them (this is how the authors draw).

    Parameters
    ----------
    kind : {"any", "acyclic", "cyclic"}
        ``"any"``: each label is a random token of its sequence.  ``"acyclic"``: a random ranking
        per last token decides every race, so no league has two tokens.  ``"cyclic"``: like
        ``"any"``, drawn until at least one league has two tokens.
    same_last : bool
        Whether every sequence ends with token 0 (one track only).
    seed : int
        Equal seeds give equal datasets.

    Examples
    --------
    >>> random_dataset(6, 4, 6, kind="cyclic", seed=1)
    Dataset(6 sequences, K=6)

    Explained in: chapters 3 and 4. Paper: App. D.1.
    """
    one_of(kind, "kind", KINDS)
    flag(same_last, "same_last")
    n, T = (whole(v, name, least=1, error=DataError) for name, v in (("n", n), ("T", T)))
    K = whole(K, "K", least=1, most=MAX_K, error=DataError)
    width = K if T * T > K else T  # what `_distinct` draws
    room_for(40.0 * n * max(T, width), "a random dataset", instead="draw fewer or shorter rows")
    rng = np.random.default_rng(seed_of(seed))
    for _ in range(TRIES):
        tokens = _draw_tokens(rng, n, T, K, same_last)
        if kind == "acyclic":
            return Dataset(tokens, _ranked_labels(rng, tokens, K), K=K)
        labels = tokens[np.arange(n), rng.integers(T, size=n)]
        data = Dataset(tokens, labels, K=K)
        if kind == "any" or _has_a_circle(data):
            return data
    raise DataError(
        f"no cyclic dataset in {TRIES} draws of n={n}, T={T}, K={K}: two tokens must beat each "
        "other on one track, so use more sequences, fewer tokens, or same_last=True"
    )


def _draw_tokens(rng: np.random.Generator, n: int, T: int, K: int, same_last: bool) -> Ints:
    if T > K:
        tokens = np.concatenate([_distinct(rng, n, K, K), rng.integers(K, size=(n, T - K))], axis=1)
        if same_last:
            tokens[:, -1] = 0
        return tokens
    if not same_last:
        return _distinct(rng, n, T, K)
    zeros = np.zeros((n, 1), dtype=np.int64)
    if T == 1:
        return zeros
    return np.concatenate([1 + _distinct(rng, n, T - 1, K - 1), zeros], axis=1)


def _distinct(rng: np.random.Generator, n: int, T: int, K: int) -> Ints:
    """Rows of T different tokens, uniformly among all such rows."""
    if T * T > K:  # dense rows: redrawing rows with a repetition would take forever
        return rng.permuted(np.broadcast_to(np.arange(K), (n, K)), axis=1)[:, :T].copy()
    tokens = rng.integers(K, size=(n, T))
    while True:
        ordered = np.sort(tokens, axis=1)
        again = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
        if not len(again):
            return tokens
        tokens[again] = rng.integers(K, size=(len(again), T))


def _ranked_labels(rng: np.random.Generator, tokens: Ints, K: int) -> Ints:
    """The winner of each race under one random ranking per last token."""
    labels = np.empty(len(tokens), dtype=np.int64)
    for last in np.unique(tokens[:, -1]):
        rows = np.flatnonzero(tokens[:, -1] == last)
        best = rng.permutation(K)[tokens[rows]].argmax(axis=1)
        labels[rows] = tokens[rows, best]
    return labels


def _has_a_circle(data: Dataset) -> bool:
    """Whether wins go round on some track: then a component of the graph has two tokens."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    track = data.lasts[data.rows] * data.K
    ends = np.stack([track + data.targets[data.rows], track + data.tokens])
    nodes, (winners, losers) = np.unique(ends, return_inverse=True)
    graph = coo_array((np.ones(len(winners)), (winners, losers)), shape=(len(nodes), len(nodes)))
    leagues, _ = connected_components(graph, directed=True, connection="strong")
    return bool(leagues < len(nodes))


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
    one_of(kind, "kind", EMBEDDINGS)
    K, d = (whole(v, name, least=1, error=EmbeddingError) for name, v in (("K", K), ("d", d)))
    rho = number(rho, "rho")
    room_for(24.0 * K * d, f"{K} embeddings in {d} dimensions", instead="choose smaller K or d")
    if kind == "random":
        E = np.random.default_rng(seed_of(seed)).standard_normal((K, d))
        E /= np.linalg.norm(E, axis=1, keepdims=True)
        return E
    if d < K:
        raise EmbeddingError(
            f"{K} {kind} embeddings need d ≥ {K} dimensions, got d={d}: raise d or use "
            "kind='random'"
        )
    if kind == "orthonormal":
        return np.eye(K, d)
    lowest = -1 / (K - 1) if K > 1 else -1.0
    if not lowest < rho < 1:
        raise OptionError(
            f"rho={rho}: {K} vectors can share an inner product only in ({lowest:.3g}, 1)"
        )
    root = np.sqrt(1 - rho)
    # the symmetric square root of (1 − ρ)I + ρ11ᵀ, written out
    square = root * np.eye(K) + (np.sqrt(1 - rho + K * rho) - root) / K
    return np.pad(square, ((0, 0), (0, d - K)))
