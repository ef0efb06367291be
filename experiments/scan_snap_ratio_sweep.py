"""Does a faster decoder always leave attention less sparse? Entropy against η_Y/η_Z.

Sampled cells: Syn-Small with two queries, the authors' optimizer, 100 iterations, 24 seeds.
Flow cells: the exact flow of the population with one query, η_Z = 1, read at a given time.
"""

from __future__ import annotations

import itertools

import numpy as np

from experiments.experiment import Experiment
from nta_beyond.scansnap import make_classes, population_flow, syn_small, train_sampled_batch

SEEDS = 24
STEPS = 100
FLOW_RATIOS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
SAMPLED = tuple(
    {"kind": "sampled", "K": 2, "eta_z": eta_z, "ratio": ratio, "until": STEPS}
    for eta_z, ratio in itertools.product(
        (0.25, 0.5, 1.0, 2.0, 3.0), (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)
    )
)
FLOWS = tuple(
    {"kind": "flow", "K": K, "eta_z": 1.0, "ratio": ratio, "until": until}
    for K, until, ratio in itertools.product((2, 8), (200, 2000, 20000), FLOW_RATIOS)
)


def measure(kind: str, K: int, eta_z: float, ratio: float, until: int) -> dict[str, object]:
    """Final entropy and common mass: of each seed, or of the flow."""
    if kind == "flow":
        end = population_flow(
            make_classes(K), eta_y=ratio * eta_z, eta_z=eta_z, until=until, record=[0.0, until]
        )
        runs = [end]
    else:
        runs = train_sampled_batch(
            syn_small(2),
            seeds=range(SEEDS),
            eta_y=ratio * eta_z,
            eta_z=eta_z,
            steps=until,
            record=[until],
        )
    entropies = np.array([run.entropy[-1] for run in runs])
    return {
        "entropy": float(entropies.mean()),
        "sd": float(entropies.std()),
        "common_mass": float(np.mean([run.common_mass[-1] for run in runs])),
    }


EXPERIMENT = Experiment(
    title="Entropy against the ratio of learning rates",
    chapter=13,
    cells=SAMPLED + FLOWS,
    measure=measure,
    spot=(0, len(SAMPLED)),
)
