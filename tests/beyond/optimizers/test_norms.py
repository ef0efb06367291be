"""The Graph-SVM in other norms: closed forms, bounds between norms, and what it refuses."""

import numpy as np
import pytest

from nta_beyond.optimizers import graph_svm_in_norm
from nta_beyond.optimizers.norms import NORMS, norm_of
from nta_core import (
    FIG3,
    Dataset,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    embeddings,
    graphs_from_edges,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)


@pytest.mark.parametrize("seed", range(3))
def test_the_frobenius_ruler_gives_the_graph_svm(seed):
    graphs = token_priority_graphs(random_dataset(6, 4, 6, kind="cyclic", seed=seed))
    E = embeddings(6, 8, seed=seed)
    assert np.allclose(
        graph_svm_in_norm(graphs, E, norm="frobenius").W, solve_graph_svm(graphs, E).W, atol=1e-4
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


def test_a_star_on_one_track_in_all_three_norms():
    # one winner over m losers on one orthonormal track: scores (m, -1, ..., -1)/(m + 1) for the
    # Frobenius norm and, W having rank one, for the nuclear norm; ±1/2 for the largest entry
    m = 4
    graphs = graphs_from_edges({0: [(m, j) for j in range(m)]}, K=m + 1)
    found = {norm: graph_svm_in_norm(graphs, np.eye(m + 1), norm=norm) for norm in NORMS}
    assert np.isclose(found["frobenius"].length, np.sqrt(m / (m + 1)), atol=1e-6)
    assert np.isclose(found["nuclear"].length, np.sqrt(m / (m + 1)), atol=1e-6)
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
        graph_svm_in_norm(graphs, np.eye(4), norm="spectral")
    tied = token_priority_graphs(Dataset([[0, 1], [0, 1]], [0, 1]))
    with pytest.raises(OptionError, match="no comparison is strict"):
        graph_svm_in_norm(tied, np.eye(2), norm="nuclear")
    duel = token_priority_graphs(Dataset([[0, 1], [1, 0]], [0, 0]))
    with pytest.raises(SolverDidNotConverge, match="infeasible"):
        graph_svm_in_norm(duel, [[1.0], [-1.0]], norm="nuclear")


def test_a_solver_that_gives_up_is_told_as_ours(monkeypatch):
    import cvxpy as cp

    def give_up(*_args, **_options):
        raise cp.SolverError("no progress")

    monkeypatch.setattr(cp.Problem, "solve", give_up)
    with pytest.raises(SolverDidNotConverge, match="CLARABEL gave up: no progress"):
        graph_svm_in_norm(token_priority_graphs(FIG3), np.eye(4), norm="nuclear")


def test_what_is_no_graph_or_too_large_is_refused(monkeypatch):
    with pytest.raises(OptionError, match="graphs must be a TokenPriorityGraphs"):
        graph_svm_in_norm(FIG3, np.eye(4), norm="nuclear")
    monkeypatch.setenv("NTA_MEMORY_GB", "0.01")
    graphs = token_priority_graphs(random_dataset(40, 6, 40, seed=0))
    with pytest.raises(TooLarge, match="use solve_graph_svm"):
        graph_svm_in_norm(graphs, embeddings(40, 200, seed=0), norm="nuclear")
