"""How sparse is attention on Syn-Medium: the 64 cells of Scan and Snap's Fig. 6.

Each cell trains 20 seeds with the authors' settings (SGD, momentum 0.9, batches of 128 sequences
of 128 tokens, 100 iterations, a random start) and measures the entropy of attention on the
distinct tokens, beside the published one, and how many distinct tokens stay above a threshold
(Figs. 11 and 12).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import distinct_recall, syn_medium, train_sampled_batch

SEEDS = 20
STEPS = 100
PUBLISHED = Path(__file__).resolve().parents[1] / "tests" / "data" / "scan_snap_fig6.json"
CELLS = grid(queries=(1, 3, 5, 10), eta_z=(0.5, 1.0, 2.0, 3.0), ratio=(1, 2, 5, 10))


def published(queries: int, eta_z: float, ratio: int) -> float:
    """Entropy of the paper's own data."""
    wanted = {"queries": queries, "eta_z": eta_z, "ratio": ratio}
    cells = json.loads(PUBLISHED.read_text(encoding="utf-8"))["cells"]
    (entropy,) = [cell["entropy"] for cell in cells if wanted.items() <= cell.items()]
    return float(entropy)


def measure(queries: int, eta_z: float, ratio: int) -> dict[str, object]:
    """Final entropy, common mass and recall, over the seeds."""
    classes = syn_medium(queries)
    rates: dict[str, Any] = {"eta_y": ratio * eta_z, "eta_z": eta_z}
    runs = train_sampled_batch(
        classes, seeds=range(SEEDS), steps=STEPS, start="linear", record=[STEPS], **rates
    )
    entropies = np.array([run.entropy[-1] for run in runs])
    ends = np.stack([run.attention[-1] for run in runs])
    recall = {
        f"recall_{factor:g}": distinct_recall(ends, classes, threshold=factor / classes.M).mean()
        for factor in (0.5, 1, 2)
    }
    return {
        "entropy": float(entropies.mean()),
        "sd": float(entropies.std(ddof=1)),
        "published": published(queries, eta_z, ratio),
        "entropies": entropies.round(5).tolist(),
        "common_mass": float(np.mean([run.common_mass[-1] for run in runs])),
        **recall,
    }


EXPERIMENT = Experiment("Fig. 6 of Scan and Snap", 13, CELLS, measure)
