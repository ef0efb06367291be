"""How many graphs does one dataset lead to, and does W obey the graph it believes?

Each dataset is trained from many starts.  Every end is read against the graph of the data, its
own graph, and the graphs that the other starts ended with.
"""

import itertools

import numpy as np

import nta_core as nta
from experiments.believed import PAIRS, SELECTED, Belief
from experiments.experiment import Experiment
from experiments.instances import draw, train
from nta_core.boundary import Floats

BLOCK, STARTS = 5, 12  # datasets per cell, starts per dataset
FAR = 40.0  # length of an untrained W whose attention is as sharp as a trained one's
BAND = (0.009, 0.01)  # masses that the authors' code calls neither selected nor dropped
CYCLIC, FIG6 = [6, 4, 6, 8], [4, 6, 8, 8]  # n, T, K, d
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
    d, seeds = size[-1], range(seed, seed + BLOCK)
    data, Es = draw(size, seeds, kind=kind)
    starts = [scale * nta.random_start(d, seed=1000 * s + k) for s in seeds for k in range(STARTS)]
    runs = train(
        [dataset for dataset in data for _ in range(STARTS)],
        [E for E in Es for _ in range(STARTS)],
        starts,
        nta.Readout(loss, head),
    )
    ends = np.array([run.W for run in runs]).reshape(BLOCK, STARTS, d, d)
    begins = np.array(starts).reshape(ends.shape)
    read = list(map(_read, data, Es, ends, begins))
    return {name: [np.round(np.asarray(row[name], float), 4) for row in read] for name in read[0]}


def _read(dataset: nta.Dataset, E: Floats, ends: Floats, starts: Floats) -> dict[str, list[float]]:
    """One number per start: its graph, cosines, and what the caveats of the text concern.

    Cosines are those of the part of W that training can move, S_active.  `others` holds the mean
    cosines with the graphs that other starts ended with, if there are any.
    """
    graphs = nta.token_priority_graphs(dataset)
    asked = Belief.asked_by(graphs, E)
    own = [Belief.of(dataset, E, W) for W in ends]
    found = {belief.key: belief for belief in own}
    active = nta.active_subspace(graphs, E)
    moved = [active.project(W) for W in ends]
    far = [FAR / np.linalg.norm(W) * W for W in map(active.project, starts)]
    masses = nta.attention_masses(dataset, ends, E)
    labels = (np.arange(dataset.n), dataset.targets)
    return {
        "graph": [list(found).index(belief.key) for belief in own],
        "same": [belief.key == asked.key for belief in own],
        "local": [belief.followed_by(W) for W, belief in zip(moved, own, strict=True)],
        "global": list(map(asked.followed_by, moved)),
        "others": [
            float(np.mean([b.followed_by(W) for b in found.values() if b.key != belief.key]))
            for W, belief in zip(moved, own, strict=True)
            if len(found) > 1
        ],
        "untrained": [Belief.of(dataset, E, W).followed_by(W) for W in far],
        "label_dropped": [float(np.mean(mass[labels] <= SELECTED)) for mass in masses],
        "in_band": [bool(((BAND[0] < mass) & (mass <= BAND[1])).any()) for mass in masses],
    }


TITLE = "One dataset, many starts: how many graphs, and does W obey its own"
EXPERIMENT = Experiment(TITLE, 11, CELLS, measure, tolerance=1e-3)
