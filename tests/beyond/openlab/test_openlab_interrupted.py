"""Ctrl-C during the training of a variant: the trial until then is kept."""

from __future__ import annotations

import numpy as np
import torch

from nta_beyond.openlab import Trial, Variant, train_variant
from nta_core import random_dataset
from tests.beyond.interrupting import interrupted


def test_an_interrupted_trial_is_handed_over() -> None:
    data = [random_dataset(12, 4, 6, kind="acyclic", seed=s) for s in (0, 1)]
    plan = {"seeds": [0, 1], "steps": 30, "records": 4}
    whole = train_variant(Variant(), data, **plan)
    threads = torch.get_num_threads()
    stop = interrupted("torch.optim:Adam.step", 13, lambda: train_variant(Variant(), data, **plan))
    assert torch.get_num_threads() == threads
    assert isinstance(stop.run, Trial)
    assert stop.steps == 12
    before = whole.steps[whole.steps < 12]
    assert stop.run.steps.tolist() == [*before, 12]
    for name in ("losses", "seen", "unseen"):
        ours, theirs = getattr(stop.run, name), getattr(whole, name)
        np.testing.assert_array_equal(ours[:, :-1], theirs[:, : len(before)])
    assert (stop.run.losses[:, -1] < stop.run.losses[:, 0]).all()
    assert stop.run.rollout.shape == (2,)
    assert stop.run.answers([[3, 2, 1, 0]], run=1).shape == (1, 6)
