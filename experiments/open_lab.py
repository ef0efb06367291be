"""Which parts of a transformer leave the leagues of the training data standing?"""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.openlab import Variant, train_variant
from nta_core import random_dataset

SEEDS = tuple(range(12))
KINDS = ("acyclic", "cyclic")
SWITCHES = (
    *("second_layer", "second_head", "mlp", "residual", "positions"),
    *("trained_embeddings", "trained_decoder"),
)
GRID = grid(softmax=[False], **dict.fromkeys(SWITCHES, (False, True)))
# The softmax head alone: what the parts that cannot do without it are compared with.
CELLS = (*GRID, {**GRID[0], "softmax": True})


def measure(**parts: bool) -> dict[str, object]:
    """Train one variant on 12 acyclic and 12 cyclic datasets, all 24 networks at once."""
    data = [random_dataset(24, 4, 6, kind=kind, seed=seed) for kind in KINDS for seed in SEEDS]
    trial = train_variant(Variant(**parts), data, seeds=[*SEEDS, *SEEDS])
    values: dict[str, object] = {"steps": trial.steps}
    for k, kind in enumerate(KINDS):
        rows = slice(k * len(SEEDS), (k + 1) * len(SEEDS))
        values[kind] = {
            "unseen": np.round(trial.unseen[rows], 4),
            "seen": np.round(trial.seen[rows, -1], 4),
            "rollout": np.round(trial.rollout[rows], 4),
            "loss": np.round(trial.losses[rows, -1], 4),
        }
    return values


TITLE = "The open lab: league agreement of 129 variants"
EXPERIMENT = Experiment(TITLE, 15, CELLS, measure, spot=(0, len(CELLS) - 1), tolerance=1e-3)
