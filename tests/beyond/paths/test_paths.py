"""Regularization paths: optimality conditions, other solvers, and what lies beyond rounding."""

from __future__ import annotations

import warnings
from dataclasses import replace
from decimal import Decimal, getcontext

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import nta_beyond.paths.regularization as regularization
import nta_core.soft.newton as newton
from nta_beyond.paths import log_domain_path, regularization_path, split_descent
from nta_core import (
    FIG3,
    FIG8,
    Dataset,
    NTAError,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    embeddings,
    random_dataset,
    token_priority_graphs,
)
from nta_core.model import cosine
from nta_core.soft import active_subspace, cyclic_subspace, finite_part
from nta_core.svm import feasible_split, solve_graph_svm
from nta_core.training import Objective, gradient_descent

ONE_LEAGUE = Dataset([[0, 1, 2]] * 6, [0, 1, 2, 2, 2, 1])
# Neither comparison can hold with the other in one dimension: the minimum is at w = 0.
IMPOSSIBLE = Dataset([[0, 1], [1, 0]], [0, 0])
LINE = np.array([[1.0], [-1.0]])


def svm(data, E):
    return solve_graph_svm(token_priority_graphs(data), E).W


def instances(kind="cyclic", shape=(6, 4, 6, 8), count=6, seed=0):
    n, T, K, d = shape
    for s in range(seed, seed + count):
        data, E = random_dataset(n, T, K, kind=kind, seed=s), embeddings(K, d, seed=s)
        if np.linalg.norm(svm(data, E)) > 0:
            yield data, E


# ---------------------------------------------------------------- Algo-RP


@pytest.mark.parametrize("kind", ["cyclic", "acyclic"])
def test_every_radius_is_hit(kind):
    radii = [0.01, 1.0, 10.0, 100.0, 1000.0]
    for data, E in instances(kind):
        path = regularization_path(data, E, radii)
        np.testing.assert_allclose(path.norms, radii, rtol=0, atol=1e-8)
        assert (np.diff(path.losses) <= 0).all()
        assert (np.diff(path.log_lambdas) < 0).all()


@pytest.mark.parametrize("shape", [(6, 4, 6, 8), (24, 4, 6, 8), (4, 9, 5, 6), (12, 4, 8, 4)])
def test_minimisers_are_stationary(shape):
    """∇L = −λ W: the optimality condition, by a gradient that shares no code with the path."""
    for data, E in feasible_or_not(shape):
        path = regularization_path(data, E, [0.5, 3.0, 8.0])
        risk = Objective(data, E)
        for W, log_lambda in zip(path.W, path.log_lambdas, strict=True):
            slope = risk.gradient(W)
            tolerance = 1e-9 * np.linalg.norm(slope) + 1e-14
            np.testing.assert_allclose(slope, -np.exp(log_lambda) * W, rtol=0, atol=tolerance)


def feasible_or_not(shape):
    n, T, K, d = shape
    return [(random_dataset(n, T, K, seed=s), embeddings(K, d, seed=s)) for s in range(4)]


def test_another_solver_finds_the_same_minimiser():
    risk = Objective(FIG8, np.eye(4))
    for radius in (0.5, 3.0):
        other = minimize(
            lambda w: risk.value(w.reshape(4, 4)),
            np.full(16, 0.01),
            jac=lambda w: risk.gradient(w.reshape(4, 4)).ravel(),
            method="SLSQP",
            constraints={
                "type": "ineq",
                "fun": lambda w, R=radius: R**2 - w @ w,
                "jac": lambda w: -2 * w,
            },
            options={"ftol": 1e-14, "maxiter": 500},
        )
        W = regularization_path(FIG8, np.eye(4), [radius]).W[0]
        np.testing.assert_allclose(W.ravel(), other.x, atol=1e-5)
        assert risk.value(W) <= other.fun + 1e-12


def test_radii_come_back_in_the_order_asked():
    path = regularization_path(FIG3, np.eye(4), [5.0, 0.0, 2.0, 5.0])
    np.testing.assert_allclose(path.norms, [5.0, 0.0, 2.0, 5.0], atol=1e-9)
    np.testing.assert_allclose(path.W[0], path.W[3], atol=1e-9)
    assert path.losses[1] == pytest.approx(np.log(3))
    assert repr(path) == "WeightPath(4 points, ‖W‖ 0 … 5)"
    assert path._repr_html_().count("<tr>") == 5
    empty = regularization_path(FIG3, np.eye(4), [])
    assert empty.W.shape == (0, 4, 4)
    assert repr(empty) == "WeightPath(0 points)"


def test_one_league_has_its_minimum_inside_every_large_ball():
    finite = finite_part(ONE_LEAGUE, token_priority_graphs(ONE_LEAGUE), np.eye(3)).W
    size = np.linalg.norm(finite)
    path = regularization_path(ONE_LEAGUE, np.eye(3), [0.5 * size, 2 * size])
    assert path.norms[0] == pytest.approx(0.5 * size, abs=1e-9)
    np.testing.assert_allclose(path.W[1], finite, atol=1e-12)
    assert path.log_lambdas[1] == -np.inf


def test_data_no_w_satisfies_has_a_path_too():
    path = regularization_path(IMPOSSIBLE, LINE, [1.0, 10.0])
    np.testing.assert_allclose(path.W, 0.0, atol=1e-12)
    np.testing.assert_allclose(path.losses, np.log(2), atol=1e-15)
    found = 0
    for seed in range(12):
        data, E = random_dataset(24, 4, 6, seed=seed), embeddings(6, 4, seed=seed)
        direction = feasible_split(token_priority_graphs(data), E)
        if direction.strict and direction.soft and np.linalg.norm(direction.W) > 0:
            far = log_domain_path(data, E, lambdas=[1e-250]).W[0]
            assert cosine(far, direction.W) > 0.999
            found += 1
    assert found >= 2


def test_nothing_to_learn_is_a_path_of_zeros():
    data = Dataset([[1], [2, 2]], [1, 2])
    path = regularization_path(data, np.eye(3), [1.0])
    np.testing.assert_array_equal(path.W, np.zeros((1, 3, 3)))
    np.testing.assert_array_equal(log_domain_path(data, np.eye(3)).W, np.zeros((8, 3, 3)))
    run = split_descent(data, np.eye(3), steps=3, step_size=1.0)
    np.testing.assert_array_equal(run.path, np.zeros_like(run.path))
    assert run.gradient_norms.max() == 0


def test_path_options_are_checked():
    for wrong in ([-1.0], [np.nan]):
        with pytest.raises(OptionError, match="radii"):
            regularization_path(FIG3, np.eye(4), wrong)
    with pytest.raises(OptionError, match="lambdas"):
        log_domain_path(FIG3, np.eye(4), lambdas=[0.0])


# ---------------------------------------------------------------- small λ


def test_the_ridge_and_the_ball_give_one_curve():
    for data, E in instances(count=3):
        ridge = log_domain_path(data, E, lambdas=[1e-3, 10.0, 1e-60])
        ball = regularization_path(data, E, ridge.norms)
        np.testing.assert_allclose(ball.W, ridge.W, rtol=0, atol=1e-6 * ridge.norms.max())
        np.testing.assert_allclose(ball.log_lambdas, ridge.log_lambdas, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [("cyclic", (6, 4, 6, 8)), ("acyclic", (4, 6, 8, 8)), ("cyclic", (24, 4, 6, 8))],
)
def test_log_domain_path_reaches_the_direction(kind, shape):
    for data, E in instances(kind, shape, count=8):
        W = svm(data, E)
        path = log_domain_path(data, E, lambdas=[1e-32, 1e-128, 1e-256])
        cosines = [cosine(point, W) for point in path.W]
        assert cosines[0] > 0.999
        assert cosines[1] > 0.9999
        assert cosines[2] > 0.99997
        soft = cyclic_subspace(token_priority_graphs(data), E)
        finite = finite_part(data, token_priority_graphs(data), E).W
        np.testing.assert_allclose(soft.project(path.W[2]), finite, rtol=0, atol=1e-10)


def test_path_stays_in_the_active_subspace():
    for data, E in instances(count=3):
        active = active_subspace(token_priority_graphs(data), E)
        W = log_domain_path(data, E, lambdas=[1e-9]).W[0]
        np.testing.assert_allclose(active.project(W), W, atol=1e-11)


# ---------------------------------------------------------------- split descent


def test_split_descent_reaches_the_direction():
    cosines = []
    for data, E in instances(count=12):
        run = split_descent(data, E, steps=1000, step_size=1.0, record=[0, 10, 1000])
        cosines.append(cosine(run.W, svm(data, E)))
        soft = cyclic_subspace(token_priority_graphs(data), E)
        for W in run.path:
            np.testing.assert_allclose(
                soft.project(W), finite_part(data, token_priority_graphs(data), E).W, atol=1e-9
            )
        assert (np.diff(run.losses) < 0).all() or run.losses[-1] == run.losses[-2]
        assert run.norms[-1] > 100
    assert np.median(cosines) > 0.9999
    assert min(cosines) > 0.999


def test_split_descent_is_normalized_descent_where_nothing_ties():
    data, E = next(instances("acyclic", (4, 6, 8, 8)))
    ours = split_descent(data, E, steps=300, step_size=0.05)
    plain = gradient_descent(data, E, steps=300, step_size=0.05)
    np.testing.assert_allclose(ours.W, plain.W, atol=1e-10)
    np.testing.assert_allclose(ours.losses, plain.losses, rtol=1e-9)
    np.testing.assert_allclose(ours.gradient_norms, plain.gradient_norms, rtol=1e-8)


# ---------------------------------------------------------------- any scale, any λ


# At log λ ≈ −320 a comparison joins those that decide: the tangent must not run past it.
LATECOMER = random_dataset(24, 4, 6, seed=3), embeddings(6, 4, seed=4)


def residual(data, E, W, ridge):
    """‖∇L(W) + λ W‖ / ‖λ W‖ in fifty digits, position by position; shares no code."""
    getcontext().prec = 50
    rows, weights = ([[Decimal(x) for x in row] for row in M.tolist()] for M in (E, W))
    d, ridge = len(weights), Decimal(ridge)
    total = [[ridge * w for w in row] for row in weights]
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        last = rows[sequence[-1]]
        query = [sum(w * x for w, x in zip(row, last, strict=True)) for row in weights]
        heights = [sum(e * q for e, q in zip(rows[t], query, strict=True)).exp() for t in sequence]
        for token, height in zip(sequence, heights, strict=True):
            share = height / sum(heights) / data.n
            for a in range(d):
                for b in range(d):
                    total[a][b] += share * (rows[token][a] - rows[label][a]) * last[b]
    size = sum(x * x for row in total for x in row).sqrt()
    return float(size / (ridge * sum(x * x for row in weights for x in row).sqrt()))


def test_a_comparison_that_joins_late_does_not_break_the_path():
    data, E = LATECOMER
    path = log_domain_path(data, E)
    assert (np.diff(path.norms) > 0).all()
    direction = feasible_split(token_priority_graphs(data), E).W
    cosines = [cosine(W, direction) for W in path.W]
    assert cosines[3:] == sorted(cosines[3:])  # before, the finite part of length 140 leads
    assert cosines[-1] > 0.999
    for W, ridge, allowed in zip(path.W, (1e-2, 1e-4, 1e-8), (1e-12, 1e-11, 1e-7), strict=False):
        assert residual(data, E, W, ridge) < allowed
    assert residual(data, E, 1.001 * path.W[0], 1e-2) > 1e-4  # the oracle sees a wrong W


@pytest.mark.parametrize("ridge", [1e3, 1e13, 1e100])
def test_a_huge_ridge_leaves_the_gradient_at_zero(ridge):
    (W,) = log_domain_path(FIG3, np.eye(4), lambdas=[ridge]).W
    slope = Objective(FIG3, np.eye(4)).gradient(np.zeros((4, 4)))
    np.testing.assert_allclose(W * ridge, -slope, atol=1e-3 if ridge == 1e3 else 1e-12)
    if ridge < 1e100:
        assert residual(FIG3, np.eye(4), W, ridge) < 1e-11


@pytest.mark.parametrize("radius", [1e-140, 1e-20, 1e-13, 1e6])
def test_tiny_and_large_balls_are_filled(radius):
    path = regularization_path(FIG3, np.eye(4), [radius])
    np.testing.assert_allclose(path.norms, radius, rtol=1e-8)


@pytest.mark.parametrize("scale", [1e-40, 1e-6, 1e5, 1e40])
def test_paths_do_not_depend_on_the_unit_of_length(scale):
    data, E = next(instances())
    one, other = regularization_path(data, E, [3.0]), scale * E
    scaled = regularization_path(data, other, [3.0 / scale**2])
    np.testing.assert_allclose(scaled.W * scale**2, one.W, rtol=0, atol=1e-10)
    np.testing.assert_allclose(scaled.losses, one.losses, rtol=1e-12)
    shift = 4 * np.log(scale)
    np.testing.assert_allclose(scaled.log_lambdas - shift, one.log_lambdas, atol=1e-8)
    run = split_descent(data, E, steps=20, step_size=1.0)
    small = split_descent(data, other, steps=20, step_size=1.0 / scale**2)
    np.testing.assert_allclose(small.W * scale**2, run.W, rtol=0, atol=1e-10)
    np.testing.assert_allclose(small.gradient_norms / scale**2, run.gradient_norms, rtol=1e-8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: regularization_path(FIG3, np.eye(4), [1e7]),
            "exact for R max‖e_k‖² from 1e-149 to 5e5",
        ),
        (lambda: regularization_path(FIG3, np.eye(4), [-1.0]), "radii=-1.0"),
        (lambda: regularization_path(FIG3, np.eye(4), 3.0), "radii must be a list"),
        (lambda: log_domain_path(FIG3, np.eye(4), lambdas=[0.0]), "lambdas=0.0"),
        (lambda: log_domain_path(FIG3, np.eye(4), lambdas=[1e307]), "so large that W is 0"),
        (lambda: log_domain_path("e1", np.eye(4)), "dataset must be a Dataset"),
        (lambda: split_descent(FIG3, np.eye(4), steps=3, step_size=1e308), "leaves float64"),
    ],
)
def test_what_no_path_can_be_asked_is_named(call, message):
    with pytest.raises(NTAError, match=message):
        call()


@given(
    seed=st.integers(0, 10**6),
    d=st.integers(1, 7),
    scale=st.sampled_from([1e-30, 1.0, 1e30]),
    ridge=st.floats(-290, 3),
)
@settings(max_examples=40, deadline=None)
def test_the_path_is_stationary_or_says_that_it_is_not_found(seed, d, scale, ridge):
    data, E = random_dataset(8, 4, 6, seed=seed), scale * embeddings(6, d, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            path = log_domain_path(data, E, lambdas=[10.0**ridge])
        except NTAError:
            return
    assert np.isfinite(path.W).all()
    assert np.isfinite(path.losses).all()
    if scale == 1.0 and ridge > -6 and path.norms[0] > 0:
        assert residual(data, E, path.W[0], 10.0**ridge) < 1e-6


def test_paths_of_large_data_are_refused_before_they_are_made():
    data, E = random_dataset(3000, 16, 400, seed=0), embeddings(400, 400, seed=0)
    for call in (
        lambda: regularization_path(data, E, [1.0]),
        lambda: split_descent(data, E, steps=3, step_size=1.0),
        lambda: active_subspace(token_priority_graphs(data), E),
    ):
        with pytest.raises(TooLarge, match="a basis of up to"):
            call()


# ---------------------------------------------------------------- failures are named


def test_running_out_of_steps_is_an_error_not_a_wrong_answer(monkeypatch):
    monkeypatch.setattr(regularization, "NEWTON_STEPS", 1)
    with pytest.raises(SolverDidNotConverge, match="log λ"):
        regularization_path(FIG3, np.eye(4), [50.0])
    monkeypatch.setattr(newton, "MAX_STEPS", 1)
    with pytest.raises(SolverDidNotConverge, match="soft part"):
        regularization_path(FIG8, np.eye(4), [50.0])


def test_missing_a_radius_is_an_error(monkeypatch):
    def stuck(self, guess):
        return replace(guess, h=np.ones(4), dh=-np.ones(4))

    monkeypatch.setattr(regularization.Follower, "_corrected", stuck)
    with pytest.raises(SolverDidNotConverge, match="instead of 50"):
        regularization_path(FIG3, np.eye(4), [50.0])
