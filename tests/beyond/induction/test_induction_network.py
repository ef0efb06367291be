"""One layer is the book's layer, two can be the best predictor, training goes where it should."""

import numpy as np
import pytest
import torch

from nta_beyond.induction import (
    Course,
    InductionNetwork,
    bigram,
    cycle_texts,
    markov_texts,
    random_chains,
    train_induction,
)
from nta_beyond.openlab import OpenNetwork, Variant
from nta_core import token_mass
from nta_core.errors import DataError, OptionError, SolverDidNotConverge
from tests.beyond.interrupting import interrupted

TEXTS = markov_texts(random_chains(20, 4, seed=1), 12, seed=2)


def test_one_layer_without_positions_is_the_layer_of_this_book():
    network = InductionNetwork(1, 4, 12, positions=False, seed=3)
    W = np.random.default_rng(0).normal(size=(4, 4))
    network.load_state_dict(
        {"table": torch.tensor(W), "place": torch.zeros(12), "sink": torch.tensor(-1e9)}
    )
    given = network(torch.tensor(TEXTS)).detach().numpy()
    for text, row in zip(TEXTS, given, strict=True):
        for t in (0, 5, 11):
            assert np.allclose(row[t], token_mass(W, np.eye(4), text[: t + 1]), atol=1e-12)


def test_one_layer_without_positions_sees_a_bag():
    network = InductionNetwork(1, 4, 12, positions=False, seed=3)
    with torch.no_grad():
        network.table.normal_(generator=torch.Generator().manual_seed(0))
    mixed = np.random.default_rng(1).permuted(TEXTS[:, :-1], axis=1)
    other = np.concatenate([mixed, TEXTS[:, -1:]], axis=1)
    one, two = (network(torch.tensor(x))[:, -1].detach().numpy() for x in (TEXTS, other))
    assert (mixed != TEXTS[:, :-1]).any(axis=1).sum() > 10
    assert np.allclose(one, two, atol=1e-12)


def test_two_layers_can_be_the_best_predictor_of_chains():
    K, T, far = 4, 12, 60.0
    network = InductionNetwork(2, K, T)
    place = np.where(np.arange(T) == 1, far, -far)
    network.assign(table=0, first=0, first_sink=0, place=place)
    network.assign(match=far * np.eye(K), sink=far + np.log(K))
    assert np.allclose(network.answers(TEXTS), bigram(TEXTS, K), atol=1e-12)


@pytest.mark.parametrize("parts", [{}, {"mlp": True}, {"residual": True, "second_head": True}])
def test_two_layers_without_positions_and_mask_see_a_bag(parts):
    network = OpenNetwork(Variant(second_layer=True, **parts), 4, 4, d=8, seeds=[0])
    answers = network(torch.tensor([[[0, 1, 2, 3], [2, 0, 1, 3], [2, 0, 3, 1]]]))[0]
    assert torch.allclose(answers[0], answers[1], atol=1e-12)
    assert not torch.allclose(answers[0], answers[2], atol=1e-6)  # the last token is seen


def test_nobody_looks_ahead_and_attention_adds_up():
    network = InductionNetwork(2, 4, 12, seed=0)
    for look in network.attention(torch.tensor(TEXTS)):
        assert look.shape == (20, 12, 13)
        assert torch.allclose(look.sum(dim=-1), torch.ones(20, 12, dtype=torch.float64))
        assert not look[:, :, :-1].triu(1).any()
    short = network(torch.tensor(TEXTS[:, :5]))
    assert torch.allclose(short, network(torch.tensor(TEXTS))[:, :5])


def test_training_lowers_the_loss_and_is_the_same_for_a_seed():
    course = train_induction(2, 3, 24, steps=60, step_size=4.0, records=3)
    assert course.steps.tolist() == [0, 20, 40, 60]
    assert (np.diff(course.measured["loss"]) < 0).all()
    assert course.measured["matching"][-1] > course.measured["matching"][0]
    again = train_induction(2, 3, 24, steps=60, step_size=4.0, records=1)
    assert torch.equal(course.network.place, again.network.place)
    other = train_induction(2, 3, 24, seed=1, steps=60, step_size=4.0, records=1)
    assert not torch.equal(course.network.place, other.network.place)


def test_a_course_remembers_its_networks():
    course = train_induction(2, 3, 16, steps=4, batch_size=4, records=2)
    texts = torch.tensor(cycle_texts(2, 3, 16, seed=0))
    past = [course.network_at(look)(texts) for look in range(3)]
    assert torch.equal(past[2], course.network(texts))
    start = InductionNetwork(2, 3, 16)
    assert torch.equal(past[0], start(texts))
    assert not torch.equal(past[1], past[2])


def test_an_interrupted_course_is_handed_over():
    plan = {"steps": 9, "batch_size": 4, "records": 3}
    whole = train_induction(2, 3, 16, **plan)
    place = "nta_beyond.induction.course:random_chains"
    stop = interrupted(place, 6, lambda: train_induction(2, 3, 16, **plan))
    assert isinstance(stop.run, Course)
    assert stop.run.steps.tolist() == [0, 3, 5]
    assert np.array_equal(stop.run.measured["loss"][:2], whole.measured["loss"][:2])
    assert stop.run.weights["place"].shape == (3, 16)


def test_measures_of_an_ideal_network():
    course = train_induction(2, 3, 16, steps=1, batch_size=2, records=1)
    ideal = course.network
    with torch.no_grad():
        ideal.place.fill_(-50.0)[1] = 50.0
        ideal.match.copy_(50.0 * torch.eye(3))
        ideal.sink.fill_(50.0 + np.log(3))
        ideal.table.zero_()
    from nta_beyond.induction.course import MEASURES, _measures

    rules = [np.full((20, 16, 3), 1 / 3)] * 2
    texts = markov_texts(random_chains(20, 3, seed=1), 16, seed=2)
    values = dict(zip(MEASURES, _measures(ideal, texts, [*rules, bigram(texts, 3)]), strict=True))
    assert values["from_bigram"] == pytest.approx(0, abs=1e-9)
    assert values["previous"] == pytest.approx(1)
    assert values["matching"] == pytest.approx(1)
    assert values["place"] == pytest.approx(100)
    assert values["match"] == pytest.approx(50)


def test_one_layer_has_no_first_table():
    course = train_induction(1, 3, 16, positions=False, steps=2, batch_size=2, records=1)
    assert not course.measured["place"].any()
    assert not course.measured["previous"].any()
    assert set(course.weights) == {"table", "place", "sink"}


def test_refusals():
    network = InductionNetwork(1, 3, 4)
    for wrong in ([[0, 1]], torch.tensor([0, 1]), torch.tensor([[0, 3]]), torch.tensor([[0.0]])):
        with pytest.raises(DataError, match="texts"):
            network(wrong)
    with pytest.raises(DataError, match="at most 4"):
        network(torch.tensor([[0] * 5]))
    with pytest.raises(OptionError, match="choose one of table, place, sink"):
        network.assign(match=1.0)
    with pytest.raises(DataError, match="has shape"):
        network.assign(table=[1.0, 2.0])
    with pytest.raises(OptionError, match="layers"):
        InductionNetwork(3, 3, 4)
    with pytest.raises((SolverDidNotConverge, DataError)):
        train_induction(2, 3, 8, steps=3, step_size=1e40, batch_size=2)
