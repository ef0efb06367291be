"""What a training run leaves behind, and the loop that records it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from nta_core.boundary import EXTREME, Floats, Ints, entries, room_for, whole
from nta_core.data.tables import html_table
from nta_core.errors import OptionError
from nta_core.model import Readout

RECORDS = 64
MOST_STEPS = 10**15  # more than any machine takes; a float64 still tells them apart
FARTHEST = EXTREME**4  # ‖W‖² beyond which scores leave float64


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


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a training: what was trained until then is not lost.

    Go on with ``W0=stop.run.W`` and the steps that are left (Adam forgets its memory).

    Attributes
    ----------
    runs : list of Run, or of what else the training returns
        What was recorded, one per dataset; each `W` is the one after the last whole step.
    steps : int
        Whole steps of the last of these runs.
    """

    def __init__(self, runs: list[Any], steps: int, end: Any = None) -> None:
        super().__init__(f"stopped after {steps} steps; the run so far is `.run` of this exception")
        self.runs, self.steps, self.end = runs, steps, end

    @property
    def run(self) -> Any:
        """The last of the runs: the one that was interrupted."""
        return self.runs[-1]


def record_steps(record: int | Iterable[int] | None, steps: int) -> Ints:
    """The steps to record: all, so many (log-spaced with both ends), or exactly those named."""
    steps = whole(steps, "steps", most=MOST_STEPS)
    if record is None or isinstance(record, (int, np.integer)):
        count = steps + 1 if record is None else whole(record, "record", least=2)
        room_for(32.0 * count, f"a list of {count:,} steps", instead="record fewer of them")
        if record is None:
            return np.arange(count)
        return np.unique((np.geomspace(1, steps + 1, count) - 1).round().astype(np.int64))
    listed = sorted(record) if isinstance(record, (set, frozenset)) else record
    named = [whole(step, "record", most=steps) for step in entries(listed, "record")]
    return np.unique(np.array(named, dtype=np.int64))


def walk(
    start: Floats,
    update: Callable[[Floats], Floats],
    chosen: Ints,
    steps: int,
    look: Callable[[Floats], Any],
    make: Callable[[Floats, list[Any], Floats], list[Run]],
    *,
    size: int,
) -> tuple[list[Run], Floats]:
    """Repeat ``state = update(state)``, and `make` runs of it; returns them and the last state.

    `update` leaves its argument as it was; `make` gets the states at the chosen steps, what `look`
    saw in each, and the last state, also after Ctrl-C; `size` numbers of each state are recorded.
    """
    what = f"recording {len(chosen)} weights"
    room_for(8.0 * len(chosen) * size, what, instead="name fewer steps in record=")
    points, state, done = np.empty((len(chosen), *start.shape)), start, 0
    seen: list[Any] = []
    stopped, due = False, [*chosen.tolist(), -1]
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            while True:
                if done == due[len(seen)]:
                    points[len(seen)] = state
                    seen.append(look(state))
                if done == steps:
                    break
                moved = update(state)
                if not np.vdot(moved, moved) <= FARTHEST:  # also if it is NaN
                    raise FloatingPointError
                state, done = moved, done + 1
    except FloatingPointError:
        raise OptionError(
            f"training leaves float64 after {done} of {steps} steps: choose a smaller step_size, "
            "or scale E and W0 down"
        ) from None
    except KeyboardInterrupt:
        stopped = True  # raised again below, with the runs until here
    runs = make(points[: len(seen)], seen, state)
    if stopped:
        raise Interrupted(runs, done, state)
    return runs, state
