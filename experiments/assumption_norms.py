"""Which norm does a way of training keep short: Frobenius, nuclear, or the largest entry?"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import draw, grid
from nta_beyond.optimizers import adam, factorized_descent, graph_svm_in_norm
from nta_core.boundary import Floats

N, T, K, D = 6, 4, 6, 8
NORMS = ("frobenius", "nuclear", "largest")
METHODS = ("descent", "keys and queries", "Adam", "Adam, short memory")
CELLS = grid(method=METHODS, seed=range(20))


def train(method: str, seed: int, data: nta.Dataset, E: Floats) -> Floats:
    """One run on an acyclic dataset, long enough for the loss to fall below 1e-6."""
    small = 0.01 * np.random.default_rng(seed).standard_normal((2, D, D))
    pair: dict[str, Any] = {"rank": D, "start": (small[0], small[1])}
    short: dict[str, Any] = {"betas": (0.9, 0.9), "epsilon": 1e-30}
    run: dict[str, Callable[..., nta.Run]] = {
        "descent": partial(nta.gradient_descent, steps=4000, step_size=0.1),
        "keys and queries": partial(factorized_descent, steps=8000, step_size=0.02, **pair),
        "Adam": partial(adam, steps=20_000, step_size=0.01),
        "Adam, short memory": partial(adam, steps=20_000, step_size=0.01, **short),
    }
    return run[method](data, E, record=2).W


def measure(method: str, seed: int) -> dict[str, object]:
    """Share of the best margin per length, and cosine with a shortest W, in three norms."""
    (data,), (E,) = draw((N, T, K, D), [seed], kind="acyclic")
    graphs, W = nta.token_priority_graphs(data), train(method, seed, data, E)
    found: dict[str, object] = {"loss": nta.loss_value(W, data, E)}
    for norm in NORMS:
        svm = graph_svm_in_norm(graphs, E, norm=norm)
        found |= {f"{norm} reach": svm.reach(W), f"{norm} cosine": nta.cosine(W, svm.W)}
    return found


EXPERIMENT = Experiment("Every optimizer has its own ruler", 12, CELLS, measure, tolerance=1e-4)
