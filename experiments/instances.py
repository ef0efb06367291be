"""What experiments share: grids of settings, random datasets with embeddings, trained batches."""

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from nta_core import Dataset, Readout, Run, embeddings, gradient_descent_batch, random_dataset
from nta_core.boundary import Floats


def grid(**axes: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """Return one cell per combination of the values, the last name running fastest."""
    return tuple(
        dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())
    )


def draw(
    size: Sequence[int], seeds: Iterable[int], *, kind: str = "cyclic", vectors: str = "random"
) -> tuple[list[Dataset], list[Floats]]:
    """Return a dataset and its embeddings for each seed; the size is n, T, K, d."""
    n, T, K, d = size
    chosen = list(seeds)
    data = [random_dataset(n, T, K, kind=kind, seed=seed) for seed in chosen]
    return data, [embeddings(K, d, kind=vectors, seed=seed) for seed in chosen]


def train(
    data: Sequence[Dataset],
    Es: Sequence[Floats],
    starts: Iterable[Floats],
    loss: str | Readout,
    *,
    times: Sequence[int] = (2000,),
    step_size: float = 0.1,
) -> list[Run]:
    """Normalized descent to the last of the times; the schedule is that of the paper's Fig. 6."""
    return gradient_descent_batch(
        data, Es, steps=times[-1], step_size=step_size, loss=loss, W0s=list(starts), record=times
    )
