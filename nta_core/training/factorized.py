"""Keys and queries trained apart: W = W_K W_Qᵀ of a given rank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, Ints
from nta_core.errors import EmbeddingError, OptionError
from nta_core.training.descent import EPSILON, RECORDS, Landscape, check_inputs, landscape_of
from nta_core.training.races import races_of
from nta_core.training.run import Run, check_schedule, record_steps


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
    loss: str = "log",
    head: str = "tied",
    temperature: float = 1.0,
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
    dataset, E, steps, step_size, normalized, loss, head, temperature, record
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
    check_schedule(steps, step_size)
    checked, zero = check_inputs(dataset, E, None)
    factors = _start(start, zero.shape[0], rank, seed)
    landscape = landscape_of(
        races_of(dataset),
        checked,
        zero,
        loss=loss,
        head=head,
        temperature=temperature,
        reduced=False,
    )
    chosen = record_steps(record, steps)
    points, end = _descend(landscape, factors, chosen, (steps, step_size, normalized))
    path = points[:, 0] @ np.swapaxes(points[:, 1], 1, 2)
    kind = "normalized" if normalized else "plain"
    return FactorizedRun(
        W=end[0] @ end[1].T,
        path=path,
        steps=chosen,
        losses=landscape.loss(path.reshape(len(path), -1)),
        gradient_norms=np.array([np.linalg.norm(_gradients(landscape, p)) for p in points]),
        method=f"{kind} descent on W_K, W_Q of rank {rank}, step {step_size:g}",
        loss=loss,
        head=head,
        keys=end[0],
        queries=end[1],
    )


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


def _gradients(landscape: Landscape, factors: Floats) -> Floats:
    """Gradients in W_K and W_Q by the chain rule, shape (2, d, rank)."""
    keys, queries = factors
    d = len(keys)
    G = landscape.gradient((keys @ queries.T).ravel()).reshape(d, d)
    return np.stack([G @ queries, G.T @ keys])


def _descend(
    landscape: Landscape, factors: Floats, records: Ints, schedule: tuple[int, float, bool]
) -> tuple[Floats, Floats]:
    steps, step_size, normalized = schedule
    points = np.empty((len(records), *factors.shape))
    wanted = {step: place for place, step in enumerate(records.tolist())}
    for step in range(steps + 1):
        if step:
            g = _gradients(landscape, factors)
            if normalized:
                g = g / (np.linalg.norm(g) + EPSILON)
            factors = factors - step_size * g
        if step in wanted:
            points[wanted[step]] = factors
    return points, factors
