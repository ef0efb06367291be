"""Computations that several lines of the ledger share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_core import (
    Dataset,
    Readout,
    Run,
    Theory,
    cosine,
    embeddings,
    gradient_descent_batch,
    pseudo_graphs,
    random_dataset,
    random_start,
    solve_graph_svm,
    token_priority_graphs,
)
from tests.golden import Instance, load

Floats = NDArray[np.float64]
Result = TypeVar("Result")
_SHARED: list[Any] = []


def shared(compute: Callable[[], Result]) -> Callable[[], Result]:
    """Compute once for all lines that ask; `forget` lets each line be timed on its own."""
    cached = cache(compute)
    _SHARED.append(cached)
    return cached


def forget() -> None:
    """Compute shared results afresh from now on."""
    for cached in _SHARED:
        cached.cache_clear()


def _hundred_runs(
    n: int, T: int, K: int, *, kind: str, record: int | list[int]
) -> tuple[list[Dataset], list[Floats], list[Run]]:
    """Random datasets, embeddings in 8 dimensions, and 4,000 steps of 0.01 from random starts."""
    seeds = range(100)
    data = [random_dataset(n, T, K, kind=kind, seed=s) for s in seeds]
    Es = [embeddings(K, 8, seed=s) for s in seeds]
    starts = [random_start(8, seed=s) for s in seeds]
    runs = gradient_descent_batch(data, Es, steps=4000, step_size=0.01, W0s=starts, record=record)
    return data, Es, runs


@shared
def fig4() -> tuple[Floats, Floats]:
    """Cosine and soft distance, shape (100, 40) each: Fig. 4's setting, 100 cyclic datasets."""
    data, Es, runs = _hundred_runs(6, 4, 6, kind="cyclic", record=40)
    theories = [Theory.of(*pair) for pair in zip(data, Es, strict=True)]
    read = [[t.decompose(W) for W in run.path] for t, run in zip(theories, runs, strict=True)]
    cosines = np.array([[part.cosine for part in parts] for parts in read])
    return cosines, np.array([[part.soft_distance for part in parts] for parts in read])


def fig5() -> float:
    """Mean cosine at the end of Fig. 5's runs, 100 acyclic datasets."""
    data, Es, runs = _hundred_runs(4, 6, 8, kind="acyclic", record=[4000])
    targets = [
        solve_graph_svm(token_priority_graphs(races), E).W
        for races, E in zip(data, Es, strict=True)
    ]
    return float(np.mean([cosine(run.W, W) for run, W in zip(runs, targets, strict=True)]))


def fig11() -> list[float]:
    """Mean number of leagues over three draws: one track, races of 32, 10,000 tokens."""
    K, T, sizes = 10_000, 32, [10, 100, 1000, 10_000, 100_000]
    counts = []
    for seed in range(3):
        drawn = random_dataset(sizes[-1], T, K, same_last=True, seed=seed)
        races = drawn.tokens.reshape(-1, T)
        for n in sizes:
            first = Dataset(races[:n], drawn.targets[:n], K=K)
            never_ran = K - len(np.unique(first.tokens))
            counts.append(token_priority_graphs(first).n_components + never_ran)
    return np.mean(np.reshape(counts, (3, -1)), axis=0).tolist()


def notebook_correlations() -> list[float]:
    """Our descent from the authors' ten starts, against our Graph-SVM."""
    return [
        cosine(run.W, solve_graph_svm(token_priority_graphs(i.dataset), i.E).W)
        for i, run in _from_their_starts("nb_global_seed1", 4000, 0.01)
    ]


@shared
def authors_local_runs() -> tuple[list[float], list[float]]:
    """Local and global cosine of our run from each start of the authors' Fig. 6 code."""
    local, overall = [], []
    readout = Readout("squared-softmax", "general")
    for i, run in _from_their_starts("local_fig6", 2000, 0.1, readout):
        believed = pseudo_graphs(i.dataset, i.E, run.W)
        local.append(cosine(run.W, solve_graph_svm(believed, i.E).W))
        overall.append(cosine(run.W, solve_graph_svm(token_priority_graphs(i.dataset), i.E).W))
    return local, overall


def _from_their_starts(
    name: str, steps: int, step_size: float, loss: str | Readout = "log"
) -> list[tuple[Instance, Run]]:
    """The authors' instances, each with our run from its start."""
    instances = load(name)
    data, Es, starts = zip(*((i.dataset, i.E, i.arrays["W0"]) for i in instances), strict=True)
    runs = gradient_descent_batch(
        data, Es, W0s=starts, steps=steps, step_size=step_size, loss=loss, record=[steps]
    )
    return list(zip(instances, runs, strict=True))
