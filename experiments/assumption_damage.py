"""Remove one assumption at a time: what happens to direction, leagues and predictions?"""

import itertools
import warnings
from typing import Any

import numpy as np

import nta_core as nta
from experiments.believed import selections
from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.optimizers import adam, factorized_descent, stochastic_descent
from nta_core.boundary import Floats

N, T, K, D, SEEDS = 12, 4, 6, 8, 20
CONTEXTS = [list(c) for size in (2, 3) for c in itertools.product(range(K), repeat=size)]
USUAL = {"steps": 4000, "step_size": 0.02, "record": 2}


def hide(data: nta.Dataset, count: int, seed: int) -> nta.Dataset:
    """Give `count` sequences a label that they do not contain."""
    rng = np.random.default_rng(seed)
    labels = data.targets.copy()
    for row in rng.permutation(data.n)[:count]:
        labels[row] = rng.choice(sorted(set(range(data.K)) - set(data.sequences[row])))
    return nta.Dataset(data.sequences, labels, K=data.K)


# What differs from the control: the embeddings, the data, the start, or the way of training.
REMOVED: dict[str, dict[str, Any]] = {
    "nothing": {},
    "zero start": {"start": 1.0},
    "zero start, 10x": {"start": 10.0},
    "normalized": {"step_size": 1.0, "normalized": False},
    "descent: Adam": {"method": adam, "step_size": 0.01},
    "one matrix": {"method": factorized_descent, "rank": D, "step_size": 0.01},
    "many steps": {"steps": 400},
    "spread": {"E": {"kind": "equicorrelated", "rho": 0.9}},
    "spread, long": {"E": {"kind": "equicorrelated", "rho": 0.9}, "step_size": 0.2},
    "full batch": {"method": stochastic_descent, "batch_size": 1, "step_size": 0.5},
    "full rank": {"method": factorized_descent, "rank": 2, "step_size": 0.01},
    "room: d=4": {"E": {"d": 4}},
    "room: d=3": {"E": {"d": 3}},
    "labels: 3 absent": {"absent": 3},
    "labels: 6 absent": {"absent": 6},
    "log-loss": {"loss": "squared"},
    "log-loss, tied head": {"loss": nta.Readout("squared", "general")},
    "log-loss, tied head: CE": {"loss": nta.Readout("cross-entropy", "general")},
}
CELLS = grid(removed=REMOVED)


def train(removed: str, data: nta.Dataset, seed: int) -> tuple[Floats, Floats]:
    """Embeddings and trained W without one assumption."""
    changes = dict(REMOVED[removed])
    E: Floats = nta.embeddings(K, **{"d": D, "seed": seed, **changes.pop("E", {})})
    method = changes.pop("method", nta.gradient_descent)
    if "absent" in changes:
        data = hide(data, changes.pop("absent"), seed)
    if "start" in changes:
        changes["W0"] = changes.pop("start") * nta.random_start(D, seed=seed)
    if method in (factorized_descent, stochastic_descent):
        changes["seed"] = seed
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nta.UnrealizableLabelWarning)
        W: Floats = method(data, E, **{**USUAL, **changes}).W
    return E, W


def direction(graphs: nta.TokenPriorityGraphs, E: Floats) -> Floats:
    """W_svm, or where descent goes when there is none."""
    try:
        return nta.solve_graph_svm(graphs, E).W
    except nta.InfeasibleGraphSVM:
        return nta.feasible_split(graphs, E).W


def agreement(data: nta.Dataset, E: Floats, W: Floats) -> float:
    """Share of determined contexts in which no probability is off by more than ten points."""
    rule, near = nta.Automaton.from_dataset(data), []
    for context in CONTEXTS:
        if rule.determined(context):
            mass, shares = nta.token_mass(W, E, context), rule.compose(context).probabilities
            near.append(max(abs(mass[t] - p) for t, p in shares.items()) < 0.1)
    return float(np.mean(near))


def measure(removed: str) -> dict[str, object]:
    """Four numbers for each of the datasets, always against the theory of the intact data."""
    measures = ("cosine", "league", "agreement", "excess")
    found: dict[str, list[float | None]] = {name: [] for name in measures}
    for seed in range(SEEDS):
        data = nta.random_dataset(N, T, K, kind="cyclic", seed=seed)
        graphs = nta.token_priority_graphs(data)
        E, W = train(removed, data, seed)
        angle = nta.cosine(W, direction(graphs, E))
        found["cosine"].append(None if np.isnan(angle) else angle)
        # share of sequences in which exactly the label's league is selected
        right = [selected == league for selected, league in selections(data, graphs, E, W)]
        found["league"].append(float(np.mean(right)))
        found["agreement"].append(agreement(data, E, W))
        floor = nta.finite_part(data, graphs, np.eye(K)).loss
        found["excess"].append(nta.loss_value(W, data, E) - floor)
    return dict(found)


EXPERIMENT = Experiment("The damage done by removing one assumption", 12, CELLS, measure, spot=(6,))
