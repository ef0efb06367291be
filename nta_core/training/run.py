"""What a training run leaves behind, and the loop that records it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import TypeVar

import numpy as np

from nta_core.boundary import Floats, Ints
from nta_core.data.tables import html_table
from nta_core.errors import OptionError
from nta_core.model import Readout

State = TypeVar("State")
RECORDS = 64


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """Weights along a training run.

    Attributes
    ----------
    W : float64 array of shape (d, d)
        Weights after the last step.
    path : float64 array of shape (r, d, d)
        Weights after each of the recorded steps.
    steps : int64 array of shape (r,)
        Which steps were recorded; 0 is the start.
    losses, gradient_norms : float64 arrays of shape (r,)
        Risk L(W) and ‖∇L(W)‖ at the recorded weights.
    method : str
        How the run was made, in words.
    readout : Readout
        The loss that was trained, with its head.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> from nta_core.training import gradient_descent
    >>> run = gradient_descent(FIG3, np.eye(4), steps=400, step_size=0.1, record=[0, 400])
    >>> run
    Run(normalized gradient descent, step 0.1: 400 steps, log-loss 1.1 → 0.472, ‖W‖ 15.5)
    >>> run.path.shape, run.norms.round(1).tolist()
    ((2, 4, 4), [0.0, 15.5])

    Explained in: chapter 4. Paper: Sec. 3.
    """

    W: Floats
    path: Floats
    steps: Ints
    losses: Floats
    gradient_norms: Floats
    method: str
    readout: Readout = field(default=Readout(), kw_only=True)

    @property
    def loss(self) -> str:
        """Name of the loss that was trained."""
        return self.readout.loss

    @cached_property
    def norms(self) -> Floats:
        """Frobenius norms ‖W‖ of the recorded weights, shape (r,)."""
        sizes: Floats = np.linalg.norm(self.path, axis=(1, 2))
        return sizes

    def __repr__(self) -> str:
        head = "" if self.readout.head == "tied" else f" with {self.readout.head} head"
        if not len(self.steps):
            return f"{type(self).__name__}({self.method}: nothing recorded)"
        return (
            f"{type(self).__name__}({self.method}: {self.steps[-1]} steps, {self.loss}-loss{head} "
            f"{self.losses[0]:.3g} → {self.losses[-1]:.3g}, ‖W‖ {self.norms[-1]:.3g})"
        )

    def _repr_html_(self) -> str:
        count = len(self.steps)
        shown = sorted({i * (count - 1) // 5 for i in range(6)}) if count else []
        columns = self.steps, self.losses, self.norms, self.gradient_norms
        forms = "d", ".4g", ".4g", ".2e"
        rows = ([f"{c[i]:{form}}" for c, form in zip(columns, forms, strict=True)] for i in shown)
        caption = f"{self.method}, {self.readout.head} head"
        titles = ("step", f"{self.loss}-loss", "‖W‖", "‖∇L‖")
        return html_table("run", rows, head=titles, caption=caption)


def record_steps(record: int | Iterable[int] | None, steps: int) -> Ints:
    """The steps to record: all, so many (log-spaced with both ends), or exactly those named."""
    check_schedule(steps)
    if record is None:
        return np.arange(steps + 1)
    if isinstance(record, (int, np.integer)):
        if record < 2:
            raise OptionError(f"record={record}: at least 2 (the start and the end), or a list")
        spaced = np.geomspace(1, steps + 1, int(record)) - 1
        return np.unique(spaced.round().astype(np.int64))
    chosen = np.unique(np.fromiter(record, dtype=np.int64))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] > steps):
        raise OptionError(f"record: steps from 0 to {steps} exist, got {chosen[0]}…{chosen[-1]}")
    return chosen


def check_schedule(steps: int, step_size: float = 1.0) -> None:
    """Raise `OptionError` unless there are steps ≥ 0 of a positive size."""
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 0:
        raise OptionError(f"steps={steps!r}: must be an integer, 0 or more")
    if not (np.isfinite(step_size) and step_size > 0):
        raise OptionError(f"step_size={step_size!r}: must be a positive number")


def recorded(states: Iterable[State], chosen: Ints) -> Iterator[State]:
    """The states of a training at the chosen steps; it does not run beyond the last of them.

    State 0 is the start.  A training may be a generator that yields before every step; then
    whoever takes a state sees it before it is changed.

    Examples
    --------
    >>> import numpy as np
    >>> list(recorded("abcdef", np.array([0, 2, 3])))
    ['a', 'c', 'd']
    """
    rest, done = iter(states), -1
    for step in chosen.tolist():
        yield next(islice(rest, step - done - 1, None))
        done = step


def walk(
    start: Floats, update: Callable[[Floats], Floats], chosen: Ints, steps: int
) -> tuple[Floats, Floats]:
    """Repeat ``state = update(state)``: the states at the chosen steps, and the last of all.

    `update` returns a new array and leaves the old one as it was.

    Examples
    --------
    >>> import numpy as np
    >>> walk(np.ones(1), lambda c: 2 * c, np.array([0, 3]), steps=5)
    (array([[1.],
           [8.]]), array([32.]))
    """

    def states() -> Iterator[Floats]:
        state = start
        while True:
            yield state
            state = update(state)

    found = list(recorded(states(), np.union1d(chosen, steps)))
    return np.array(found[: len(chosen)]).reshape(len(chosen), *start.shape), found[-1]
