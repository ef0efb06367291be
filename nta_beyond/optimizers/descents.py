"""Other ways down the same risk, for the stress tests: minibatches, Adam, W as a product."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.optimizers.slopes import scaled_slope, unit
from nta_core.boundary import EXTREME, Floats, a, entries, generator, number, reals, whole
from nta_core.data import Dataset
from nta_core.errors import EmbeddingError, OptionError
from nta_core.model import Readout
from nta_core.training.descent import Landscape, Plan, check_inputs, landscape_of, listed
from nta_core.training.logloss import ActiveLogLoss
from nta_core.training.races import races_of
from nta_core.training.run import RECORDS, Interrupted, Run

STEEPEST = 1e150  # slopes whose squares are finite


def stochastic_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    batch_size: int,
    seed: int | None,
    steps: int,
    step_size: float,
    normalized: bool = False,
    loss: str | Readout = "log",
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
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
    plan = Plan(steps, step_size, loss, record, normalized)
    batch_size = whole(batch_size, "batch_size", least=1, most=a(Dataset, dataset, "dataset").n)
    inputs, races, rng = check_inputs(dataset, E, W0), races_of(dataset), generator(seed)
    landscape = landscape_of(races, *inputs, plan.readout)

    def update(c: Floats) -> Floats:
        rows = races.row_of[rng.permutation(dataset.n)[:batch_size]]
        weights = np.bincount(rows[rows >= 0], minlength=races.n) / batch_size
        return c - plan.stride(landscape.gradient(c, weights))

    method = f"{'normalized ' * plan.normalized}stochastic descent, batches of {batch_size}"
    (run,), _ = plan.train(landscape, method, update)
    return run


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
    record: int | Iterable[int] | None = RECORDS,
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
    plan = Plan(steps, step_size, loss, record)
    rule = Adam(plan.step_size, betas, epsilon)
    start = check_inputs(dataset, E, W0)
    landscape = landscape_of(races_of(dataset), *start, plan.readout, reduced=False)
    (run,), _ = plan.train(landscape, "Adam", lambda c: c - rule._change(landscape.gradient(c)))
    return run


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
        memory = [number(beta, "betas", least=0, below=1) for beta in entries(betas, "betas")]
        if len(memory) != 2:
            raise OptionError(f"betas: give two numbers, got {len(memory)}")
        self.step_size = number(step_size, "step_size", above=0)
        # the square of a slope that this hides may round to 0 without harm
        self.epsilon = number(epsilon, "epsilon", least=1e-100)
        self.betas, self.steps = (memory[0], memory[1]), 0
        self.mean: Floats | float = 0.0
        self.square: Floats | float = 0.0

    def step(self, gradient: Floats) -> Floats:
        """What to take away from the parameters; gradients keep the shape of the first."""
        slope = reals(gradient, "gradient", error=OptionError)
        if self.steps and slope.shape != np.shape(self.mean):
            raise OptionError(f"gradient: shape {slope.shape} after {np.shape(self.mean)}")
        if slope.size and np.abs(slope).max() > STEEPEST:
            raise OptionError(f"gradient: above {STEEPEST:g} its square leaves float64; scale it")
        return self._change(slope)

    def _change(self, gradient: Floats) -> Floats:
        """The same inside a training, which checks its gradients itself."""
        self.steps += 1
        self.mean = self.mean + (1 - self.betas[0]) * (gradient - self.mean)
        self.square = self.square + (1 - self.betas[1]) * (gradient * gradient - self.square)
        scale = np.sqrt(self.square / (1 - self.betas[1] ** self.steps)) + self.epsilon
        # divided before it is multiplied: a huge step size leaves float64 only if the step does
        change: Floats = self.step_size * (self.mean / (1 - self.betas[0] ** self.steps) / scale)
        return change


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
    seed: int | None = 0,
    record: int | Iterable[int] | None = RECORDS,
) -> FactorizedRun:
    """Train keys and queries apart, W = W_K W_Qᵀ, by gradient descent on both.

    The risk is no longer convex in what is trained, and its implicit bias is another one.
    Normalized steps have one length; with log-loss their direction is computed also where the
    gradient itself is below the smallest float64.

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
    >>> int(np.linalg.matrix_rank(run.W)), bool(run.losses[-1] < run.losses[0])
    (2, True)

    Explained in: chapter 12. Paper: Sec. 2.
    """
    plan = Plan(steps, step_size, loss, record, normalized)
    checked, zero = check_inputs(dataset, E, None)
    rank = whole(rank, "rank", least=1, most=len(zero))
    factors = _start(start, len(zero), rank, seed)
    whole_risk = landscape_of(races_of(dataset), checked, zero, plan.readout, reduced=False)
    risk, method = FactorizedRisk(whole_risk, factors), f"{plan.kind} descent on W_K, W_Q"

    def step(c: Floats) -> Floats:
        return c - plan.step_size * unit(risk.direction(c))

    try:
        (run,), end = plan.train(
            risk, f"{method} of rank {rank}", step if plan.normalized else None
        )
    except Interrupted as stop:
        run = _with_factors(stop.run, stop.end.reshape(factors.shape))
        raise Interrupted([run], stop.steps, stop.end) from None
    return _with_factors(run, end.reshape(factors.shape))


def _with_factors(run: Run, factors: Floats) -> FactorizedRun:
    return FactorizedRun(**vars(run), keys=factors[0], queries=factors[1])


def _start(
    start: tuple[ArrayLike, ArrayLike] | None, d: int, rank: int, seed: int | None
) -> Floats:
    """W_K and W_Q in one array of shape (2, d, rank)."""
    if start is None:
        bound = 1.0 / np.sqrt(d)
        return generator(seed).uniform(-bound, bound, size=(2, d, rank))
    factors = [reals(factor, "start") for factor in listed(start, "start")]
    if [factor.shape for factor in factors] != [(d, rank)] * 2:
        raise EmbeddingError(
            f"start: give W_K and W_Q, both of shape (d, rank) = ({d}, {rank}), got "
            f"{[factor.shape for factor in factors]}"
        )
    if max(np.abs(factor).max() for factor in factors) > EXTREME:
        raise EmbeddingError(f"start: above {EXTREME:g} products leave float64; scale it down")
    return np.array(factors)


@dataclass(frozen=True, eq=False)
class FactorizedRisk:
    """A risk of W as one of W_K and W_Q, flat: shape (..., 2·d·rank)."""

    risk: ActiveLogLoss | Landscape
    factors: Floats

    @property
    def start(self) -> Floats:
        return self.factors.ravel()

    def gradient(self, c: Floats, weights: Floats | None = None) -> Floats:
        """By the chain rule."""
        return self._pulled_back(c, lambda W: self.risk.gradient(W, weights))

    def direction(self, c: Floats) -> Floats:
        """A positive multiple of the gradient, also where that is too small for float64."""
        return self._pulled_back(c, lambda W: scaled_slope(self.risk, W).gradient)

    def _pulled_back(self, c: Floats, slope: Callable[[Floats], Floats]) -> Floats:
        keys, queries = c.reshape(self.factors.shape)
        W = keys @ queries.T
        G = slope(W.ravel()).reshape(W.shape)
        return np.stack([G @ queries, G.T @ keys]).ravel()

    def loss(self, c: Floats) -> Floats:
        (W,) = self.matrices(c)
        return self.risk.loss(W.reshape(*c.shape[:-1], -1))

    def matrices(self, c: Floats) -> list[Floats]:
        pairs = c.reshape(*c.shape[:-1], *self.factors.shape)
        return [pairs[..., 0, :, :] @ np.swapaxes(pairs[..., 1, :, :], -1, -2)]
