"""Clue or copy: the two layers on the same data, and the ingredient that parts them."""

from __future__ import annotations

import numpy as np
import pytest

from nta_beyond.scansnap import (
    clue_or_copy_contests,
    clue_or_copy_dataset,
    ingredient_masses,
    train_scanning,
)
from nta_beyond.scansnap.clue_or_copy import GROUPS, NAMES
from nta_book.results import stored_result
from nta_core import OptionError, solve_graph_svm, token_priority_graphs

SEEDS = range(3)


@pytest.mark.parametrize(
    ("rho", "cyclic", "label", "clue"),
    [  # mean shares of a context of 39 tokens, by hand
        (0.0, False, 1 / 39, 38 / 39 * 6 / 15),
        (0.25, False, 1 / 39 + 38 / 39 * 0.75 / 15.75, 38 / 39 * 6 / 15.75),
        (1.0, True, 2 / 39 + 37 / 39 * 6 / 21, 37 / 39 * 6 / 21),
    ],
)
def test_contexts_hold_the_tokens_in_their_proportions(rho, cyclic, label, clue):
    counts = clue_or_copy_dataset(rho, cyclic=cyclic, seed=0, n=4000).counts
    assert (counts.sum(axis=1) == 40).all()
    mean = counts[:, :11].mean(axis=0) / 39
    assert mean[list(GROUPS["label"])].sum() == pytest.approx(label, abs=0.003)
    assert mean[list(GROUPS["clue"])].sum() == pytest.approx(clue, abs=0.006)
    np.testing.assert_allclose(mean[[3, 4]] / mean[2], [2, 3], rtol=0.1)


@pytest.mark.parametrize("cyclic", [False, True])
def test_the_labels_are_one_league_exactly_when_cyclic(cyclic):
    data = clue_or_copy_dataset(0.25, cyclic=cyclic, seed=1)
    assert data.realizable
    graph = token_priority_graphs(data)[NAMES.index("q")]
    assert (graph.component_of(0) == graph.component_of(1)) is cyclic
    wrong = data.counts[np.arange(data.n), 1 - data.targets]
    assert (wrong > 0).all() if cyclic else not wrong.any()
    own_clues = np.where(data.targets[:, None] == 0, data.counts[:, 5:8], data.counts[:, 2:5])
    assert not own_clues.any()  # the other label's clues never occur


@pytest.mark.parametrize(("rho", "favourite"), [(0.0, "a3"), (0.25, "a3"), (1.0, "A"), (4.0, "A")])
def test_acyclic_the_copying_layer_copies_and_the_other_follows_frequency(rho, favourite):
    for contest in clue_or_copy_contests(rho, cyclic=False, seeds=SEEDS):
        assert contest.copies.masses["label"][-1] >= 0.999
        assert contest.copies.losses[-1] < 1e-6
        assert contest.scans.favourites[0] == favourite
        assert contest.scans.logits[-1, 0] > 0
        assert contest.scans.losses[-1] < 0.01
        if rho <= 0.25:
            assert contest.scans.masses["label"][-1] <= 0.12


@pytest.mark.parametrize("rho", [0.25, 4.0])
def test_cyclic_the_labels_are_retrieved_by_one_layer_and_suppressed_by_the_other(rho):
    for contest in clue_or_copy_contests(rho, cyclic=True, seeds=SEEDS):
        assert contest.copies.masses["label"][-1] >= 0.999
        assert contest.copies.losses[-1] > np.log(2) - 0.02
        assert contest.scans.logits[-1, 0] < 0
        assert contest.scans.masses["label"][-1] <= 0.33
        assert contest.scans.masses["clue"][-1] >= 0.55
        assert contest.scans.losses[-1] < 0.01


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_inside_the_league_the_copying_layer_learns_how_often_each_label_came(share):
    (contest,) = clue_or_copy_contests(1.0, cyclic=True, seeds=[0], share_of_a=share)
    weights = contest.dataset.counts * np.exp(contest.copies.logits[-1])
    a = (weights / weights.sum(axis=1, keepdims=True)).mean(axis=0)
    empirical = (contest.dataset.targets == 0).mean()
    assert a[0] / (a[0] + a[1]) == pytest.approx(empirical, abs=0.01)
    assert empirical == pytest.approx(share, abs=0.1)


def test_the_copying_layer_points_along_graph_svm():
    (contest,) = clue_or_copy_contests(0.25, cyclic=False, seeds=[0])
    W = solve_graph_svm(token_priority_graphs(contest.dataset), np.eye(12)).W[:, 11]
    w = contest.copies.logits[-1]
    assert w @ W / np.linalg.norm(w) / np.linalg.norm(W) > 0.998


def test_masses_sum_to_one_and_start_even():
    (contest,) = clue_or_copy_contests(0.25, cyclic=False, seeds=[5])
    for side in (contest.copies, contest.scans):
        np.testing.assert_allclose(sum(side.masses.values()), 1, atol=1e-12)
        assert side.times[0] == 0
    assert contest.copies.masses["query"][0] == pytest.approx(1 / 40)
    assert contest.scans.masses["query"].max() == 0
    assert "favourite a3" in repr(contest.scans)


@pytest.mark.parametrize("cyclic", [False, True])
def test_the_decoder_decides_not_the_loss_or_the_norm(cyclic):
    masses = ingredient_masses(cyclic=cyclic, seeds=[0, 1])
    assert min(mass for (decoder, _), mass in masses.items() if decoder == "tied") > 0.97
    assert max(mass for (decoder, _), mass in masses.items() if decoder == "trained") < 0.12


def test_every_stored_seed_keeps_the_tolerances():
    """20 seeds of each cell, as stored."""
    for cell in stored_result("scan_snap_clue_or_copy").select(kind="contest"):
        rho, favourites = cell["rho"], cell["scans_favourites"]
        assert cell["copies_label_range"][0] >= 0.999
        assert cell["share_error"] < 0.01
        low, high = cell["scans_z_of_A"]
        assert high < 0 if cell["cyclic"] else low > 0
        if not cell["cyclic"] and rho <= 0.25:
            assert cell["scans_label_range"][1] <= 0.12
            assert favourites == {"a3": 20}
        if not cell["cyclic"] and rho >= 1:  # at 1, A is as frequent as a3 but for one place
            assert favourites["A"] >= (19 if rho == 1 else 20)
        if cell["cyclic"] and rho == 4:
            assert cell["scans_label_range"][1] <= 0.33
            assert cell["scans_clue_range"][0] >= 0.55


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: clue_or_copy_dataset(-1, cyclic=True, seed=0), "rho"),
        (
            lambda: clue_or_copy_dataset(1, cyclic=True, seed=0, T=3),
            "T=3: must be an integer, 4 or more",
        ),
        (lambda: clue_or_copy_dataset(1, cyclic=True, seed=0, share_of_a=1.0), "share"),
        (lambda: train_scanning([], decoder="free"), "choose one of trained, tied"),
    ],
)
def test_bad_options_are_named(call, words):
    with pytest.raises(OptionError, match=words):
        call()
