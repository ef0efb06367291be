"""Checkers of chapter 19: steepest falls, a matrix made orthogonal, and rulers driven apart."""

from collections.abc import Callable, Mapping

import numpy as np
from scipy.optimize import minimize

from nta_beyond.optimizers import steepest_direction
from nta_book.exercises.verdict import Hints, checker, close
from nta_core import solve_graph_svm
from nta_core.boundary import Floats, a
from nta_core.data import Dataset
from nta_core.graphs import TokenPriorityGraphs, token_priority_graphs

#: The gradient of the first exercise.
SLOPE = np.array([[2.0, 1.0], [1.0, 2.0]])
RULERS = ("frobenius", "spectral", "largest", "nuclear")
MOST_RACES, MOST_TOKENS, SHARE = 8, 6, 0.7
ROUNDING = 1e-4  # far below the two digits that a hint shows


@checker
def falls(values: Mapping[str, float]) -> Hints:
    """How far the loss falls along the steepest step of each ruler.

    >>> falls({"frobenius": 10**0.5, "spectral": 4, "largest": 2, "nuclear": 3})
    hint: largest: the step ±1 in every entry collects every entry, not only the largest
    """
    if set(values) != set(RULERS):
        yield f"give one number for each of {', '.join(RULERS)}"
    right = {norm: np.vdot(SLOPE, steepest_direction(SLOPE, norm=norm)) for norm in RULERS}
    hints = {
        "frobenius": "the step G/‖G‖ falls by ‖G‖: the root of the sum of the four squares",
        "spectral": "all singular values of the step may be 1: it collects those of G, every one",
        "largest": "the step ±1 in every entry collects every entry, not only the largest",
        "nuclear": "the singular values of the step add up to 1: spend it on the best one",
    }
    for norm in RULERS:
        if not close(values[norm], right[norm]):
            yield f"{norm}: {hints[norm]}"
    return "√10, 4, 6 and 3: each ruler falls by the dual norm of the gradient."


@checker
def orthogonalised(function: Callable[[Floats], Floats]) -> Hints:
    """A function that turns a square matrix into its orthogonal factor.

    >>> orthogonalised(lambda G: G / np.linalg.norm(G))
    hint: on the identity you return singular values from 0.5 to 0.5; all should be 1
    """
    draws = np.random.default_rng(19)
    for name, G in (
        ("the identity", np.eye(4)),
        ("a random matrix", draws.standard_normal((4, 4))),
        ("a matrix with small singular values", np.diag([1.0, 0.1, 0.01]) @ np.eye(3)[::-1]),
        ("a long matrix", 50.0 * draws.standard_normal((5, 5))),
    ):
        found = np.asarray(function(G.copy()), dtype=np.float64)
        if found.shape != G.shape:
            yield f"on {name} you return the shape {found.shape}, not {G.shape}"
        if not np.isfinite(found).all():
            yield f"on {name} your numbers leave float64: scale G first"
        values = np.linalg.svd(found, compute_uv=False)
        if np.abs(values - 1).max() > 1e-6:
            low, high = f"{values[-1]:.3g}", f"{values[0]:.3g}"
            yield f"on {name} you return singular values from {low} to {high}; all should be 1"
        if not close(found, steepest_direction(G, norm="spectral"), tolerance=1e-6):
            yield f"on {name} your matrix is orthogonal, but it is not U Rᵀ of G"
    return "Products are enough; that is why Muon is fast on a graphics card."


@checker
def apart(races: Dataset) -> Hints:
    """Strict races on which W_svm has little of the best spectral margin.

    >>> apart(Dataset.from_text("a b -> a"))
    hint: W_svm has 1.00 of the best spectral margin here; get below 0.7
    """
    data = a(Dataset, races, "races")
    if data.n > MOST_RACES or data.K > MOST_TOKENS:
        yield f"at most {MOST_RACES} races over {MOST_TOKENS} tokens, not {data.n} over {data.K}"
    graphs = token_priority_graphs(data)
    if len(graphs.tie_array) or not len(graphs.strict_array):
        yield "every race must be strict, and somebody must win: no ties, at least one arrow"
    E = np.eye(data.K)
    W = solve_graph_svm(graphs, E).W
    share = _spectral_length(graphs) / np.linalg.norm(W, 2)  # its own margin is 1
    if share >= SHARE:
        yield f"W_svm has {share:.2f} of the best spectral margin here; get below {SHARE}"
    return (
        f"{share:.2f}: by the spectral ruler, W_svm wastes the rest of its length on one direction."
    )


def _spectral_length(graphs: TokenPriorityGraphs) -> float:
    """The least largest singular value of a W with margin 1, one-hot embeddings, strict races.

    By duality: 1 / the least sum of singular values of a weighted mean of the comparisons.  A
    reader's browser has no solver for the problem itself (`graph_svm_in_norm`).
    """
    pairs, K = graphs.reduced_array, graphs.K
    rows = np.zeros((len(pairs), K, K))
    each = np.arange(len(pairs))
    rows[each, pairs[:, 1], pairs[:, 0]] = 1.0
    rows[each, pairs[:, 2], pairs[:, 0]] = -1.0

    def rounded(weights: Floats) -> tuple[float, Floats]:
        """The sum of singular values, its kinks at 0 rounded off, and its slope."""
        left, sizes, right = np.linalg.svd(np.tensordot(weights, rows, 1))
        soft = np.hypot(sizes, ROUNDING)
        return float(soft.sum()), np.tensordot(rows, left * (sizes / soft) @ right, 2)

    found = minimize(
        rounded,
        np.full(len(pairs), 1 / len(pairs)),
        jac=True,
        method="SLSQP",
        bounds=[(0.0, 1.0)] * len(pairs),
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1.0, "jac": np.ones_like},
        options={"maxiter": 500, "ftol": 1e-10},
    )
    weights = np.clip(found.x, 0.0, None)
    mean = np.tensordot(weights / weights.sum(), rows, 1)
    return float(1.0 / np.linalg.norm(mean, "nuc"))
