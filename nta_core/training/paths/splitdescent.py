"""Normalized descent that does not stall: ties solved, the rest descended in logarithms."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, check_embeddings
from nta_core.training.paths.split import SplitLoss, split_loss
from nta_core.training.run import RECORDS, Run, check_schedule, record_steps, walk


def split_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    record: int | Iterable[int] = RECORDS,
) -> Run:
    """Train W by normalized descent on the strict comparisons alone, from W_fin.

    A constant normalized step never settles inside the leagues: it hops to and fro over W_fin
    and has no length left to grow (the distance stays at half a step).  Here the soft part is set
    to W_fin at once and every step goes into the direction; attention is kept in logarithms, so
    that no ‖W‖ is too large.

    Parameters
    ----------
    dataset : Dataset
        Races.
    E : array of shape (K, d)
        Token embeddings.
    steps, step_size, record
        As in `gradient_descent`; step size 1 and 1000 steps reach a cosine of 0.9999 with the
        Graph-SVM at the paper's sizes.

    Returns
    -------
    Run
        Its `gradient_norms` are those of the strict part.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3, token_priority_graphs
    >>> from nta_core.svm import solve_graph_svm
    >>> run = split_descent(FIG3, np.eye(4), steps=300, step_size=1.0)
    >>> W = solve_graph_svm(token_priority_graphs(FIG3), np.eye(4)).W
    >>> bool(np.vdot(run.W, W) / np.linalg.norm(run.W) / np.linalg.norm(W) > 0.9999)
    True

    Explained in: chapter 7. Paper: Theorem 2.
    """
    check_schedule(steps, step_size)
    loss = split_loss(dataset, check_embeddings(E, dataset.K))
    chosen = record_steps(record, steps)
    f = loss.soft_minimum(None, 0.0, np.zeros(loss.soft.shape[1]))

    def step(h: Floats) -> Floats:
        if not loss.strict.any():
            return h
        direction, _ = _pull(loss, f, h)
        return h - step_size * direction / np.linalg.norm(direction)

    points, end = walk(np.zeros(loss.hard.shape[1]), step, chosen, steps)
    return Run(
        W=loss.matrix(f, end),
        path=loss.matrix(np.repeat(f[None], len(points), axis=0), points),
        steps=chosen,
        losses=np.array([loss.risk(f, point) for point in points]),
        gradient_norms=np.array([_size(loss, f, point) for point in points]),
        method=f"split normalized descent, step {step_size:g}",
    )


def _pull(loss: SplitLoss, f: Floats, h: Floats) -> tuple[Floats, float]:
    """Gradient in h up to a factor, and the logarithm of that factor."""
    logs = np.where(loss.strict, loss.log_shares(f, h) + loss.log_weights, -np.inf)
    top = float(logs.max())
    return np.exp(logs - top) @ loss.hard, top


def _size(loss: SplitLoss, f: Floats, h: Floats) -> float:
    if not loss.strict.any():
        return 0.0
    direction, log_factor = _pull(loss, f, h)
    return float(np.linalg.norm(direction) * np.exp(log_factor))
