"""What a training run leaves behind."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nta_core.data import Floats, Ints
from nta_core.errors import OptionError


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
    loss: str = field(default="log", kw_only=True)
    head: str = field(default="tied", kw_only=True)

    @cached_property
    def norms(self) -> Floats:
        """Frobenius norms ‖W‖ of the recorded weights, shape (r,)."""
        sizes: Floats = np.linalg.norm(self.path, axis=(1, 2))
        return sizes

    def __repr__(self) -> str:
        head = "" if self.head == "tied" else f" with {self.head} head"
        if not len(self.steps):
            return f"{type(self).__name__}({self.method}: nothing recorded)"
        return (
            f"{type(self).__name__}({self.method}: {self.steps[-1]} steps, {self.loss}-loss{head} "
            f"{self.losses[0]:.3g} → {self.losses[-1]:.3g}, ‖W‖ {self.norms[-1]:.3g})"
        )

    def _repr_html_(self) -> str:
        count = len(self.steps)
        shown = sorted({i * (count - 1) // 5 for i in range(6)}) if count else []
        rows = "".join(
            f"<tr><td>{self.steps[i]}</td><td>{self.losses[i]:.4g}</td>"
            f"<td>{self.norms[i]:.4g}</td><td>{self.gradient_norms[i]:.2e}</td></tr>"
            for i in shown
        )
        titles = f"<tr><th>step</th><th>{self.loss}-loss</th><th>‖W‖</th><th>‖∇L‖</th></tr>"
        caption = f"{self.method}, {self.head} head"
        return f'<table class="nta-run"><caption>{caption}</caption>{titles}{rows}</table>'


def record_steps(record: int | Iterable[int], steps: int) -> Ints:
    """The steps to record: so many, log-spaced with both ends, or exactly those named."""
    if isinstance(record, (int, np.integer)):
        if record < 2:
            raise OptionError(f"record={record}: at least 2 (the start and the end), or a list")
        spaced = np.geomspace(1, steps + 1, int(record)) - 1
        return np.unique(spaced.round().astype(np.int64))
    chosen = np.unique(np.fromiter(record, dtype=np.int64))
    if len(chosen) and (chosen[0] < 0 or chosen[-1] > steps):
        raise OptionError(f"record: steps from 0 to {steps} exist, got {chosen[0]}…{chosen[-1]}")
    return chosen


def check_schedule(steps: int, step_size: float) -> None:
    """Raise `OptionError` unless there are steps ≥ 0 of a positive size."""
    if isinstance(steps, bool) or not isinstance(steps, (int, np.integer)) or steps < 0:
        raise OptionError(f"steps={steps!r}: must be an integer, 0 or more")
    if not (np.isfinite(step_size) and step_size > 0):
        raise OptionError(f"step_size={step_size!r}: must be a positive number")
