"""Gradient descent, normalized or plain: the paper's algorithm, on one dataset or many at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import (
    Floats,
    a,
    check_embeddings,
    check_weights,
    entries,
    flag,
    generator,
    number,
    room_for,
    whole,
)
from nta_core.data import Dataset
from nta_core.errors import OptionError
from nta_core.model import Readout
from nta_core.training.logloss import ActiveLogLoss, active_log_loss, fits, stack
from nta_core.training.masses import mass_risk, mass_risk_batch
from nta_core.training.nodes import NodeLogLoss
from nta_core.training.races import Races, races_of
from nta_core.training.run import MOST_STEPS, RECORDS, Interrupted, Run, record_steps, walk

FULL = 64  # dimensions up to which all d·d coordinates of a dense design are worth their memory
EPSILON = float(np.finfo(float).eps)  # what the authors add to ‖∇L‖ before they divide by it
Problem = tuple[Races, Floats, Floats]  # races, embeddings, start


class Landscape(Protocol):
    """A risk in some coordinates of W; leading axes are batches of independent problems."""

    @property
    def start(self) -> Floats: ...

    def gradient(self, c: Floats, weights: Floats | None = None) -> Floats: ...

    def loss(self, c: Floats) -> Floats: ...

    def matrices(self, c: Floats) -> list[Floats]: ...


def gradient_descent(
    dataset: Dataset,
    E: ArrayLike,
    *,
    steps: int,
    step_size: float,
    normalized: bool = True,
    loss: str | Readout = "log",
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> Run:
    """Train W by full-batch gradient descent.

    Parameters
    ----------
    dataset : Dataset
        Rows whose label is absent play no part (with a warning).
    E : array of shape (K, d)
        Token embeddings.
    steps : int
        Number of steps.
    step_size : float
        η.  Plain descent on the log-loss is stable for η < 8 / (max‖e_k‖² max‖e_i − e_j‖²).
    normalized : bool
        Whether each gradient is divided by its norm (plus 2.2e-16), as in all experiments of the
        paper; its theorem is about plain descent.
    loss : str or Readout
        One of `LOSSES`, or a loss with its head and temperature.
    W0 : array of shape (d, d), optional
        Start; zero by default.  What W0 holds outside S_active stays there forever.
    record : int or iterable of int, optional
        How many weights to record, log-spaced with both ends, or exactly which steps; None
        records every step.

    Raises
    ------
    Interrupted
        On Ctrl-C, with the `Run` until then.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import Dataset
    >>> race = Dataset([[0, 1]], [0])
    >>> run = gradient_descent(race, np.eye(2), steps=300, step_size=0.1)
    >>> (run.W / np.linalg.norm(run.W)).round(3) + 0.0
    array([[ 0.   ,  0.707],
           [ 0.   , -0.707]])

    Explained in: chapter 4. Paper: Algo-GD, Sec. 3.
    """
    plan = Plan(steps, step_size, loss, record, normalized)
    return _descend([(races_of(dataset), *check_inputs(dataset, E, W0))], plan)[0]


def gradient_descent_batch(
    datasets: Sequence[Dataset],
    Es: Sequence[ArrayLike],
    *,
    steps: int,
    step_size: float,
    normalized: bool = True,
    loss: str | Readout = "log",
    W0s: Sequence[ArrayLike] | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> list[Run]:
    """Train one W per dataset, all at once; the same as `gradient_descent` one after another.

    Datasets may differ in every size (shorter ones are padded).  One hundred at the paper's size
    take the time of a few.

    Parameters
    ----------
    datasets, Es, W0s : sequences of equal length
        Datasets, their embeddings and their starts, each of a shape of its own; starts are zero
        by default.
    steps, step_size, normalized, loss, record
        As in `gradient_descent`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3, FIG8
    >>> runs = gradient_descent_batch([FIG3, FIG8], [np.eye(4)] * 2, steps=10, step_size=0.1)
    >>> [round(float(run.norms[-1]), 3) for run in runs]
    [0.998, 0.998]

    Explained in: chapter 7. Paper: App. D.1.
    """
    plan = Plan(steps, step_size, loss, record, normalized)
    datasets, Es = listed(datasets, "datasets"), listed(Es, "Es")
    starts = [None] * len(datasets) if W0s is None else listed(W0s, "W0s")
    if not len(datasets) == len(Es) == len(starts):
        raise OptionError(
            f"{len(datasets)} datasets, {len(Es)} embeddings, {len(starts)} starts: give one of "
            "each per dataset"
        )
    triples = zip(datasets, Es, starts, strict=True)
    problems: list[Problem] = [
        (races_of(data), *check_inputs(data, E, W)) for data, E, W in triples
    ]
    small = plan.readout.loss != "log" or all(fits(races, E.shape[1]) for races, E, _ in problems)
    # large data fill the processor on their own
    batches = [problems] if problems and small else [[problem] for problem in problems]
    runs: list[Run] = []
    for batch in batches:
        try:
            runs += _descend(batch, plan)
        except Interrupted as stop:
            raise Interrupted(runs + stop.runs, stop.steps, stop.end) from None
    return runs


def random_start(d: int, *, seed: int | None) -> Floats:
    """Return a start W(0) with entries uniform in ±1/√d, as torch draws a linear layer.

    Parameters
    ----------
    d : int
        Dimension of the embeddings; W(0) has shape (d, d).
    seed : int or None
        The same seed gives the same start; None draws a fresh one.

    Examples
    --------
    >>> random_start(4, seed=0).shape
    (4, 4)

    Explained in: chapter 7. Paper: App. D.1.
    """
    d = whole(d, "d", least=1)
    room_for(8.0 * d * d, f"a start of shape ({d}, {d})", instead="use fewer dimensions d")
    bound = 1.0 / np.sqrt(d)
    return generator(seed).uniform(-bound, bound, size=(d, d))


def check_inputs(dataset: Dataset, E: ArrayLike, W0: ArrayLike | None) -> tuple[Floats, Floats]:
    """Embeddings and start as clean arrays."""
    checked = check_embeddings(E, a(Dataset, dataset, "dataset").K)
    d = checked.shape[1]
    room_for(32.0 * d * d, f"training a {d} × {d} matrix", instead="use fewer dimensions d")
    return checked, np.zeros((d, d)) if W0 is None else check_weights(W0, d)


def listed(values: object, name: str) -> list[Any]:
    """A list of whatever is given; an array is cut along its first axis."""
    return list(values) if isinstance(values, np.ndarray) and values.ndim else entries(values, name)


def landscape_of(
    races: Races, E: Floats, W0: Floats, readout: Readout, *, reduced: bool = True
) -> ActiveLogLoss | Landscape:
    """The cheapest exact form of the risk for this loss and this size.

    `reduced=False` keeps all d·d coordinates, for methods that leave S_active.
    """
    if readout.loss != "log":
        return mass_risk(races, E, W0, readout)
    if fits(races, E.shape[1]) and (reduced or E.shape[1] <= FULL):
        return active_log_loss(races, E, W0, reduced=reduced)
    return NodeLogLoss(races, E, W0)


class Plan:
    """What all ways of training share, checked: the loss, the steps, what is recorded."""

    def __init__(
        self,
        steps: int,
        step_size: float,
        loss: str | Readout,
        record: int | Iterable[int] | None,
        normalized: bool = False,
    ) -> None:
        self.steps = whole(steps, "steps", most=MOST_STEPS)
        self.step_size = number(step_size, "step_size", above=0)
        self.normalized = flag(normalized, "normalized")
        self.readout, self.chosen = Readout.of(loss), record_steps(record, steps)

    @property
    def kind(self) -> str:
        return "normalized" if self.normalized else "plain"

    def stride(self, g: Floats) -> Floats:
        """What a step takes away along a gradient of shape (..., dim), which is overwritten."""
        if self.normalized:
            g *= (self.step_size / (np.sqrt(np.vecdot(g, g)) + EPSILON))[..., None]
        else:
            g *= self.step_size
        return g

    def train(
        self, landscape: Landscape, method: str, update: Callable[[Floats], Floats] | None = None
    ) -> tuple[list[Run], Floats]:
        """One `Run` per problem of the batch, and the coordinates of the end.

        `update` gives the next coordinates; by default a step down the gradient.
        """
        slope = landscape.gradient
        rule = update or (lambda c: c - self.stride(slope(c)))

        def look(c: Floats) -> tuple[Floats, Floats]:
            return landscape.loss(c), np.linalg.norm(slope(c), axis=-1)

        def make(points: Floats, seen: list[Any], end: Floats) -> list[Run]:
            paths, ends = landscape.matrices(points), landscape.matrices(end)
            measured = np.array(seen).reshape(len(seen), 2, len(ends)).transpose(2, 1, 0)
            steps, words = self.chosen[: len(seen)], f"{method}, step {self.step_size:g}"
            return [
                Run(W, path, steps, losses, norms, words, readout=self.readout)
                for W, path, (losses, norms) in zip(ends, paths, measured, strict=True)
            ]

        start = landscape.start
        size = sum(W.size for W in landscape.matrices(start))
        return walk(start, rule, self.chosen, self.steps, look, make, size=size)


def _descend(problems: list[Problem], plan: Plan) -> list[Run]:
    landscape: Landscape | ActiveLogLoss
    if len(problems) == 1:
        landscape = landscape_of(*problems[0], plan.readout)
    elif plan.readout.loss == "log":
        landscape = stack([active_log_loss(*problem) for problem in problems])
    else:
        landscape = mass_risk_batch(problems, plan.readout)
    if isinstance(landscape, ActiveLogLoss):
        # No gradient is longer than max ‖e_i − e_j‖ max ‖e_k‖ ≤ 2 max ‖e_k‖².
        longest = max(2.0 * float((E**2).sum(axis=1).max()) for _, E, _ in problems)
        reach = plan.steps * plan.step_size * (1.0 if plan.normalized else longest)
        landscape = landscape.within(reach)
    return plan.train(landscape, f"{plan.kind} gradient descent")[0]
