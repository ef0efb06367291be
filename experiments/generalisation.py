"""How fast does one layer learn a table it is never shown, and what do wrong labels cost?

A teacher has one ranking per last token.  Races are drawn and labelled by it, some labels are
replaced by another token of the sequence.  The limit of training, C·W_svm + W_fin, is examined on
fresh races that the teacher labels rightly.
"""

import itertools

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from nta_core.boundary import Ints

K, T, SEEDS, FRESH = 6, 4, 30, 1000
STRICT = 30.0  # stands for C → ∞
SIZES, NOISES = (6, 12, 24, 48, 96, 192, 384), (0.0, 0.02, 0.1, 0.3)
CELLS = tuple({"n": n, "noise": noise} for noise, n in itertools.product(NOISES, SIZES))


def measure(n: int, noise: float) -> dict[str, object]:
    """Means over 30 teachers.

    `right` is the share of fresh races whose winner gets most attention, `mass` what it gets,
    `determined` the share the data decides.  `bound` is the number of deciding comparisons of
    n + 1 races, divided by n + 1: on average no more of the fresh races can be lost after n, if
    labels are right (leave one out).
    """
    rows = [_one(np.random.default_rng([seed, n]), n, noise) for seed in range(SEEDS)]
    return {name: round(float(np.mean([row[name] for row in rows])), 5) for name in rows[0]}


def _one(rng: np.random.Generator, n: int, noise: float) -> dict[str, float]:
    rank = rng.permuted(np.tile(np.arange(K), (K, 1)), axis=1)  # of each token after each last one
    contexts, labels = _races(rng, rank, n + 1, noise)
    whole = nta.token_priority_graphs(nta.Dataset(contexts, labels, K=K))
    data, E = nta.Dataset(contexts[:n], labels[:n], K=K), np.eye(K)
    graphs = nta.token_priority_graphs(data)
    W = STRICT * nta.solve_graph_svm(graphs, E).W + nta.finite_part(data, graphs, E).W
    fresh, winners = _races(rng, rank, FRESH, 0.0)
    masses = nta.attention_masses(nta.Dataset(fresh, winners, K=K), W, E)
    given = masses[np.arange(FRESH), winners]
    masses[np.arange(FRESH), winners] = 0.0
    rule = nta.Automaton.from_dataset(data)
    return {
        "right": float(np.mean(given > masses.max(axis=1) + 1e-9)),  # a draw is no win
        "mass": float(given.mean()),
        "determined": float(np.mean([rule.determined(x) for x in fresh[:200]])),
        "bound": len(nta.solve_graph_svm(whole, E).support) / (n + 1),
    }


def _races(rng: np.random.Generator, rank: Ints, n: int, noise: float) -> tuple[Ints, Ints]:
    contexts = rng.integers(K, size=(n, T))
    order = rank[contexts[:, -1:], contexts]
    labels = contexts[np.arange(n), order.argmax(axis=1)]
    for i in np.flatnonzero(rng.random(n) < noise):
        others = np.setdiff1d(contexts[i], labels[i])
        labels[i] = rng.choice(others) if len(others) else labels[i]
    return contexts, labels


TITLE = "Learning curves: fresh races against the number of races, with wrong labels"
EXPERIMENT = Experiment(TITLE, 8, CELLS, measure)
