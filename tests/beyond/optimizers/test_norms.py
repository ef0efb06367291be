"""The Graph-SVM in four norms: closed forms, dual certificates, and what it refuses."""

from types import SimpleNamespace

import numpy as np
import pytest

from nta_beyond.optimizers import graph_svm_in_norm, norms
from nta_beyond.optimizers.norms import NORMS, norm_of
from nta_core import (
    FIG3,
    Dataset,
    InfeasibleGraphSVM,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    embeddings,
    graphs_from_edges,
    random_dataset,
    token_priority_graphs,
)


@pytest.mark.parametrize("norm", NORMS)
def test_every_ruler_keeps_margins_and_ties_and_beats_the_other_solutions(norm):
    graphs = token_priority_graphs(random_dataset(8, 4, 6, kind="cyclic", seed=5))
    E = embeddings(6, 8, seed=5)
    svm = graph_svm_in_norm(graphs, E, norm=norm)
    scores = E @ svm.W @ E.T
    assert all(scores[i, k] - scores[j, k] > 1 - 1e-5 for k, i, j in graphs.strict_array)
    assert all(abs(scores[i, k] - scores[j, k]) < 1e-5 for k, i, j in graphs.tie_array)
    for other in NORMS:
        rival = graph_svm_in_norm(graphs, E, norm=other).W
        assert norm_of(rival, norm) > svm.length - 1e-5


def longest(Z, norm):
    """The dual norm: what ⟨Z, W⟩ reaches over all W of length 1."""
    if norm == "largest":
        return np.abs(Z).sum()
    return np.linalg.norm(Z, {"frobenius": "fro", "spectral": "nuc", "nuclear": 2}[norm])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("seed", range(4))
def test_another_solver_on_the_dual_problem_proves_that_no_allowed_matrix_is_shorter(norm, seed):
    """Weights λ ≥ 0 of the comparisons prove ‖W‖ ≥ Σλ as soon as Σλz has dual length 1."""
    import cvxpy as cp

    kind = "cyclic" if seed % 2 else "acyclic"
    graphs = token_priority_graphs(random_dataset(6, 4, 6, kind=kind, seed=seed))
    E = embeddings(6, 8, seed=seed)
    rows = [
        np.array([np.outer(E[i] - E[j], E[k]) for k, i, j in pairs]).reshape(-1, 64)
        for pairs in (graphs.strict_array, graphs.tie_array)
    ]
    strict, tied = (cp.Variable(max(len(r), 1)) for r in rows)
    Z = strict @ rows[0] + (tied @ rows[1] if len(rows[1]) else 0)
    Z = cp.reshape(Z, (8, 8), order="C")
    size = {
        "frobenius": cp.norm(Z, "fro"),
        "spectral": cp.normNuc(Z),
        "nuclear": cp.sigma_max(Z),
        "largest": cp.sum(cp.abs(Z)),
    }[norm]
    cp.Problem(cp.Maximize(cp.sum(strict)), [size <= 1, strict >= 0]).solve(solver=cp.SCS, eps=1e-7)
    weights = np.maximum(strict.value, 0)
    Z = (weights @ rows[0] + (tied.value @ rows[1] if len(rows[1]) else 0)).reshape(8, 8)
    proved = weights.sum() / longest(Z, norm)
    svm = graph_svm_in_norm(graphs, E, norm=norm)
    assert proved <= svm.length * (1 + 1e-6)
    assert proved > svm.length * (1 - 1e-4)


def test_four_rulers_on_three_tracks_by_hand():
    """b c a → b, c d b → c, d a c → d with one-hot tokens: the example of chapter 19."""
    graphs = graphs_from_edges({0: [(1, 2), (1, 0)], 1: [(2, 3), (2, 1)], 2: [(3, 0), (3, 2)]}, K=4)
    found = {norm: graph_svm_in_norm(graphs, np.eye(4), norm=norm) for norm in NORMS}
    lengths = {"frobenius": np.sqrt(2), "spectral": 1.0, "largest": 0.5, "nuclear": np.sqrt(3)}
    for norm, length in lengths.items():
        assert found[norm].length == pytest.approx(length, abs=1e-6)
    board = 0.5 * np.outer([-1, 1, -1, 1], [1, -1, 1, 0])
    np.testing.assert_allclose(found["nuclear"].W, board, atol=1e-4)
    # of all matrices with entries up to 1/2, the one that leaves alone what no race sees
    assert np.abs(found["largest"].W).sum() == pytest.approx(9 * 0.5, abs=1e-6)


def test_a_star_on_one_track_in_all_four_norms():
    # one winner over m losers on one orthonormal track: scores (m, -1, ..., -1)/(m + 1) for the
    # Frobenius norm and, W having rank one, for its singular value; ±1/2 for the largest entry
    m = 4
    graphs = graphs_from_edges({0: [(m, j) for j in range(m)]}, K=m + 1)
    found = {norm: graph_svm_in_norm(graphs, np.eye(m + 1), norm=norm) for norm in NORMS}
    assert np.isclose(found["frobenius"].length, np.sqrt(m / (m + 1)), atol=1e-6)
    assert np.isclose(found["nuclear"].length, np.sqrt(m / (m + 1)), atol=1e-6)
    assert np.isclose(found["spectral"].length, np.sqrt(m / (m + 1)), atol=1e-6)
    assert np.isclose(found["largest"].length, 0.5, atol=1e-6)


def test_reach_is_a_share_and_sees_broken_comparisons():
    graphs = token_priority_graphs(FIG3.subset([0, 1, 2]))
    svm = graph_svm_in_norm(graphs, np.eye(4), norm="nuclear")
    assert np.isclose(svm.reach(100 * svm.W), 1.0, atol=1e-5)
    assert svm.reach(-svm.W) < 0
    assert svm.reach(np.zeros((4, 4))) == 0
    rng = np.random.default_rng(0)
    assert all(svm.reach(rng.standard_normal((4, 4))) < 1 for _ in range(200))
    assert repr(svm).startswith("NormSVM(nuclear norm, length 2.2")


def test_what_it_refuses():
    graphs = token_priority_graphs(FIG3)
    with pytest.raises(OptionError, match="choose one of frobenius"):
        graph_svm_in_norm(graphs, np.eye(4), norm="manhattan")
    tied = token_priority_graphs(Dataset([[0, 1], [0, 1]], [0, 1]))
    with pytest.raises(OptionError, match="no comparison is strict"):
        graph_svm_in_norm(tied, np.eye(2), norm="nuclear")
    duel = token_priority_graphs(Dataset([[0, 1], [1, 0]], [0, 0]))
    for norm in ("spectral", "largest", "nuclear"):
        with pytest.raises(SolverDidNotConverge, match="infeasible"):
            graph_svm_in_norm(duel, [[1.0], [-1.0]], norm=norm)
    with pytest.raises(InfeasibleGraphSVM):
        graph_svm_in_norm(duel, [[1.0], [-1.0]], norm="frobenius")


def test_a_solver_that_gives_up_is_told_as_ours(monkeypatch):
    import cvxpy as cp

    def give_up(*_args, **_options):
        raise cp.SolverError("no progress")

    monkeypatch.setattr(cp.Problem, "solve", give_up)
    with pytest.raises(SolverDidNotConverge, match="CLARABEL gave up: no progress"):
        graph_svm_in_norm(token_priority_graphs(FIG3), np.eye(4), norm="nuclear")
    ended = SimpleNamespace(status=4, message="numerical difficulties")
    monkeypatch.setattr(norms, "linprog", lambda *_args, **_options: ended)
    with pytest.raises(SolverDidNotConverge, match="HiGHS gave up: numerical"):
        graph_svm_in_norm(token_priority_graphs(FIG3), np.eye(4), norm="largest")


def test_what_is_no_graph_or_too_large_is_refused(monkeypatch):
    with pytest.raises(OptionError, match="graphs must be a TokenPriorityGraphs"):
        graph_svm_in_norm(FIG3, np.eye(4), norm="nuclear")
    monkeypatch.setenv("NTA_MEMORY_GB", "0.01")
    graphs = token_priority_graphs(random_dataset(40, 6, 40, seed=0))
    with pytest.raises(TooLarge, match="use solve_graph_svm"):
        graph_svm_in_norm(graphs, embeddings(40, 200, seed=0), norm="nuclear")
