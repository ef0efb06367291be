"""The least loss in a ball: against the exact path, and against points nearby."""

from __future__ import annotations

import numpy as np
import pytest

from nta_beyond.optimizers import constrained_minimum
from nta_beyond.paths import regularization_path
from nta_core import (
    FIG3,
    FIG8,
    Dataset,
    NTAError,
    Objective,
    OptionError,
    Readout,
    embeddings,
    finite_part,
    random_dataset,
    token_priority_graphs,
)

ONE_LEAGUE = Dataset([[0, 1, 2]] * 6, [0, 1, 2, 2, 2, 1])


def test_constrained_minimum_of_the_log_loss_is_the_regularization_path():
    found = constrained_minimum(FIG8, np.eye(4), 4.0, loss="log", W0s=[np.eye(4), -np.eye(4)])
    expected = regularization_path(FIG8, np.eye(4), [4.0]).W[0]
    np.testing.assert_allclose(found.W, expected, atol=1e-7)
    assert np.ptp(found.values) < 1e-13
    assert found.stationarity < 1e-8
    assert repr(found).endswith("at ‖W‖ = 4 ≤ 4, best of 2 starts)")
    assert "<td>4</td>" in found._repr_html_()


def test_constrained_minimum_stays_inside_when_the_minimum_is_there():
    finite = finite_part(ONE_LEAGUE, token_priority_graphs(ONE_LEAGUE), np.eye(3)).W
    found = constrained_minimum(ONE_LEAGUE, np.eye(3), 20.0, loss="log")
    np.testing.assert_allclose(found.W, finite, atol=1e-7)


@pytest.mark.parametrize("head", ["tied", "general"])
def test_constrained_minimum_is_not_beaten_by_random_points_nearby(head):
    data, E = random_dataset(6, 4, 6, kind="cyclic", seed=3), embeddings(6, 8, seed=3)
    found = constrained_minimum(data, E, 3.0, loss=Readout("cross-entropy", head))
    assert np.linalg.norm(found.W) <= 3.0 + 1e-12
    risk = Objective(data, E, loss=Readout("cross-entropy", head))
    rng = np.random.default_rng(0)
    for _ in range(200):
        W = found.W + rng.standard_normal(found.W.shape) * rng.choice([1e-3, 0.1, 1.0])
        W *= min(1.0, 3.0 / np.linalg.norm(W))
        assert risk.value(W) >= found.value - 1e-13


def test_constrained_minimum_checks_its_options():
    with pytest.raises(OptionError, match="radius"):
        constrained_minimum(FIG3, np.eye(4), 0.0)
    with pytest.raises(OptionError, match="at least one start"):
        constrained_minimum(FIG3, np.eye(4), 1.0, W0s=[])
    with pytest.raises(OptionError, match="needs head='tied'"):
        constrained_minimum(FIG3, np.eye(4), 1.0, loss=Readout("log", "general"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"radius": "2"}, "radius='2'"),
        ({"radius": float("inf")}, "radius=inf"),
        ({"seed": -1}, "seed=-1"),
        ({"W0s": 3}, "W0s must be a list"),
        ({"dataset": None}, "dataset must be a Dataset"),
    ],
)
def test_constrained_minimum_names_what_it_cannot_take(options, message):
    call = {"dataset": FIG3, "E": np.eye(4), "radius": 1.0} | options
    with pytest.raises(NTAError, match=message):
        constrained_minimum(**call)


def test_starts_may_be_one_stack():
    stack = np.stack([np.eye(4), -np.eye(4)])
    found = constrained_minimum(FIG8, np.eye(4), 2.0, W0s=stack)
    listed = constrained_minimum(FIG8, np.eye(4), 2.0, W0s=list(stack))
    np.testing.assert_array_equal(found.W, listed.W)
