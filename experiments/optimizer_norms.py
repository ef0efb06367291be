"""Which norm does a way of training keep short: four rulers, and nine ways to train."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import draw, grid
from nta_beyond.optimizers import (
    adam,
    factorized_descent,
    graph_svm_in_norm,
    muon,
    steepest_descent,
)
from nta_beyond.optimizers.slopes import scaled_slope
from nta_core.boundary import Floats
from nta_core.training.logloss import active_log_loss
from nta_core.training.races import races_of

N, T, K, D = 6, 4, 6, 8
NORMS = ("frobenius", "spectral", "largest", "nuclear")
STEPS: dict[str, Any] = {"steps": 10_000, "step_size": 0.05}
WAYS: Mapping[str, Callable[..., nta.Run]] = {
    **{norm: partial(steepest_descent, norm=norm, **STEPS) for norm in NORMS},
    "Muon": partial(muon, **STEPS),
    "Muon, exact": partial(steepest_descent, norm="spectral", momentum=0.95, **STEPS),
    "Adam": partial(adam, steps=20_000, step_size=0.01),
    "Adam, short memory": partial(
        adam, steps=20_000, step_size=0.01, betas=(0.9, 0.9), epsilon=1e-30
    ),
    "keys and queries": partial(factorized_descent, rank=D, steps=20_000, step_size=0.02),
}
CELLS = grid(way=WAYS, seed=range(20))


def train(way: str, seed: int, data: nta.Dataset, E: Floats) -> Floats:
    """One run on an acyclic dataset, long enough for the loss to fall below 1e-5, often by far."""
    small = 0.01 * np.random.default_rng(seed).standard_normal((2, D, D))
    start: dict[str, Any] = {"start": (small[0], small[1])} if way == "keys and queries" else {}
    return WAYS[way](data, E, record=2, **start).W


def measure(way: str, seed: int) -> dict[str, object]:
    """Share of the best margin per length, in four norms."""
    (data,), (E,) = draw((N, T, K, D), [seed], kind="acyclic")
    graphs, W = nta.token_priority_graphs(data), train(way, seed, data, E)
    reach = {norm: graph_svm_in_norm(graphs, E, norm=norm).reach(W) for norm in NORMS}
    far = active_log_loss(races_of(data), E, W, reduced=False)
    slope = scaled_slope(far, far.start)  # the loss itself may be below the smallest float64
    return {"log_of_loss": float(np.log(slope.loss)) + slope.shift, **reach}


EXPERIMENT = Experiment(
    "Every optimizer has its own ruler", 19, CELLS, measure, spot=(0, len(CELLS) - 1),
    tolerance=1e-4,
)  # fmt: skip
