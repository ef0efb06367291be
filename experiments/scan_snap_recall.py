"""How many distinct tokens does a query prefer: Scan and Snap's Figs. 11 and 12.

The trainings are those of Fig. 6 (Syn-Medium, the authors' optimizer, a random start).  A token
counts when the softmax of its query's logits over the whole vocabulary exceeds a threshold; it is
given in units of 1/M, the softmax of equal logits.  Tokens that never stand in a context keep their
start, about 0.
"""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import syn_medium, train_sampled_batch

SEEDS = 10
STEPS = 100
FACTORS = (0.9, 0.95, 1.0, 1.05, 1.1, 1.15, 1.2, 1.25)
CELLS = grid(queries=(1, 3, 5, 10), eta_z=(0.5, 1.0, 2.0, 3.0), ratio=(1, 2, 5, 10))


def measure(queries: int, eta_z: float, ratio: int) -> dict[str, object]:
    """Share of the distinct tokens above every threshold, over all classes and seeds."""
    classes = syn_medium(queries)
    runs = train_sampled_batch(
        classes,
        seeds=range(SEEDS),
        steps=STEPS,
        start="linear",
        record=[STEPS],
        eta_y=ratio * eta_z,
        eta_z=eta_z,
    )
    strengths = np.exp([run.Z[classes.queries] for run in runs])  # (seeds, K, L)
    total = strengths.sum(axis=-1, keepdims=True) + classes.M - classes.L
    own = (strengths / total)[:, classes.distinct]
    recalls = [float((own > factor / classes.M).mean()) for factor in FACTORS]
    return {"M": classes.M, "factors": list(FACTORS), "recalls": recalls}


EXPERIMENT = Experiment("Figs. 11 and 12 of Scan and Snap", 13, CELLS, measure)
