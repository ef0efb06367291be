"""How far apart are descent and the regularization path when both have the same length?

Plain descent on the log-loss starts at zero; the regularization path is the least loss in a ball.
Both are compared at equal ‖W‖, on random datasets of the paper's sizes.
"""

import itertools
import math

from scipy.interpolate import make_interp_spline

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import draw
from nta_beyond.paths import regularization_path
from nta_core.boundary import Floats

BLOCK = 5  # datasets per cell
RADII = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0)
STEPS = 30_000
# n, T, K, d: the paper's Fig. 4, its Fig. 5, and four times as many sequences
SIZES = (("cyclic", [6, 4, 6, 8]), ("acyclic", [4, 6, 8, 8]), ("cyclic", [24, 4, 6, 8]))

CELLS = tuple(
    {"kind": kind, "size": size, "seed": seed}
    for (kind, size), seed in itertools.product(SIZES, range(0, 100, BLOCK))
)


def measure(kind: str, size: list[int], seed: int) -> dict[str, object]:
    """Angles in degrees, one row per dataset and one column per radius."""
    data, Es = draw(size, range(seed, seed + BLOCK), kind=kind)
    runs = nta.gradient_descent_batch(
        data, Es, steps=STEPS, step_size=1.0, normalized=False, record=400
    )
    between, descent, ball = [], [], []
    for dataset, E, run in zip(data, Es, runs, strict=True):
        path = regularization_path(dataset, E, RADII).W
        # between two records W lies on the straight line
        trained = make_interp_spline(run.norms, run.path, k=1)(RADII, extrapolate=False)
        order = nta.solve_graph_svm(nta.token_priority_graphs(dataset), E).W
        between.append([_degrees(a, b) for a, b in zip(trained, path, strict=True)])
        descent.append([_degrees(W, order) for W in trained])
        ball.append([_degrees(W, order) for W in path])
    return {"radii": RADII, "between": between, "descent": descent, "path": ball}


def _degrees(A: Floats, B: Floats) -> float:
    return math.degrees(math.acos(min(nta.cosine(A, B), 1.0)))


EXPERIMENT = Experiment(
    "Descent and the regularization path at equal length", 9, CELLS, measure, tolerance=1e-5
)
