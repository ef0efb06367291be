"""What neighbours in a chain tell about each other, and what a first gradient can see of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.induction.chains import check_chains, markov_texts
from nta_core.boundary import Floats, generator, number, room_for, whole
from nta_core.errors import DataError

WARM_UP = 50  # tokens after which a chain has forgotten how it began


def chi_square_information(chains: ArrayLike, lags: int) -> Floats:
    """Return the χ² mutual information of two tokens of a text, by their distance.

    Entry (i, d) is the sum of P(a, b)² / (P(a) P(b)) over all pairs of tokens, minus 1, for tokens
    d places apart in a long text from chain i; shape (n, lags + 1).  Two independent tokens have 0,
    a token and itself (d = 0) have K - 1, and it never grows with the distance.

    Parameters
    ----------
    chains : array of shape (n, K, K)
        Transition matrices of positive entries.
    lags : int
        The largest distance.

    Examples
    --------
    >>> chi_square_information([[[0.75, 0.25], [0.25, 0.75]]], 3)
    array([[1.      , 0.25    , 0.0625  , 0.015625]])

    Explained in: chapter 21.
    """
    steps, shares = _walks(chains, lags)
    squares = steps**2 * shares[:, None, :, None] / shares[:, None, None, :]
    return np.asarray(squares.sum(axis=(2, 3)) - 1)


def alikeness(chains: ArrayLike, lags: int) -> Floats:
    """Return how far pairs at some distance look like pairs of neighbours.

    Entry (i, d) is the sum of P(a) P(b follows a) P(b stands d places after a) / P(b) over all
    pairs of tokens, minus 1; shape (n, lags + 1).  For neighbours, d = 1, it is their χ² mutual
    information, and at a larger distance it is never more.  At d = 0 it is the trace of the chain
    minus 1, which may be more; over `random_chains` its mean is 0.

    Examples
    --------
    >>> alikeness([[[0.75, 0.25], [0.25, 0.75]]], 3)
    array([[0.5   , 0.25  , 0.125 , 0.0625]])

    Explained in: chapter 21.
    """
    steps, shares = _walks(chains, lags)
    both = check_chains(chains)[:, None] * steps * shares[:, None, :, None]
    return np.asarray((both / shares[:, None, None, :]).sum(axis=(2, 3)) - 1)


def first_gradient(chains: ArrayLike, T: int, *, seed: int, sharpness: float = 1.0) -> Floats:
    """Return minus the gradient of the first layer's position scores, before the first step.

    One text of T tokens is taken from the middle of a long one of each chain; the token that
    follows it is drawn uniformly, and its successor is to be predicted.  A first layer looks at all
    places equally, a second one scores what the first one found by how much of the last token is in
    it, times `sharpness`, with a sink that holds every token once.  Entry (i, j) says how much the
    mean loss would fall if place i looked more at place j, times i + 1 (its number of places);
    shape (T, T), 0 where j > i.

    Examples
    --------
    >>> from nta_beyond.induction import random_chains
    >>> chains = random_chains(2000, 3, seed=0)
    >>> first_gradient(chains, 6, seed=0).argmax(axis=1)  # each should look one place back
    array([0, 0, 1, 2, 3, 4])

    Explained in: chapter 21.
    """
    found, rng = check_chains(chains), generator(seed)
    n, K, _ = found.shape
    at = np.arange(n)
    whole(T, "T", least=2, most=1_000)
    sharpness = number(sharpness, "sharpness", above=0, most=100)
    room_for(8.0 * n * T * (3 * K + 8), f"{n:,} texts of {T:,} tokens", instead="take fewer")
    texts = markov_texts(found, T + WARM_UP, seed=rng)[:, WARM_UP:]
    last = rng.integers(K, size=(n, 1))
    wanted = found[at, last[:, 0]]  # the law of the token after the last one, shape (n, K)
    same = (texts == last).astype(np.float64)
    places = np.arange(1, T + 1)
    share = same.cumsum(axis=1) / places  # what the first layer finds of the last token
    weight = np.exp(sharpness * share)
    weight /= weight.sum(axis=1, keepdims=True) + K
    given = np.full((n, K), 1.0) * (1 - weight.sum(axis=1, keepdims=True)) / K
    np.add.at(given, (at[:, None], texts), weight)
    # d loss / d score of place i in the second layer, then through the first layer's softmax
    pull = weight * (np.take_along_axis(wanted / given, texts, axis=1) - 1)
    gradient = np.einsum("ni,nj->ij", pull, same) - (pull * share).sum(axis=0)[:, None]
    return np.asarray(np.tril(gradient) * sharpness / n)


def stationary(chains: Floats) -> Floats:
    """Return the shares of the tokens in an endless text of each chain, shape (n, K)."""
    K = chains.shape[1]
    if chains.min() <= 0:
        raise DataError("chains: every transition needs a positive probability here")
    # shares P = shares, and they add up to 1: K + 1 equations of rank K, solved together
    equations = np.concatenate(
        [np.swapaxes(chains, 1, 2) - np.eye(K), np.ones((len(chains), 1, K))], axis=1
    )
    return np.asarray(np.linalg.pinv(equations)[:, :, -1])


def _walks(chains: ArrayLike, lags: int) -> tuple[Floats, Floats]:
    """Powers 0 to `lags` of each chain, shape (n, lags + 1, K, K), and its shares."""
    found = check_chains(chains)
    whole(lags, "lags", most=1_000)
    steps = [np.broadcast_to(np.eye(found.shape[1]), found.shape)]
    for _ in range(lags):
        steps.append(steps[-1] @ found)
    return np.stack(steps, axis=1), stationary(found)
