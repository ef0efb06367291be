"""Which reading of the feasibility proxy of Fig. 12 gives the paper's numbers?"""

import numpy as np

from experiments.experiment import Experiment
from nta_core import (
    InfeasibleGraphSVM,
    embeddings,
    feasible_split,
    gradient_descent,
    random_dataset,
    solve_graph_svm,
    token_mass,
    token_priority_graphs,
)

N, T, K = 16, 128, 512
CELLS = tuple({"d": d, "seed": seed} for d in (2, 4, 8, 16, 32, 512) for seed in range(10))


def measure(d: int, seed: int) -> dict[str, object]:
    """Five shares: of datasets, of comparisons in three readings, and of sequences."""
    data = random_dataset(N, T, K, seed=seed)
    graphs = token_priority_graphs(data)
    E = embeddings(K, d, seed=seed)
    try:
        whole, split, W = 1.0, 1.0, solve_graph_svm(graphs, E).W
    except InfeasibleGraphSVM:
        found = feasible_split(graphs, E)
        whole, split = 0.0, len(found.strict) / (len(found.strict) + len(found.soft))
        W = gradient_descent(data, E, steps=2000, step_size=0.05, record=2).W
    last, winner, loser = graphs.strict_array.T
    margins = np.sum((E[winner] - E[loser]) @ W * E[last], axis=1)
    rows = zip(data.sequences, data.labels, strict=True)
    first = [int(token_mass(W, E, x).argmax()) == y for x, y in rows]
    return {
        "whole": whole,
        "split": split,
        "order": float(np.mean(margins > 0)),
        "margin": float(np.mean(margins > 1 - 1e-9)),
        "label first": float(np.mean(first)),
    }


EXPERIMENT = Experiment(
    title="Fig. 12: feasible comparisons against d",
    chapter=12,
    cells=CELLS,
    measure=measure,
    spot=(0, 40),
    tolerance=1e-6,
)
