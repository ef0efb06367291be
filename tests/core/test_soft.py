"""Ties: Newton against Luce's choice model, the paper's lemmas, closed forms, stored results."""

import math
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nta_core import (
    FIG3,
    FIG8,
    DataError,
    Dataset,
    EmbeddingError,
    NTAError,
    SolverDidNotConverge,
    TooLarge,
    UnknownToken,
    UnrealizableLabelWarning,
    embeddings,
    graphs_from_edges,
    random_dataset,
    token_priority_graphs,
)
from nta_core.soft import (
    active_subspace,
    cyclic_subspace,
    finite_part,
    luce,
    luce_strengths,
    newton,
)
from nta_core.svm import solve_graph_svm
from tests.golden import load

LOG_LOSS_GROUPS = (
    "nb_global_seed1",
    "ortho_cyc",
    "equi_cyc",
    "rand_acyc_fig5",
    "samelast_rand",
    "dup_rand",
    "overcomplete",
    "single_scc",
)
KINDS = ("random", "orthonormal", "equicorrelated")


def finite(data, E):
    return finite_part(data, token_priority_graphs(data), E)


def strengths_of(data):
    return luce_strengths(data, token_priority_graphs(data))


def ragged(seed):
    """Random races with lengths 1 to 8 and repeated tokens on two or three tracks."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 7))
    rows = [rng.integers(K, size=rng.integers(1, 9)).tolist() for _ in range(rng.integers(4, 40))]
    rows = [[*row, int(rng.integers(min(K, 3)))] for row in rows]
    return Dataset(rows, [row[int(rng.integers(len(row)))] for row in rows], K=K)


def instance(seed):
    """A dataset and full-rank embeddings; shapes, tracks and kinds alternate."""
    shape = [(6, 4, 6), (24, 4, 6), (6, 9, 5), None][seed % 4]
    if shape is None:
        data = ragged(seed)
    else:
        data = random_dataset(*shape, same_last=seed % 3 == 0, seed=seed)
    return data, embeddings(data.K, data.K + 2, kind=KINDS[seed % 3], seed=seed)


def surprise(data, W, E, keep):
    """Mean log-loss, sequence by sequence in plain arithmetic, over the tokens `keep` admits."""
    total = 0.0
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        query = W @ E[sequence[-1]]
        scores = [E[token] @ query for token in sequence if keep(sequence[-1], label, token)]
        ours = E[label] @ query
        total += math.log(sum(math.exp(s - ours) for s in scores)) - math.log(sequence.count(label))
    return total / data.n


def full_loss(data, W, E):
    return surprise(data, W, E, lambda last, label, token: True)


def reduced_loss(data, W, E):
    graphs = token_priority_graphs(data)
    return surprise(data, W, E, lambda last, label, t: t in graphs[last].component_of(label))


@st.composite
def datasets(draw):
    K = draw(st.integers(1, 6))
    rows = draw(
        st.lists(st.lists(st.integers(0, K - 1), min_size=1, max_size=6), min_size=1, max_size=20)
    )
    return Dataset(rows, [draw(st.sampled_from(row)) for row in rows], K=K)


# --------------------------------------------------------------------------- subspaces


def test_dimensions_of_the_papers_figures():
    for data in (FIG3, FIG8):
        graphs = token_priority_graphs(data)
        assert cyclic_subspace(graphs, np.eye(4)).dim == 2
        assert active_subspace(graphs, np.eye(4)).dim == 6


@pytest.mark.parametrize("seed", range(40))
def test_full_rank_dimensions_count_the_leagues(seed):
    data, E = instance(seed)
    graphs = token_priority_graphs(data)
    leagues = [league for graph in graphs.values() for league in graph.components]
    assert cyclic_subspace(graphs, E).dim == sum(len(league) - 1 for league in leagues)
    parts = sum(_weak_parts(graph) for graph in graphs.values())
    tokens = sum(len(graph.nodes) for graph in graphs.values())
    assert active_subspace(graphs, E).dim == tokens - parts


def _weak_parts(graph):
    return nx.number_weakly_connected_components(graph.to_networkx())


@pytest.mark.parametrize("seed", range(40))
def test_projections_are_orthogonal_and_idempotent(seed):
    data, E = instance(seed)
    rng = np.random.default_rng(seed)
    graphs = token_priority_graphs(data)
    A, B = rng.standard_normal((2, E.shape[1], E.shape[1]))
    for space in (cyclic_subspace(graphs, E), active_subspace(graphs, E)):
        assert space.flat @ space.flat.T == pytest.approx(np.eye(space.dim), abs=1e-13)
        once = space.project(A)
        assert space.project(once) == pytest.approx(once, abs=1e-13)
        assert np.vdot(A - once, space.project(B)) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_subspaces_hold_exactly_the_comparisons_they_should(seed):
    data, E = instance(seed)
    graphs = token_priority_graphs(data)
    fin, active = cyclic_subspace(graphs, E), active_subspace(graphs, E)
    for last, graph in graphs.items():
        for i, j in graph.edges:
            pair = np.outer(E[i] - E[j], E[last])
            tied = graph.component_of(i) == graph.component_of(j)
            assert active.project(pair) == pytest.approx(pair, abs=1e-12)
            assert np.allclose(fin.project(pair), pair, atol=1e-9) == tied


def test_dependent_embeddings_lower_the_dimension_safely():
    ring = Dataset([[0, 1, 2]] * 3, [0, 1, 2])
    graphs = token_priority_graphs(ring)
    line = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    assert cyclic_subspace(graphs, line).dim == 1
    equal = np.ones((3, 2))
    assert cyclic_subspace(graphs, equal).dim == 0
    rounded = equal + 1e-14 * np.arange(6).reshape(3, 2)
    assert cyclic_subspace(graphs, rounded).dim == 0
    crowd = Dataset([[0, 1, 2, 3, 4]] * 5, range(5))  # more ties than dimensions
    assert cyclic_subspace(token_priority_graphs(crowd), embeddings(5, 2, seed=1)).dim == 2
    silent = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])  # the last token asks for nothing
    assert cyclic_subspace(graphs, silent).dim == 0


def test_equal_last_tokens_share_their_directions():
    data = Dataset([[0, 1, 2], [0, 1, 2], [0, 1, 3], [0, 1, 3]], [0, 1, 0, 1])
    E = np.array([[1.0, 0, 0], [0, 1.0, 0], [0, 0, 1.0], [0, 0, 2.0]])
    assert cyclic_subspace(token_priority_graphs(data), E).dim == 1


def test_golden_dimensions():
    for group in LOG_LOSS_GROUPS:
        for stored in load(group):
            graphs = token_priority_graphs(stored.dataset)
            assert cyclic_subspace(graphs, stored.E).dim == stored.info["dim_Sfin"]


def test_subspace_shows_itself():
    space = cyclic_subspace(token_priority_graphs(FIG3), np.eye(4))
    assert repr(space) == "Subspace(S_fin: 2 of 16 dimensions)"
    assert space._repr_html_() == "<p>S<sub>fin</sub>: <b>2</b> of 4×4 = 16 dimensions</p>"


def test_subspaces_refuse_bad_embeddings():
    graphs = token_priority_graphs(FIG3)
    for make in (cyclic_subspace, active_subspace):
        with pytest.raises(EmbeddingError, match="shape"):
            make(graphs, np.eye(3))
        with pytest.raises(EmbeddingError, match="NaN"):
            make(graphs, np.full((4, 4), np.nan))
    with pytest.raises(EmbeddingError, match="shape"):
        cyclic_subspace(graphs, np.eye(4)).project(np.eye(5))


# --------------------------------------------------------------------------- W_fin


def test_fig3_finite_part_is_zero():
    fin = finite(FIG3, np.eye(4))
    assert np.abs(fin.W).max() == 0
    assert fin.loss == pytest.approx(3 * math.log(3) / 7, abs=1e-15)


def test_fig8_finite_part():
    fin = finite(FIG8, np.eye(4))
    third = math.log(2) / 6
    expected = np.zeros((4, 4))
    expected[:, 1] = (-third, 2 * third, -third, 0)
    assert pytest.approx(expected, abs=1e-14) == fin.W
    assert fin.W[:, 1].round(4).tolist() == [-0.1155, 0.231, -0.1155, 0.0]
    assert strengths_of(FIG8).log_odds(1, 1, 0) == pytest.approx(math.log(2) / 2, abs=1e-12)


def test_fig8_contested_races():
    # I = the samples 4..7 of the figure, counted from 1
    races = finite(FIG8, np.eye(4)).races
    assert len(races.winners) == 4
    assert races.n == 7


@pytest.mark.parametrize("group", LOG_LOSS_GROUPS)
def test_golden_finite_part(group):
    for stored in load(group):
        fin = finite(stored.dataset, stored.E)
        assert np.linalg.norm(fin.W - stored.arrays["W_fin_ref"]) <= 1e-9
        assert np.linalg.norm(fin.W - stored.arrays["W_fin_gd"]) <= 0.0091
        assert fin.gradient_norm <= 1e-12


@pytest.mark.parametrize("group", LOG_LOSS_GROUPS)
def test_golden_reduced_sequences(group):
    for stored in load(group):
        races = finite(stored.dataset, stored.E).races
        ours = [
            sorted(np.repeat(races.tokens[races.runners[a:b]], races.tickets[a:b]).tolist())
            for a, b in zip(races.starts, races.starts[1:], strict=False)
        ]
        assert ours == [sorted(kept) for kept in stored.info["reduced"] if len(set(kept)) > 1]


@pytest.mark.parametrize("block", range(10))
def test_newton_agrees_with_luce(block):
    """Two algorithms without a common line: log-odds to 1e-9 on 160 instances."""
    for seed in range(16 * block, 16 * block + 16):
        data, E = instance(seed)
        fin, strengths = finite(data, E), strengths_of(data)
        assert fin.gradient_norm <= 1e-12
        for last, i, j in token_priority_graphs(data).tie_array.tolist():
            ours = fin.strengths[last][i] - fin.strengths[last][j]
            assert ours == pytest.approx(strengths.log_odds(last, i, j), abs=1e-9)
            assert ours == pytest.approx((E[i] - E[j]) @ fin.W @ E[last], abs=1e-9)


@given(datasets())
def test_finite_part_is_the_minimum_on_any_data(data):
    E = embeddings(data.K, data.K + 1, seed=data.n)
    fin = finite(data, E)
    assert fin.gradient_norm <= 1e-12
    assert fin.loss == pytest.approx(reduced_loss(data, fin.W, E), abs=1e-12)
    assert fin.subspace.project(fin.W) == pytest.approx(fin.W, abs=1e-11)
    rng = np.random.default_rng(data.n)
    for _ in range(3):
        nearby = fin.W + 0.3 * fin.subspace.project(rng.standard_normal(fin.W.shape))
        assert reduced_loss(data, nearby, E) >= fin.loss - 1e-13


@given(datasets())
def test_strengths_balance_wins_and_expected_wins(data):
    """The likelihood equations: every token wins as often as its strength lets expect."""
    strengths = strengths_of(data)
    for last, graph in strengths.graphs.items():
        theta = strengths.theta[last]
        assert set(theta) == set(graph.nodes)
        balance = dict.fromkeys(theta, 0.0)
        for sequence, label in zip(data.sequences, data.labels, strict=True):
            if sequence[-1] != last:
                continue
            runners = [token for token in sequence if token in graph.component_of(label)]
            purse = sum(math.exp(theta[token]) for token in runners)
            balance[label] += 1
            for token in runners:
                balance[token] -= math.exp(theta[token]) / purse
        assert max(map(abs, balance.values())) <= 1e-10 * data.n
        for league in graph.components:
            assert sum(theta[token] for token in league) == pytest.approx(0, abs=1e-12)


def test_scale_of_the_embeddings_does_not_matter_to_the_odds():
    data = random_dataset(24, 4, 6, kind="cyclic", seed=5)
    E = embeddings(6, 8, seed=5)
    unit = finite(data, E).strengths
    for scale in (1e-6, 1e6):
        scaled = finite(data, scale * E).strengths
        for last, scores in unit.items():
            assert list(scaled[last].values()) == pytest.approx(list(scores.values()), abs=1e-9)


@pytest.mark.parametrize("wins", [10, 1000, 30_000])
def test_lopsided_leagues_converge(wins):
    """One upset in many races per neighbouring pair: log-odds log(wins), far from zero."""
    rows = [[i, i + 1, 4] for i in range(3) for _ in range(wins + 1)]
    labels = [label for i in range(3) for label in [i] * wins + [i + 1]]
    data = Dataset(rows, labels)
    fin, strengths = finite(data, np.eye(5)), strengths_of(data)
    for i in range(3):
        gap = fin.strengths[4][i] - fin.strengths[4][i + 1]
        assert gap == pytest.approx(math.log(wins), abs=1e-9)
        assert strengths.log_odds(4, i, i + 1) == pytest.approx(math.log(wins), abs=1e-6)


def test_newton_is_damped_where_a_full_step_would_overshoot():
    """A thousand tickets against one: at zero the loss is almost flat, the full step 667 long."""
    many = [0] * 1000 + [1, 2]
    data = Dataset([many] * 3, [1, 1, 0])
    fin = finite(data, np.eye(3))
    expected = math.log(1 / 2000)  # 1000 tickets of strength s win half as often as one ticket
    assert fin.strengths[2][0] - fin.strengths[2][1] == pytest.approx(expected, abs=1e-11)
    assert strengths_of(data).log_odds(2, 0, 1) == pytest.approx(expected, abs=1e-11)
    assert fin.gradient_norm <= 1e-12


def test_large_vocabulary_costs_only_its_ties():
    tokens = random_dataset(200, 5, 9, same_last=True, seed=2)
    spread = [[997 * token + 3 for token in sequence] for sequence in tokens.sequences]
    data = Dataset(spread, [997 * label + 3 for label in tokens.labels], K=10_000)
    E = embeddings(10_000, 24, seed=1)
    fin, strengths = finite(data, E), strengths_of(tokens)
    assert fin.gradient_norm <= 1e-12
    assert fin.W.shape == (24, 24)
    for token, score in fin.strengths[3].items():
        assert score == pytest.approx(strengths.theta[0][(token - 3) // 997], abs=1e-9)


# --------------------------------------------------------------------------- closed forms


@pytest.mark.parametrize(("a", "b"), [(1, 1), (2, 1), (5, 3), (1, 40)])
def test_two_tokens_split_like_their_wins(a, b):
    data = Dataset([[0, 1, 2]] * (a + b), [0] * a + [1] * b)
    fin = finite(data, np.eye(3))
    assert fin.W[0, 2] - fin.W[1, 2] == pytest.approx(math.log(a / b), abs=1e-13)
    assert strengths_of(data).odds(2, 0, 1) == pytest.approx(a / b, rel=1e-11)


def test_multiplicity_is_extra_tickets():
    data = Dataset([[0, 0, 0, 1, 3], [0, 1, 3]], [0, 1], K=4)
    expected = -0.5 * math.log(3)
    assert strengths_of(data).log_odds(3, 0, 1) == pytest.approx(expected, abs=1e-12)
    W = finite(data, np.eye(4)).W
    assert W[0, 3] - W[1, 3] == pytest.approx(expected, abs=1e-13)


def test_one_sequence_set_gives_label_frequencies():
    labels = [0, 1, 2, 2, 2, 1]
    W = finite(Dataset([[0, 1, 2]] * 6, labels), np.eye(3)).W
    share = np.exp(W[:, 2]) / np.exp(W[:, 2]).sum()
    assert share == pytest.approx(np.bincount(labels) / 6, abs=1e-13)


def test_query_stays_when_it_left_the_race():
    # token 3 loses every race, so it is not in the reduced sequences, but it still asks
    data = Dataset([[0, 1, 3]] * 3, [0, 1, 1])
    W = finite(data, np.eye(4)).W
    assert W[1, 3] - W[0, 3] == pytest.approx(math.log(2), abs=1e-13)
    assert np.count_nonzero(np.abs(W) > 1e-15) == 2


def test_acyclic_data_has_no_finite_part():
    data = random_dataset(12, 4, 6, kind="acyclic", seed=1)
    fin, strengths = finite(data, np.eye(6)), strengths_of(data)
    assert (fin.loss, fin.steps, fin.subspace.dim, fin.strengths) == (0.0, 0, 0, {})
    assert np.abs(fin.W).max() == 0
    assert all(value == 0 for theta in strengths.theta.values() for value in theta.values())


def test_identical_embeddings_leave_nothing_to_settle():
    fin = finite(Dataset([[0, 1, 2]] * 3, [0, 0, 1]), np.ones((3, 2)))
    assert np.abs(fin.W).max() == 0
    assert fin.loss == pytest.approx(math.log(2), abs=1e-15)


def test_absent_labels_play_no_part():
    rows, labels = [[0, 1, 2, 3]] * 4, [0, 1, 1, 2]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrealizableLabelWarning)
        noisy = Dataset([*rows, [1, 2, 3]], [*labels, 0])
        noisy_fin, noisy_luce = finite(noisy, np.eye(4)), strengths_of(noisy)
    fin = finite(Dataset(rows, labels), np.eye(4))
    assert pytest.approx(fin.W, abs=1e-13) == noisy_fin.W
    assert noisy_fin.loss == pytest.approx(fin.loss * 4 / 5, abs=1e-14)
    assert noisy_luce.log_odds(3, 1, 0) == pytest.approx(math.log(2), abs=1e-12)


def test_two_leagues_of_one_track_do_not_mix():
    # {e1, e2} beat {e3, e4}; the first league's races hold a token of the second, too
    rows = [[0, 1, 2, 4]] * 3 + [[2, 3, 4]] * 5
    data = Dataset(rows, [0, 0, 1, 2, 2, 2, 2, 3])
    fin, strengths = finite(data, np.eye(5)), strengths_of(data)
    assert fin.loss == pytest.approx(reduced_loss(data, fin.W, np.eye(5)), abs=1e-14)
    for i, j, odds in ((0, 1, 2), (2, 3, 4)):
        assert fin.strengths[4][i] - fin.strengths[4][j] == pytest.approx(math.log(odds), abs=1e-13)
        assert strengths.odds(4, i, j) == pytest.approx(odds, abs=1e-11)
    assert strengths_of(data).theta[4][4] == 0


# --------------------------------------------------------------------------- the paper's lemmas


@pytest.mark.parametrize("seed", range(25))
def test_lemma_5_reduced_loss_sees_only_s_fin(seed):
    data, E = instance(seed)
    W = np.random.default_rng(seed).standard_normal((E.shape[1], E.shape[1]))
    projected = cyclic_subspace(token_priority_graphs(data), E).project(W)
    assert abs(reduced_loss(data, W, E) - reduced_loss(data, projected, E)) <= 1e-12


@pytest.mark.parametrize("seed", range(25))
def test_lemma_6_loss_along_w_svm_tends_to_the_reduced_loss(seed):
    data, E = instance(seed)
    W_svm = solve_graph_svm(token_priority_graphs(data), E).W
    W = 0.3 * np.random.default_rng(seed).standard_normal(W_svm.shape)
    assert abs(full_loss(data, W + 60 * W_svm, E) - reduced_loss(data, W, E)) <= 1e-9


@pytest.mark.parametrize("seed", range(25))
def test_lemma_7_no_finite_w_reaches_the_infimum(seed):
    data, E = instance(seed)
    fin = finite(data, E)
    graphs = token_priority_graphs(data)
    svm = solve_graph_svm(graphs, E)
    rng = np.random.default_rng(seed)
    for size in (0.1, 1.0, 3.0):
        W = size * rng.standard_normal(fin.W.shape)
        if len(graphs.strict_array):
            assert full_loss(data, W, E) > reduced_loss(data, W, E)
        assert full_loss(data, W, E) >= fin.loss
    # … and the infimum is the minimum of the reduced loss
    assert full_loss(data, fin.W + 60 * svm.W, E) == pytest.approx(fin.loss, abs=1e-9)


@pytest.mark.parametrize("seed", range(25))
def test_lemma_14_one_finite_minimiser(seed):
    data, E = instance(seed)
    fin = finite(data, E)
    loss = newton.ReducedLoss(fin.races, fin.subspace, E)
    rng = np.random.default_rng(seed)
    centre = fin.subspace.flat @ fin.W.ravel()
    for _ in range(4):
        point = centre + rng.standard_normal(fin.subspace.dim)
        value, (gradient, hessian) = loss.value(point), loss.derivatives(point)
        assert np.linalg.eigvalsh(hessian).min(initial=1.0) > 0  # strictly convex on S_fin
        W = np.tensordot(point, fin.subspace.basis, axes=1)
        assert value == pytest.approx(reduced_loss(data, W, E), abs=1e-12)
        if fin.subspace.dim:
            assert value > fin.loss
            way = rng.standard_normal(fin.subspace.dim)
            slope = (loss.value(point + 1e-5 * way) - loss.value(point - 1e-5 * way)) / 2e-5
            assert slope == pytest.approx(gradient @ way, abs=1e-8)
            curve = (loss.derivatives(point + 1e-5 * way)[0] - gradient) / 1e-5
            assert curve == pytest.approx(hessian @ way, abs=1e-3)
            assert loss.value(centre + 1e3 * way / np.linalg.norm(way)) > fin.loss + 1  # coercive


def test_loss_is_safe_at_enormous_scores():
    data = Dataset([[0, 1, 2]] * 2, [0, 1])
    fin = finite(data, np.eye(3))
    loss = newton.ReducedLoss(fin.races, fin.subspace, np.eye(3))
    far = np.array([700.0 / loss.size])
    gradient, _ = loss.derivatives(far)
    assert np.isfinite(loss.value(far))
    assert np.isfinite(gradient).all()


# --------------------------------------------------------------------------- results and errors


def test_results_show_themselves_with_escaped_names():
    data = Dataset([[0, 1, 2]] * 3, [0, 0, 1], names=["<b>", "a&b", "last"])
    fin, strengths = finite(data, np.eye(3)), strengths_of(data)
    assert repr(fin).startswith("FinitePart(‖W‖=0.4901, dim=1, loss=0.6365, gradient ")
    assert repr(strengths) == "LuceStrengths(1 last tokens, 1 leagues with ties)"
    for shown in (fin._repr_html_(), strengths._repr_html_()):
        assert "&lt;b&gt;" in shown
        assert "a&amp;b" in shown
        assert "<b>" not in shown
    assert "<td>+0.3466</td>" in fin._repr_html_()
    assert "<td>1.4142</td>" in strengths._repr_html_()


def test_odds_need_a_common_league():
    strengths = strengths_of(FIG3)
    with pytest.raises(DataError, match="after e2, e4 and e1 are in different leagues"):
        strengths.odds(1, 3, 0)
    with pytest.raises(UnknownToken, match="never a last token"):
        strengths.odds(3, 0, 1)
    with pytest.raises(UnknownToken, match="token 9 is not in the vocabulary"):
        strengths.odds(1, 0, 9)


def test_finite_part_refuses_bad_embeddings():
    with pytest.raises(EmbeddingError, match="shape"):
        finite(FIG3, np.eye(3))
    with pytest.raises(EmbeddingError, match="NaN"):
        finite(FIG3, np.full((4, 4), np.inf))


def test_graphs_of_other_data_are_refused():
    other, part = token_priority_graphs(FIG3), FIG3.subset([0, 1, 2, 3])
    with pytest.raises(DataError, match="made of other data"):
        finite_part(part, other, np.eye(4))
    for data in (part, Dataset([[0, 1]], [0])):
        with pytest.raises(DataError, match="made of other data"):
            luce_strengths(data, other)


def edges_of(data):
    """Who beat whom, sequence by sequence."""
    pairs = zip(data.sequences, data.labels, strict=True)
    return {(s[-1], y, t) for s, y in pairs if y in s for t in s if t != y}


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.booleans())
def test_graphs_belong_to_data_with_the_same_edges_and_to_no_other(one, other, shuffled):
    data = random_dataset(4, 3, 3, seed=one)
    strange = data.subset([3, 2, 1, 0, 0]) if shuffled else random_dataset(4, 3, 3, seed=other)
    graphs = token_priority_graphs(strange)
    for fit in (luce_strengths, lambda data, graphs: finite_part(data, graphs, np.eye(3))):
        if edges_of(data) == edges_of(strange):
            fit(data, graphs)
        else:
            with pytest.raises(DataError, match="made of other data"):
                fit(data, graphs)


def test_graphs_made_of_the_same_edges_by_hand_belong_to_the_data():
    edges = {}
    for last, winner, loser in edges_of(FIG8):
        edges.setdefault(last, []).append((winner, loser))
    theirs = luce_strengths(FIG8, graphs_from_edges(edges, FIG8.K))
    assert theirs.log_odds(1, 1, 0) == strengths_of(FIG8).log_odds("e2", "e2", "e1")


@pytest.mark.parametrize("scale", [1e-40, 1e-8, 1e8, 1e40])
def test_finite_part_does_not_depend_on_the_unit_of_length(scale):
    data, E = instance(1)
    np.testing.assert_allclose(
        finite(data, scale * E).W * scale**2, finite(data, E).W, rtol=0, atol=1e-10
    )


@pytest.mark.parametrize(
    "call",
    [
        lambda graphs: luce_strengths("races", graphs),
        lambda graphs: luce_strengths(FIG3, {0: "graph"}),
        lambda graphs: finite_part(FIG3, None, np.eye(4)),
        lambda graphs: cyclic_subspace(FIG3, np.eye(4)),
        lambda graphs: active_subspace([graphs], np.eye(4)),
    ],
)
def test_what_is_neither_data_nor_graphs_is_named(call):
    with pytest.raises(NTAError, match=r"must be a (Dataset|TokenPriorityGraphs)"):
        call(token_priority_graphs(FIG3))


def test_a_large_soft_part_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setenv("NTA_MEMORY_GB", "0.05")
    data = Dataset([[k, (k + 1) % 99] for k in range(99)] * 2, [*range(99), *range(1, 99), 0])
    with pytest.raises(TooLarge, match="a basis of up to 99 matrices"):
        finite(data, np.eye(99, 300))


def test_newton_says_when_it_runs_out_of_steps(monkeypatch):
    monkeypatch.setattr(newton, "MAX_STEPS", 1)
    with pytest.raises(SolverDidNotConverge, match="after 1 Newton steps"):
        finite(FIG8, np.eye(4))


def test_luce_says_when_it_runs_out_of_rounds(monkeypatch):
    monkeypatch.setattr(luce, "MAX_ROUNDS", 2)
    with pytest.raises(SolverDidNotConverge, match="after 2 rounds"):
        strengths_of(random_dataset(24, 4, 6, kind="cyclic", seed=5))
