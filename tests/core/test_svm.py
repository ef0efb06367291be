"""Graph-SVM against independent judges: KKT conditions, closed forms, cvxpy, linear programs."""

from __future__ import annotations

import html
import re
import sys
import tracemalloc

import cvxpy as cp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import orth
from scipy.optimize import linprog

from nta_beyond.optimizers import graph_svm_reference
from nta_core import (
    FIG3,
    FIG8,
    Comparison,
    Dataset,
    EmbeddingError,
    InfeasibleGraphSVM,
    MissingPackage,
    SolverDidNotConverge,
    TooLarge,
    embeddings,
    graphs_from_edges,
    random_dataset,
    token_priority_graphs,
)
from nta_core.svm import (
    FeasibleSplit,
    GraphSVM,
    core,
    feasible_split,
    least_distance,
    optimum,
    solve_graph_svm,
)
from nta_core.svm.optimum import weigh
from nta_core.svm.projected_cg import ProjectedCG
from nta_core.svm.rows import Rows
from tests.golden import Instance, load, load_all

ALL_SMALL, ALL_LARGE = 10**9, 0  # thresholds that send every problem down one route


@pytest.fixture(params=[ALL_SMALL, ALL_LARGE], ids=["least-squares", "projected-cg"])
def route(request, monkeypatch):
    monkeypatch.setattr(core, "SMALL", request.param)


def written_out(E, pairs):
    """Every comparison as a row of d² numbers, straight from its definition."""
    rows = [np.outer(E[i] - E[j], E[k]).ravel() for k, i, j in pairs]
    return np.array(rows).reshape(len(rows), E.shape[1] ** 2)


def can_hold(E, strict, ties):
    """A linear program's opinion on whether these comparisons can hold together."""
    A, B = written_out(E, strict), written_out(E, ties)
    equal = {"A_eq": B, "b_eq": np.zeros(len(B))} if len(B) else {}
    cost = np.zeros(E.shape[1] ** 2)
    answer = linprog(cost, A_ub=-A, b_ub=-np.ones(len(A)), bounds=(None, None), **equal)
    assert answer.status in (0, 2)
    return answer.status == 0


def instance(n, T, K, d, seed, *, kind="any", vectors="random", same_last=False):
    data = random_dataset(n, T, K, kind=kind, same_last=same_last, seed=seed)
    return token_priority_graphs(data), embeddings(K, d, kind=vectors, seed=seed + 1)


def check_kkt(graphs, E, svm):
    """All conditions that make W the unique optimum, each from written-out rows."""
    strict, ties = written_out(E, graphs.strict_array), written_out(E, graphs.tie_array)
    reduced = written_out(E, graphs.reduced_array)
    w = svm.W.ravel()
    scale = max(1.0, svm.norm)
    weights = np.array(list(svm.multipliers.values()))
    assert list(svm.multipliers) == [Comparison(*row) for row in graphs.reduced_array.tolist()]
    assert (strict @ w).min() >= 1 - 1e-11 * scale
    assert np.abs(ties @ w).max(initial=0) <= 1e-11 * scale
    assert weights.min() >= 0
    # stationarity: what the multipliers do not explain lies in the span of the ties
    rest = w - weights @ reduced
    if len(ties):
        rest = rest - ties.T @ np.linalg.lstsq(ties.T, rest, rcond=None)[0]
    assert np.linalg.norm(rest) <= 1e-9 * max(1.0, weights.sum())
    assert np.abs(weights * (reduced @ w - 1)).max() <= 1e-9 * max(1.0, weights.sum())
    assert abs(svm.norm**2 - weights.sum()) <= 1e-10 * svm.norm**2
    assert svm.gap <= 1e-10
    np.testing.assert_allclose(list(svm.margins.values()), strict @ w, atol=1e-12 * scale)
    assert set(svm.support) == {pair for pair, weight in svm.multipliers.items() if weight > 0}


# ------------------------------------------------------------------ stored results


@pytest.mark.parametrize("stored", load_all(), ids=lambda stored: stored.id)
def test_golden_solutions(stored: Instance):
    graphs = token_priority_graphs(stored.dataset)
    svm = solve_graph_svm(graphs, stored.E)
    assert stored.info["feasible_ref"]
    assert np.linalg.norm(svm.W - stored.arrays["W_svm_ref"]) <= 1e-9
    assert np.linalg.norm(svm.W - stored.arrays["W_svm_scs"]) <= 2e-4
    assert svm.gap <= 1e-10
    assert svm.norm == pytest.approx(stored.info["svm_norm_ref"], abs=1e-9)


@pytest.mark.parametrize("stored", load_all(), ids=lambda stored: stored.id)
def test_golden_solutions_by_the_large_route(stored: Instance, monkeypatch):
    monkeypatch.setattr(core, "SMALL", ALL_LARGE)
    svm = solve_graph_svm(token_priority_graphs(stored.dataset), stored.E)
    assert np.linalg.norm(svm.W - stored.arrays["W_svm_ref"]) <= 1e-9


@pytest.mark.parametrize("stored", load_all(), ids=lambda stored: stored.id)
def test_golden_splits(stored: Instance):
    found = feasible_split(token_priority_graphs(stored.dataset), stored.E)
    assert len(found.strict) == stored.info["lp_strict_edges"]
    assert len(found.strict) + len(found.soft) == stored.info["n_edges"]
    assert np.linalg.norm(found.W - stored.arrays["W_gen_ref"]) <= 1e-8


@pytest.mark.parametrize("stored", load("local_fig6"), ids=lambda stored: stored.id)
def test_golden_pseudo_graphs(stored: Instance):
    """The graphs a trained model believes in have a Graph-SVM like any other."""
    edges: dict[int, list[tuple[int, int]]] = {}
    chosen = zip(stored.info["selected"], stored.info["excluded"], strict=True)
    for tokens, (selected, excluded) in zip(stored.dataset.sequences, chosen, strict=True):
        pairs = [(i, j) for i in selected for j in tokens if j not in excluded]
        edges.setdefault(tokens[-1], []).extend(pairs)
    W = solve_graph_svm(graphs_from_edges(edges, K=stored.dataset.K), stored.E).W
    assert np.linalg.norm(W - stored.arrays["local_W_svm_ref"]) <= 1e-8


# ------------------------------------------------------------------ optimality


@given(
    st.integers(1, 24), st.integers(2, 6), st.integers(2, 8), st.integers(0, 3), st.integers(0, 999)
)
def test_kkt_conditions(n, T, K, extra, seed):
    graphs, E = instance(n, T, K, K + extra, seed)
    if len(graphs.strict_array):
        check_kkt(graphs, E, solve_graph_svm(graphs, E))


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("vectors", ["random", "orthonormal", "equicorrelated"])
@pytest.mark.parametrize("shape", [(6, 4, 6, 8), (24, 4, 6, 8), (4, 6, 8, 9), (40, 5, 12, 14)])
def test_kkt_conditions_on_both_routes(shape, vectors):
    for seed in range(4):
        graphs, E = instance(*shape, seed, vectors=vectors)
        check_kkt(graphs, E, solve_graph_svm(graphs, E))


@pytest.mark.usefixtures("route")
def test_kkt_conditions_with_more_tokens_than_dimensions():
    feasible = 0
    for seed in range(30):
        graphs, E = instance(8, 4, 10, 5, seed)
        if can_hold(E, graphs.strict_array, graphs.tie_array):
            check_kkt(graphs, E, solve_graph_svm(graphs, E))
            feasible += 1
    assert feasible >= 10


@pytest.mark.parametrize(("vectors", "d"), [("random", 20), ("random", 24), ("orthonormal", 24)])
def test_kkt_conditions_beyond_the_small_sizes(vectors, d):
    """Large enough for projected conjugate gradients without being told to."""
    graphs, E = instance(60, 6, 20, d, 1, vectors=vectors)
    assert min(len(graphs.reduced_array), d * d) > core.SMALL
    check_kkt(graphs, E, solve_graph_svm(graphs, E))


def planted(E, n, T, seed):
    """Races decided by a hidden W: feasible whatever the dimension."""
    K, d = E.shape
    tokens = np.array(random_dataset(n, T, K, seed=seed).sequences)
    scores = E @ np.random.default_rng(seed).standard_normal((d, d)) @ E.T
    winner = scores[tokens, tokens[:, -1:]].argmax(axis=1)
    return token_priority_graphs(Dataset(tokens, tokens[np.arange(n), winner], K=K))


@pytest.mark.usefixtures("route")
def test_degenerate_embeddings():
    """Sign vectors: many comparisons depend on each other, and several optima of the dual exist."""
    for seed in range(6):
        E = np.random.default_rng(seed).choice([-1.0, 1.0], size=(20, 5))
        graphs = planted(E, 60, 4, seed)
        pairs = graphs.strict_array
        if np.linalg.norm(written_out(E, pairs), axis=1).min() > 0:
            check_kkt(graphs, E, solve_graph_svm(graphs, E))


@pytest.mark.parametrize("seed", range(6))
def test_agrees_with_cvxpy(seed):
    graphs, E = instance(10, 4, 6, 7, seed)
    svm = solve_graph_svm(graphs, E)
    assert np.linalg.norm(svm.W - graph_svm_reference(graphs, E)) <= 1e-8


def test_reference_says_when_its_solver_gives_up(monkeypatch):
    def stuck(*_args, **_kwargs):
        raise cp.SolverError("insufficient progress")

    monkeypatch.setattr(cp.Problem, "solve", stuck)
    with pytest.raises(SolverDidNotConverge, match="gave up: insufficient progress"):
        graph_svm_reference(token_priority_graphs(FIG3), np.eye(4))


def test_reference_solves_a_draw_on_which_a_tighter_tolerance_gets_stuck():
    graphs = token_priority_graphs(random_dataset(6, 4, 6, kind="cyclic", seed=15))
    E = embeddings(6, 8, seed=15)
    assert np.linalg.norm(solve_graph_svm(graphs, E).W - graph_svm_reference(graphs, E)) <= 1e-8


def test_reference_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "cvxpy", None)
    with pytest.raises(MissingPackage, match=r"nta-core\[reference\]"):
        graph_svm_reference(token_priority_graphs(FIG3), np.eye(4))


def test_reference_names_the_status_it_got():
    graphs = token_priority_graphs(Dataset([[0, 1], [1, 0]], [0, 0]))
    with pytest.raises(SolverDidNotConverge, match="infeasible"):
        graph_svm_reference(graphs, [[1.0], [-1.0]])


@given(st.integers(0, 999), st.floats(0.01, 100.0))
def test_scaling_and_rotating_the_embeddings(seed, factor):
    graphs, E = instance(8, 4, 5, 6, seed)
    W = solve_graph_svm(graphs, E).W
    turn = np.linalg.qr(np.random.default_rng(seed).standard_normal((6, 6)))[0]
    turned = solve_graph_svm(graphs, factor * E @ turn).W
    np.testing.assert_allclose(turned * factor**2, turn.T @ W @ turn, atol=1e-8)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("apart", [1e-2, 1e-3, 1e-4])
def test_nearly_equal_embeddings(apart):
    graphs, E = instance(20, 4, 8, 8, 3)
    E = E.copy()
    E[1] = E[0] + apart * np.random.default_rng(0).standard_normal(8)
    svm = solve_graph_svm(graphs, E)
    assert svm.norm > 0.1 / apart
    assert svm.gap <= 1e-10
    assert min(svm.margins.values()) >= 1 - 1e-13 * svm.norm


@pytest.mark.usefixtures("route")
def test_embeddings_of_very_different_lengths():
    graphs, E = instance(16, 4, 8, 10, 5)
    lengths = 10.0 ** np.random.default_rng(1).uniform(-2, 2, size=(8, 1))
    svm = solve_graph_svm(graphs, E * lengths)
    assert svm.gap <= 1e-10
    assert min(svm.margins.values()) >= 1 - 1e-8


# ------------------------------------------------------------------ closed forms


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("m", [1, 2, 5])
def test_star(m):
    """One winner, m losers, orthonormal embeddings."""
    turn = np.linalg.qr(np.random.default_rng(m).standard_normal((m + 2, m + 2)))[0]
    E = turn[: m + 1]
    svm = solve_graph_svm(token_priority_graphs(Dataset([[*range(1, m + 1), 0]], [0])), E)
    scores = E @ svm.W @ E[0]
    np.testing.assert_allclose(scores, [m / (m + 1)] + m * [-1 / (m + 1)], atol=1e-12)
    assert svm.norm**2 == pytest.approx(m / (m + 1), abs=1e-12)
    np.testing.assert_allclose(list(svm.multipliers.values()), 1 / (m + 1), atol=1e-12)


@pytest.mark.usefixtures("route")
@pytest.mark.parametrize("steps", [1, 3, 6])
def test_chain(steps):
    """Token t beats token t − 1: equally spaced scores around zero."""
    edges = {0: [(t, t - 1) for t in range(1, steps + 1)]}
    K = steps + 1
    svm = solve_graph_svm(graphs_from_edges(edges, K=K), np.eye(K))
    np.testing.assert_allclose(svm.W[:, 0], np.arange(K) - steps / 2, atol=1e-12)
    assert svm.norm**2 == pytest.approx(steps * (steps + 1) * (steps + 2) / 12, abs=1e-11)


@pytest.mark.usefixtures("route")
def test_figure_3():
    svm = solve_graph_svm(token_priority_graphs(FIG3), np.eye(4))
    np.testing.assert_allclose(svm.W[:, 0], [-1.5, -0.5, 0.5, 1.5], atol=1e-13)
    np.testing.assert_allclose(svm.W[:, 1], [-0.25, -0.25, -0.25, 0.75], atol=1e-13)
    np.testing.assert_allclose(svm.W[:, 2:], 0, atol=1e-13)
    assert len([pair for pair in svm.margins if pair.last == 0]) == 5
    assert len([pair for pair in svm.multipliers if pair.last == 0]) == 3
    assert [pair for pair in svm.margins if pair.last == 1] == [Comparison(1, 3, 1)]
    assert svm.margins[Comparison(0, 3, 0)] == pytest.approx(3)


def test_figure_8():
    svm = solve_graph_svm(token_priority_graphs(FIG8), np.eye(4))
    np.testing.assert_allclose(svm.W[:, 0], [-1.5, -0.5, 0.5, 1.5], atol=1e-13)
    np.testing.assert_allclose(svm.W[:, 1], [0.25, 0.25, 0.25, -0.75], atol=1e-13)


def test_orthogonal_last_tokens_decouple():
    """With orthogonal last-token embeddings each track is a problem of its own."""
    data = Dataset([[0, 2, 3, 1], [2, 4, 1], [4, 2, 5, 0], [3, 0], [5, 3, 0]], [2, 4, 5, 3, 3], K=6)
    E = np.random.default_rng(4).standard_normal((6, 6))
    E[1] -= E[0] * (E[0] @ E[1]) / (E[0] @ E[0])
    graphs = token_priority_graphs(data)
    together = solve_graph_svm(graphs, E).W
    apart = np.zeros((6, 6))
    for last in (0, 1):
        rows = [row for row in range(data.n) if data.lasts[row] == last]
        one = solve_graph_svm(token_priority_graphs(data.subset(rows)), E).W
        apart += one
        np.testing.assert_allclose(one @ E[1 - last], 0, atol=1e-12)
    np.testing.assert_allclose(together, apart, atol=1e-12)


@given(st.integers(0, 999))
def test_orthonormal_scores_sum_to_zero_and_ignore_the_unseen(seed):
    graphs, _ = instance(5, 3, 8, 8, seed)
    W = solve_graph_svm(graphs, np.eye(8)).W
    for last in range(8):
        seen = graphs[last].nodes if last in graphs else ()
        unseen = [token for token in range(8) if token not in seen]
        np.testing.assert_allclose(W[unseen, last], 0, atol=1e-12)
        assert abs(W[:, last].sum()) <= 1e-12


# ------------------------------------------------------------------ lemmas


@given(st.integers(1, 30), st.integers(2, 5), st.integers(2, 7), st.integers(0, 999))
def test_lemma_1_full_row_rank_is_feasible(n, T, K, seed):
    graphs, _ = instance(n, T, K, K, seed)
    E = np.random.default_rng(seed).standard_normal((K, K + seed % 3))
    svm = solve_graph_svm(graphs, E)
    assert min(svm.margins.values(), default=1.0) >= 1 - 1e-9


@given(st.integers(0, 999), st.sampled_from(["random", "orthonormal", "equicorrelated"]))
def test_lemmas_4_and_8_where_the_solution_lives(seed, vectors):
    """W_svm is orthogonal to S_fin and lies in S_active."""
    graphs, E = instance(12, 4, 6, 8, seed, kind="cyclic", vectors=vectors)
    w = solve_graph_svm(graphs, E).W.ravel()
    inside = [(k, i, j) for k, graph in graphs.items() for i, j in graph.ties]
    edges = [(k, i, j) for k, graph in graphs.items() for i, j in graph.edges]
    fin, active = orth(written_out(E, inside).T), orth(written_out(E, edges).T)
    assert np.linalg.norm(fin.T @ w) <= 1e-11
    assert np.linalg.norm(w - active @ (active.T @ w)) <= 1e-11


@given(st.integers(0, 999))
def test_transitive_reduction_loses_nothing(seed):
    data = random_dataset(14, 4, 6, same_last=True, seed=seed)
    graphs, E = token_priority_graphs(data), embeddings(6, 7, seed=seed)
    if len(graphs.strict_array):
        every = Rows.build(E, graphs.strict_array, graphs.tie_array)
        full = every.expand(core.solve(every).V)
        np.testing.assert_allclose(solve_graph_svm(graphs, E).W, full, atol=1e-11)


def test_all_ties_give_zero():
    for stored in load("single_scc"):
        svm = solve_graph_svm(token_priority_graphs(stored.dataset), stored.E)
        assert not svm.W.any()
        assert (svm.norm, svm.gap, svm.margins, svm.support) == (0.0, 0.0, {}, ())


def test_ten_thousand_tokens_cost_only_those_that_occur():
    data = random_dataset(16, 64, 10_000, same_last=True, seed=0)
    graphs, E = token_priority_graphs(data), embeddings(10_000, 128, seed=1)
    tracemalloc.start()
    svm = solve_graph_svm(graphs, E)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # a K × K table alone would be 800 MB
    assert min(svm.margins.values()) >= 1 - 1e-12
    assert svm.gap <= 1e-10
    # one track: W has one nonzero row space, that of the last token
    last = E[0] / np.linalg.norm(E[0])
    np.testing.assert_allclose(svm.W, np.outer(svm.W @ last, last), atol=1e-12)


# ------------------------------------------------------------------ size


@pytest.mark.parametrize("vectors", ["orthonormal", "random"])
def test_the_ways_of_large_problems_lead_to_the_same_W(vectors, monkeypatch):
    """Track by track, and through tables alone instead of the vectors of all rows."""
    graphs, E = instance(40, 5, 12, 14, 3, vectors=vectors)
    expected = solve_graph_svm(graphs, E)
    built = []
    build = Rows.build
    monkeypatch.setattr(core, "WIDE", 0)
    monkeypatch.setattr("nta_core.svm.rows.LARGE", 0)
    monkeypatch.setattr(Rows, "build", lambda *args: built.append(args) or build(*args))
    for small in (ALL_LARGE, ALL_SMALL):
        monkeypatch.setattr(core, "SMALL", small)
        found = solve_graph_svm(graphs, E)
        np.testing.assert_allclose(found.W, expected.W, atol=1e-11)
        assert sum(found.multipliers.values()) == pytest.approx(expected.norm**2, rel=1e-10)
    tracks = len(np.unique(graphs.reduced_array[:, 0]))
    assert len(built) == 2 * (tracks if vectors == "orthonormal" else 1)


def test_a_contradiction_on_one_of_many_tracks(monkeypatch):
    """Its members are counted among all comparisons, not among those of the track."""
    monkeypatch.setattr(core, "WIDE", 0)
    graphs = graphs_from_edges({2: [(0, 1)], 3: [(0, 1), (1, 4)]}, K=5)
    E = np.eye(5)
    E[4] = E[0]
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(graphs, E)
    assert raised.value.conflict == (Comparison(3, 0, 1), Comparison(3, 1, 4))


def test_many_decide(monkeypatch):
    """Where the exact finish would be too large, the iteration goes on until it is good enough."""
    monkeypatch.setattr(core, "SMALL", ALL_LARGE)
    monkeypatch.setattr(optimum, "LARGEST", 3)
    for seed in range(3):
        graphs, E = instance(24, 4, 6, 8, seed)
        check_kkt(graphs, E, solve_graph_svm(graphs, E))


def test_too_large_is_said_before_it_is_tried(monkeypatch):
    graphs, E = instance(40, 5, 12, 14, 3)
    with monkeypatch.context() as patch:
        patch.setattr(core, "SMALL", 0)
        patch.setattr(core, "PATIENCE", 0)
        with pytest.raises(TooLarge, match="hours; use orthonormal embeddings"):
            solve_graph_svm(graphs, E)
    monkeypatch.setenv("NTA_MEMORY_GB", "0.1")
    for solver in (solve_graph_svm, feasible_split):
        with pytest.raises(TooLarge, match=r"needs 0\.288 GB and 0\.1 GB are free"):
            solver(token_priority_graphs(FIG3), np.ones((4, 3000)))


# ------------------------------------------------------------------ infeasible data

OPPOSITE = Dataset([[0, 1], [1, 0]], [0, 0])
CROSS = Dataset([[0, 1, 3], [2, 1, 3]], [0, 2], K=4)
COMPASS = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]])


def conflict_of(graphs, E):
    try:
        solve_graph_svm(graphs, E)
    except InfeasibleGraphSVM as error:
        return error.conflict
    return None


@pytest.mark.usefixtures("route")
def test_two_tokens_in_one_dimension_contradict_each_other():
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(token_priority_graphs(OPPOSITE), [[1.0], [-1.0]])
    assert raised.value.conflict == (Comparison(0, 0, 1), Comparison(1, 0, 1))
    message = str(raised.value)
    assert "after e1: e1 above e2; after e2: e1 above e2" in message
    assert "d=1 dimensions" in message
    assert "feasible_split" in message


@pytest.mark.usefixtures("route")
def test_four_tokens_on_a_circle_contradict_each_other_on_one_track():
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(token_priority_graphs(CROSS), COMPASS)
    expected = (
        {Comparison(3, 0, 1), Comparison(3, 2, 3)},
        {Comparison(3, 0, 3), Comparison(3, 2, 1)},
    )
    assert set(raised.value.conflict) in expected


@pytest.mark.usefixtures("route")
def test_conflicts_are_irreducible():
    """A linear program confirms the conflict, and that every member is needed."""
    found, sizes = 0, set()
    for seed in range(60):
        graphs, E = instance(10, 4, 7, 1 + seed % 4, seed)
        if seed % 5 == 0:  # a lattice: ties between certificates abound
            E = np.random.default_rng(seed).integers(-2, 3, size=E.shape).astype(float)
        feasible = can_hold(E, graphs.strict_array, graphs.tie_array)
        members = conflict_of(graphs, E)
        assert (members is None) == feasible
        if members is None:
            continue
        assert not can_hold(E, members, graphs.tie_array)
        for left_out in members:
            rest = [pair for pair in members if pair != left_out]
            assert not rest or can_hold(E, rest, graphs.tie_array)
        found += 1
        sizes.add(len(members))
    assert found >= 20
    assert max(sizes) >= 4


def test_a_large_conflict_has_a_short_message():
    graphs, E = instance(128, 4, 32, 8, 3)
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(graphs, E)
    assert len(raised.value.conflict) > 20
    assert str(raised.value).count("above") == 8
    assert f"… and {len(raised.value.conflict) - 8} more" in str(raised.value)


@pytest.mark.usefixtures("route")
def test_ties_take_part_in_a_contradiction():
    """e1 ≍ e2 by data and e3 between them by geometry, yet e3 above both."""
    graphs = graphs_from_edges({0: [(0, 1), (1, 0), (2, 0)]}, K=3)
    E = np.array([[0.0, 1.0], [2.0, 1.0], [1.0, 1.0]])
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(graphs, E)
    assert raised.value.conflict == (Comparison(0, 2, 0),)


def test_equal_embeddings_cannot_be_told_apart():
    E = embeddings(4, 6, seed=0).copy()
    E[3] = E[2]
    with pytest.raises(InfeasibleGraphSVM) as raised:
        solve_graph_svm(token_priority_graphs(FIG3), E)
    assert raised.value.conflict == (Comparison(0, 3, 2),)


def test_equal_embeddings_that_tie_are_no_trouble():
    E = np.eye(4)
    E[2] = E[0]
    graphs = graphs_from_edges({1: [(0, 2), (2, 0), (3, 0)]}, K=4)
    svm = solve_graph_svm(graphs, E)
    assert svm.margins == pytest.approx({Comparison(1, 3, 0): 1.0})


def test_share_of_feasible_draws():
    """(n, T, K) = (6, 4, 6): .0, .085, .75, .98, 1 for d = 1, 2, 3, 4, 6 in 200 other draws."""
    for d, low, high in [(1, 0.0, 0.02), (2, 0.02, 0.16), (3, 0.63, 0.86), (4, 0.93, 1), (6, 1, 1)]:
        draws = (instance(6, 4, 6, d, seed) for seed in range(150))
        feasible = sum(conflict_of(graphs, E) is None for graphs, E in draws)
        assert low <= feasible / 150 <= high


# ------------------------------------------------------------------ the split


@given(st.integers(0, 999), st.sampled_from(["random", "orthonormal", "equicorrelated"]))
def test_split_is_the_league_partition_when_dimensions_suffice(seed, vectors):
    graphs, E = instance(10, 4, 6, 8, seed, vectors=vectors)
    found = feasible_split(graphs, E)
    assert {*found.strict} == {Comparison(*row) for row in graphs.strict_array.tolist()}
    np.testing.assert_allclose(found.W, solve_graph_svm(graphs, E).W, atol=1e-9)


def test_split_of_infeasible_data():
    """Soft edges cannot rise at all; W gives them 0 and the strict ones at least 1."""
    kinds = set()
    for seed in range(25):
        graphs, E = instance(8, 4, 6, 2, seed)
        found = feasible_split(graphs, E)
        every = [(k, *edge) for k, graph in graphs.items() for edge in graph.edges]
        assert sorted(found.strict + found.soft) == sorted(every)
        rows = written_out(E, every)
        for pair in found.soft:
            best = linprog(
                -written_out(E, [pair])[0], A_ub=-rows, b_ub=np.zeros(len(rows)), bounds=(-1, 1)
            )
            assert -best.fun <= 1e-8
        w = found.W.ravel()
        assert np.abs(written_out(E, found.soft) @ w).max(initial=0) <= 1e-9 * (1 + abs(w).max())
        assert (written_out(E, found.strict) @ w).min(initial=1) >= 1 - 1e-9
        kinds.add((bool(found.strict), bool(found.soft)))
    assert {(True, True), (False, True)} <= kinds


def test_split_of_the_smallest_contradiction():
    found = feasible_split(token_priority_graphs(OPPOSITE), [[1.0], [-1.0]])
    assert found.strict == ()
    assert set(found.soft) == {Comparison(0, 0, 1), Comparison(1, 0, 1)}
    assert not found.W.any()


def test_split_without_edges():
    found = feasible_split(graphs_from_edges({0: [(1, 1)]}, K=2), np.eye(2))
    assert (found.strict, found.soft, found.W.tolist()) == ((), (), [[0, 0], [0, 0]])


def test_split_of_a_full_track():
    """Edges that span a track's space and contradict each other leave no edge of it strict."""
    ring = [(i, (i + 1) % 9) for i in range(9)]
    graphs = graphs_from_edges({9: ring[:-1], 10: ring[:-1]}, K=11)
    angles = 2 * np.pi * np.arange(9) / 9
    E = np.zeros((11, 4))
    E[:9, 0], E[:9, 1], E[9, 2], E[10, 3] = np.cos(3 * angles), np.sin(3 * angles), 1.0, 1.0
    found = feasible_split(graphs, E)
    assert (len(found.strict), len(found.soft)) == (0, 16)


# ------------------------------------------------------------------ failing honestly


def test_an_iteration_limit_ends_in_a_named_error(monkeypatch):
    monkeypatch.setattr(core, "SMALL", 0)
    monkeypatch.setattr(core, "ITERATIONS", 1)
    monkeypatch.setattr(core, "DENSE", 0)
    monkeypatch.setattr(core, "FEW", 0)
    graphs, E = instance(24, 4, 6, 8, 0)
    with pytest.raises(SolverDidNotConverge, match="1 iterations"):
        solve_graph_svm(graphs, E)


def test_the_least_squares_fit_is_the_last_resort(monkeypatch):
    graphs, E = instance(24, 4, 6, 8, 0)
    expected = solve_graph_svm(graphs, E).W
    monkeypatch.setattr(core, "SMALL", 0)
    monkeypatch.setattr(core, "polish", lambda *_: None)
    np.testing.assert_allclose(solve_graph_svm(graphs, E).W, expected, atol=1e-10)


def test_a_fit_that_does_not_end_is_a_named_error(monkeypatch):
    def endless(*_, **__):
        raise RuntimeError("Maximum number of iterations reached.")

    graphs, E = instance(6, 4, 6, 8, 0)
    expected = solve_graph_svm(graphs, E).W
    monkeypatch.setattr("scipy.optimize.nnls", endless)
    np.testing.assert_allclose(solve_graph_svm(graphs, E).W, expected, atol=1e-13)  # long numbers
    monkeypatch.setattr(core, "FEW", 0)
    with pytest.raises(SolverDidNotConverge, match="did not end"):
        solve_graph_svm(graphs, E)


def test_an_answer_without_proof_is_not_given(monkeypatch):
    graphs, E = instance(6, 4, 6, 8, 0)
    monkeypatch.setattr(least_distance, "_finishes", lambda *_: iter([None]))
    monkeypatch.setattr(core, "FEW", 0)
    with pytest.raises(SolverDidNotConverge, match="did not settle"):
        solve_graph_svm(graphs, E)


def rows_of(graphs, E):
    return Rows.build(E, graphs.reduced_array, graphs.tie_array)


def test_a_false_certificate_is_not_believed(monkeypatch):
    graphs, E = instance(6, 4, 6, 8, 0)
    rows = rows_of(graphs, E)
    assert not len(least_distance.suspects(rows, np.ones(rows.strict)))
    monkeypatch.setattr(least_distance, "_finishes", lambda *_: iter([None]))
    assert not len(least_distance.suspects(rows, np.ones(rows.strict)))


def test_a_suspicion_that_proves_wrong_only_costs_time(monkeypatch):
    graphs, E = instance(24, 4, 6, 8, 0)
    expected = solve_graph_svm(graphs, E).W
    monkeypatch.setattr(core, "SMALL", 0)
    monkeypatch.setattr(core, "SUSPECT", 1e3)
    np.testing.assert_allclose(solve_graph_svm(graphs, E).W, expected, atol=1e-10)
    monkeypatch.setattr(core, "SUSPECT", 1e-13)
    monkeypatch.setattr(ProjectedCG, "cancellation", 0.0)
    np.testing.assert_allclose(solve_graph_svm(graphs, E).W, expected, atol=1e-10)


def test_polish_declines_what_it_cannot_do(monkeypatch):
    graphs, E = instance(24, 4, 6, 8, 0)
    rows = rows_of(graphs, E)
    start = np.ones(len(rows))
    assert optimum.polish(rows, start).proved
    assert optimum.polish(rows_of(*instance(6, 4, 6, 8, 0)), np.zeros(16)) is None
    with monkeypatch.context() as patch:
        patch.setattr(optimum, "LARGEST", 3)
        assert optimum.polish(rows, start) is None
    with monkeypatch.context() as patch:
        patch.setattr(optimum, "ROUNDS", 1)
        assert optimum.polish(rows, start) is None
    with monkeypatch.context() as patch:
        patch.setattr(optimum, "SHIFT", -10.0)
        assert optimum.polish(rows, start) is None


def test_only_a_support_with_its_signs_right_is_finished():
    rows = rows_of(*instance(24, 4, 6, 8, 0))
    matrix = least_distance.without_ties(rows)
    assert least_distance._on_support(rows, matrix, np.ones(rows.strict)) is None
    twice = np.vstack([matrix[:1], matrix[:1], 0 * matrix[2:]])
    assert least_distance._on_support(rows, twice, np.ones(rows.strict)) is None


def test_projected_cg_stops_where_rounding_leaves_no_direction(monkeypatch):
    method = ProjectedCG(rows_of(*instance(24, 4, 6, 8, 0)))
    assert not method._conjugate_step(np.zeros(len(method.x)))
    monkeypatch.setattr(method, "_move", lambda *_: False)
    assert not method.advance(1e-3, limit=100, suspect=0.0)
    assert method.iterations == 1


def test_projected_cg_converges_by_itself():
    """Without the exact finish, to far below what the finish needs."""
    graphs, E = instance(24, 4, 6, 8, 0)
    rows = rows_of(graphs, E)
    method = ProjectedCG(rows)
    assert method.advance(1e-11, limit=core.ITERATIONS, suspect=core.SUSPECT)
    W = rows.expand(rows.combine(method.multipliers))
    np.testing.assert_allclose(W, solve_graph_svm(graphs, E).W, atol=1e-8)
    assert method.x[: rows.strict].min() >= 0


def test_an_answer_with_broken_margins_is_not_weighed():
    rows = rows_of(*instance(6, 4, 6, 8, 0))
    assert weigh(rows, np.ones((8, 8)), np.ones(rows.strict)) is None


# ------------------------------------------------------------------ what a reader sees


def test_words_for_people():
    data = Dataset.from_text("<b> a&b <b> -> a&b\n<b> c a&b -> c")
    svm = solve_graph_svm(token_priority_graphs(data), np.eye(data.K))
    assert re.fullmatch(
        r"GraphSVM\(‖W‖=1\.08, 3 strict pairs, 3 decide, gap \de[+-]\d\d\)", repr(svm)
    )
    table = svm._repr_html_()
    assert html.escape("a&b above <b>") in table
    assert "<b>" not in table
    assert table.count("<tr>") == 1 + len(svm.support)
    assert isinstance(svm, GraphSVM)


def test_long_tables_are_cut():
    svm = solve_graph_svm(*instance(40, 4, 8, 10, 0))
    assert f"… and {len(svm.support) - 12} more" in svm._repr_html_()
    assert svm._repr_html_().count("above") == 12


def test_split_in_words():
    data = Dataset.from_text("<i> x -> <i>\nx <i> -> <i>")
    found = feasible_split(token_priority_graphs(data), [[1.0], [-1.0]])
    assert repr(found) == "FeasibleSplit(0 strict, 2 soft, ‖W‖=0)"
    assert isinstance(found, FeasibleSplit)
    assert "<i>" not in found._repr_html_()
    assert "after &lt;i&gt;: &lt;i&gt; above x" in found._repr_html_()
    assert "<td>none</td>" in found._repr_html_()
    many = feasible_split(*instance(40, 4, 8, 10, 0))
    assert "; …" in many._repr_html_()


def test_support_is_sorted_by_weight_and_results_are_read_only():
    svm = solve_graph_svm(*instance(10, 4, 6, 8, 2))
    weights = [svm.multipliers[pair] for pair in svm.support]
    assert weights == sorted(weights, reverse=True)
    with pytest.raises(ValueError, match="read-only"):
        svm.W[0, 0] = 1


@pytest.mark.parametrize("solver", [solve_graph_svm, graph_svm_reference, feasible_split])
@pytest.mark.parametrize(
    "E", [np.eye(3), np.eye(4)[:, 0], np.full((4, 4), np.nan), [["a"] * 4] * 4, np.zeros((4, 0))]
)
def test_bad_embeddings(solver, E):
    with pytest.raises(EmbeddingError):
        solver(token_priority_graphs(FIG3), E)
