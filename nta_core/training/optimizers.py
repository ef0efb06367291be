"""Other ways down the same risk, for the stress tests: minibatches and Adam."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, Ints
from nta_core.errors import OptionError
from nta_core.training.descent import (
    EPSILON,
    RECORDS,
    Landscape,
    check_inputs,
    landscape_of,
    make_runs,
)
from nta_core.training.races import races_of
from nta_core.training.run import Run, check_schedule, record_steps


def stochastic_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    batch_size: int,
    seed: int,
    normalized: bool = False,
    loss: str = "log",
    head: str = "tied",
    temperature: float = 1.0,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] = RECORDS,
) -> Run:
    """Train W on random minibatches.

    Every step sees `batch_size` different rows, drawn anew.

    Parameters
    ----------
    batch_size : int
        Rows per step, from 1 to n; n is `gradient_descent`.
    seed : int
        Equal seeds draw equal minibatches.
    dataset, E, steps, step_size, normalized, loss, head, temperature, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> stochastic_descent(FIG3, np.eye(4), steps=500, step_size=1.0, batch_size=2, seed=0)
    Run(stochastic descent, batches of 2, step 1: 500 steps, log-loss 1.1 → 0.524, ‖W‖ 9.96)

    Explained in: chapter 12. Paper: App. D.1.
    """
    check_schedule(steps, step_size)
    if not 1 <= batch_size <= dataset.n:
        raise OptionError(f"batch_size={batch_size}: from 1 to the n={dataset.n} rows")
    checked, start = check_inputs(dataset, E, W0)
    races = races_of(dataset)
    landscape = landscape_of(races, checked, start, loss=loss, head=head, temperature=temperature)
    rng = np.random.default_rng(seed)

    def update(c: Floats, step: int) -> Floats:
        rows = races.row_of[rng.permutation(dataset.n)[:batch_size]]
        weights = np.bincount(rows[rows >= 0], minlength=races.n) / batch_size
        g = landscape.gradient(c, weights)
        if normalized:
            g = g / (np.linalg.norm(g) + EPSILON)
        return c - step_size * g

    chosen = record_steps(record, steps)
    recorded = walk(landscape, update, chosen, steps)
    kind = "normalized stochastic" if normalized else "stochastic"
    method = f"{kind} descent, batches of {batch_size}, step {step_size:g}"
    return make_runs(landscape, (*recorded, chosen), method=method, loss=loss, head=head)[0]


def adam(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    betas: tuple[float, float] = (0.9, 0.999),
    epsilon: float = 1e-8,
    loss: str = "log",
    head: str = "tied",
    temperature: float = 1.0,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] = RECORDS,
) -> Run:
    """Train W by full-batch Adam (Kingma and Ba 2015), as torch.optim.Adam does it.

    Adam rescales every entry of the gradient on its own, so W leaves W0 + S_active and the
    direction it finds depends on the basis in which the embeddings are written.

    Parameters
    ----------
    betas : pair of float in [0, 1)
        Memory of the first and of the second moment.
    epsilon : float
        Added to the root of the second moment.
    dataset, E, steps, step_size, loss, head, temperature, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> adam(FIG3, np.eye(4), steps=500, step_size=0.01)
    Run(Adam, step 0.01: 500 steps, log-loss 1.1 → 0.542, ‖W‖ 6.19)

    Explained in: chapter 12.
    """
    check_schedule(steps, step_size)
    if not (all(0 <= beta < 1 for beta in betas) and np.isfinite(epsilon) and epsilon > 0):
        raise OptionError(f"betas={betas}, epsilon={epsilon}: betas in [0, 1), epsilon above 0")
    checked, start = check_inputs(dataset, E, W0)
    landscape = landscape_of(
        races_of(dataset),
        checked,
        start,
        loss=loss,
        head=head,
        temperature=temperature,
        reduced=False,
    )
    mean, square = np.zeros_like(landscape.start), np.zeros_like(landscape.start)

    def update(c: Floats, step: int) -> Floats:
        g = landscape.gradient(c)
        for moment, value, beta in ((mean, g, betas[0]), (square, g * g, betas[1])):
            moment += (1 - beta) * (value - moment)
        scale = np.sqrt(square / (1 - betas[1] ** step)) + epsilon
        return c - step_size / (1 - betas[0] ** step) * mean / scale

    chosen = record_steps(record, steps)
    recorded = walk(landscape, update, chosen, steps)
    method = f"Adam, step {step_size:g}"
    return make_runs(landscape, (*recorded, chosen), method=method, loss=loss, head=head)[0]


def walk(
    landscape: Landscape, update: Callable[[Floats, int], Floats], records: Ints, steps: int
) -> tuple[Floats, Floats]:
    """Coordinates at the recorded steps, shape (r, ...), and at the end; steps count from 1."""
    c = landscape.start
    points = np.empty((len(records), *c.shape))
    wanted = {step: place for place, step in enumerate(records.tolist())}
    for step in range(steps + 1):
        if step:
            c = update(c, step)
        if step in wanted:
            points[wanted[step]] = c
    return points, c
