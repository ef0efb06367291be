"""Steepest descent by any ruler: which step of length 1 goes down fastest, and where steps lead.

A ruler is a norm of W.  The step of length 1 along which a gradient G falls fastest is G/‖G‖ for
the Frobenius norm, the signs of G for the largest entry, U Vᵀ for the spectral norm (with the
singular value decomposition G = U S Vᵀ), and the first of its rank-one pieces for the nuclear norm.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.optimizers.norms import NORMS
from nta_beyond.optimizers.slopes import Memory, scaled_slope, unit
from nta_core.boundary import Floats, flag, number, one_of, reals, whole
from nta_core.data import Dataset
from nta_core.errors import OptionError
from nta_core.training.descent import Plan, check_inputs, landscape_of
from nta_core.training.races import races_of
from nta_core.training.run import RECORDS, Run

NEWTON_SCHULZ = (3.4445, -4.7750, 2.0315)  # of X, (XXᵀ)X and (XXᵀ)²X, as published
MOST_ROUNDS = 100
NO_RANK = 1e-12  # singular values below this share of the first are rounding


def steepest_direction(gradient: ArrayLike, *, norm: str) -> Floats:
    """Return the matrix of length 1 with the largest inner product with a gradient.

    Parameters
    ----------
    gradient : array of shape (r, c)
        A gradient of 0 gives 0.
    norm : {"frobenius", "spectral", "largest", "nuclear"}
        How length is measured.

    Examples
    --------
    >>> G = np.diag([3.0, 1.0])
    >>> steepest_direction(G, norm="spectral").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    >>> steepest_direction(G, norm="nuclear").tolist()
    [[1.0, 0.0], [0.0, 0.0]]

    Explained in: chapter 19.
    """
    return _direction(_matrix(gradient), one_of(norm, "norm", NORMS))


def newton_schulz(gradient: ArrayLike, *, rounds: int = 5) -> Floats:
    """Push all singular values of a matrix towards 1 with matrix products only, as Muon does.

    Divides by the Frobenius norm, then repeats X ← aX + b(XXᵀ)X + c(XXᵀ)²X with the published
    a, b, c = 3.4445, −4.7750, 2.0315.  They are chosen for speed: the values end near 1, not at 1.

    Parameters
    ----------
    gradient : array of shape (r, c)
        A gradient of 0 gives 0.
    rounds : int
        How often, at most 100.

    Examples
    --------
    >>> newton_schulz(np.diag([3.0, 1.0])).round(2).tolist()
    [[0.75, 0.0], [0.0, 1.13]]

    Explained in: chapter 19.
    """
    return _newton_schulz(_matrix(gradient), whole(rounds, "rounds", most=MOST_ROUNDS))


def steepest_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    norm: str,
    steps: int,
    step_size: float,
    decay: float = 0.0,
    momentum: float = 0.0,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W on the log-loss by steps of one length, measured by a norm.

    Only the direction of the gradient counts, and it is computed also where the gradient itself is
    below the smallest float64.

    Parameters
    ----------
    norm : {"frobenius", "spectral", "largest", "nuclear"}
        ``"frobenius"`` is normalized gradient descent, ``"largest"`` sign descent, ``"spectral"``
        Muon with exact singular vectors, ``"nuclear"`` adds one rank-one matrix per step.
    step_size, decay : float
        Step t = 0, 1, 2, … has the length η (t + 1)^−decay.
    momentum : float in [0, 1)
        Steps follow the mean of the gradients, with this memory; the mean is normalized, not
        what goes into it.
    dataset, E, steps, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> data = FIG3.subset([0, 1, 2])
    >>> steepest_descent(data, np.eye(4), norm="largest", steps=100, step_size=0.1)
    Run(largest descent, step 0.1: 100 steps, log-loss 1.1 → 0.0016, ‖W‖ 14.9)

    Explained in: chapter 19.
    """
    norm = one_of(norm, "norm", NORMS)
    decay, momentum = number(decay, "decay", least=0, most=10), _memory(momentum)
    plan = Plan(steps, step_size, "log", record)
    sizes = iter(range(1, plan.steps + 1))

    def move(G: Floats) -> Floats:
        length: float = plan.step_size * next(sizes) ** -decay
        return length * _direction(G, norm)

    with_memory = f", momentum {momentum:g}" * (momentum > 0)
    return _train(dataset, E, W0, plan, f"{norm} descent{with_memory}", move, Memory(momentum))


def muon(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    momentum: float = 0.95,
    nesterov: bool = True,
    rounds: int = 5,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W on the log-loss by Muon (Jordan et al. 2024), full batch, without weight decay.

    Parameters
    ----------
    momentum : float in [0, 1)
        Memory of the gradients.
    nesterov : bool
        Whether the newest gradient counts once more.
    rounds : int
        Newton–Schulz steps in place of a singular value decomposition.
    dataset, E, steps, step_size, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> muon(FIG3.subset([0, 1, 2]), np.eye(4), steps=100, step_size=0.1)
    Run(Muon, step 0.1: 100 steps, log-loss 1.1 → 0.0586, ‖W‖ 6.76)

    Explained in: chapter 19.
    """
    momentum, rounds = _memory(momentum), whole(rounds, "rounds", most=MOST_ROUNDS)
    plan, memory = (
        Plan(steps, step_size, "log", record),
        Memory(momentum, flag(nesterov, "nesterov")),
    )

    def move(G: Floats) -> Floats:
        return plan.step_size * _newton_schulz(G, rounds)

    return _train(dataset, E, W0, plan, "Muon", move, memory)


def heavy_ball(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    momentum: float = 0.9,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W on the log-loss by plain gradient descent with momentum, as torch.optim.SGD does it.

    Parameters
    ----------
    momentum : float in [0, 1)
        The step is η times the gradient plus this share of the last step; 0 is plain descent.
    dataset, E, steps, step_size, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> heavy_ball(FIG3.subset([0, 1, 2]), np.eye(4), steps=100, step_size=0.1)
    Run(plain descent, momentum 0.9, step 0.1: 100 steps, log-loss 1.1 → 0.0397, ‖W‖ 7.64)

    Explained in: chapter 19.
    """
    plan, momentum = Plan(steps, step_size, "log", record), _memory(momentum)
    landscape = landscape_of(races_of(dataset), *check_inputs(dataset, E, W0), plan.readout)
    last: list[Floats] = [np.zeros_like(landscape.start)]

    def update(c: Floats) -> Floats:
        last[0] = momentum * last[0] + landscape.gradient(c)
        return c - plan.step_size * last[0]

    (run,), _ = plan.train(landscape, f"plain descent, momentum {momentum:g}", update)
    return run


def polyak_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float = 1.0,
    floor: float = 0.0,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W on the log-loss by Polyak's step size, η = (L − floor) / ‖∇L‖².

    Parameters
    ----------
    step_size : float
        A factor of Polyak's own; 1 is his.
    floor : float
        The least value the loss can approach: 0 for data without ties.
    dataset, E, steps, W0, record
        As in `gradient_descent`.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> polyak_descent(FIG3.subset([0, 1, 2]), np.eye(4), steps=100)
    Run(Polyak descent, step 1: 100 steps, log-loss 1.1 → 6.69e-21, ‖W‖ 104)

    Explained in: chapter 19.
    """
    plan, floor = Plan(steps, step_size, "log", record), number(floor, "floor", least=0)
    landscape = landscape_of(races_of(dataset), *check_inputs(dataset, E, W0), plan.readout)

    def update(c: Floats) -> Floats:
        slope = scaled_slope(landscape, c)
        square = float(np.vdot(slope.gradient, slope.gradient))
        if not square:
            return c
        # with a floor there are ties, whose shares stay far from 0, and so does the shift
        above = slope.loss - (floor * float(np.exp(-slope.shift)) if floor else 0.0)
        return c - plan.step_size * max(above, 0.0) / square * slope.gradient

    (run,), _ = plan.train(landscape, "Polyak descent", update)
    return run


def _train(
    dataset: Dataset,
    E: ArrayLike,
    W0: ArrayLike | None,
    plan: Plan,
    method: str,
    move: Callable[[Floats], Floats],
    memory: Memory,
) -> Run:
    """A run whose steps depend on the direction of the remembered gradient alone."""
    checked, start = check_inputs(dataset, E, W0)
    landscape = landscape_of(races_of(dataset), checked, start, plan.readout, reduced=False)

    def update(c: Floats) -> Floats:
        G = memory.mean(scaled_slope(landscape, c)).reshape(start.shape)
        return c - move(G).reshape(c.shape)

    (run,), _ = plan.train(landscape, method, update)
    return run


def _memory(momentum: object) -> float:
    return number(momentum, "momentum", least=0, below=1)


def _matrix(gradient: ArrayLike) -> Floats:
    checked = reals(gradient, "gradient", error=OptionError)
    if checked.ndim != 2:
        raise OptionError(f"gradient must be a matrix, got shape {checked.shape}")
    return checked


def _direction(G: Floats, norm: str) -> Floats:
    if norm == "largest":
        return np.sign(G)
    G = unit(G)
    if norm == "frobenius" or not G.any():
        return G
    U, sizes, V = np.linalg.svd(G, full_matrices=False)
    rank = 1 if norm == "nuclear" else int((sizes > NO_RANK * sizes[0]).sum())
    pieces: Floats = U[:, :rank] @ V[:rank]
    return pieces


def _newton_schulz(G: Floats, rounds: int) -> Floats:
    X = unit(G)
    if X.shape[0] > X.shape[1]:
        return _newton_schulz(X.T, rounds).T
    a, b, c = NEWTON_SCHULZ
    for _ in range(rounds):
        A = X @ X.T
        X = a * X + (b * A + c * A @ A) @ X
    return X
