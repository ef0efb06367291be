"""How fragile is "attention above 1 %"? The believed graph under other thresholds and times."""

import itertools

import numpy as np

from experiments.believed import PAIRS, SELECTED, Belief
from experiments.experiment import Experiment
from experiments.instances import draw, train
from nta_core import Dataset, Readout, Run, random_start
from nta_core.boundary import Floats

BLOCK = 10  # datasets per cell
SIZE = (6, 4, 6, 8)  # n, T, K, d
TIMES = (500, 2000, 8000)
THRESHOLDS = (1e-8, 1e-6, 1e-5, 1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.2, 0.3)
CELLS = tuple(
    {"loss": loss, "head": head, "seed": seed}
    for (loss, head), seed in itertools.product(PAIRS, range(0, 100, BLOCK))
)


def measure(loss: str, head: str, seed: int) -> dict[str, object]:
    """Per time and threshold: datasets with the same graph as at 0.01, and the local cosines."""
    seeds = range(seed, seed + BLOCK)
    data, Es = draw(SIZE, seeds)
    starts = [random_start(SIZE[-1], seed=s) for s in seeds]
    runs = train(data, Es, starts, Readout(loss, head), times=TIMES)
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
            local[i, j] = belief.followed_by(W)
    return same, local


TITLE = "The threshold of the believed graph, at three times"
# the spot: a cell that comes out the same on another processor (in cell 0 a dataset stands so near
# a threshold that its rounding decides)
EXPERIMENT = Experiment(TITLE, 11, CELLS, measure, spot=(2,), tolerance=1e-4)
