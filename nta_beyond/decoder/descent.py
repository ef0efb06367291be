"""Training a head while attention stands still."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.decoder.language import Language
from nta_beyond.decoder.loss import check_head, curvature, slope
from nta_beyond.optimizers import Adam
from nta_beyond.progress import patiently
from nta_beyond.recording import watched
from nta_core.boundary import EXTREME, Floats, Ints, a, number, one_of, room_for
from nta_core.errors import OptionError
from nta_core.training.run import RECORDS, record_steps

METHODS = ("plain", "normalized", "adam")
BETAS = (0.9, 0.99)  # those of the experiments of Thrampoulidis 2024, App. A.2


@dataclass(frozen=True, eq=False, repr=False)
class HeadRun:
    """A head along its training.

    Attributes
    ----------
    path : float64 array of shape (r, V, d)
        The head after each of the recorded steps.
    steps : int64 array of shape (r,)
        Which steps were recorded; 0 is the start.
    losses : float64 array of shape (r,)
        Cross-entropy at the recorded heads.
    method : str
        How the run was made, in words.

    Explained in: chapter 20.
    """

    path: Floats
    steps: Ints
    losses: Floats
    method: str

    @property
    def W(self) -> Floats:
        """The head after the last recorded step, shape (V, d)."""
        return np.asarray(self.path[-1])

    @cached_property
    def norms(self) -> Floats:
        """Lengths ‖W‖ of the recorded heads, shape (r,)."""
        return np.asarray(np.linalg.norm(self.path, axis=(1, 2)))

    def __repr__(self) -> str:
        ends = f"loss {self.losses[0]:.4g} → {self.losses[-1]:.4g}, ‖W‖ {self.norms[-1]:.4g}"
        return f"HeadRun({self.method}: {self.steps[-1]} steps, {ends})"


def train_head(
    language: Language,
    *,
    steps: int,
    step_size: float | None = None,
    method: str = "plain",
    W0: ArrayLike | None = None,
    record: int | Iterable[int] | None = RECORDS,
) -> HeadRun:
    """Train the head of a language by descent on its cross-entropy, attention standing still.

    Parameters
    ----------
    language : Language
    steps : int
    step_size : float, optional
        Without it plain descent takes the inverse of a bound on the curvature: small enough.
    method : str
        "plain" descent, "normalized" descent, or "adam" (β = 0.9 and 0.99).
    W0 : array of shape (V, d), optional
        The start; zero, unless given.
    record : int, iterable of int, or None
        How many steps to record, or which; None records all.

    Raises
    ------
    Interrupted
        On Ctrl-C; it carries the run until then.

    Examples
    --------
    >>> talk = Language(np.eye(2), [[0.75, 0.25, 0], [0, 0, 1]])
    >>> train_head(talk, steps=1000)
    HeadRun(plain descent, step 4: 1000 steps, loss 1.099 → 0.2815, ‖W‖ 9.239)

    Explained in: chapter 20. Paper: Thrampoulidis 2024, Sec. 5.
    """
    one_of(method, "method", METHODS)
    start = np.zeros((len(a(Language, language, "language").words), language.contexts.shape[1]))
    start = start if W0 is None else check_head(language, W0)
    if step_size is None:
        bound = curvature(language)
        if method != "plain" or not bound:
            raise OptionError(f"step_size: method={method!r} needs one")
        step_size = 1 / bound
    size = number(step_size, "step_size", above=0, most=EXTREME)
    chosen = record_steps(record, steps)
    if not len(chosen):
        raise OptionError("record: name at least one step")
    room_for(8.0 * len(chosen) * start.size, "the path of the head", instead="record fewer steps")

    def training() -> Iterator[tuple[Floats, float]]:
        W, rule = start, Adam(size, BETAS)
        while True:  # errors are at most 1, so that W and its logits stay within float64
            loss, gradient = slope(W, language)
            yield W, loss
            if method == "adam":
                W = W - rule.step(gradient)
            elif method == "normalized":
                W = W - size * gradient / max(float(np.linalg.norm(gradient)), 1e-300)
            else:
                W = W - size * gradient

    words = {"plain": "plain descent", "normalized": "normalized descent", "adam": "Adam"}

    def make(at: Ints, seen: list[tuple[Floats, float]]) -> list[HeadRun]:
        path, losses = zip(*seen, strict=True)
        method_said = f"{words[method]}, step {size:g}"
        return [HeadRun(np.array(path), at, np.array(losses), method_said)]

    states = patiently(training(), steps=int(chosen[-1]))
    return watched(states, chosen, lambda now: now, make)[0]
