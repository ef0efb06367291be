"""Training: closed-form gradients against autograd, runs against the authors' trajectories."""

from __future__ import annotations

import os
import signal
import threading
import warnings
from decimal import Decimal, getcontext

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import nta_core.training.logloss as logloss
from nta_core import (
    FIG3,
    FIG8,
    Dataset,
    EmbeddingError,
    NTAError,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    UnrealizableLabelWarning,
    embeddings,
    random_dataset,
)
from nta_core.model import HEADS, LOSSES, Readout
from nta_core.training import (
    Interrupted,
    Objective,
    gradient,
    gradient_descent,
    gradient_descent_batch,
    loss_value,
    random_start,
)
from nta_core.training.masses import through_softmax
from nta_core.training.nodes import NodeLogLoss
from nta_core.training.races import races_of
from nta_core.training.run import record_steps, walk
from tests.golden import load

CELLS = [(loss, head) for loss in LOSSES for head in HEADS if (loss, head) != ("log", "general")]
LOG_GROUPS = (
    "nb_global_seed1",
    "ortho_cyc",
    "equi_cyc",
    "rand_acyc_fig5",
    "samelast_rand",
    "dup_rand",
    "overcomplete",
    "single_scc",
)


def ragged(seed: int, n: int = 9, K: int = 5) -> Dataset:
    """Ragged sequences with repeated tokens and repeated rows, every label in its sequence."""
    rng = np.random.default_rng(seed)
    rows = [rng.integers(K, size=rng.integers(1, 8)).tolist() for _ in range(n)]
    labels = [int(rng.choice(row)) for row in rows]
    return Dataset(
        [*rows, rows[0], rows[0][::-1][1:] + rows[0][-1:]], [*labels, labels[0], rows[0][-1]], K=K
    )


def torch_risk(W, dataset, E, loss, head, temperature=1.0):
    """The risk position by position, as eq. 1 writes it; nothing shared with the package."""
    E = torch.as_tensor(E)
    total = torch.zeros((), dtype=torch.float64)
    for sequence, label in zip(dataset.sequences, dataset.labels, strict=True):
        X = E[list(sequence)]
        s = torch.softmax(X @ (W @ X[-1]), dim=0)
        if head == "tied":
            z = torch.stack([s[[t == k for t in sequence]].sum() for k in range(dataset.K)])
        else:
            z = E @ (s @ X)
        u, share = z[label], torch.softmax(z / temperature, 0)[label]
        total = (
            total
            + {
                "log": lambda u=u: -torch.log(u),
                "squared": lambda u=u: (1 - u) ** 2,
                "squared-softmax": lambda share=share: (1 - share) ** 2,
                "cross-entropy": lambda share=share: -torch.log(share),
                "correlation": lambda u=u: -u,
            }[loss]()
        )
    return total / dataset.n


def torch_gradient(W, dataset, E, loss, head, temperature=1.0):
    leaf = torch.tensor(W, requires_grad=True)
    risk = torch_risk(leaf, dataset, E, loss, head, temperature)
    risk.backward()
    return float(risk.detach()), leaf.grad.numpy()


# ---------------------------------------------------------------- gradients


@pytest.mark.parametrize(("loss", "head"), CELLS)
@pytest.mark.parametrize("seed", range(4))
def test_value_and_gradient_equal_autograd(loss, head, seed):
    data, E = ragged(seed), embeddings(5, 4 if seed % 2 else 6, seed=seed)
    W = np.random.default_rng(seed).standard_normal((E.shape[1],) * 2) * (1.0 + seed)
    value, slope = torch_gradient(W, data, E, loss, head)
    assert loss_value(W, data, E, loss=Readout(loss, head)) == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(gradient(W, data, E, loss=Readout(loss, head)), slope, atol=1e-12)


@pytest.mark.parametrize(("loss", "head"), CELLS)
def test_gradient_equals_finite_differences(loss, head):
    data, E = ragged(11), embeddings(5, 6, seed=11)
    rng = np.random.default_rng(11)
    W, V = rng.standard_normal((2, 6, 6))
    risk = Objective(data, E, loss=Readout(loss, head))
    numeric = (risk.value(W + 1e-5 * V) - risk.value(W - 1e-5 * V)) / 2e-5
    assert np.vdot(risk.gradient(W), V) == pytest.approx(numeric, abs=1e-9)


@pytest.mark.parametrize("loss", ["cross-entropy", "squared-softmax"])
@pytest.mark.parametrize("head", HEADS)
def test_temperature_enters_value_and_gradient(loss, head):
    data, E = ragged(2), embeddings(5, 6, seed=2)
    W = np.random.default_rng(2).standard_normal((6, 6))
    value, slope = torch_gradient(W, data, E, loss, head, temperature=0.25)
    options = {"loss": Readout(loss, head, temperature=0.25)}
    assert loss_value(W, data, E, **options) == pytest.approx(value, abs=1e-12)
    np.testing.assert_allclose(gradient(W, data, E, **options), slope, atol=1e-12)
    assert abs(loss_value(W, data, E, loss=Readout(loss, head)) - value) > 1e-3


def test_curvature_equals_second_differences_of_the_autograd_risk():
    data, E = ragged(5), embeddings(5, 6, seed=5)
    W, V = np.random.default_rng(5).standard_normal((2, 6, 6))

    t = torch.zeros((), dtype=torch.float64, requires_grad=True)
    risk = torch_risk(torch.tensor(W) + t * torch.tensor(V), data, E, "log", "tied")
    (slope,) = torch.autograd.grad(risk, t, create_graph=True)
    (expected,) = torch.autograd.grad(slope, t)
    assert Objective(data, E).hessian_quadratic(W, V) == pytest.approx(float(expected), rel=1e-11)
    with pytest.raises(OptionError, match="loss='log' only"):
        Objective(data, E, loss="squared").hessian_quadratic(W, V)


def test_gradient_keeps_its_digits_when_the_label_has_almost_all_mass():
    data = Dataset([[0, 1]], [0])
    W = np.array([[0.0, 60.0], [0.0, -60.0]])  # P(loser) = e^-120, far below 2.2e-16
    expected = np.exp(-120.0) * np.array([[0.0, -1.0], [0.0, 1.0]])
    np.testing.assert_allclose(gradient(W, data, np.eye(2)), expected, rtol=1e-12)
    assert loss_value(W, data, np.eye(2)) == pytest.approx(np.exp(-120.0), rel=1e-12)
    squared = gradient(W, data, np.eye(2), loss="squared")
    np.testing.assert_allclose(squared, 2 * np.exp(-240.0) * np.sign(expected), rtol=1e-12)


def test_gradient_keeps_its_digits_when_another_token_has_almost_all_mass():
    mass = np.array([[1.0 - 2e-40, 1e-40, 1e-40]])
    pull = through_softmax(mass, np.array([[0.3, 0.9, 0.5]]))
    np.testing.assert_allclose(pull, [[-0.8e-40, 0.6e-40, 0.2e-40]], rtol=1e-12)


@pytest.mark.parametrize("size", [1.0, 2000.0])
def test_all_forms_of_the_log_loss_agree_on_many_rows(size):
    data, E = random_dataset(600, 5, 6, seed=3), embeddings(6, 4, seed=3)
    W = size * np.random.default_rng(3).standard_normal((4, 4))
    nodes = NodeLogLoss(races_of(data), E, W)
    scores = nodes.scores(W.ravel())
    rows = nodes.weights
    assert len(nodes.loser) > 4 * len(scores)  # many duels per node: exponentials per node
    assert (np.ptp(scores) < logloss.SAFE) == (size == 1.0)
    dense = logloss.active_log_loss(races_of(data), E, W, reduced=False)
    expected = dense.gradient(dense.start).reshape(4, 4)
    np.testing.assert_allclose(gradient(W, data, E), expected, atol=1e-13)
    np.testing.assert_allclose(loss_value(W, data, E), dense.loss(dense.start), rtol=1e-12)
    if size == 1.0:
        by_duel, by_node = nodes._pull_by_duel(scores, rows), nodes._pull_by_node(scores, rows)
        np.testing.assert_allclose(by_duel, by_node, atol=1e-14)


# ---------------------------------------------------------------- rows


def test_equal_rows_are_merged_and_weighed():
    data = Dataset([[0, 1, 2], [1, 0, 2], [0, 1, 2], [0, 0, 1, 2]], [0, 0, 1, 0])
    races = races_of(data)
    assert races.n == 3
    assert sorted(races.weights.tolist()) == [0.25, 0.25, 0.5]
    assert races.row_of[0] == races.row_of[1] != races.row_of[3]


def test_rows_without_their_label_play_no_part():
    data = Dataset([[0, 1], [1, 2], [0, 2]], [0, 0, 2])
    with pytest.warns(UnrealizableLabelWarning, match="rows 1"):
        slope = gradient(np.zeros((3, 3)), data, np.eye(3))
    alone = gradient(np.zeros((3, 3)), data.subset([0, 2]), np.eye(3))
    np.testing.assert_allclose(slope, alone * 2 / 3, atol=1e-16)
    with pytest.warns(UnrealizableLabelWarning) as caught:
        run = gradient_descent(data, np.eye(3), steps=50, step_size=0.1)
    assert len(caught) == 1
    other = gradient_descent(data.subset([0, 2]), np.eye(3), steps=50, step_size=0.1)
    np.testing.assert_allclose(run.W, other.W, atol=1e-12)


def test_nothing_to_learn_leaves_w_where_it_was():
    W0 = random_start(3, seed=0)
    single = Dataset([[1], [2, 2]], [1, 2])
    for loss in ("log", "cross-entropy"):
        run = gradient_descent(single, np.eye(3), steps=20, step_size=1.0, W0=W0, loss=loss)
        np.testing.assert_array_equal(run.W, W0)
    assert gradient_descent(single, np.eye(3), steps=3, step_size=1.0).losses.max() == 0
    assert Objective(single, np.eye(3)).hessian_quadratic(W0, W0) == 0
    np.testing.assert_array_equal(gradient(W0, single, np.eye(3)), np.zeros((3, 3)))
    with pytest.warns(UnrealizableLabelWarning):
        run = gradient_descent(Dataset([[0, 1]], [2]), np.eye(3), steps=5, step_size=1.0, W0=W0)
    np.testing.assert_array_equal(run.W, W0)
    with pytest.warns(UnrealizableLabelWarning):
        assert loss_value(W0, Dataset([[0, 1]], [2]), np.eye(3)) == 0


# ---------------------------------------------------------------- gradient descent


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize(("loss", "head"), [("log", "tied"), ("squared", "general")])
def test_descent_equals_an_autograd_loop(loss, head, normalized):
    data, E = ragged(7), embeddings(5, 6, seed=7)
    W = random_start(6, seed=7)
    run = gradient_descent(
        data,
        E,
        steps=30,
        step_size=0.1,
        normalized=normalized,
        loss=Readout(loss, head),
        W0=W,
        record=range(31),
    )
    for step in range(31):
        np.testing.assert_allclose(run.path[step], W, atol=1e-12)
        value, slope = torch_gradient(W, data, E, loss, head)
        assert run.losses[step] == pytest.approx(value, abs=1e-12)
        assert run.gradient_norms[step] == pytest.approx(np.linalg.norm(slope), abs=1e-12)
        W = W - 0.1 * slope / ((np.linalg.norm(slope) + 2.2e-16) if normalized else 1.0)


@pytest.mark.parametrize("step_size", [0.1, 5000.0])
def test_small_and_large_problems_share_one_trajectory(monkeypatch, step_size):
    """5000: scores so large that every exponential has to be shifted."""
    data, E = random_dataset(20, 4, 6, seed=1), embeddings(6, 5, seed=1)
    options = {"steps": 12, "step_size": step_size, "W0": random_start(5, seed=1)}
    dense = gradient_descent(data, E, **options)
    monkeypatch.setattr(logloss, "DESIGN_LIMIT", 0)
    nodes = gradient_descent(data, E, **options)
    np.testing.assert_allclose(nodes.path, dense.path, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(nodes.losses, dense.losses, rtol=1e-9)
    batch = gradient_descent_batch([data, FIG3], [E, np.eye(4)], steps=12, step_size=step_size)
    alone = gradient_descent(FIG3, np.eye(4), steps=12, step_size=step_size)
    np.testing.assert_allclose(batch[1].W, alone.W, atol=1e-12)


@pytest.mark.parametrize(("loss", "head"), CELLS)
@pytest.mark.parametrize("normalized", [True, False])
def test_batches_equal_single_runs_for_any_shapes(loss, head, normalized):
    datasets = [ragged(0), FIG3, random_dataset(3, 2, 7, seed=2), Dataset([[1, 0]], [0])]
    Es = [embeddings(data.K, d, seed=d) for data, d in zip(datasets, (3, 6, 4, 2), strict=True)]
    W0s = [random_start(E.shape[1], seed=4) for E in Es]
    options = {
        "steps": 40,
        "step_size": 0.05,
        "loss": Readout(loss, head),
        "normalized": normalized,
    }
    runs = gradient_descent_batch(datasets, Es, W0s=W0s, record=5, **options)
    for data, E, W0, run in zip(datasets, Es, W0s, runs, strict=True):
        alone = gradient_descent(data, E, W0=W0, record=5, **options)
        np.testing.assert_allclose(run.path, alone.path, atol=1e-12)
        np.testing.assert_allclose(run.W, alone.W, atol=1e-12)
        np.testing.assert_allclose(run.losses, alone.losses, atol=1e-12)
        np.testing.assert_allclose(run.gradient_norms, alone.gradient_norms, atol=1e-12)


def test_batch_checks_its_lists():
    assert gradient_descent_batch([], [], steps=1, step_size=1.0) == []
    with pytest.raises(OptionError, match="2 datasets, 1 embeddings"):
        gradient_descent_batch([FIG3, FIG8], [np.eye(4)], steps=1, step_size=1.0)


def test_records_are_what_was_asked_for():
    run = gradient_descent(FIG3, np.eye(4), steps=100, step_size=0.1, record=[100, 3, 0, 3])
    assert run.steps.tolist() == [0, 3, 100]
    np.testing.assert_array_equal(run.path[0], np.zeros((4, 4)))
    np.testing.assert_allclose(run.path[-1], run.W, rtol=1e-15)
    spaced = gradient_descent(FIG3, np.eye(4), steps=1000, step_size=0.1, record=10).steps
    assert spaced[0] == 0
    assert spaced[-1] == 1000
    assert len(spaced) <= 10
    assert (np.diff(spaced, n=2) >= 0).all()
    none = gradient_descent(FIG3, np.eye(4), steps=5, step_size=0.1, record=[])
    assert none.path.shape == (0, 4, 4)
    assert "nothing recorded" in repr(none)
    assert none._repr_html_().count("<tr>") == 1
    still = gradient_descent(FIG3, np.eye(4), steps=0, step_size=0.1)
    assert still.steps.tolist() == [0]
    np.testing.assert_array_equal(still.W, np.zeros((4, 4)))


@pytest.mark.parametrize("chosen", [[], [0], [5], [0, 2, 5], [1, 4]])
def test_a_walk_ends_after_its_steps_whatever_is_recorded(chosen):
    calls = []

    def double(state):
        calls.append(state)
        return 2 * state

    steps = np.array(chosen, dtype=np.int64)
    parts, end = walk(np.array([1.0, 3.0]), double, steps, 5, np.sum, lambda *all: [*all], size=2)
    expected = [[2.0**k, 3 * 2.0**k] for k in chosen]
    np.testing.assert_array_equal(parts[0], np.reshape(expected, (len(chosen), 2)))
    assert parts[1] == [4 * 2.0**k for k in chosen]
    np.testing.assert_array_equal(end, [32.0, 96.0])
    assert len(calls) == 5


def test_every_step_can_be_recorded():
    assert record_steps(None, 4).tolist() == [0, 1, 2, 3, 4]
    for wrong in (-1, 2.0, True):
        with pytest.raises(OptionError, match="steps="):
            record_steps(None, wrong)


def test_a_run_knows_what_it_trained_and_can_go_on():
    readout = Readout("cross-entropy", "general", 0.5)
    half = gradient_descent(FIG3, np.eye(4), steps=20, step_size=0.1, loss=readout)
    assert half.readout == readout
    assert half.loss == "cross-entropy"
    rest = gradient_descent(FIG3, np.eye(4), steps=20, step_size=0.1, loss=half.readout, W0=half.W)
    whole = gradient_descent(FIG3, np.eye(4), steps=40, step_size=0.1, loss=readout)
    np.testing.assert_allclose(rest.W, whole.W, atol=1e-12)


def test_a_run_describes_itself():
    run = gradient_descent(
        FIG3,
        np.eye(4),
        steps=10,
        step_size=0.1,
        loss=Readout("squared", "general"),
        normalized=False,
    )
    assert repr(run).startswith("Run(plain gradient descent, step 0.1: 10 steps, squared-loss with")
    assert "<caption>plain gradient descent" in run._repr_html_()
    np.testing.assert_allclose(run.norms, [np.linalg.norm(W) for W in run.path])
    assert repr(Objective(FIG3, np.eye(4))) == "Objective(log-loss, tied head, d=4)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": -1, "step_size": 0.1}, "steps=-1"),
        ({"steps": 2.5, "step_size": 0.1}, "steps=2.5"),
        ({"steps": 5, "step_size": 0.0}, "step_size=0.0"),
        ({"steps": 5, "step_size": float("inf")}, "step_size=inf"),
        ({"steps": 5, "step_size": 0.1, "loss": "hinge"}, "log, squared, squared-softmax"),
        ({"steps": 5, "step_size": 0.1, "record": 1}, "record=1"),
        ({"steps": 5, "step_size": 0.1, "record": [6]}, "from 0 to 5"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(OptionError, match=message):
        gradient_descent(FIG3, np.eye(4), **options)


def test_bad_matrices_are_named():
    with pytest.raises(EmbeddingError, match="E must have shape"):
        gradient_descent(FIG3, np.eye(3), steps=1, step_size=0.1)
    with pytest.raises(EmbeddingError, match="W must have shape"):
        gradient_descent(FIG3, np.eye(4), steps=1, step_size=0.1, W0=np.eye(3))
    with pytest.raises(OptionError, match="d=0"):
        random_start(0, seed=0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"step_size": "0.1"}, "step_size='0.1'"),
        ({"step_size": 1j}, "step_size=1j"),
        ({"step_size": float("nan")}, "step_size=nan"),
        ({"steps": True}, "steps=True"),
        ({"steps": 2**62}, "steps=4611686018427387904"),
        ({"record": [0.5]}, "record=0.5"),
        ({"record": [-1]}, "record=-1"),
        ({"record": 2.0}, "record must be a list"),
        ({"normalized": "no"}, "normalized='no'"),
    ],
)
def test_what_is_not_a_plan_is_named(options, message):
    with pytest.raises(NTAError, match=message):
        gradient_descent(FIG3, np.eye(4), **({"steps": 5, "step_size": 0.1} | options))


def test_steps_to_record_may_come_in_any_collection():
    expected, steps = [1, 3], [3, 1]
    for record in (steps, set(steps), iter(steps), np.array(steps), torch.tensor(steps)):
        run = gradient_descent(FIG3, np.eye(4), steps=4, step_size=0.1, record=record)
        assert run.steps.tolist() == expected
    every = gradient_descent(FIG3, np.eye(4), steps=4, step_size=0.1, record=None)
    assert every.steps.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_overflow_is_an_error_that_names_the_step(loss):
    options = {"steps": 10, "step_size": 1e308, "loss": loss}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(OptionError, match="after 0 of 10 steps: choose a smaller step_size"):
            gradient_descent(FIG3, np.eye(4), **options)


@pytest.mark.parametrize("factor", [1e30, np.inf, np.nan])
def test_a_walk_that_leaves_float64_says_after_how_many_steps(factor):
    def grow(state):  # 1e90 is still a weight, 1e120 is none
        return state * (1e30 if state[0] < 1e89 else factor)

    none = np.array([], dtype=np.int64)
    with pytest.raises(OptionError, match="after 3 of 10 steps"):
        walk(np.ones(2), grow, none, 10, np.sum, lambda *parts: [*parts], size=2)


def test_a_curvature_beyond_float64_is_an_error():
    far = 1e80 * np.eye(4)
    with pytest.raises(SolverDidNotConverge, match="the curvature leaves float64"):
        Objective(FIG3, 1e45 * np.eye(4)).hessian_quadratic(np.zeros((4, 4)), far)


@given(
    seed=st.integers(0, 10**6),
    size=st.sampled_from([1e-50, 1e-8, 1.0, 1e8, 1e49]),
    step_size=st.floats(1e-300, 1e308),
    loss=st.sampled_from(LOSSES),
    normalized=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_training_gives_finite_numbers_or_a_named_error(seed, size, step_size, loss, normalized):
    data, E = random_dataset(5, 4, 5, seed=seed), size * embeddings(5, 3, seed=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            run = gradient_descent(
                data, E, steps=6, step_size=step_size, loss=loss, normalized=normalized
            )
        except NTAError:
            return
        assert all(np.isfinite(part).all() for part in (run.W, run.path, run.losses, run.norms))
        assert np.isfinite(run.gradient_norms).all()


@given(seed=st.integers(0, 10**6), size=st.sampled_from([1.0, 30.0, 1e3]))
@settings(max_examples=15, deadline=None)
def test_the_log_loss_is_that_of_forty_digits(seed, size):
    """Position by position in decimal arithmetic, which shares nothing with the package."""

    def dot(one, other):
        return sum(x * y for x, y in zip(one, other, strict=True))

    getcontext().prec = 40
    data, E = ragged(seed), embeddings(5, 3, seed=seed)
    W = size * random_start(3, seed=seed)
    rows = [[Decimal(x) for x in row] for row in E.tolist()]
    weights = [[Decimal(x) for x in row] for row in W.tolist()]
    total = Decimal(0)
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        query = [dot(row, rows[sequence[-1]]) for row in weights]
        heights = [dot(rows[token], query).exp() for token in sequence]
        own = sum(h for h, token in zip(heights, sequence, strict=True) if token == label)
        total -= (own / sum(heights)).ln()
    expected = float(total / data.n)
    assert loss_value(W, data, E) == pytest.approx(expected, rel=1e-12, abs=1e-14 * size)


# ---------------------------------------------------------------- interruption and size


def interrupted_after(monkeypatch, calls):
    """Let Ctrl-C come while the gradient is computed for the `calls`-th time."""
    kept, count = logloss.ActiveLogLoss.gradient, iter(range(10**9))

    def gradient(self, c, weights=None):
        if next(count) == calls:
            os.kill(os.getpid(), signal.SIGINT)
        return kept(self, c, weights)

    monkeypatch.setattr(logloss.ActiveLogLoss, "gradient", gradient)


def test_an_interrupted_run_is_handed_over_and_can_go_on(monkeypatch):
    assert threading.current_thread() is threading.main_thread()
    options = {"step_size": 0.1, "normalized": False}
    whole = gradient_descent(FIG8, np.eye(4), steps=50, record=None, **options)
    with monkeypatch.context() as patch:
        interrupted_after(patch, 41)  # every step asks twice: to look, and to move
        with pytest.raises(KeyboardInterrupt) as caught:
            gradient_descent(FIG8, np.eye(4), steps=50, record=None, **options)
    stop = caught.value
    assert isinstance(stop, Interrupted)
    assert 0 < stop.steps < 50
    assert str(stop.steps) in str(stop)
    assert len(stop.run.steps) == len(stop.run.path) == len(stop.run.losses) > 10
    np.testing.assert_array_equal(stop.run.path, whole.path[: len(stop.run.path)])
    np.testing.assert_array_equal(stop.run.losses, whole.losses[: len(stop.run.path)])
    np.testing.assert_allclose(stop.run.W, whole.path[stop.steps], rtol=0, atol=1e-15)
    rest = gradient_descent(FIG8, np.eye(4), steps=50 - stop.steps, W0=stop.run.W, **options)
    np.testing.assert_allclose(rest.W, whole.W, rtol=0, atol=1e-13)


def test_an_interruption_at_the_very_end_is_not_swallowed(monkeypatch):
    interrupted_after(monkeypatch, 6)  # five steps, and then the look at the last weights
    with pytest.raises(Interrupted) as caught:
        gradient_descent(FIG8, np.eye(4), steps=5, step_size=0.1, record=[0, 5])
    assert caught.value.steps == 5
    assert caught.value.run.steps.tolist() == [0]


def test_an_interrupted_batch_keeps_the_runs_that_were_done(monkeypatch):
    monkeypatch.setattr("nta_core.training.descent.fits", lambda races, d: False)
    kept, count = NodeLogLoss.gradient, iter(range(10**9))

    def gradient(self, w, weights=None):
        if next(count) == 15:
            raise KeyboardInterrupt
        return kept(self, w, weights)

    monkeypatch.setattr(NodeLogLoss, "gradient", gradient)
    with pytest.raises(Interrupted) as caught:
        gradient_descent_batch(
            [FIG3, FIG8], [np.eye(4)] * 2, steps=10, step_size=0.1, record=[0, 10]
        )
    first, second = caught.value.runs
    assert first.steps.tolist() == [0, 10]
    assert second.steps.tolist() == [0]
    assert caught.value.run is second
    np.testing.assert_array_equal(
        second.W,
        gradient_descent(FIG8, np.eye(4), steps=caught.value.steps, step_size=0.1).W,
    )


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (lambda: gradient_descent(FIG3, np.eye(4), steps=10**7, step_size=0.1, record=None), "rec"),
        (lambda: record_steps(None, 10**12), "a list of"),
        (lambda: record_steps(10**12, 10), "a list of"),
        (lambda: random_start(10**6, seed=0), "a start of shape"),
        (lambda: Objective(Dataset([[0, 1]], [0]), np.ones((2, 10**5))), "training a 100000"),
        (
            lambda: Objective(
                Dataset([[0, 1]], [0], K=2 * 10**6), np.ones((2 * 10**6, 1)), loss="squared"
            ),
            None,
        ),
    ],
)
def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch, train, message):
    monkeypatch.setenv("NTA_MEMORY_GB", "0.01")
    with pytest.raises(TooLarge, match=message or "use loss='log'"):
        train()


def test_full_coordinates_of_a_large_matrix_are_not_made_dense():
    """d = 300 with one duel: the identity over all d·d coordinates would weigh 65 GB."""
    from nta_beyond.optimizers import adam

    run = adam(Dataset([[0, 1]], [0]), np.eye(2, 300), steps=2, step_size=0.1, record=2)
    assert run.W.shape == (300, 300)


def test_random_start_fills_torchs_range():
    W = random_start(16, seed=1)
    assert np.abs(W).max() <= 0.25
    assert np.abs(W).max() > 0.24
    np.testing.assert_array_equal(W, random_start(16, seed=1))


# ---------------------------------------------------------------- the authors' trajectories


@pytest.mark.parametrize("group", LOG_GROUPS)
def test_normalized_descent_is_the_authors_run(group):
    for instance in load(group):
        steps = [step for step in instance.info["rec"] if step <= 200]
        run = gradient_descent(
            instance.dataset,
            instance.E,
            steps=200,
            step_size=0.01,
            W0=instance.arrays["W0"],
            record=steps,
        )
        stored = instance.arrays["W_traj"][: len(steps)]
        np.testing.assert_allclose(run.path, stored, rtol=0, atol=1e-12)


def test_normalized_descent_on_acyclic_data_is_the_authors_run_to_the_end():
    instances = load("rand_acyc_fig5")
    runs = gradient_descent_batch(
        [i.dataset for i in instances],
        [i.E for i in instances],
        W0s=[i.arrays["W0"] for i in instances],
        steps=4000,
        step_size=0.01,
        record=[4000],
    )
    for instance, run in zip(instances, runs, strict=True):
        np.testing.assert_allclose(run.W, instance.arrays["W_final"], rtol=0, atol=5e-8)


def test_local_experiment_is_the_authors_run_with_a_softmax_inside_the_square():
    for instance in load("local_fig6"):
        steps = [step for step in instance.info["rec"] if step <= 100]
        options = {"steps": 100, "step_size": 0.1, "W0": instance.arrays["W0"], "record": steps}
        stored = instance.arrays["W_traj"][: len(steps)]
        as_coded = gradient_descent(
            instance.dataset, instance.E, loss=Readout("squared-softmax", "general"), **options
        )
        np.testing.assert_allclose(as_coded.path, stored, rtol=0, atol=1e-13)
        as_written = gradient_descent(
            instance.dataset, instance.E, loss=Readout("squared", "general"), **options
        )
        assert np.abs(as_written.path - stored).max() > 0.01


def test_the_ten_correlations_of_the_authors_notebook():
    printed = [
        0.98744,
        0.98758,
        0.98402,
        0.98775,
        0.98768,
        0.99124,
        0.97860,
        0.97615,
        0.98601,
        0.99279,
    ]
    instances = load("nb_global_seed1")
    runs = gradient_descent_batch(
        [i.dataset for i in instances],
        [i.E for i in instances],
        W0s=[i.arrays["W0"] for i in instances],
        steps=4000,
        step_size=0.01,
    )
    for instance, run, expected in zip(instances, runs, printed, strict=True):
        svm = instance.arrays["W_svm_ref"]
        cosine = np.vdot(run.W, svm) / np.linalg.norm(run.W) / np.linalg.norm(svm)
        assert cosine == pytest.approx(expected, abs=1e-4)
