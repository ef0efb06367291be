"""Which optimizer leads to which W: what the papers behind chapter 19 state, on attention."""

from __future__ import annotations

import cvxpy
import numpy as np

from nta_beyond.optimizers import newton_schulz
from nta_book.results import stored_result
from nta_core import (
    embeddings,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)
from nta_core.training import gradient
from tests.reproductions.entry import ORDER, TREND, Entry, Lines

_line = Lines("field", chapter=19)
_NORMS = ("frobenius", "spectral", "largest", "nuclear")


def _leads(way: str, norm: str) -> list[bool]:
    """Whether a way of training has more of the best margin by its own ruler than by any other."""
    cells = stored_result("optimizer_norms").select(way=way)
    return [max(_NORMS, key=lambda other: cell[other]) == norm for cell in cells]


@_line(
    "muon-singular-values",
    "Jordan et al., muon.py",
    [0.5, 1.5],
    "a comment of the code: “something like”",
    ORDER,
    "400 values",
    digits=2,
)
def muon_singular_values() -> list[float]:
    """smallest and largest singular value after five steps, before from 0.002 to 1"""
    before = np.geomspace(0.002, 1.0, 400)
    pairs = [np.diag([x, np.sqrt(1.0 - x * x)]) for x in before]
    after = [float(newton_schulz(G)[0, 0]) for G in pairs]
    return [min(after), max(after)]


@_line(
    "steepest-margins",
    "Fan et al., abstract",
    1.0,
    "stated for linear classifiers",
    TREND,
    "80 trainings",
    says="steepest descent in a norm leads to the margin of that norm",
    stored="optimizer_norms",
)
def steepest_margins() -> float:
    """four norms, 20 datasets: the share of the best margin is largest by the norm of the steps

    Chosen: Attention, log-loss, 10,000 steps of 0.05.
    """
    return float(np.mean([_leads(norm, norm) for norm in _NORMS]))


@_line(
    "factors-nuclear",
    "Sheen et al., abstract",
    1.0,
    "stated for gradient flow, exponential loss",
    TREND,
    "20 trainings",
    says="keys and queries keep the nuclear norm short, one matrix the Frobenius norm",
    stored="optimizer_norms",
)
def factors_nuclear() -> float:
    """by which of four norms the share of the best margin is largest, in each run by itself

    Chosen: Log-loss, normalized steps, entries of size 0.01 at the start.
    """
    return float(np.mean([_leads("keys and queries", "nuclear"), _leads("frobenius", "frobenius")]))


@_line(
    "factors-beside-one",
    "Sheen et al., abstract",
    1.0,
    "follows in the limit from what they state",
    TREND,
    "20 datasets",
    says="keys and queries end with more of the nuclear margin than one matrix",
    stored="optimizer_norms",
)
def factors_beside_one() -> float:
    """the same runs, keys and queries beside normalized descent on W: which has the larger share of
    the best nuclear margin

    Differs: Their limit is that of gradient flow with exponential loss, from factors that are
    diagonal or aligned with the data; ours start small and random, and a few are late: from entries
    ten times as large they are ahead, too (chapter 19).
    """
    found = stored_result("optimizer_norms")
    two, one = (
        np.array([cell["nuclear"] for cell in found.select(way=way)])
        for way in ("keys and queries", "frobenius")
    )
    return float(np.mean(two > one))


@_line(
    "mirror-margins",
    "Julistiono et al., abstract",
    1.0,
    "stated for classification with softmax attention",
    TREND,
    "3 datasets",
    says="mirror descent with the p-norm leads to its margin",
)
def mirror_margins() -> float:
    """p = 3/2: above 0.99 of the best margin per ℓp length, where W_svm has below 0.98

    Chosen: Next-token log-loss, tied head, steps of the mirror image of length 0.05.
    """
    return float(np.mean([mirror > 0.99 > 0.98 > svm for mirror, svm in map(_mirrored, range(3))]))


def _mirrored(seed: int, p: float = 1.5) -> tuple[float, float]:
    """Shares of the best ℓp margin that mirror descent and W_svm have."""
    data, E = random_dataset(6, 4, 6, kind="acyclic", seed=seed), embeddings(6, 8, seed=seed)
    graphs = token_priority_graphs(data)
    rows = np.array([np.outer(E[i] - E[j], E[k]).ravel() for k, i, j in graphs.strict_array])
    best = cvxpy.Variable(64)
    problem = cvxpy.Problem(cvxpy.Minimize(cvxpy.norm(best, p)), [rows @ best >= 1])
    shortest = problem.solve(solver="CLARABEL")
    image = W = np.zeros((8, 8))
    while np.linalg.norm(G := gradient(W, data, E)) > 1e-250:  # while float64 can say where to
        image = image - 0.05 * G / np.linalg.norm(G)
        W = np.sign(image) * np.abs(image) ** (1 / (p - 1))
    ends = W.ravel(), solve_graph_svm(graphs, E).W.ravel()
    mirror, svm = (float((rows @ end).min() * shortest / np.linalg.norm(end, p)) for end in ends)
    return mirror, svm


@_line(
    "adaptive-steps",
    "Vasudeva et al., abstract",
    1.0,
    "stated for binary classification",
    TREND,
    "20 datasets",
    says="normalized and Polyak steps turn W faster than plain descent",
    stored="optimizer_rates",
)
def adaptive_steps() -> float:
    """distance from the direction of W_svm after 10,000 steps, every step size tuned

    Chosen: Next-token log-loss, tied head, step sizes from powers of 2.
    """
    rates = stored_result("optimizer_rates")
    ends = {
        way: np.array([cell["distance"][-1] for cell in rates.select(way=way)])
        for way in ("plain", "normalized", "Polyak")
    }
    return float(np.mean(np.maximum(ends["normalized"], ends["Polyak"]) < ends["plain"]))


ENTRIES: list[Entry] = _line
