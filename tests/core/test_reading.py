"""Reading W: recover what was put in, and the authors' own pseudo-graphs."""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    Dataset,
    EmbeddingError,
    InfeasibleGraphSVM,
    OptionError,
    embeddings,
    random_dataset,
    token_priority_graphs,
)
from nta_core.model import token_mass
from nta_core.reading import Theory, decompose, pseudo_graphs
from nta_core.soft import active_subspace, cyclic_subspace, finite_part
from nta_core.svm import solve_graph_svm
from nta_core.training import gradient_descent
from tests.golden import load

ONE_LEAGUE = Dataset([[0, 1, 2]] * 6, [0, 1, 2, 2, 2, 1])


def instance(seed):
    data = random_dataset([6, 24][seed % 2], 4, 6, kind="cyclic", seed=seed)
    return data, embeddings(6, 8, kind=["random", "orthonormal"][seed % 2], seed=seed)


# --------------------------------------------------------------------------- decompose


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("C", [0.5, 20.0, 1e4])
def test_decompose_recovers_what_was_composed(seed, C):
    data, E = instance(seed)
    theory = Theory.of(data, E)
    W = C * theory.svm.W + theory.fin.W
    reading = decompose(W, data, E)
    assert reading.residual <= 1e-9
    assert reading.soft_distance <= 1e-9 * max(1, C)
    assert reading.frozen <= 1e-9 * max(1, C)
    if theory.svm.norm > 0:
        assert pytest.approx(C, rel=1e-9) == reading.C
        expected = C * theory.svm.norm / np.linalg.norm(W)
        assert reading.cosine == pytest.approx(expected, abs=1e-9)
    else:
        assert reading.C == 0


@pytest.mark.parametrize("seed", range(10))
def test_decompose_sees_each_disturbance_in_its_own_place(seed):
    data, E = instance(seed)
    theory = Theory.of(data, E)
    graphs = token_priority_graphs(data)
    noise = np.random.default_rng(seed).standard_normal((8, 8))
    frozen = noise - active_subspace(graphs, E).project(noise)
    soft = cyclic_subspace(graphs, E).project(noise)
    base = 5 * theory.svm.W + theory.fin.W
    reading = decompose(base + frozen + soft, data, E)
    assert reading.frozen == pytest.approx(np.linalg.norm(frozen), rel=1e-9)
    assert reading.soft_distance == pytest.approx(np.linalg.norm(soft), rel=1e-9)
    assert pytest.approx(5 if theory.svm.norm > 0 else 0, abs=1e-9) == reading.C
    whole = np.linalg.norm(base + frozen + soft)
    assert reading.residual == pytest.approx(np.linalg.norm(frozen + soft) / whole, rel=1e-9)


@given(st.integers(0, 2**32 - 1), st.floats(-50, 50))
def test_c_is_the_best_multiplier(seed, shift):
    data, E = instance(seed % 50)
    W = np.random.default_rng(seed).standard_normal((8, 8))
    reading = Theory.of(data, E).decompose(W)
    best = np.linalg.norm(W - reading.C * reading.W_svm - reading.W_fin)
    other = np.linalg.norm(W - (reading.C + shift) * reading.W_svm - reading.W_fin)
    assert best <= other + 1e-12
    assert reading.residual == pytest.approx(best / np.linalg.norm(W), rel=1e-12)


def test_w_svm_zero():
    W_fin = finite_part(ONE_LEAGUE, token_priority_graphs(ONE_LEAGUE), np.eye(3)).W
    reading = decompose(W_fin, ONE_LEAGUE, np.eye(3))
    assert reading.C == 0
    assert math.isnan(reading.cosine)
    assert reading.residual <= 1e-12
    assert reading.soft_distance <= 1e-12


def test_w_zero():
    untrained = decompose(np.zeros((4, 4)), FIG8, np.eye(4))
    assert untrained.C == 0
    assert math.isnan(untrained.cosine)
    assert untrained.residual == math.inf  # W_fin is missing, and there is no W to compare it with
    assert untrained.soft_distance == pytest.approx(
        np.linalg.norm(finite_part(FIG8, token_priority_graphs(FIG8), np.eye(4)).W)
    )
    assert decompose(np.zeros((4, 4)), FIG3, np.eye(4)).residual == 0


@pytest.mark.parametrize("group", ["nb_global_seed1", "ortho_cyc", "dup_rand", "samelast_rand"])
def test_golden_runs_read_as_the_authors_read_them(group):
    for stored in load(group):
        reading = decompose(stored.arrays["W_final"], stored.dataset, stored.E)
        assert reading.cosine == pytest.approx(stored.info["corr_final_ref"], abs=1e-9)
        assert reading.soft_distance == pytest.approx(stored.info["proj_dist_ref"], abs=1e-8)
        start = decompose(stored.arrays["W0"], stored.dataset, stored.E)
        assert reading.frozen == pytest.approx(start.frozen, abs=1e-10)  # Lemma 8


def test_trained_weights_approach_the_two_parts():
    W = gradient_descent(FIG8, np.eye(4), steps=4000, step_size=0.5, normalized=False).W
    reading = decompose(W, FIG8, np.eye(4))
    assert reading.cosine > 0.97
    assert reading.soft_distance < 0.02
    assert reading.frozen <= 1e-12
    assert reading.C > 3


def test_infeasible_data_is_refused_with_the_conflict():
    data = Dataset([[0, 1], [1, 0]], [0, 0])
    with pytest.raises(InfeasibleGraphSVM):
        decompose(np.ones((1, 1)), data, np.array([[1.0], [-1.0]]))


def test_decompose_refuses_bad_matrices():
    with pytest.raises(EmbeddingError, match="shape"):
        decompose(np.eye(3), FIG3, np.eye(4))
    with pytest.raises(EmbeddingError, match="NaN"):
        decompose(np.full((4, 4), np.nan), FIG3, np.eye(4))
    with pytest.raises(EmbeddingError, match="shape"):
        decompose(np.eye(4), FIG3, np.eye(5))


def test_reading_shows_itself():
    theory = Theory.of(FIG3, np.eye(4))
    reading = theory.decompose(2 * theory.svm.W)
    assert repr(reading).startswith("Decomposition(C=2, cosine=1.00000, soft distance ")
    assert "<td>C, the strictness</td><td>2</td>" in reading._repr_html_()
    assert repr(theory).startswith("Theory(‖W_svm‖=2.398, ‖W_fin‖=0, S_fin has 2")


# --------------------------------------------------------------------------- pseudo-graphs


@pytest.mark.parametrize("index", range(5))
def test_golden_pseudo_graphs(index):
    """The authors' local experiment: selected tokens, leagues, and the local Graph-SVM."""
    stored = load("local_fig6")[index]
    data, E, W = stored.dataset, stored.E, stored.arrays["W_final"]
    selected = [np.flatnonzero(token_mass(W, E, x) > 0.01).tolist() for x in data.sequences]
    assert selected == [sorted(chosen) for chosen in stored.info["selected"]]
    graphs = pseudo_graphs(data, E, W)
    assert set(graphs) == {last for last, ids in enumerate(stored.info["local_scc"]) if ids}
    for last, graph in graphs.items():
        ids = stored.info["local_scc"][last]
        assert {frozenset(league) for league in graph.components} == {
            frozenset(t for t in graph.nodes if ids[t] == number)
            for number in {ids[t] for t in graph.nodes}
        }
        assert all(ids[winner] > ids[loser] for winner, loser in graph.strict)
    # the authors' code builds the local S_fin from the label's league only and may miss others
    assert cyclic_subspace(graphs, E).dim >= stored.info["local_dim_Sfin"]
    local = solve_graph_svm(graphs, E).W
    assert np.linalg.norm(local - stored.arrays["local_W_svm_ref"]) <= 1e-9
    cosine = np.vdot(local, W) / (np.linalg.norm(local) * np.linalg.norm(W))
    assert cosine == pytest.approx(stored.info["local_corr_ref"], abs=1e-9)


@pytest.mark.parametrize("seed", range(20))
def test_at_the_theorys_weights_the_model_believes_the_data(seed):
    data, E = instance(seed)
    theory = Theory.of(data, E)
    believed = pseudo_graphs(data, E, 40 * theory.svm.W + theory.fin.W)
    stated = token_priority_graphs(data)
    assert {k: set(g.components) for k, g in believed.items()} == {
        k: set(g.components) for k, g in stated.items()
    }
    assert pytest.approx(theory.svm.W, abs=1e-8) == solve_graph_svm(believed, E).W


def test_labels_are_not_read():
    data, other = Dataset([[0, 1, 2]], [0]), Dataset([[0, 1, 2]], [1])
    W = np.diag([0.0, 0.0, 9.0])
    graphs = [pseudo_graphs(d, np.eye(3), W)[2] for d in (data, other)]
    assert graphs[0] == graphs[1]
    assert graphs[0].components == (frozenset({2}), frozenset({0}), frozenset({1}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pseudo_graphs(Dataset([[0, 1, 1]], [2]), np.eye(3), W)


def test_mass_is_summed_over_equal_tokens():
    data = Dataset([[0, 0, 0, 1]], [0])
    W = np.zeros((2, 2))
    assert pseudo_graphs(data, np.eye(2), W, threshold=0.3)[1].edges == ((0, 1),)
    assert pseudo_graphs(data, np.eye(2), W, threshold=0.2)[1].edges == ((0, 1), (1, 0))


def test_threshold_decides_and_may_leave_a_row_out():
    data = Dataset([[0, 1, 2], [2]], [0, 2])
    W = np.zeros((3, 3))
    assert pseudo_graphs(data, np.eye(3), W, threshold=0)[2].components == (frozenset({0, 1, 2}),)
    assert pseudo_graphs(data, np.eye(3), W, threshold=0.5)[2].nodes == (2,)
    for bad in (-0.1, 1.0, math.nan):
        with pytest.raises(OptionError, match="threshold"):
            pseudo_graphs(data, np.eye(3), W, threshold=bad)


def test_pseudo_graphs_keep_names_and_refuse_bad_matrices():
    data = Dataset([[0, 1]], [0], names=["<i>", "b"])
    assert pseudo_graphs(data, np.eye(2), np.zeros((2, 2))).names == ("<i>", "b")
    with pytest.raises(EmbeddingError, match="NaN"):
        pseudo_graphs(data, np.eye(2), np.full((2, 2), np.nan))
    with pytest.raises(EmbeddingError, match="shape"):
        pseudo_graphs(data, np.eye(3), np.eye(3))
