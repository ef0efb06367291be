"""Texts that each come from a Markov chain of their own, and predictions from counts alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, Ints, generator, integers, number, reals, room_for, whole
from nta_core.errors import DataError

MOST_TOKENS = 1_000
GRADED, GRADED_SEED = 256, 20_240_216


def random_chains(n: int, K: int, *, seed: int | np.random.Generator) -> Floats:
    """Draw n transition matrices, shape (n, K, K); every row is uniform among all distributions.

    Entry (i, j) is the probability that token j follows token i.

    Examples
    --------
    >>> random_chains(2, 3, seed=0).sum(axis=2)
    array([[1., 1., 1.],
           [1., 1., 1.]])

    Explained in: chapter 21.
    """
    whole(n, "n", least=1)
    whole(K, "K", least=2, most=MOST_TOKENS)
    room_for(48.0 * n * K * K, f"{n:,} chains of {K:,} tokens", instead="draw fewer")
    return generator(seed).dirichlet(np.ones(K), size=(n, K))


def markov_texts(chains: ArrayLike, T: int, *, seed: int | np.random.Generator) -> Ints:
    """Draw one text of T tokens from each chain, shape (n, T); the first token is uniform.

    Parameters
    ----------
    chains : array of shape (n, K, K)
        Transition matrices: rows of probabilities.
    T : int
        Number of tokens.

    Examples
    --------
    >>> markov_texts([[[0, 1, 0], [0, 0, 1], [1, 0, 0]]], 7, seed=0)
    array([[2, 0, 1, 2, 0, 1, 2]])

    Explained in: chapter 21.
    """
    upto = np.cumsum(check_chains(chains), axis=2)
    (n, K, _), rng = upto.shape, generator(seed)
    whole(T, "T", least=1)
    room_for(24.0 * n * (T + K), f"{n:,} texts of {T:,} tokens", instead="draw fewer")
    texts = np.empty((n, T), dtype=np.int64)
    texts[:, 0] = rng.integers(K, size=n)
    row = np.arange(n)
    for t in range(1, T):
        passed = rng.random((n, 1)) >= upto[row, texts[:, t - 1]]
        texts[:, t] = np.minimum(passed.sum(axis=1), K - 1)  # a row may add up to 1 - 1e-16
    return texts


def graded_texts(K: int, T: int) -> Ints:
    """Return texts from chains of their own that no training sees, always the same: (256, T).

    Examples
    --------
    >>> graded_texts(3, 64).shape
    (256, 64)

    Explained in: chapter 21.
    """
    rng = np.random.default_rng(GRADED_SEED)
    return markov_texts(random_chains(GRADED, K, seed=rng), T, seed=rng)


def cycle_texts(n: int, K: int, T: int, *, seed: int) -> Ints:
    """Draw n texts, each of which walks again and again through all tokens in an order of its own.

    Examples
    --------
    >>> cycle_texts(2, 4, 10, seed=0)
    array([[2, 0, 1, 3, 2, 0, 1, 3, 2, 0],
           [3, 2, 1, 0, 3, 2, 1, 0, 3, 2]])

    Explained in: chapter 21.
    """
    whole(n, "n", least=1)
    whole(K, "K", least=2, most=MOST_TOKENS)
    whole(T, "T", least=1)
    room_for(24.0 * n * (T + K), f"{n:,} texts of {T:,} tokens", instead="draw fewer")
    orders = generator(seed).permuted(np.tile(np.arange(K), (n, 1)), axis=1)
    return np.asarray(orders[:, np.arange(T) % K])


def unigram(texts: ArrayLike, K: int, *, prior: float = 1.0) -> Floats:
    """Predict by how often each token stood in the text so far, shape (n, T, K).

    Entry (i, t) is the prediction after token t of text i: count + prior, as shares.

    Examples
    --------
    >>> unigram([[0, 1, 0]], 2)[0]
    array([[0.66666667, 0.33333333],
           [0.5       , 0.5       ],
           [0.6       , 0.4       ]])

    Explained in: chapter 21.
    """
    seen = _marks(texts, K).cumsum(axis=1) + number(prior, "prior", above=0, most=1e9)
    return np.asarray(seen / seen.sum(axis=2, keepdims=True))


def bigram(texts: ArrayLike, K: int, *, prior: float = 1.0) -> Floats:
    """Predict by what followed the present token in the text so far, shape (n, T, K).

    With `prior` 1 this is the best prediction there is for `random_chains` if the first token is
    drawn independently of the chain: the mean of the row of the transition matrix, given the text.

    Examples
    --------
    >>> bigram([[0, 1, 0]], 2)[0]
    array([[0.5       , 0.5       ],
           [0.5       , 0.5       ],
           [0.33333333, 0.66666667]])

    Explained in: chapter 21.
    """
    marks = _marks(texts, K)
    followed = np.zeros((*marks.shape, K))  # entry (i, t, a, b): b stood after a until t
    room_for(8.0 * followed.size * 2, "counts of pairs", instead="predict fewer texts")
    followed[:, 1:] = marks[:, :-1, :, None] * marks[:, 1:, None, :]
    present = np.asarray(texts)[:, :, None, None]
    row = np.take_along_axis(followed.cumsum(axis=1), present, axis=2)[:, :, 0]
    row += number(prior, "prior", above=0, most=1e9)
    return np.asarray(row / row.sum(axis=2, keepdims=True))


def mean_loss(probabilities: ArrayLike, texts: ArrayLike) -> float:
    """Return the mean of -log p(next token) over all tokens of the texts but the first.

    Parameters
    ----------
    probabilities : array of shape (n, T, K)
        Predictions after each token; those after the last one are not graded.
    texts : array of shape (n, T)
        What did follow.

    Examples
    --------
    >>> texts = cycle_texts(4, 3, 30, seed=0)
    >>> [round(mean_loss(rule(texts, 3), texts), 3) for rule in (unigram, bigram)]
    [1.188, 0.427]

    Explained in: chapter 21.
    """
    shares = _shares(probabilities)
    _marks(texts, shares.shape[2])
    following = np.asarray(texts)[:, 1:, None]
    if shares.shape[:2] != np.shape(texts) or not following.size:
        raise DataError("probabilities of shape (n, T, K) for texts of shape (n, T), T 2 or more")
    given = np.take_along_axis(shares[:, :-1], following, axis=2)
    if given.min() <= 0:
        raise DataError("a token that did follow had probability 0: its loss is infinite")
    return float(-np.log(given).mean())


def divergence(rule: ArrayLike, model: ArrayLike) -> float:
    """Return the mean Kullback–Leibler divergence of a model's predictions from those of a rule.

    Both have shape (n, T, K); 0 says that the model does what the rule does.

    Examples
    --------
    >>> texts = cycle_texts(4, 3, 30, seed=0)
    >>> round(divergence(bigram(texts, 3), unigram(texts, 3)), 2)
    0.34

    Explained in: chapter 21.
    """
    wanted, given = _shares(rule), _shares(model)
    if wanted.shape != given.shape:
        raise DataError(f"predictions of shapes {wanted.shape} and {given.shape}: of one shape")
    if given.min() <= 0 or wanted.min() <= 0:
        raise DataError("a prediction of probability 0: the divergence may be infinite")
    return float((wanted * np.log(wanted / given)).sum(axis=2).mean())


def check_chains(chains: ArrayLike) -> Floats:
    """Return transition matrices as an array of shape (n, K, K), or say what is wrong."""
    found = reals(chains, "chains", error=DataError)
    if found.ndim != 3 or found.shape[1] != found.shape[2] or found.shape[1] < 2 or not len(found):
        raise DataError(f"chains must have shape (n, K, K), K 2 or more, got {found.shape}")
    if found.min() < 0 or np.abs(found.sum(axis=2) - 1).max() > 1e-9:
        raise DataError("chains: every row must hold probabilities that add up to 1")
    return found


def _marks(texts: ArrayLike, K: int) -> Floats:
    """Texts as vectors with a single 1, shape (n, T, K)."""
    whole(K, "K", least=2, most=MOST_TOKENS)
    ids = integers(texts, "texts")
    if ids.ndim != 2 or not ids.size:
        raise DataError(f"texts must have shape (n, T), got {ids.shape}")
    if not 0 <= ids.min() <= ids.max() < K:
        raise DataError(f"texts hold token ids from 0 to K − 1 = {K - 1}")
    room_for(8.0 * ids.size * K, f"{len(ids):,} texts", instead="take fewer")
    return np.asarray(np.eye(K)[ids])


def _shares(values: ArrayLike) -> Floats:
    found = reals(values, "probabilities", error=DataError)
    if found.ndim != 3 or found.shape[2] < 2 or not found.size:
        raise DataError(f"probabilities must have shape (n, T, K), got {found.shape}")
    if found.min() < 0 or np.abs(found.sum(axis=2) - 1).max() > 1e-6:
        raise DataError("probabilities: no number below 0, every prediction adds up to 1")
    return found
