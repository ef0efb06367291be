"""How fragile is "attention above 1 %"? The believed graph under other thresholds and times."""

from __future__ import annotations

import itertools

import numpy as np

from experiments.believed import SELECTED, Belief, Floats, cosine
from experiments.experiment import Experiment
from nta_core import Dataset, Run, embeddings, gradient_descent_batch, random_dataset, random_start

BLOCK = 10  # datasets per cell
SIZE = (6, 4, 6, 8)  # n, T, K, d
TIMES = (500, 2000, 8000)
STEP_SIZE = 0.1
THRESHOLDS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.2, 0.3)
SETTINGS = (
    ("squared-softmax", "general"),
    ("cross-entropy", "general"),
    ("squared", "tied"),
    ("log", "tied"),
)
CELLS = tuple(
    {"loss": loss, "head": head, "seed": seed}
    for (loss, head), seed in itertools.product(SETTINGS, range(0, 100, BLOCK))
)


def measure(loss: str, head: str, seed: int) -> dict[str, object]:
    """Per time and threshold: datasets with the same graph as at 0.01, and the local cosines."""
    n, T, K, d = SIZE
    seeds = range(seed, seed + BLOCK)
    data = [random_dataset(n, T, K, kind="cyclic", seed=s) for s in seeds]
    Es = [embeddings(K, d, seed=s) for s in seeds]
    runs = gradient_descent_batch(
        data,
        Es,
        steps=TIMES[-1],
        step_size=STEP_SIZE,
        loss=loss,
        head=head,
        W0s=[random_start(d, seed=s) for s in seeds],
        record=TIMES,
    )
    same, local = zip(*(map(_read, data, Es, runs)), strict=True)
    return {
        "times": TIMES,
        "thresholds": THRESHOLDS,
        "same": np.sum(same, axis=0),
        "local_mean": np.mean(local, axis=0),
        "local_worst": np.min(local, axis=0),
    }


def _read(dataset: Dataset, E: Floats, run: Run) -> tuple[Floats, Floats]:
    """Whether the graph is that of 0.01, and the local cosine; shapes (times, thresholds)."""
    same = np.zeros((len(TIMES), len(THRESHOLDS)))
    local = np.zeros_like(same)
    for i, W in enumerate(run.path):
        usual = Belief.of(dataset, E, W, threshold=SELECTED)
        for j, threshold in enumerate(THRESHOLDS):
            belief = Belief.of(dataset, E, W, threshold=threshold)
            same[i, j] = belief.key == usual.key
            local[i, j] = cosine(W, belief.direction)
    return same, local


EXPERIMENT = Experiment(
    title="The threshold of the believed graph, at three times",
    chapter=11,
    cells=CELLS,
    measure=measure,
    spot=(0,),
    tolerance=1e-4,
)
