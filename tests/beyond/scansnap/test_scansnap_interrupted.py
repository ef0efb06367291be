"""Ctrl-C during a training of Scan and Snap: the run until the last whole step is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nta_beyond.scansnap import (
    clue_or_copy_contests,
    clue_or_copy_dataset,
    contexts_of,
    exact_decoder,
    ingredient_masses,
    population_flow,
    syn_small,
    theory_flow,
    train_copying,
    train_on_contexts,
    train_population,
    train_sampled,
    train_sampled_batch,
    train_scanning,
)
from nta_core import FIG3
from tests.beyond.interrupting import interrupted

SLOPE = "nta_beyond.scansnap.gradient:slope"  # asked once for every state of a training


def same(ours: Any, whole: Any) -> None:
    """Both hold the same arrays, to the last bit."""
    assert type(ours) is type(whole)
    for name, value in vars(whole).items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(ours, name), value, err_msg=name)


@pytest.mark.parametrize(
    ("train", "options"),
    [
        (train_population, {}),
        (train_population, {"optimizer": "adam"}),
        (train_sampled, {"seed": 3}),
    ],
)
def test_an_interrupted_run_is_the_beginning_of_the_whole_one(train, options) -> None:
    stop = interrupted(SLOPE, 9, lambda: train(syn_small(), steps=50, record=[0, 5, 30], **options))
    assert stop.steps == 7  # eight slopes: before the first step, and after each of seven
    assert stop.run.times.tolist() == [0, 5, 7]
    same(stop.run, train(syn_small(), steps=7, record=[0, 5, 7], **options))


def test_ctrl_c_after_the_move_of_a_step_leaves_the_step_before() -> None:
    place = "nta_beyond.scansnap.gradient:Momentum.step"  # Z, then Y: the 8th is Y's fourth
    stop = interrupted(place, 8, lambda: train_population(syn_small(), steps=50, record=[50]))
    same(stop.run, train_population(syn_small(), steps=3, record=[3]))


def test_side_by_side_all_seeds_are_kept() -> None:
    stop = interrupted(SLOPE, 4, lambda: train_sampled_batch(syn_small(), seeds=[5, 6], steps=9))
    whole = train_sampled_batch(syn_small(), seeds=[5, 6], steps=2)
    for ours, theirs in zip(stop.runs, whole, strict=True):
        same(ours, theirs)


def test_a_layer_on_contexts() -> None:
    options = {"seed": 0, "batch_size": 4}
    place = "nta_beyond.scansnap.layer:_Layer.step"
    data = contexts_of(FIG3)
    stop = interrupted(place, 12, lambda: train_on_contexts(data, steps=50, record=2, **options))
    assert stop.steps == 11
    same(stop.run, train_on_contexts(data, steps=11, record=[0, 11], **options))


@pytest.mark.parametrize("flow", [population_flow, theory_flow])
def test_a_flow(flow) -> None:
    place = f"nta_beyond.scansnap.flow:{'slope' if flow is population_flow else 'overlaps'}"
    whole = flow(syn_small())
    stop = interrupted(place, 150, lambda: flow(syn_small()))
    count = len(stop.run.times)
    assert 5 < count < 190
    assert stop.steps == count - 1
    for name in ("times", "Z_path"):
        np.testing.assert_array_equal(getattr(stop.run, name), getattr(whole, name)[:count])
    assert type(stop.run) is type(whole)


def test_a_decoder_alone() -> None:
    place = "nta_beyond.scansnap.flow:_decoder_shares"
    whole = exact_decoder(2, 34, overlap=0.7)
    stop = interrupted(place, 400, lambda: exact_decoder(2, 34, overlap=0.7))
    assert 5 < len(stop.run.times) < 190
    np.testing.assert_array_equal(stop.run.drive, whole.drive[: len(stop.run.times)])


def test_clue_or_copy_keeps_the_sides_that_were_done() -> None:
    data = [clue_or_copy_dataset(0.25, cyclic=False, seed=s) for s in (0, 1)]
    gradient = "nta_core.training:Objective.gradient"
    first = train_copying(data[:1])
    stop = interrupted(gradient, 1200 + 8, lambda: train_copying(data))
    same(stop.runs[0], first[0])
    assert stop.runs[1].times[-1] == stop.steps == 7
    stop = interrupted(SLOPE, 6, lambda: train_scanning(data))
    for ours, theirs in zip(stop.runs, train_scanning(data, steps=4), strict=True):
        np.testing.assert_array_equal(ours.logits[-1], theirs.logits[-1])
    contests = interrupted(
        SLOPE, 6, lambda: clue_or_copy_contests(0.25, cyclic=False, seeds=[0, 1])
    )
    assert [side.times[-1] for side in contests.runs] == [1200, 1200, 4, 4]
    mixes = interrupted(SLOPE, 1001 + 6, lambda: ingredient_masses(cyclic=False, seeds=[0]))
    assert [side.times[-1] for side in mixes.runs] == [1200, 1000, 4]
