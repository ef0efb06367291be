"""Does a faster decoder always leave attention less sparse? Entropy against η_Y/η_Z.

Sampled cells: Syn-Small with two queries, the authors' optimizer, 100 iterations, 24 seeds.
Flow cells: the exact flow of the population with one query, η_Z = 1, read at a given time.
"""

from typing import Any

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import make_classes, population_flow, syn_small, train_sampled_batch

SEEDS = 24
STEPS = 100
FLOW_RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
RATIOS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
SAMPLED = grid(
    kind=["sampled"], K=[2], eta_z=(0.25, 0.5, 1.0, 2.0, 3.0), ratio=RATIOS, until=[STEPS]
)
FLOWS = grid(kind=["flow"], K=(2, 8), eta_z=[1.0], until=(200, 2000, 20000), ratio=FLOW_RATIOS)


def measure(kind: str, K: int, eta_z: float, ratio: float, until: int) -> dict[str, object]:
    """Final entropy and common mass: of each seed, or of the flow."""
    rates: dict[str, Any] = {"eta_y": ratio * eta_z, "eta_z": eta_z}
    if kind == "flow":
        runs = [population_flow(make_classes(K), until=until, record=[0.0, until], **rates)]
    else:
        runs = train_sampled_batch(
            syn_small(2), seeds=range(SEEDS), steps=until, record=[until], **rates
        )
    entropies = np.array([run.entropy[-1] for run in runs])
    return {
        "entropy": float(entropies.mean()),
        "sd": float(entropies.std()),
        "common_mass": float(np.mean([run.common_mass[-1] for run in runs])),
    }


TITLE = "Entropy against the ratio of learning rates"
EXPERIMENT = Experiment(TITLE, 13, SAMPLED + FLOWS, measure, spot=(0, len(SAMPLED)))
