"""Gradient descent on many datasets at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats
from nta_core.errors import OptionError
from nta_core.model import check_readout
from nta_core.training.descent import (
    RECORDS,
    Landscape,
    check_inputs,
    descend,
    gradient_descent,
    longest_gradient,
    make_runs,
)
from nta_core.training.logloss import active_log_loss, fits, stack
from nta_core.training.masses import mass_risk_batch
from nta_core.training.races import Races, races_of
from nta_core.training.run import Run, check_schedule, record_steps


def gradient_descent_batch(
    datasets: Sequence[Dataset],
    Es: Sequence[ArrayLike],
    *,
    steps: int,
    step_size: float,
    normalized: bool = True,
    loss: str = "log",
    head: str = "tied",
    temperature: float = 1.0,
    W0s: Sequence[ArrayLike] | None = None,
    record: int | Iterable[int] = RECORDS,
) -> list[Run]:
    """Train one W per dataset, all at once; the same as `gradient_descent` one after another.

    Datasets may differ in every size (shorter ones are padded).  One hundred at the paper's size
    take the time of a few.

    Parameters
    ----------
    datasets, Es : sequences of equal length
        Datasets and their embeddings, each of shape (K, d) of its own.
    W0s : sequence of arrays of shape (d, d), optional
        Starts; zero by default.
    steps, step_size, normalized, loss, head, temperature, record
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
    check_schedule(steps, step_size)
    check_readout(loss, head, temperature)
    instances = _instances(datasets, Es, W0s)
    if not instances:
        return []
    chosen = record_steps(record, steps)
    landscape: Landscape
    if loss != "log":
        landscape = mass_risk_batch(instances, loss=loss, head=head, temperature=temperature)
    elif all(fits(races, E.shape[1]) for races, E, _ in instances):
        longest = 1.0 if normalized else max(longest_gradient(E) for _, E, _ in instances)
        problems = [active_log_loss(*instance) for instance in instances]
        landscape = stack(problems).within(steps * step_size * longest)
    else:  # large data fill the processor on their own
        alone = partial(
            gradient_descent, steps=steps, step_size=step_size, normalized=normalized, record=chosen
        )
        pairs = zip(datasets, instances, strict=True)
        return [alone(data, E, W0=W0) for data, (_, E, W0) in pairs]
    recorded = descend(landscape, chosen, steps=steps, step_size=step_size, normalized=normalized)
    kind = "normalized" if normalized else "plain"
    method = f"{kind} gradient descent, step {step_size:g}"
    return make_runs(landscape, (*recorded, chosen), method=method, loss=loss, head=head)


def _instances(
    datasets: Sequence[Dataset], Es: Sequence[ArrayLike], W0s: Sequence[ArrayLike] | None
) -> list[tuple[Races, Floats, Floats]]:
    """Races, embeddings and start of every dataset, checked."""
    starts: Sequence[ArrayLike | None] = [None] * len(datasets) if W0s is None else W0s
    if not len(datasets) == len(Es) == len(starts):
        raise OptionError(
            f"{len(datasets)} datasets, {len(Es)} embeddings, {len(starts)} starts: give one of "
            "each per dataset"
        )
    return [
        (races_of(data), *check_inputs(data, E, W0))
        for data, E, W0 in zip(datasets, Es, starts, strict=True)
    ]
