"""Steepest descent by four rulers: steps against brute force, limits against the Graph-SVM."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import torch

import nta_core.training.logloss as logloss
from nta_beyond.optimizers import (
    graph_svm_in_norm,
    heavy_ball,
    muon,
    newton_schulz,
    polyak_descent,
    steepest_descent,
    steepest_direction,
)
from nta_beyond.optimizers.norms import NORMS, norm_of
from nta_beyond.optimizers.slopes import scaled_slope
from nta_core import (
    FIG3,
    FIG8,
    Dataset,
    OptionError,
    cosine,
    embeddings,
    finite_part,
    random_dataset,
    solve_graph_svm,
    token_priority_graphs,
)
from nta_core.training import gradient, gradient_descent, loss_value
from nta_core.training.logloss import active_log_loss
from nta_core.training.races import races_of
from tests.core.test_training import torch_risk

STRICT = Dataset.from_text("b c a -> b\nc d b -> c\nd a c -> d\nc a -> a")


def instance(seed):
    data = random_dataset(6, 4, 6, kind="acyclic", seed=seed)
    return data, embeddings(6, 8, seed=seed)


@pytest.mark.parametrize("norm", NORMS)
def test_no_matrix_of_length_one_goes_further_along_a_gradient(norm):
    rng = np.random.default_rng(0)
    for shape in ((5, 5), (3, 6), (6, 3)):
        G = rng.standard_normal(shape)
        V = steepest_direction(G, norm=norm)
        assert norm_of(V, norm) == pytest.approx(1.0)
        for _ in range(300):
            other = V + rng.choice([0.01, 0.1, 3.0]) * rng.standard_normal(shape)
            assert np.vdot(G, other) / norm_of(other, norm) <= np.vdot(G, V) + 1e-12
        tiny = steepest_direction(1e-200 * G, norm=norm)
        np.testing.assert_allclose(tiny, V, atol=1e-12)
    assert not steepest_direction(np.zeros((3, 3)), norm=norm).any()


def test_the_spectral_step_is_the_polar_factor():
    from scipy.linalg import polar

    G = np.random.default_rng(1).standard_normal((6, 6))
    np.testing.assert_allclose(steepest_direction(G, norm="spectral"), polar(G)[0], atol=1e-12)


def test_newton_schulz_keeps_the_singular_vectors_and_lifts_the_values():
    rng = np.random.default_rng(2)
    for shape in ((6, 6), (4, 7), (7, 4)):
        G = rng.standard_normal(shape)
        U, before, V = np.linalg.svd(G, full_matrices=False)
        X = newton_schulz(G)
        core = U.T @ X @ V.T
        np.testing.assert_allclose(core, np.diag(np.diag(core)), atol=1e-10)
        values = before / np.linalg.norm(G)
        for _ in range(5):
            values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
        np.testing.assert_allclose(np.diag(core), values, atol=1e-10)
        assert np.linalg.norm(X - steepest_direction(G, norm="spectral"), 2) < 0.35
    assert not newton_schulz(np.zeros((3, 3))).any()


@pytest.fixture
def exact_torch(monkeypatch):
    """torch's Muon in float64: it works in bfloat16, of three digits."""
    monkeypatch.setattr(torch.Tensor, "bfloat16", lambda self: self.clone())


@pytest.mark.parametrize("nesterov", [True, False])
def test_muon_is_torchs_muon(nesterov, exact_torch):
    data, E = instance(0)
    leaf = torch.zeros((8, 8), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.Muon([leaf], lr=0.1, weight_decay=0.0, nesterov=nesterov)
    for _ in range(25):
        optimizer.zero_grad()
        torch_risk(leaf, data, E, "log", "tied").backward()
        optimizer.step()
    run = muon(data, E, steps=25, step_size=0.1, nesterov=nesterov)
    np.testing.assert_allclose(run.W, leaf.detach().numpy(), atol=1e-8)


def test_the_frobenius_ruler_is_normalized_descent():
    data, E = instance(1)
    options = {"steps": 60, "step_size": 0.1}
    run = steepest_descent(data, E, norm="frobenius", **options)
    np.testing.assert_allclose(run.W, gradient_descent(data, E, **options).W, atol=1e-10)
    assert run.method.startswith("frobenius descent")


@pytest.mark.parametrize("norm", NORMS)
def test_every_ruler_leads_to_the_best_margin_of_its_own_norm(norm):
    shares = []
    for seed in range(3):
        data, E = instance(seed)
        graphs = token_priority_graphs(data)
        W = steepest_descent(data, E, norm=norm, steps=4000, step_size=0.05, record=2).W
        rulers = {other: graph_svm_in_norm(graphs, E, norm=other).reach(W) for other in NORMS}
        assert max(rulers, key=rulers.get) == norm
        shares.append(rulers[norm])
    assert min(shares) > 0.96


@pytest.mark.parametrize("norm", NORMS)
def test_the_inequalities_of_the_proof(norm):
    """‖∇L‖∗ ≥ γQ, Q ≤ L ≤ Q/(1 − nQ), what a margin costs, and how far a step falls.

    Q is the mean share of the losers.
    """
    data, E = instance(4)
    best, bounded = 1 / graph_svm_in_norm(token_priority_graphs(data), E, norm=norm).length, 0
    rng = np.random.default_rng(0)
    n, longest = len(data.labels), max(map(len, data.sequences))
    goal = graph_svm_in_norm(token_priority_graphs(data), E, norm=norm).W
    drawn = rng.standard_normal((2, 8, 8))
    for W in (0 * goal, 0.3 * drawn[0], 3.0 * drawn[1], 8.0 * goal):
        G = gradient(W, data, E)
        V = steepest_direction(G, norm=norm)
        steep = float(np.vdot(G, V))
        races = zip(data.sequences, data.labels, strict=True)
        lost, widest = [], 0.0
        for x, y in races:
            scores = E[list(x)] @ W @ E[x[-1]]
            shares = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
            lost.append(shares[np.array(x) != y].sum())
            widest = max(widest, *(abs((E[y] - E[j]) @ V @ E[x[-1]]) for j in x))
        share, loss = np.mean(lost), loss_value(W, data, E)
        assert steep >= best * share * (1 - 1e-6)
        assert loss >= share
        if n * share < 1:
            assert loss <= share / (1 - n * share)
        margin = min(
            (E[y] - E[j]) @ W @ E[x[-1]]
            for x, y in zip(data.sequences, data.labels, strict=True)
            for j in set(x) - {y}
        )
        assert n * loss >= np.log1p(np.exp(-margin) / longest)
        if n * loss <= 1:
            assert margin >= -np.log(loss) - np.log(2 * n * longest)
            bounded += 1
        for eta in (0.01, 0.1, 0.5):
            bound = loss - eta * steep + eta**2 / 2 * widest**2 * np.exp(eta * widest) * share
            assert loss_value(W - eta * V, data, E) <= bound + 1e-12
    assert bounded  # also where the loss is small enough for the last of them


@pytest.mark.parametrize("norm", NORMS)
def test_steps_that_shrink_reach_the_best_margin(norm):
    """The proposition under its own hypothesis: Ση = ∞, η → 0, and the gap goes on closing."""
    data, E = instance(4)
    ruler = graph_svm_in_norm(token_priority_graphs(data), E, norm=norm)
    options = {"steps": 6000, "step_size": 0.3, "decay": 0.5, "record": [60, 600, 6000]}
    gaps = [1 - ruler.reach(W) for W in steepest_descent(data, E, norm=norm, **options).path]
    assert gaps[0] > gaps[1] > gaps[2] > 0
    assert gaps[0] > 3 * gaps[2]  # like 1/√τ it would be 10


def test_directions_are_known_where_gradients_are_too_small_for_float64():
    data, E = instance(2)
    goal = solve_graph_svm(token_priority_graphs(data), E).W
    run = steepest_descent(data, E, norm="frobenius", steps=800, step_size=16.0)
    assert run.gradient_norms[-1] == 0.0
    assert cosine(run.W, goal) > 0.9999
    landscape = active_log_loss(races_of(data), E, np.zeros((8, 8)), reduced=False)
    near, far = scaled_slope(landscape, 3 * goal.ravel()), scaled_slope(landscape, run.W.ravel())
    np.testing.assert_allclose(
        np.exp(near.shift) * near.gradient, landscape.gradient(3 * goal.ravel()), atol=1e-14
    )
    assert np.exp(near.shift) * near.loss == pytest.approx(landscape.loss(3 * goal.ravel()))
    assert far.shift < -800
    assert far.loss > 0


def test_a_memory_of_past_gradients_is_one_in_every_scale():
    options = {"norm": "frobenius", "steps": 30, "step_size": 0.2, "momentum": 0.8}
    data, E = instance(3)
    W, buffer = np.zeros((8, 8)), np.zeros((8, 8))
    for _ in range(30):
        buffer = 0.8 * buffer + gradient(W, data, E)
        W = W - 0.2 * buffer / np.linalg.norm(buffer)
    np.testing.assert_allclose(steepest_descent(data, E, **options).W, W, atol=1e-10)


def test_steps_may_shrink():
    run = steepest_descent(
        STRICT, np.eye(4), norm="largest", steps=3, step_size=1.0, decay=0.5, record=None
    )
    moves = [norm_of(after - before, "largest") for before, after in pairwise(run.path)]
    np.testing.assert_allclose(moves, [1.0, 2**-0.5, 3**-0.5])


def test_momentum_is_torchs():
    data, E = instance(5)
    leaf = torch.zeros((8, 8), dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.SGD([leaf], lr=0.3, momentum=0.7)
    for _ in range(40):
        optimizer.zero_grad()
        torch_risk(leaf, data, E, "log", "tied").backward()
        optimizer.step()
    run = heavy_ball(data, E, steps=40, step_size=0.3, momentum=0.7)
    np.testing.assert_allclose(run.W, leaf.detach().numpy(), atol=1e-10)


def test_polyak_takes_his_step_and_ends_with_the_length_of_the_graph_svm():
    data, E = instance(6)
    goal = solve_graph_svm(token_priority_graphs(data), E).W
    run = polyak_descent(data, E, steps=5, record=None)
    for W, after in pairwise(run.path):
        G = gradient(W, data, E)
        step = loss_value(W, data, E) / np.vdot(G, G)
        np.testing.assert_allclose(after, W - step * G, atol=1e-10)
    short = polyak_descent(data, E, steps=2000, step_size=0.125, record=[1999, 2000])
    last = np.linalg.norm(short.path[1] - short.path[0])
    assert last / 0.125 == pytest.approx(np.linalg.norm(goal), rel=1e-3)


def test_polyak_with_ties_needs_the_floor():
    E = np.eye(4)
    floor = finite_part(FIG8, token_priority_graphs(FIG8), E).loss
    run = polyak_descent(FIG8, E, steps=400, floor=floor)
    assert 0 < run.losses[-1] - floor < 1e-3
    none = Dataset([[0]], [0], K=2)
    assert not polyak_descent(none, np.eye(2), steps=3).W.any()
    assert not steepest_descent(none, np.eye(2), norm="nuclear", steps=3, step_size=1.0).W.any()


def test_large_data_take_the_same_way(monkeypatch):
    data, E = instance(7)
    options = {"norm": "spectral", "steps": 30, "step_size": 0.1}
    dense = steepest_descent(data, E, **options)
    polyak = polyak_descent(data, E, steps=10)
    monkeypatch.setattr(logloss, "DESIGN_LIMIT", -1)
    np.testing.assert_allclose(steepest_descent(data, E, **options).W, dense.W, atol=1e-9)
    np.testing.assert_allclose(polyak_descent(data, E, steps=10).W, polyak.W, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: steepest_direction(np.eye(2), norm="manhattan"), "choose one of"),
        (lambda: steepest_direction([1.0, 2.0], norm="largest"), "must be a matrix"),
        (lambda: newton_schulz([[np.nan]]), "NaN"),
        (lambda: newton_schulz(np.eye(2), rounds=101), "rounds=101"),
        (lambda: muon(FIG3, np.eye(4), steps=1, step_size=1.0, momentum=1.0), "momentum=1.0"),
        (lambda: muon(FIG3, np.eye(4), steps=1, step_size=1.0, nesterov=1), "nesterov"),
        (lambda: polyak_descent(FIG3, np.eye(4), steps=1, floor=-1.0), "floor"),
        (lambda: heavy_ball(FIG3, np.eye(4), steps=1, step_size=0.0), "step_size"),
    ],
)
def test_options_that_are_none_are_named(call, message):
    with pytest.raises(OptionError, match=message):
        call()
