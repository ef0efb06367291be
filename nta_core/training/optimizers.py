"""Other ways down the same risk, for the stress tests: minibatches and Adam."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats
from nta_core.errors import OptionError
from nta_core.model import Readout
from nta_core.training.descent import Schedule, check_inputs, landscape_of
from nta_core.training.races import races_of
from nta_core.training.run import RECORDS, Run


def stochastic_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    batch_size: int,
    seed: int,
    steps: int,
    step_size: float,
    normalized: bool = False,
    loss: str | Readout = "log",
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
    dataset, E, steps, step_size, normalized, loss, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> stochastic_descent(FIG3, np.eye(4), steps=500, step_size=1.0, batch_size=2, seed=0)
    Run(stochastic descent, batches of 2, step 1: 500 steps, log-loss 1.1 → 0.524, ‖W‖ 9.96)

    Explained in: chapter 12. Paper: App. D.1.
    """
    schedule, readout = Schedule.of(steps, step_size, record), Readout.of(loss)
    if not 1 <= batch_size <= dataset.n:
        raise OptionError(f"batch_size={batch_size}: from 1 to the n={dataset.n} rows")
    races, rng = races_of(dataset), np.random.default_rng(seed)
    landscape = landscape_of(races, *check_inputs(dataset, E, W0), readout)

    def update(c: Floats) -> Floats:
        rows = races.row_of[rng.permutation(dataset.n)[:batch_size]]
        weights = np.bincount(rows[rows >= 0], minlength=races.n) / batch_size
        return c - schedule.stride(landscape.gradient(c, weights), normalized)

    method = f"{'normalized ' * normalized}stochastic descent, batches of {batch_size}"
    return schedule.runs(landscape, schedule.walk(landscape, update), method, readout)[0]


def adam(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    betas: tuple[float, float] = (0.9, 0.999),
    epsilon: float = 1e-8,
    loss: str | Readout = "log",
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
    dataset, E, steps, step_size, loss, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> adam(FIG3, np.eye(4), steps=500, step_size=0.01)
    Run(Adam, step 0.01: 500 steps, log-loss 1.1 → 0.542, ‖W‖ 6.19)

    Explained in: chapter 12.
    """
    schedule, readout = Schedule.of(steps, step_size, record), Readout.of(loss)
    rule = Adam(step_size, betas, epsilon)
    start = check_inputs(dataset, E, W0)
    landscape = landscape_of(races_of(dataset), *start, readout, reduced=False)
    walked = schedule.walk(landscape, lambda c: c - rule.step(landscape.gradient(c)))
    return schedule.runs(landscape, walked, "Adam", readout)[0]


class Adam:
    """The rule of Adam: turns gradients of any shape, one after another, into steps.

    Parameters are those of `adam`, with the same defaults.

    Examples
    --------
    >>> import numpy as np
    >>> rule = Adam(0.1)
    >>> [rule.step(np.array([slope])).round(3).tolist() for slope in (3.0, 3.0, 0.0)]
    [[0.1], [0.1], [0.077]]
    """

    def __init__(
        self, step_size: float, betas: tuple[float, float] = (0.9, 0.999), epsilon: float = 1e-8
    ) -> None:
        if not (all(0 <= beta < 1 for beta in betas) and np.isfinite(epsilon) and epsilon > 0):
            raise OptionError(f"betas={betas}, epsilon={epsilon}: betas in [0, 1), epsilon above 0")
        self.step_size, self.betas, self.epsilon = step_size, betas, epsilon
        self.steps = 0
        self.mean: Floats | float = 0.0
        self.square: Floats | float = 0.0

    def step(self, gradient: Floats) -> Floats:
        """What to take away from the parameters."""
        self.steps += 1
        self.mean = self.mean + (1 - self.betas[0]) * (gradient - self.mean)
        self.square = self.square + (1 - self.betas[1]) * (gradient * gradient - self.square)
        scale = np.sqrt(self.square / (1 - self.betas[1] ** self.steps)) + self.epsilon
        change: Floats = self.step_size / (1 - self.betas[0] ** self.steps) * self.mean / scale
        return change
