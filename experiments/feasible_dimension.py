"""Which reading of the feasibility proxy of Fig. 12 gives the paper's numbers?"""

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.instances import grid

N, T, K = 16, 128, 512
CELLS = grid(d=(2, 4, 8, 16, 32, 512), seed=range(10))


def measure(d: int, seed: int) -> dict[str, object]:
    """Five shares: of datasets, of comparisons in three readings, and of sequences."""
    data = nta.random_dataset(N, T, K, seed=seed)
    graphs = nta.token_priority_graphs(data)
    E = nta.embeddings(K, d, seed=seed)
    try:
        whole, split, W = 1.0, 1.0, nta.solve_graph_svm(graphs, E).W
    except nta.InfeasibleGraphSVM:
        found = nta.feasible_split(graphs, E)
        whole, split = 0.0, len(found.strict) / (len(found.strict) + len(found.soft))
        W = nta.gradient_descent(data, E, steps=2000, step_size=0.05, record=2).W
    last, winner, loser = graphs.strict_array.T
    margins = np.sum((E[winner] - E[loser]) @ W * E[last], axis=1)
    first = nta.attention_masses(data, W, E).argmax(axis=1) == data.targets
    return {
        "whole": whole,
        "split": split,
        "order": np.mean(margins > 0),
        "margin": np.mean(margins > 1 - 1e-9),
        "label first": np.mean(first),
    }


EXPERIMENT = Experiment("Fig. 12: feasible comparisons against d", 12, CELLS, measure, spot=(0, 40))
