"""Does every attention matrix of a larger network point along the Graph-SVM of its data?

Outputs may agree with the automaton while the work is done elsewhere.  So each trained W is read by
itself: the part of it that comparisons of the data can see, against W_svm of the same data.  Two
controls say what such a cosine is worth: W before training, and W_svm of another seed's data.
"""

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from nta_beyond.openlab import OpenNetwork, Variant, train_variant
from nta_core.boundary import Floats

SEEDS = tuple(range(12))
KINDS = ("acyclic", "cyclic")
SINGLE = ("softmax", "second_head", "mlp", "residual", "positions", "second_layer")
CELLS = tuple({"parts": parts} for parts in ([], *([part] for part in SINGLE)))


def measure(parts: list[str]) -> dict[str, object]:
    """Train one variant on 12 acyclic and 12 cyclic datasets; one row per W, one number per seed.

    Rows run over layers, then over heads.
    """
    data = [nta.random_dataset(24, 4, 6, kind=kind, seed=seed) for kind in KINDS for seed in SEEDS]
    variant, seeds = Variant(**dict.fromkeys(parts, True)), [*SEEDS, *SEEDS]
    trial = train_variant(variant, data, seeds=seeds)
    start = OpenNetwork(variant, 6, 4, d=12, seeds=seeds)
    values: dict[str, object] = {}
    for k, kind in enumerate(KINDS):
        rows = range(k * len(SEEDS), (k + 1) * len(SEEDS))
        others = [*rows[1:], rows[0]]
        values[kind] = {
            "trained": [cosines(trial.network, data, row, row) for row in rows],
            "untrained": [cosines(start, data, row, row) for row in rows],
            "stranger": [
                cosines(trial.network, data, row, other)
                for row, other in zip(rows, others, strict=True)
            ],
            "unseen": np.round(trial.unseen[list(rows), -1], 4),
        }
    return values


def cosines(network: OpenNetwork, data: list[nta.Dataset], row: int, graded_by: int) -> list[float]:
    """Cosine of each W of one network, as far as the data can see it, with W_svm of some data."""
    E: Floats = network.tokens[row].detach().numpy()
    graphs = nta.token_priority_graphs(data[graded_by])
    visible = nta.active_subspace(graphs, E)
    asked = nta.solve_graph_svm(graphs, E).W
    weights = [W for block in network.blocks for W in block.W[row].detach().numpy()]
    return [round(nta.cosine(visible.project(W), asked), 4) for W in weights]


TITLE = "Every W of the open lab's single parts, against the Graph-SVM"
EXPERIMENT = Experiment(TITLE, 15, CELLS, measure, tolerance=1e-3)
