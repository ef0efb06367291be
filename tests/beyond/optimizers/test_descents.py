"""Other optimizers: Adam against torch, minibatches, keys and queries trained apart."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
import pytest
import torch

import nta_core.training.logloss as logloss
from experiments.optimizer_norms import NORMS as STEEPEST
from experiments.optimizer_norms import WAYS
from experiments.optimizer_rates import BEST
from experiments.optimizer_tuning import STEPS
from experiments.optimizer_tuning import WAYS as TUNED
from nta_beyond.optimizers import (
    Adam,
    FactorizedRun,
    adam,
    factorized_descent,
    stochastic_descent,
)
from nta_beyond.optimizers.norms import norm_of
from nta_core import (
    FIG3,
    Dataset,
    EmbeddingError,
    NTAError,
    OptionError,
    UnrealizableLabelWarning,
    embeddings,
    random_dataset,
)
from nta_core.model import Readout
from nta_core.training import Interrupted, gradient, gradient_descent, loss_value, random_start
from tests.core.test_training import ragged, torch_risk


@pytest.mark.parametrize(("loss", "head"), [("log", "tied"), ("cross-entropy", "general")])
def test_adam_is_torchs_adam(loss, head):
    data, E = ragged(1), embeddings(5, 6, seed=1)
    start = random_start(6, seed=3)
    leaf = torch.tensor(start, requires_grad=True)
    optimizer = torch.optim.Adam([leaf], lr=0.05, betas=(0.8, 0.95))
    for _ in range(25):
        optimizer.zero_grad()
        torch_risk(leaf, data, E, loss, head).backward()
        optimizer.step()
    run = adam(
        data, E, steps=25, step_size=0.05, betas=(0.8, 0.95), loss=Readout(loss, head), W0=start
    )
    np.testing.assert_allclose(run.W, leaf.detach().numpy(), atol=1e-10)
    np.testing.assert_array_equal(run.path[0], start)


def test_the_rule_of_adam_takes_any_shape():
    slopes = np.random.default_rng(0).standard_normal((30, 2, 3, 4))
    mine, leaf = np.zeros((2, 3, 4)), torch.zeros((2, 3, 4), dtype=torch.float64)
    rule, theirs = Adam(0.02), torch.optim.Adam([leaf], lr=0.02)
    for slope in slopes:
        before = slope.copy()
        mine = mine - rule.step(slope)
        np.testing.assert_array_equal(slope, before)
        leaf.grad = torch.tensor(slope)
        theirs.step()
    np.testing.assert_allclose(mine, leaf.numpy(), atol=1e-13)


def test_adam_checks_its_memory():
    for wrong in ({"betas": (1.0, 0.9)}, {"betas": (0.9,)}, {"epsilon": 0.0}):
        with pytest.raises(OptionError, match=next(iter(wrong))):
            adam(FIG3, np.eye(4), steps=1, step_size=0.1, **wrong)


@pytest.mark.parametrize("normalized", [True, False])
def test_minibatches_of_all_rows_are_gradient_descent(normalized):
    options = {"steps": 50, "step_size": 0.1, "normalized": normalized}
    full = gradient_descent(FIG3, np.eye(4), **options)
    run = stochastic_descent(FIG3, np.eye(4), batch_size=7, seed=0, **options)
    np.testing.assert_allclose(run.W, full.W, atol=1e-12)


@pytest.mark.parametrize("loss", ["log", "squared"])
def test_minibatch_gradients_are_unbiased(loss):
    """With batches of one row, the mean of the n possible first steps is the full step."""
    data, E = ragged(4), embeddings(5, 6, seed=4)
    moves = {}
    for seed in range(200):
        run = stochastic_descent(
            data, E, steps=1, step_size=1.0, batch_size=1, seed=seed, loss=loss
        )
        moves.setdefault(int(np.random.default_rng(seed).permutation(data.n)[0]), run.W)
    assert len(moves) == data.n
    mean = sum(moves.values()) / data.n
    np.testing.assert_allclose(mean, -gradient(np.zeros((6, 6)), data, E, loss=loss), atol=1e-14)


def test_minibatches_on_large_data_and_with_absent_labels(monkeypatch):
    data = Dataset([[0, 1, 2], [1, 2], [0, 2], [2]], [0, 0, 2, 2])
    options = {"steps": 40, "step_size": 0.5, "batch_size": 2, "seed": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnrealizableLabelWarning)
        dense = stochastic_descent(data, np.eye(3), **options)
        monkeypatch.setattr(logloss, "DESIGN_LIMIT", -1)
        nodes = stochastic_descent(data, np.eye(3), **options)
    np.testing.assert_allclose(nodes.W, dense.W, atol=1e-12)
    assert np.linalg.norm(dense.W) > 1


def test_minibatch_size_is_checked():
    for size in (0, 8):
        with pytest.raises(OptionError, match="batch_size"):
            stochastic_descent(FIG3, np.eye(4), steps=1, step_size=0.1, batch_size=size, seed=0)


@pytest.mark.parametrize("normalized", [True, False])
@pytest.mark.parametrize(("loss", "head"), [("log", "tied"), ("squared-softmax", "general")])
def test_factors_follow_autograd(loss, head, normalized):
    data, E = ragged(6), embeddings(5, 6, seed=6)
    rng = np.random.default_rng(6)
    keys, queries = rng.standard_normal((2, 6, 3))
    run = factorized_descent(
        data,
        E,
        rank=3,
        steps=20,
        step_size=0.1,
        normalized=normalized,
        loss=Readout(loss, head),
        start=(keys, queries),
        record=[0, 20],
    )
    pair = [torch.tensor(factor, requires_grad=True) for factor in (keys, queries)]
    for _ in range(20):
        slopes = torch.autograd.grad(torch_risk(pair[0] @ pair[1].T, data, E, loss, head), pair)
        length = torch.sqrt(sum((slope**2).sum() for slope in slopes))
        with torch.no_grad():
            for factor, slope in zip(pair, slopes, strict=True):
                factor -= 0.1 * slope / (length if normalized else 1.0)
    np.testing.assert_allclose(run.keys, pair[0].detach(), atol=1e-11)
    np.testing.assert_allclose(run.queries, pair[1].detach(), atol=1e-11)
    np.testing.assert_allclose(run.W, run.keys @ run.queries.T)
    np.testing.assert_allclose(run.path, [keys @ queries.T, run.W])
    assert run.losses[1] == pytest.approx(loss_value(run.W, data, E, loss=Readout(loss, head)))
    assert repr(run).startswith("FactorizedRun(")


def test_factors_follow_gradients_too_small_for_float64():
    """The gradient of log L, by autograd, points where that of L does."""
    data, E = random_dataset(6, 4, 6, kind="acyclic", seed=7), embeddings(6, 8, seed=7)
    options = {"rank": 8, "step_size": 0.5, "start": tuple(np.stack([np.eye(8)] * 2) / 10)}
    before, run = (factorized_descent(data, E, steps=n, **options) for n in (4000, 4001))
    assert run.gradient_norms[-1] == 0.0
    pair = [torch.tensor(one, requires_grad=True) for one in (before.keys, before.queries)]
    tokens, E = np.array(data.sequences), torch.tensor(E)
    scores = ((E[tokens] @ pair[0] @ pair[1].T) * E[tokens[:, -1]][:, None]).sum(-1)
    labels = torch.tensor(tokens == np.array(data.labels)[:, None])
    right = torch.where(labels, scores, -torch.inf).amax(1) + labels.sum(1).log()
    losers = torch.where(labels, -torch.inf, scores)
    (torch.logsumexp(losers, 1) - right).logsumexp(0).backward()  # log L, but for a constant
    slope = np.stack([factor.grad for factor in pair])
    move = np.stack([run.keys - before.keys, run.queries - before.queries])
    np.testing.assert_allclose(move, -0.5 * slope / np.linalg.norm(slope), atol=1e-10)


NORMALIZED = {way: WAYS[way] for way in (*STEEPEST, "Muon, exact", "keys and queries")} | {
    f"{way}, tuned": partial(TUNED[way], steps=STEPS, step_size=2.0 ** BEST[way])
    for way in ("normalized", "normalized, momentum")
}


@pytest.mark.parametrize("way", NORMALIZED)
def test_normalized_steps_keep_their_length_to_the_end(way):
    """On the runs that chapter 19 stores: no rounding may shorten a step that is said to be one."""
    data, E = random_dataset(6, 4, 6, kind="acyclic", seed=7), embeddings(6, 8, seed=7)
    train = NORMALIZED[way]
    steps, stated = train.keywords["steps"], train.keywords["step_size"]
    if way == "keys and queries":
        start = tuple(0.01 * np.random.default_rng(7).standard_normal((2, 8, 8)))
        ends = [train(data, E, steps=n, start=start, record=2) for n in (steps - 1, steps)]
        before, after = (np.stack([run.keys, run.queries]).ravel() for run in ends)
        length = np.linalg.norm(after - before)
    else:
        before, after = train(data, E, record=[steps - 1, steps]).path
        length = norm_of(after - before, train.keywords["norm"])
    assert length == pytest.approx(stated, rel=1e-6)


def test_factors_start_anew_from_a_seed():
    options = {"rank": 2, "steps": 5, "step_size": 0.1}
    runs = [factorized_descent(FIG3, np.eye(4), seed=seed, **options) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0].W, runs[1].W)
    assert np.abs(runs[0].W - runs[2].W).max() > 0.01


def test_factors_are_checked():
    for rank in (0, 5):
        with pytest.raises(OptionError, match="rank"):
            factorized_descent(FIG3, np.eye(4), rank=rank, steps=1, step_size=0.1)
    with pytest.raises(EmbeddingError, match="start"):
        factorized_descent(
            FIG3, np.eye(4), rank=2, steps=1, step_size=0.1, start=(np.eye(4), np.eye(4))
        )


def test_interrupted_factors_are_handed_over_and_can_go_on(monkeypatch):
    options = {"rank": 2, "step_size": 0.1, "normalized": False}
    whole = factorized_descent(FIG3, np.eye(4), steps=12, **options)
    kept, count = logloss.ActiveLogLoss.gradient, iter(range(10**9))

    def gradient(self, c, weights=None):
        if next(count) == 9:
            raise KeyboardInterrupt
        return kept(self, c, weights)

    with monkeypatch.context() as patch:
        patch.setattr(logloss.ActiveLogLoss, "gradient", gradient)
        with pytest.raises(Interrupted) as caught:
            factorized_descent(FIG3, np.eye(4), steps=12, record=[0], **options)
    stop = caught.value
    assert stop.steps == 8  # one gradient to look at the start, one per step
    assert isinstance(stop.run, FactorizedRun)
    np.testing.assert_allclose(stop.run.W, stop.run.keys @ stop.run.queries.T)
    pair = (stop.run.keys, stop.run.queries)
    rest = factorized_descent(FIG3, np.eye(4), steps=4, start=pair, **options)
    np.testing.assert_allclose(rest.W, whole.W, rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("train", "message"),
    [
        (lambda **plan: adam(FIG3, np.eye(4), **plan | {"step_size": 1e308}), "leaves float64"),
        (lambda **plan: adam(FIG3, np.eye(4), **plan, betas=0.9), "betas must be a list"),
        (lambda **plan: adam("e1 e2", np.eye(4), **plan), "dataset must be a Dataset"),
        (lambda **plan: factorized_descent(FIG3, np.eye(4), rank=2.0, **plan), "rank=2.0"),
        (lambda **plan: factorized_descent(FIG3, np.eye(4), rank=2, seed=-1, **plan), "seed=-1"),
        (
            lambda **plan: stochastic_descent(FIG3, np.eye(4), batch_size=True, seed=0, **plan),
            "batch_size=True",
        ),
    ],
)
def test_options_that_are_none_are_named(train, message):
    with pytest.raises(NTAError, match=message):
        train(steps=3, step_size=0.1)


def test_the_rule_of_adam_refuses_what_is_no_gradient():
    rule = Adam(0.1)
    rule.step(np.ones(3))
    for wrong, message in (
        ([1.0, np.nan, 0.0], "NaN"),
        (np.ones(2), r"shape \(2,\) after \(3,\)"),
        ([1e200, 0.0, 0.0], "its square leaves float64"),
        ("up", "real numbers"),
    ):
        with pytest.raises(OptionError, match=message):
            rule.step(wrong)
    assert rule.steps == 1  # what is refused leaves no trace
