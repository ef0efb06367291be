"""How many graphs does one dataset lead to, and does W obey the graph it believes?

Each dataset is trained from many starts.  Every end is read against the graph of the data, its
own graph, and the graphs that the other starts ended with.
"""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from experiments.believed import SELECTED, Belief, Floats, cosine
from experiments.experiment import Experiment
from nta_core import (
    Dataset,
    active_subspace,
    embeddings,
    gradient_descent_batch,
    random_dataset,
    random_start,
    token_mass,
    token_priority_graphs,
)

Ints = NDArray[np.int64]
BLOCK, STARTS = 5, 12  # datasets per cell, starts per dataset
STEPS, STEP_SIZE = 2000, 0.1  # as in the paper's Figs. 6 and 7
FAR = 40.0  # length of an untrained W whose attention is as sharp as a trained one's
BAND = (0.009, 0.01)  # masses that the authors' code calls neither selected nor dropped
CYCLIC, FIG6 = [6, 4, 6, 8], [4, 6, 8, 8]  # n, T, K, d
PAIRS = (
    ("squared-softmax", "general"),
    ("cross-entropy", "general"),
    ("squared", "tied"),
    ("log", "tied"),
)
# loss and head, kind and size of the data, and how many times a usual start is multiplied
SETTINGS = (
    *((pair, "cyclic", CYCLIC, scale) for pair in PAIRS for scale in (1, 5, 20)),
    *((pair, "cyclic", FIG6, 1) for pair in PAIRS[:2]),
    *((PAIRS[0], "acyclic", FIG6, scale) for scale in (1, 20)),
)
CELLS = tuple(
    {"loss": pair[0], "head": pair[1], "kind": kind, "size": size, "scale": scale, "seed": seed}
    for (pair, kind, size, scale), seed in itertools.product(SETTINGS, range(0, 50, BLOCK))
)


def measure(
    loss: str, head: str, kind: str, size: list[int], scale: float, seed: int
) -> dict[str, object]:
    """One row per dataset; `_read` names the columns."""
    n, T, K, d = size
    seeds = range(seed, seed + BLOCK)
    data = [random_dataset(n, T, K, kind=kind, seed=s) for s in seeds]
    Es = [embeddings(K, d, seed=s) for s in seeds]
    starts = [scale * random_start(d, seed=1000 * s + k) for s in seeds for k in range(STARTS)]
    runs = gradient_descent_batch(
        [dataset for dataset in data for _ in range(STARTS)],
        [E for E in Es for _ in range(STARTS)],
        steps=STEPS,
        step_size=STEP_SIZE,
        loss=loss,
        head=head,
        W0s=starts,
        record=[STEPS],
    )
    ends = np.array([run.W for run in runs]).reshape(BLOCK, STARTS, d, d)
    begins = np.array(starts).reshape(ends.shape)
    read = [
        _read(dataset, E, end, begin)
        for dataset, E, end, begin in zip(data, Es, ends, begins, strict=True)
    ]
    return {name: [np.round(np.asarray(row[name], float), 4) for row in read] for name in read[0]}


def _read(dataset: Dataset, E: Floats, ends: Floats, starts: Floats) -> dict[str, list[float]]:
    """One number per start: its graph, cosines, and what the caveats of the text concern.

    Cosines are those of the part of W that training can move, S_active.  `others` holds the mean
    cosines with the graphs that other starts ended with, if there are any.
    """
    graphs = token_priority_graphs(dataset)
    asked = Belief.asked_by(graphs, E)
    own = [Belief.of(dataset, E, W) for W in ends]
    found = {belief.key: belief for belief in own}
    active = active_subspace(graphs, E)
    moved = [active.project(W) for W in ends]
    far = [FAR / np.linalg.norm(W) * W for W in map(active.project, starts)]
    masses = [_masses(dataset, E, W) for W in ends]
    return {
        "graph": [list(found).index(belief.key) for belief in own],
        "same": [belief.key == asked.key for belief in own],
        "local": [cosine(W, belief.direction) for W, belief in zip(moved, own, strict=True)],
        "global": [cosine(W, asked.direction) for W in moved],
        "others": [
            float(np.mean([cosine(W, b.direction) for b in found.values() if b.key != belief.key]))
            for W, belief in zip(moved, own, strict=True)
            if len(found) > 1
        ],
        "untrained": [cosine(W, Belief.of(dataset, E, W).direction) for W in far],
        "label_dropped": [float(np.mean(mass[_labels(dataset)] <= SELECTED)) for mass in masses],
        "in_band": [bool(((BAND[0] < mass) & (mass <= BAND[1])).any()) for mass in masses],
    }


def _masses(dataset: Dataset, E: Floats, W: Floats) -> Floats:
    """Attention per sequence and token, shape (n, K)."""
    return np.array([token_mass(W, E, x) for x in dataset.sequences])


def _labels(dataset: Dataset) -> tuple[Ints, Ints]:
    """Where the labels stand in an array of shape (n, K)."""
    return np.arange(dataset.n), dataset.targets


EXPERIMENT = Experiment(
    title="One dataset, many starts: how many graphs, and does W obey its own",
    chapter=11,
    cells=CELLS,
    measure=measure,
    spot=(0,),
    tolerance=1e-3,
)
