"""Gradient descent, normalized or plain: the paper's algorithm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, Ints, check_embeddings, check_weights
from nta_core.errors import OptionError
from nta_core.model import check_readout
from nta_core.training.logloss import ActiveLogLoss, active_log_loss, fits
from nta_core.training.masses import mass_risk
from nta_core.training.nodes import NodeLogLoss
from nta_core.training.races import Races, races_of
from nta_core.training.run import Run, check_schedule, record_steps

EPSILON = float(np.finfo(float).eps)  # what the authors add to ‖∇L‖ before they divide by it
RECORDS = 64


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
    loss: str = "log",
    head: str = "tied",
    temperature: float = 1.0,
    W0: ArrayLike | None = None,
    record: int | Iterable[int] = RECORDS,
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
    loss, head, temperature
        See the tables of `nta_core.model.readout`.
    W0 : array of shape (d, d), optional
        Start; zero by default.  What W0 holds outside S_active stays there forever.
    record : int or iterable of int
        How many weights to record, log-spaced with both ends, or exactly which steps.

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
    check_schedule(steps, step_size)
    checked, start = check_inputs(dataset, E, W0)
    landscape = landscape_of(
        races_of(dataset), checked, start, loss=loss, head=head, temperature=temperature
    )
    if isinstance(landscape, ActiveLogLoss):
        longest = 1.0 if normalized else longest_gradient(checked)
        landscape = landscape.within(steps * step_size * longest)
    chosen = record_steps(record, steps)
    points, end = descend(
        landscape, chosen, steps=steps, step_size=step_size, normalized=normalized
    )
    kind = "normalized" if normalized else "plain"
    method = f"{kind} gradient descent, step {step_size:g}"
    return make_runs(landscape, (points, end, chosen), method=method, loss=loss, head=head)[0]


def random_start(d: int, *, seed: int) -> Floats:
    """Return a start W(0) with entries uniform in ±1/√d, as torch draws a linear layer.

    Parameters
    ----------
    d : int
        Dimension of the embeddings; W(0) has shape (d, d).
    seed : int
        The same seed gives the same start.

    Examples
    --------
    >>> random_start(4, seed=0).shape
    (4, 4)

    Explained in: chapter 7. Paper: App. D.1.
    """
    if d < 1:
        raise OptionError(f"d={d}: must be at least 1")
    bound = 1.0 / np.sqrt(d)
    return np.random.default_rng(seed).uniform(-bound, bound, size=(d, d))


def check_inputs(dataset: Dataset, E: ArrayLike, W0: ArrayLike | None) -> tuple[Floats, Floats]:
    """Embeddings and start as clean arrays."""
    checked = check_embeddings(E, dataset.K)
    d = checked.shape[1]
    return checked, np.zeros((d, d)) if W0 is None else check_weights(W0, d)


def landscape_of(
    races: Races,
    E: Floats,
    W0: Floats,
    *,
    loss: str,
    head: str,
    temperature: float,
    reduced: bool = True,
) -> ActiveLogLoss | Landscape:
    """The cheapest exact form of the risk for this loss and this size.

    `reduced=False` keeps all d·d coordinates, for methods that leave S_active.
    """
    check_readout(loss, head, temperature)
    if loss != "log":
        return mass_risk(races, E, W0, loss=loss, head=head, temperature=temperature)
    if fits(races, E.shape[1]):
        return active_log_loss(races, E, W0, reduced=reduced)
    return NodeLogLoss(races, E, W0)


def descend(
    landscape: Landscape, records: Ints, *, steps: int, step_size: float, normalized: bool
) -> tuple[Floats, Floats]:
    """Coordinates at the recorded steps, shape (r, ...), and at the end."""
    c = landscape.start
    points = np.empty((len(records), *c.shape))
    gradient, done = landscape.gradient, 0
    for place, stop in enumerate([*records.tolist(), steps]):
        for _ in range(stop - done):
            g = gradient(c)
            if normalized:
                g *= (step_size / (np.sqrt(np.vecdot(g, g)) + EPSILON))[..., None]
                c = c - g
            else:
                c = c - step_size * g
        done = stop
        if place < len(records):
            points[place] = c
    return points, c


def make_runs(
    landscape: Landscape,
    recorded: tuple[Floats, Floats, Ints],
    *,
    method: str,
    loss: str,
    head: str,
) -> list[Run]:
    """One `Run` per problem of the batch from recorded coordinates, end and steps."""
    points, end, steps = recorded
    matrices = landscape.matrices(np.concatenate([points, end[None]]))
    shape = (len(points), len(matrices))
    losses = landscape.loss(points).reshape(shape)
    gradients = np.array([landscape.gradient(c) for c in points]).reshape(points.shape)
    norms = np.linalg.norm(gradients, axis=-1).reshape(shape)
    return [
        Run(W[-1], W[:-1], steps, losses[:, b], norms[:, b], method, loss=loss, head=head)
        for b, W in enumerate(matrices)
    ]


def longest_gradient(E: Floats) -> float:
    """No gradient of the log-loss is longer: max ‖e_i − e_j‖ max ‖e_k‖ ≤ 2 max ‖e_k‖²."""
    return 2.0 * float((E**2).sum(axis=1).max())
