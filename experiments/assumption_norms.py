"""Which norm does a way of training keep short: Frobenius, nuclear, or the largest entry?"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from experiments.experiment import Experiment
from nta_core import (
    adam,
    embeddings,
    factorized_descent,
    gradient_descent,
    graph_svm_in_norm,
    loss_value,
    random_dataset,
    token_priority_graphs,
)

Floats = NDArray[np.float64]
N, T, K, D = 6, 4, 6, 8
NORMS = ("frobenius", "nuclear", "largest")
METHODS = ("descent", "keys and queries", "Adam", "Adam, short memory")
CELLS = tuple({"method": method, "seed": seed} for method in METHODS for seed in range(20))


def train(method: str, seed: int) -> Floats:
    """One run on an acyclic dataset, long enough for the loss to fall below 1e-6."""
    data, E = random_dataset(N, T, K, kind="acyclic", seed=seed), embeddings(K, D, seed=seed)
    small = 0.01 * np.random.default_rng(seed).standard_normal((2, D, D))
    pair = {"rank": D, "start": (small[0], small[1])}
    short = {"betas": (0.9, 0.9), "epsilon": 1e-30}
    run = {
        "descent": partial(gradient_descent, steps=4000, step_size=0.1),
        "keys and queries": partial(factorized_descent, steps=8000, step_size=0.02, **pair),
        "Adam": partial(adam, steps=20_000, step_size=0.01),
        "Adam, short memory": partial(adam, steps=20_000, step_size=0.01, **short),
    }[method](data, E, record=2)
    W: Floats = run.W
    return W


def measure(method: str, seed: int) -> dict[str, object]:
    """Share of the best margin per length, and cosine with a shortest W, in three norms."""
    data, E = random_dataset(N, T, K, kind="acyclic", seed=seed), embeddings(K, D, seed=seed)
    graphs, W = token_priority_graphs(data), train(method, seed)
    found: dict[str, object] = {"loss": loss_value(W, data, E)}
    for norm in NORMS:
        svm = graph_svm_in_norm(graphs, E, norm=norm)
        found[f"{norm} reach"] = svm.reach(W)
        product = np.linalg.norm(W) * np.linalg.norm(svm.W)
        found[f"{norm} cosine"] = float(np.vdot(W, svm.W) / product)
    return found


EXPERIMENT = Experiment(
    title="Every optimizer has its own ruler",
    chapter=12,
    cells=CELLS,
    measure=measure,
    spot=(0,),
    tolerance=1e-4,
)
