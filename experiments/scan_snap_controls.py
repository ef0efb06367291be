"""Clue or copy, the controls: is it the decoder's map, its start, or its training that decides?

A decoder starts as a multiple of the identity (5 copies, 0 is Scan and Snap's start) and is trained
at several rates, 0 being frozen.  In a *copied* cell it is trained first, then held still while
attention learns once more from zero: the map alone.  Rate 2 of attention, 1,000 steps, 20 datasets.
"""

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import clue_or_copy_dataset
from nta_beyond.scansnap.clue_or_copy import GROUPS, NAMES, QUERY
from nta_beyond.scansnap.gradient import (
    Batch,
    Layer,
    Momentum,
    Slope,
    attention_shares,
    descend,
    make_batch,
)

SEEDS, STEPS, ETA_Z, RHO = 20, 1000, 2.0, 0.25
K = len(NAMES)
CELLS = (
    *grid(cyclic=(False, True), scale=[0.0], eta_y=(0.02, 0.2, 2.0, 20.0), copied=[False]),
    *grid(cyclic=(False, True), scale=[5.0], eta_y=(0.0, 0.02, 0.2, 2.0, 20.0), copied=[False]),
    *grid(cyclic=(False, True), scale=(1.0, 20.0), eta_y=[0.0], copied=[False]),
    *grid(cyclic=(False, True), scale=(0.0, 5.0), eta_y=[2.0], copied=[True]),
)


def measure(cyclic: bool, scale: float, eta_y: float, copied: bool) -> dict[str, object]:
    """Attention on label tokens, clues and junk at the end, the loss, and label A's favourites."""
    datasets = [clue_or_copy_dataset(RHO, cyclic=cyclic, seed=seed) for seed in range(SEEDS)]
    counts = np.stack([data.counts for data in datasets]).astype(np.float64)
    counts[..., QUERY] = 0  # the query is no key of its own
    targets = np.stack([data.targets for data in datasets])
    n = targets.shape[1]
    queries = np.zeros_like(targets)
    batch = make_batch(counts, queries, targets, np.full(n, 1 / n), Q=1, C=K)
    Y = np.broadcast_to(scale * np.eye(K), (SEEDS, K, K))
    layer, end = trained(batch, Y, eta_y)
    if copied:
        layer, end = trained(batch, layer.Y, 0.0)
    attention = attention_shares(layer.Z, counts, queries)
    masses = {
        g: attention[..., list(GROUPS[g])].sum(-1).mean(-1) for g in ("label", "clue", "junk")
    }
    of_a = [a[t == 0].mean(axis=0) for a, t in zip(attention, targets, strict=True)]
    return {
        **{group: float(mass.mean()) for group, mass in masses.items()},
        "labels": masses["label"].round(6).tolist(),
        "loss": float(end.loss.mean()),
        "favourites": dict(Counter(NAMES[int(a.argmax())] for a in of_a)),
    }


def trained(batch: Batch, Y: NDArray[np.float64], eta_y: float) -> tuple[Layer, Slope]:
    """The layer after the last step, attention from zero and the decoder from `Y`; its loss."""
    layer = Layer(np.zeros((len(Y), 1, K)), Y, np.ones(K))
    training = descend(layer, lambda: batch, (Momentum(ETA_Z), Momentum(eta_y)))
    for _step in range(STEPS):
        next(training)
    return layer, next(training)


EXPERIMENT = Experiment("Clue or copy, controls", 14, CELLS, measure, tolerance=1e-5)
