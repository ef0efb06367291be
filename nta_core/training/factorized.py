"""Keys and queries trained apart: W = W_K W_Qᵀ of a given rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats
from nta_core.errors import EmbeddingError, OptionError
from nta_core.model import Readout
from nta_core.training.descent import (
    Landscape,
    Schedule,
    check_inputs,
    kind_of_step,
    landscape_of,
)
from nta_core.training.races import races_of
from nta_core.training.run import RECORDS, Run


@dataclass(frozen=True, eq=False, repr=False)
class FactorizedRun(Run):
    """A run that trained the two factors of W.

    Attributes
    ----------
    keys, queries : float64 arrays of shape (d, rank)
        W_K and W_Q after the last step; ``W = keys @ queries.T``.  `gradient_norms` are those of
        the two factors together.

    Explained in: chapter 12. Paper: Sec. 2 (which merges the two).
    """

    keys: Floats = field(kw_only=True)
    queries: Floats = field(kw_only=True)


def factorized_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    rank: int,
    steps: int,
    step_size: float,
    normalized: bool = True,
    loss: str | Readout = "log",
    start: tuple[ArrayLike, ArrayLike] | None = None,
    seed: int = 0,
    record: int | Iterable[int] = RECORDS,
) -> FactorizedRun:
    """Train keys and queries apart, W = W_K W_Qᵀ, by gradient descent on both.

    The risk is no longer convex in what is trained, and its implicit bias is another one.

    Parameters
    ----------
    rank : int
        Columns of W_K and W_Q, from 1 to d.
    start : pair of arrays of shape (d, rank), optional
        W_K and W_Q at the start.  By default entries uniform in ±1/√d (zero would never leave
        its place: there both gradients vanish).
    seed : int
        For the default start.
    dataset, E, steps, step_size, normalized, loss, record
        As in `gradient_descent`; the norm is that of both gradients together.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> run = factorized_descent(FIG3, np.eye(4), rank=2, steps=400, step_size=0.1)
    >>> np.linalg.matrix_rank(run.W), bool(run.losses[-1] < run.losses[0])
    (np.int64(2), True)

    Explained in: chapter 12. Paper: Sec. 2.
    """
    schedule, readout = Schedule.of(steps, step_size, record), Readout.of(loss)
    checked, zero = check_inputs(dataset, E, None)
    factors = _start(start, len(zero), rank, seed)
    risk = landscape_of(races_of(dataset), checked, zero, readout, reduced=False)
    landscape = FactorizedRisk(risk, factors)
    points, end = schedule.descend(landscape, normalized)
    method = f"{kind_of_step(normalized)} descent on W_K, W_Q of rank {rank}"
    (run,) = schedule.runs(landscape, (points, end), method, readout)
    keys, queries = end.reshape(factors.shape)
    return FactorizedRun(**vars(run), keys=keys, queries=queries)


def _start(start: tuple[ArrayLike, ArrayLike] | None, d: int, rank: int, seed: int) -> Floats:
    """W_K and W_Q in one array of shape (2, d, rank)."""
    if not 1 <= rank <= d:
        raise OptionError(f"rank={rank}: from 1 to d={d}")
    if start is None:
        bound = 1.0 / np.sqrt(d)
        return np.random.default_rng(seed).uniform(-bound, bound, size=(2, d, rank))
    factors = np.array([np.asarray(factor, dtype=np.float64) for factor in start])
    if factors.shape != (2, d, rank) or not np.isfinite(factors).all():
        raise EmbeddingError(
            f"start: W_K and W_Q must be finite and of shape (d, rank) = ({d}, {rank})"
        )
    return factors


@dataclass(frozen=True, eq=False)
class FactorizedRisk:
    """A risk of W as one of W_K and W_Q, flat: shape (..., 2·d·rank)."""

    risk: Landscape
    factors: Floats

    @property
    def start(self) -> Floats:
        return self.factors.ravel()

    def gradient(self, c: Floats, weights: Floats | None = None) -> Floats:
        """By the chain rule."""
        keys, queries = c.reshape(self.factors.shape)
        W = keys @ queries.T
        G = self.risk.gradient(W.ravel(), weights).reshape(W.shape)
        return np.stack([G @ queries, G.T @ keys]).ravel()

    def loss(self, c: Floats) -> Floats:
        (W,) = self.matrices(c)
        return self.risk.loss(W.reshape(*c.shape[:-1], -1))

    def matrices(self, c: Floats) -> list[Floats]:
        pairs = c.reshape(*c.shape[:-1], *self.factors.shape)
        return [pairs[..., 0, :, :] @ np.swapaxes(pairs[..., 1, :, :], -1, -2)]
