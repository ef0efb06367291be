"""How fast does W turn to W_svm: five step rules, each with its best step size."""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from experiments.optimizer_tuning import STEPS, course

BEST = {  # exponents of 2: the winners of `optimizer_tuning`, which chapter 19 checks
    "plain": 3,
    "plain, momentum": -3,
    "Polyak": 2,
    "normalized": 3,
    "normalized, momentum": -3,
}
TIMES = [int(t) for t in np.unique(np.geomspace(10, STEPS, 31).round())]
CELLS = tuple({**cell, "exponent": BEST[cell["way"]]} for cell in grid(way=BEST, seed=range(20)))


def measure(way: str, seed: int, exponent: int) -> dict[str, object]:
    """1 − cosine with W_svm along a run, and its slope from step 300 on, both axes logarithmic."""
    found = np.array(course(way, exponent, seed, TIMES))
    late = np.array(TIMES) >= 300
    slope = np.polyfit(np.log(np.array(TIMES)[late]), np.log(found[late]), 1)[0]
    return {"steps": TIMES, "distance": found.tolist(), "slope": float(slope)}


EXPERIMENT = Experiment("Five ways at equal budgets", 19, CELLS, measure, tolerance=1e-3)
