"""Mechanics of next-token prediction: its lemmas and theorems, as numbers."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.optimize import minimize_scalar

from nta_beyond.optimizers import constrained_minimum
from nta_beyond.paths import regularization_path
from nta_core import (
    FIG8,
    Dataset,
    Objective,
    cosine,
    embeddings,
    finite_part,
    gradient_descent,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)
from tests.reproductions.entry import ABOVE, EXACT, LIMIT, Lines

ENTRIES = line = Lines("mechanics")
_COUNTER = Dataset([[1, 0], [1, 2, 3], [1, 2, 3]], [1, 1, 2], K=4)  # against Theorem 3


@line("lemma-1", "Lemma 1", 1.0, "proved", EXACT, "100 datasets", chapter=5)
def lemma_1() -> float:
    """share of datasets with a Graph-SVM solution, independent embeddings; n=24, T=4, K=6"""
    found = 0
    for seed in range(100):
        graphs = token_priority_graphs(random_dataset(24, 4, 6, seed=seed))
        found += solve_graph_svm(graphs, embeddings(6, 8, seed=seed)).gap < 1e-9
    return found / 100


@line(
    "lemma-2",
    "Lemma 2",
    0.0,
    "proved",
    ABOVE,
    "100 datasets, 5 directions each",
    chapter=7,
    digits=4,
)
def lemma_2() -> float:
    """least curvature of the log-loss over random weights and directions"""
    rng = np.random.default_rng(0)
    least = np.inf
    for seed in range(100):
        data, E = random_dataset(6, 4, 6, kind="cyclic", seed=seed), embeddings(6, 8, seed=seed)
        for _ in range(5):
            W, V = rng.standard_normal((2, 8, 8))
            least = min(least, Objective(data, E).hessian_quadratic(W, V))
    return float(least)


@line(
    "theorem-2",
    "Theorem 2",
    (0.0, 0.0),
    "proved",
    LIMIT,
    "1 run",
    chapter=7,
    digits=5,
)
def theorem_2() -> list[float]:
    """1 − cosine with W_svm, and distance from W_fin, after 20,000 plain steps on Fig. 8"""
    E = np.eye(4)
    graphs = token_priority_graphs(FIG8)
    fin = finite_part(FIG8, graphs, E)
    run = gradient_descent(FIG8, E, steps=20_000, step_size=1.0, normalized=False, record=[20_000])
    direction = cosine(run.W, solve_graph_svm(graphs, E).W)
    return [1 - direction, float(np.linalg.norm(fin.subspace.project(run.W) - fin.W))]


@line(
    "theorem-2-norm",
    "Theorem 2, ‖W‖ → ∞",
    "→ ∞",
    "stated before the cases are split",
    EXACT,
    "1 run",
    chapter=7,
)
def theorem_2_norm() -> str:
    """length of W after 5,000 plain steps where the data is one league

    Wrong: True only if W_svm ≠ 0. With one league per track W stays finite.
    """
    data = Dataset([[0, 1], [0, 1], [0, 1]], [0, 0, 1])
    clock = {"steps": 5000, "record": [500, 5000]}
    run = gradient_descent(data, np.eye(2), step_size=1.0, normalized=False, **clock)
    early, late = run.norms
    return f"{late:.4f}" if late < early + 0.01 else "→ ∞"


def _far_on_the_path(n: int, T: int, K: int, kind: str) -> float:
    """Least cosine of the regularization path at R = 500 with a W_svm that is not 0; d = 8."""
    found = []
    for seed in range(20):
        data, E = random_dataset(n, T, K, kind=kind, seed=seed), embeddings(K, 8, seed=seed)
        W = regularization_path(data, E, [500.0]).W[0]
        svm = solve_graph_svm(token_priority_graphs(data), E).W
        if svm.any():
            found.append(cosine(W, svm))
    return min(found)


limit_one = partial(
    line,
    theirs=1.0,
    source="proved",
    kind=LIMIT,
    runs="20 datasets",
    digits=5,
)


@limit_one("theorem-3", "Theorem 3", chapter=9)
def theorem_3() -> float:
    """least cosine with W_svm at R = 500, log-loss, cyclic data; n=6, T=4, K=6, d=8"""
    return _far_on_the_path(6, 4, 6, "cyclic")


@line(
    "theorem-3-squared",
    "Theorem 3, squared loss",
    1.0,
    "stated for every strictly decreasing loss",
    LIMIT,
    "8 starts",
    chapter=9,
)
def theorem_3_squared() -> float:
    """cosine with W_svm at R = 20 on four tokens (the limit is 0.954)

    Wrong: The proof needs −ℓ′ bounded away from zero; the squared loss has ℓ′(1) = 0.
    """
    W = constrained_minimum(_COUNTER, np.eye(4), 20.0, loss="squared").W
    return cosine(W, solve_graph_svm(token_priority_graphs(_COUNTER), np.eye(4)).W)


@limit_one("theorem-4", "Theorem 4", chapter=4)
def theorem_4() -> float:
    """least cosine with W_svm at R = 500, log-loss, acyclic data; n=4, T=6, K=d=8"""
    return _far_on_the_path(4, 6, 8, "acyclic")


@line(
    "theorem-4-untied",
    "Theorem 4, untied head",
    1.0,
    "stated for every head that prefers its label",
    LIMIT,
    "exact",
    chapter=9,
    digits=5,
)
def theorem_4_untied() -> float:
    """cosine with W_svm at R = 500, squared loss, races a b → a and c d → c with c_a = e_a and
    c_c = ½ e_c (the limit is 3/√10 = 0.94868)

    Wrong: The first race ends where the slope of the loss is 0, the second where it is not, so the
    second margin grows twice as fast. The slope must not vanish at c_yᵀe_y, or vanish there with
    one common power for all labels.
    """

    def log_excess(angle: float) -> float:
        # 1 − σ(s) = e^(−s) / (1 + e^(−s)); the margins s and t have s² + t² = 2R².
        s, t = math.sqrt(2) * 500 * math.cos(angle), math.sqrt(2) * 500 * math.sin(angle)
        low_s, low_t = (-x - math.log1p(math.exp(-x)) for x in (s, t))
        second = low_t + math.log(0.5 + 0.25 * math.exp(low_t))  # (1 − u)² − ¼ at u = ½ σ(t)
        return float(np.logaddexp(2 * low_s, second))

    bounds = (0.01, math.pi / 2 - 0.01)
    angle = minimize_scalar(log_excess, bounds=bounds, method="bounded", options={"xatol": 1e-12}).x
    return math.cos(angle - math.pi / 4)
