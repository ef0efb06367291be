"""Computations that several lines of the ledger share."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_core import (
    Dataset,
    Theory,
    embeddings,
    gradient_descent_batch,
    pseudo_graphs,
    random_dataset,
    random_start,
    solve_graph_svm,
    token_priority_graphs,
)
from tests.golden import load

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


def cosine(A: Floats, B: Floats) -> float:
    """Return the papers' correlation of two matrices."""
    return float(np.vdot(A, B) / np.linalg.norm(A) / np.linalg.norm(B))


@shared
def fig4() -> tuple[Floats, Floats]:
    """Cosine and soft distance, shape (100, 40) each: Fig. 4's setting, 100 cyclic datasets."""
    seeds = range(100)
    data = [random_dataset(6, 4, 6, kind="cyclic", seed=s) for s in seeds]
    Es = [embeddings(6, 8, seed=s) for s in seeds]
    starts = [random_start(8, seed=s) for s in seeds]
    runs = gradient_descent_batch(data, Es, steps=4000, step_size=0.01, W0s=starts, record=40)
    theories = [Theory.of(*pair) for pair in zip(data, Es, strict=True)]
    read = [[t.decompose(W) for W in run.path] for t, run in zip(theories, runs, strict=True)]
    cosines = np.array([[part.cosine for part in parts] for parts in read])
    return cosines, np.array([[part.soft_distance for part in parts] for parts in read])


def fig5() -> float:
    """Mean cosine at the end of Fig. 5's runs, 100 acyclic datasets."""
    seeds = range(100)
    data = [random_dataset(4, 6, 8, kind="acyclic", seed=s) for s in seeds]
    Es = [embeddings(8, 8, seed=s) for s in seeds]
    starts = [random_start(8, seed=s) for s in seeds]
    runs = gradient_descent_batch(data, Es, steps=4000, step_size=0.01, W0s=starts, record=[4000])
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
    instances = load("nb_global_seed1")
    runs = gradient_descent_batch(
        [i.dataset for i in instances],
        [i.E for i in instances],
        W0s=[i.arrays["W0"] for i in instances],
        steps=4000,
        step_size=0.01,
        record=[4000],
    )
    return [
        cosine(run.W, solve_graph_svm(token_priority_graphs(i.dataset), i.E).W)
        for i, run in zip(instances, runs, strict=True)
    ]


@shared
def authors_local_runs() -> tuple[list[float], list[float]]:
    """Local and global cosine of our run from each start of the authors' Fig. 6 code."""
    instances = load("local_fig6")
    runs = gradient_descent_batch(
        [i.dataset for i in instances],
        [i.E for i in instances],
        W0s=[i.arrays["W0"] for i in instances],
        steps=2000,
        step_size=0.1,
        loss="squared-softmax",
        head="general",
        record=[2000],
    )
    local, overall = [], []
    for i, run in zip(instances, runs, strict=True):
        believed = pseudo_graphs(i.dataset, i.E, run.W)
        local.append(cosine(run.W, solve_graph_svm(believed, i.E).W))
        overall.append(cosine(run.W, solve_graph_svm(token_priority_graphs(i.dataset), i.E).W))
    return local, overall
