"""The growing network against formulas written out token by token, and its training."""

import numpy as np
import pytest
import torch

from nta_beyond.openlab import PARTS, OpenNetwork, Variant, exams, league_agreement, train_variant
from nta_core import DataError, OptionError, SelfAttention, random_dataset

K, T, D = 5, 3, 9
CONTEXTS = torch.tensor([[[0, 1, 2], [3, 4, 1]], [[2, 0, 4], [1, 1, 3]]])
SEEDS = [3, 8]
ALL = dict.fromkeys(PARTS, True)


def made(**parts):
    return OpenNetwork(Variant(**parts), K, T, d=D, seeds=SEEDS)


def attention(W, x):
    """Row q: softmax of the scores that query q gives, with no batch and no trick."""
    scores = np.array([[key @ W @ query for key in x] for query in x])
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True)


def by_hand(network, seed, context):
    """The same network for one context, in numpy, all positions in all layers."""
    parts = network.variant
    x = network.tokens[seed].detach().numpy()[context]
    if parts.positions:
        x = x + network.places[seed].detach().numpy()
    for block in network.blocks:
        heads = [attention(W, x) @ x for W in block.W[seed].detach().numpy()]
        x = np.mean(heads, axis=0) + (x if parts.residual else 0)
        if parts.mlp:
            up, bias, down = (p[seed].detach().numpy() for p in (block.up, block.bias, block.down))
            x = x + np.maximum(x @ up + bias, 0) @ down
    numbers = network.decoder[seed].detach().numpy() @ x[-1]
    if parts.softmax or parts.needs_softmax:
        numbers = np.exp(numbers)
    return numbers / numbers.sum()


@pytest.mark.parametrize("part", [None, *PARTS, "all"])
def test_every_part_does_what_its_formula_says(part):
    network = made(**(ALL if part == "all" else {} if part is None else {part: True}))
    answers = network(CONTEXTS).detach().numpy()
    for seed in range(2):
        for row, context in zip(answers[seed], CONTEXTS[seed].numpy(), strict=True):
            np.testing.assert_allclose(row, by_hand(network, seed, context), atol=1e-14)


def test_without_parts_it_is_the_layer_of_chapter_one():
    network = made()
    for seed in range(2):
        layer = SelfAttention(network.tokens[seed].detach(), network.blocks[0].W[seed, 0].detach())
        torch.testing.assert_close(network(CONTEXTS)[seed], layer.logits(CONTEXTS[seed]))


@pytest.mark.parametrize(
    "part", ["second_layer", "second_head", "residual", "positions", "softmax"]
)
def test_rollout_is_the_output_where_everything_is_an_average(part):
    network = made(**{part: True})
    mass = network.rollout(CONTEXTS)
    if part == "softmax":
        mass = torch.softmax(8 * mass, dim=-1)
    torch.testing.assert_close(mass, network(CONTEXTS))


@pytest.mark.parametrize("part", ["mlp", "trained_decoder"])
def test_rollout_does_not_see_what_is_no_attention(part):
    network = made(**{part: True})
    with torch.no_grad():
        (network.decoder if part == "trained_decoder" else network.blocks[0].down).mul_(3)
    torch.testing.assert_close(network.rollout(CONTEXTS), made().rollout(CONTEXTS))


def test_only_the_switched_parts_are_trained():
    trained = {name for name, p in made().named_parameters() if p.requires_grad}
    assert trained == {"trained.0.W"}
    for part, own in (("trained_embeddings", "tokens"), ("trained_decoder", "decoder")):
        names = {n for n, p in made(**{part: True}).named_parameters() if p.requires_grad}
        assert names == {"trained.0.W", own}
    everything = {n for n, p in made(**ALL).named_parameters() if p.requires_grad}
    assert everything >= {"tokens", "places", "decoder", "trained.1.W", "trained.1.down"}


def test_embeddings_and_decoder_start_equal_but_apart():
    network = made(**ALL)
    torch.testing.assert_close(network.decoder, 8 * network.tokens)
    with torch.no_grad():
        network.decoder.zero_()
    assert network.tokens.norm() > 1


def test_order_matters_only_with_positions():
    swapped = CONTEXTS[..., [1, 0, 2]]
    without = made(**{**ALL, "positions": False})
    torch.testing.assert_close(without(CONTEXTS), without(swapped))
    assert (made(positions=True)(CONTEXTS) - made(positions=True)(swapped)).abs().max() > 1e-3


def test_a_seed_starts_the_same_in_any_company():
    alone = OpenNetwork(Variant(mlp=True), K, T, d=D, seeds=[8])
    torch.testing.assert_close(alone(CONTEXTS[1:]), made(mlp=True)(CONTEXTS)[1:])
    torch.testing.assert_close(
        made(**ALL).blocks[0].W[:, :1], made(second_head=True).blocks[0].W[:, :1]
    )


def test_too_few_dimensions_are_refused():
    with pytest.raises(OptionError, match="d=7: must be an integer, 8 or more"):
        OpenNetwork(Variant(), K, T, d=7, seeds=[0])


@pytest.fixture(scope="module")
def data():
    return [random_dataset(24, 4, 6, kind=kind, seed=5) for kind in ("acyclic", "cyclic")]


def test_the_papers_layer_reaches_the_automaton(data):
    trial = train_variant(Variant(), data, seeds=[5, 5], steps=250, step_size=0.1)
    assert trial.unseen[:, -1].min() > 0.98
    assert trial.seen[:, -1].min() > 0.98
    np.testing.assert_allclose(trial.rollout, trial.unseen[:, -1])
    assert abs(trial.unseen[:, 0]).max() < 0.2
    assert trial.steps.tolist() == sorted({0, *trial.steps.tolist()})
    assert trial.steps[-1] == 250
    assert trial.losses.shape == trial.unseen.shape == (2, len(trial.steps))
    assert "2 seeds" in repr(trial)
    assert "attention alone" in trial._repr_html_()


def test_networks_of_a_batch_do_not_influence_each_other(data):
    options = {"steps": 12, "records": 4}
    together = train_variant(Variant(**ALL), data, seeds=[5, 6], **options)
    alone = train_variant(Variant(**ALL), data[1:], seeds=[6], **options)
    np.testing.assert_allclose(together.unseen[1:], alone.unseen, atol=1e-9)
    np.testing.assert_allclose(together.losses[1:], alone.losses, atol=1e-9)


def test_marks_are_the_networks_own_answers(data):
    trial = train_variant(Variant(mlp=True), data, seeds=[5, 6], steps=5)
    for k, exam in enumerate(exams(data[1], seed=6)):
        contexts = torch.tensor(np.array([exam.contexts] * 2))
        answers = trial.network(contexts)[1].detach().numpy()
        np.testing.assert_array_equal(answers, trial.answers(exam.contexts, run=1))
        marks = (trial.seen, trial.unseen)[k]
        assert league_agreement(answers, exam) == pytest.approx(marks[1, -1])


def test_training_refuses_what_does_not_fit(data):
    with pytest.raises(DataError, match="one seed per dataset"):
        train_variant(Variant(), data, seeds=[1])
    with pytest.raises(DataError, match="one size"):
        train_variant(Variant(), [data[0], random_dataset(9, 4, 6, seed=0)], seeds=[0, 1])
    with pytest.raises(OptionError, match="steps=0"):
        train_variant(Variant(), data, seeds=[0, 1], steps=0)
