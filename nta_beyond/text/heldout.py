"""Prediction on text nobody trained on: one table, every predictor on the same windows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nta_beyond.text.predictors import Copier, Mixed, Predictor
from nta_beyond.text.windows import Windows
from nta_core.errors import DataError

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9)


@dataclass(frozen=True)
class HeldOutScore:
    """How well one predictor did on some windows.

    Attributes
    ----------
    top1 : float
        Share of windows whose next token was its first guess.
    log_loss : float
        Mean of −log probability of the next token, in nats; a perfect oracle has 0.
    lent : float
        Share of its probability that it yields to the other predictor, chosen on validation
        windows.

    Explained in: chapter 16.
    """

    top1: float
    log_loss: float
    lent: float


def held_out_scores(
    predictors: Mapping[str, Predictor], other: Predictor, validation: Windows, test: Windows
) -> dict[str, HeldOutScore]:
    """HeldOutScore predictors on held-out windows.

    A copier gives probability 0 to every word outside the window, and the automaton also to lower
    leagues; one such word makes its log-loss infinite.  So each copier yields a share of its
    probability to `other`, a unigram or a bigram.  The share is chosen for each by its log-loss on
    `validation`, never on `test`.

    Examples
    --------
    >>> from nta_beyond.text.predictors import Unigram, Untrained
    >>> seen = Windows(np.array([[0, 1], [1, 0], [1, 1]]), np.array([0, 0, 1]))
    >>> unigram = Unigram(seen, K=2)
    >>> scores = held_out_scores({"W = 0": Untrained(), "unigram": unigram}, unigram, seen, seen)
    >>> {name: round(score.log_loss, 3) for name, score in scores.items()}
    {'W = 0': 0.463, 'unigram': 0.646}

    Explained in: chapter 16.
    """
    if not validation.n or not test.n:
        raise DataError("held-out scores need at least one window to choose by and one to test on")
    return {
        name: _score(predictor, other, validation, test) for name, predictor in predictors.items()
    }


def _score(
    predictor: Predictor, other: Predictor, validation: Windows, test: Windows
) -> HeldOutScore:
    lent = 0.0
    if isinstance(predictor, Copier):
        own, others = predictor.probability(validation), other.probability(validation)
        losses = [_log_loss((1 - share) * own + share * others) for share in SHARES]
        lent = SHARES[int(np.argmin(losses))]
        predictor = Mixed(predictor, other, lent)
    top1 = float((predictor.guess(test) == test.labels).mean())
    return HeldOutScore(top1, _log_loss(predictor.probability(test)), lent)


def _log_loss(probability: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    return float(-np.log(probability).mean())


def split_windows(
    windows: Windows, shares: Sequence[float] = (0.8, 0.1, 0.1)
) -> tuple[Windows, ...]:
    """Cut windows into consecutive parts; windows that straddle a cut are left out.

    Between two parts T windows are dropped, so that no token is in both.

    Examples
    --------
    >>> parts = split_windows(Windows(np.zeros((100, 4), dtype=int), np.zeros(100, dtype=int)))
    >>> [part.n for part in parts]
    [80, 6, 6]

    Explained in: chapter 16.
    """
    ends = np.rint(np.cumsum(shares) / sum(shares) * windows.n).astype(int).tolist()
    begins = [0, *(end + windows.T for end in ends[:-1])]
    return tuple(
        windows.pick(slice(begin, max(begin, end))) for begin, end in zip(begins, ends, strict=True)
    )
