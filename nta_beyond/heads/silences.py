"""Where a head says nothing: scores so flat that its attention is where it would be anyway."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_beyond.heads.head import Head, score_blocks
from nta_beyond.text import Windows
from nta_core.boundary import Floats, Ints, a, number, reals
from nta_core.errors import DataError
from nta_core.model.weights import softmax

WITHIN = 0.1  # share of the attention that a silent head may move


@dataclass(frozen=True, eq=False, repr=False)
class HeadSilence:
    """How much a head says after each last token, in a context that holds tokens as the data does.

    Equal scores would give every token the attention p of its frequency; the head gives it
    p·e^score, up to a factor.

    Attributes
    ----------
    lasts : int64 array of shape (m,)
        The last tokens.
    frequency : float64 array of shape (m,)
        Their share of the data.
    moved : float64 array of shape (m,)
        Share of the attention that stands elsewhere than with equal scores (total variation).
    bits : float64 array of shape (m,)
        Information in the attention beyond the frequencies (Kullback-Leibler divergence).
    entropy : float64 array of shape (m,)
        Entropy of the attention, in bits.
    within : float
        A head is silent where `moved` is at most this.

    Explained in: chapter 17.
    """

    lasts: Ints
    frequency: Floats
    moved: Floats
    bits: Floats
    entropy: Floats
    within: float

    @property
    def silent(self) -> NDArray[np.bool_]:
        """Whether the head is silent after each last token, shape (m,)."""
        return np.asarray(self.moved <= self.within)

    @property
    def share(self) -> float:
        """Share of the data's tokens after which the head is silent."""
        total = self.frequency.sum()
        return float(self.frequency[self.silent].sum() / total) if total > 0 else 0.0

    def __repr__(self) -> str:
        return (
            f"HeadSilence(silent after {self.share:.1%} of the tokens, {self.silent.sum():,} of "
            f"{len(self.lasts):,} different ones)"
        )


def silence(
    head: Head,
    counts: ArrayLike | None = None,
    *,
    within: float = WITHIN,
    lasts: Sequence[int | str] | None = None,
) -> HeadSilence:
    """Ask after which last tokens a head is silent.

    Parameters
    ----------
    head : Head
        The head.
    counts : array of shape (K,), optional
        How often each token occurs in the data; equally often by default.
    within : float
        Share of the attention, from 0 to 1, that a silent head may move.
    lasts : sequence of tokens, optional
        Last tokens to ask; all by default.

    Examples
    --------
    >>> head = Head.from_arrays(np.diag([0.0, 1, 9]), np.eye(3), np.eye(3))
    >>> silence(head).silent
    array([ True, False, False])

    Explained in: chapter 17.
    """
    limit = number(within, "within", least=0, most=1)
    p = _frequencies(counts, a(Head, head, "head").K)
    asked = np.arange(head.K) if lasts is None else head.tokens(lasts)
    there = p > 0
    log_p = np.log(p[there])
    moved, bits, entropy = (np.zeros(len(asked)) for _ in range(3))
    at = 0
    for block, rows in score_blocks(head, asked):
        z = rows[:, there] + log_p
        z -= z.max(axis=1, keepdims=True)
        log_share = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
        share = np.exp(log_share)
        here = slice(at, at + len(block))
        moved[here] = 0.5 * np.abs(share - p[there]).sum(axis=1)
        bits[here] = (share * (log_share - log_p)).sum(axis=1) / np.log(2)
        entropy[here] = -(share * log_share).sum(axis=1) / np.log(2)
        at += len(block)
    return HeadSilence(asked, p[asked], moved, np.maximum(bits, 0), np.maximum(entropy, 0), limit)


def _frequencies(counts: ArrayLike | None, K: int) -> Floats:
    if counts is None:
        return np.full(K, 1 / K)
    found = reals(counts, "counts", error=DataError)
    if found.shape != (K,) or found.min() < 0 or not 0 < (total := float(found.sum())) < np.inf:
        raise DataError(
            f"counts must hold one number, 0 or more, for each of {K:,} tokens, and not only 0; "
            f"got shape {found.shape}"
        )
    return found / total


def silent_windows(head: Head, windows: Windows, *, within: float = WITHIN) -> NDArray[np.bool_]:
    """Return in which windows a head is silent, shape (n,).

    It is where at most the share `within` of its attention stands elsewhere than with equal scores,
    which look at every place alike.

    Examples
    --------
    >>> head = Head.from_arrays(np.diag([0.0, 1, 9]), np.eye(3), np.eye(3))
    >>> silent_windows(head, Windows(np.array([[1, 2, 0], [0, 1, 2]]), np.array([0, 0])))
    array([ True, False])

    Explained in: chapter 17.
    """
    limit = number(within, "within", least=0, most=1)
    scores = a(Head, head, "head").window_scores(windows)
    if not len(scores):
        return np.zeros(0, dtype=bool)
    places = np.isfinite(scores)
    flat = places / places.sum(axis=1, keepdims=True)
    return np.asarray(0.5 * np.abs(softmax(scores) - flat).sum(axis=1) <= limit)
