"""Strengths read off texts: maximum likelihood from counts and what came next."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, integers
from nta_core.errors import DataError, SolverDidNotConverge
from nta_core.indices import as_index

ENOUGH = 1e-10  # the largest gradient, in draws, that counts as zero
FARTHEST = 60.0  # log-odds beyond which there is no best fit to be found
MOST_STEPS = 200


@dataclass(frozen=True, eq=False, repr=False)
class OddsFit:
    """Log-strengths after one last token, and how firmly the draws fix them.

    Attributes
    ----------
    theta : array of shape (K,)
        Log-strengths with mean 0.
    information : array of shape (K, K)
        The Hessian of the negative log-likelihood there (Fisher's information, as observed).

    Explained in: chapter 18.
    """

    theta: Floats
    information: Floats

    def __repr__(self) -> str:
        return f"OddsFit({', '.join(f'{value:+.3f}' for value in self.theta)})"


def fit_odds(counts: ArrayLike, drawn: ArrayLike) -> OddsFit:
    """Fit the strengths of count × strength to draws whose counts are known.

    Parameters
    ----------
    counts : array of shape (n, K)
        How often each token stood in the context before each draw.
    drawn : array of shape (n,)
        Which token was drawn.

    Raises
    ------
    DataError
        Some group of tokens always lost, or never met the rest: the best odds are infinite, or
        anything (chapter 6).

    Examples
    --------
    Four duels, three of them won by the first token:

    >>> fit = fit_odds([[1, 1]] * 4, [0, 0, 0, 1])
    >>> round(float(np.exp(fit.theta[0] - fit.theta[1])), 6)
    3.0

    Explained in: chapter 18.
    """
    table, winners = integers(counts, "counts"), integers(drawn, "drawn")
    if table.ndim != 2 or not table.size or winners.shape != table.shape[:1]:
        raise DataError(
            f"counts of shape (n, K) and n draws are wanted, got {table.shape} and {winners.shape}"
        )
    n, K = table.shape
    if table.min() < 0 or table.max() > 2**50 or winners.min() < 0 or winners.max() >= K:
        raise DataError("counts are 0 or more, draws are tokens 0 … K − 1")
    if not (table[np.arange(n), winners] > 0).all():
        raise DataError("a token was drawn that its context does not hold")
    if not _is_one_league(table, winners):
        raise DataError("some tokens never lost to the others: the best odds are infinite")
    return _newton(table.astype(float), winners)


def _is_one_league(table: np.ndarray, winners: np.ndarray) -> bool:
    """Whether every group of tokens lost to the rest at least once (Zermelo, Ford)."""
    K = table.shape[1]
    beat = np.zeros((K, K), dtype=bool)
    for token in range(K):
        beat[token] = (table[winners == token] > 0).any(axis=0)
    np.fill_diagonal(beat, True)
    for _ in range(max(1, (K - 1).bit_length())):
        beat = beat.astype(np.int64) @ beat.astype(np.int64) > 0
    return bool(beat.all())


def _newton(table: Floats, winners: np.ndarray) -> OddsFit:
    """Newton's steps, halved while the likelihood does not rise; the mean of theta stays 0."""
    n, K = table.shape
    wins = np.bincount(as_index(winners), minlength=K).astype(float)
    theta, flat = np.zeros(K), np.ones((K, K)) * n / K
    value, shares = _loss(table, wins, theta)
    for _ in range(MOST_STEPS):
        gradient = shares.sum(axis=0) - wins
        information = np.diag(shares.sum(axis=0)) - shares.T @ shares
        if np.abs(gradient).max() <= ENOUGH * n:
            return OddsFit(theta - theta.mean(), information)
        step = np.linalg.solve(information + flat, gradient)
        step -= step.mean()
        for _ in range(60):
            tried, tried_shares = _loss(table, wins, theta - step)
            if tried <= value + 1e-13 * abs(value):
                break
            step /= 2
        theta, value, shares = theta - step, tried, tried_shares
        if np.abs(theta).max() > FARTHEST:
            break
    raise SolverDidNotConverge("the odds did not settle: are some tokens drawn almost never?")


def _loss(table: Floats, wins: Floats, theta: Floats) -> tuple[float, Floats]:
    """Negative log-likelihood, up to a constant, and every token's share in every draw."""
    weights = table * np.exp(theta - theta.max())
    total = weights.sum(axis=1, keepdims=True)
    value = float(np.log(total).sum() + len(table) * theta.max() - wins @ theta)
    return value, weights / total
