"""Is the selection a run ends with locally optimal, as Tarzanagh et al. define it?

They fix one token per sequence, take the SVM that separates it from the others of its sequence,
and call the choice locally optimal if each chosen token has a higher score c_yᵀe than those others
whose constraint is active.  Then descent that starts near that direction converges to it.  Their
setting is one chosen token per sequence, a fixed head, and a smooth decreasing loss of c_yᵀf.
"""

import itertools

import numpy as np

import nta_core as nta
from experiments.believed import PAIRS, SELECTED
from experiments.experiment import Experiment
from experiments.instances import draw, train
from nta_core.boundary import Floats

BLOCK, STARTS = 10, 12  # datasets per cell, starts per dataset
ACTIVE = 1 + 1e-6  # a margin up to this is active
# the runs of chapter 11, and the two pairs that are nearest to the setting of the theorem
THEIRS = (("squared", "general"), ("correlation", "general"))
CELLS = tuple(
    {"loss": pair[0], "head": pair[1], "size": [6, 4, 6, 8], "seed": seed}
    for pair, seed in itertools.product((*PAIRS, *THEIRS), range(0, 50, BLOCK))
)


def measure(loss: str, head: str, size: list[int], seed: int) -> dict[str, object]:
    """Count the runs for which each column of `examine` is true; cosines of single ones."""
    seeds, readout = range(seed, seed + BLOCK), nta.Readout(loss, head)
    data, Es = draw(size, seeds)
    starts = [nta.random_start(size[-1], seed=1000 * s + k) for s in seeds for k in range(STARTS)]
    many, vectors = [d for d in data for _ in range(STARTS)], [E for E in Es for _ in range(STARTS)]
    runs = train(many, vectors, starts, readout)
    found = [examine(d, E, run.W, head) for d, E, run in zip(many, vectors, runs, strict=True)]
    counts = {name: sum(row[name] for row in found) for name in found[0] if name != "cosine"}
    cosines = {"cosines": sorted(row["cosine"] for row in found if row["single"])}
    return {"runs": len(found), **counts, **cosines}


def examine(dataset: nta.Dataset, E: Floats, W: Floats, head: str) -> dict[str, float]:
    """Read one end: is one token chosen everywhere, is the choice separable, is it optimal?

    `optimal_pooled` adds up the scores of sequences that hold the same tokens: no W can treat
    them differently, and their labels may conflict, which the theorem does not foresee.
    `cosine` is that of the part of W that training can move with the direction of its own graph.
    """
    chosen = [np.flatnonzero(m > SELECTED) for m in nta.attention_masses(dataset, W, E)]
    graphs = nta.pseudo_graphs(dataset, E, W, threshold=SELECTED)
    svm = nta.solve_graph_svm(graphs, E)
    single = all(len(tokens) == 1 for tokens in chosen)
    separable = single and not len(graphs.tie_array)
    scores = np.eye(dataset.K) if head == "tied" else E @ E.T
    # sequences with the same tokens and the same last one get the same attention, whatever W
    contexts = [(*sorted(x), x[-1]) for x in dataset.sequences]
    alike = np.array([[a == b for a in contexts] for b in contexts])
    own = scores[dataset.targets]
    better = {"optimal": True, "optimal_pooled": True}
    for x, tokens, *rows in zip(dataset.sequences, chosen, own, alike @ own, strict=True):
        for other in set(x) - {int(tokens[0])} if separable else ():
            winner = int(tokens[0])
            if svm.margins[nta.Comparison(x[-1], winner, other)] <= ACTIVE:
                for name, row in zip(better, rows, strict=True):
                    better[name] &= bool(row[winner] > row[other])
    moved = nta.active_subspace(nta.token_priority_graphs(dataset), E).project(W)
    return {
        "single": single,
        "separable": separable,
        **{name: separable and found for name, found in better.items()},
        "cosine": round(nta.cosine(moved, svm.W), 3) if svm.W.any() else 0.0,
    }


TITLE = "Is the selection of a run locally optimal in the sense of Tarzanagh et al.?"
EXPERIMENT = Experiment(TITLE, 11, CELLS, measure, tolerance=1e-3)
