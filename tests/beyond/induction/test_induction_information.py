"""χ² information and the first gradient, each against another way to compute it."""

import numpy as np
import pytest
import torch

from nta_beyond.induction import (
    alikeness,
    chi_square_information,
    first_gradient,
    markov_texts,
    random_chains,
)
from nta_beyond.induction.information import WARM_UP
from nta_core.errors import DataError


def test_information_from_counts_of_a_long_text():
    chains = random_chains(1, 3, seed=4)
    text = markov_texts(chains, 400_000, seed=0)[0]
    for lag in (1, 2):
        joint = np.zeros((3, 3))
        np.add.at(joint, (text[:-lag], text[lag:]), 1 / (len(text) - lag))
        counted = (joint**2 / np.outer(joint.sum(1), joint.sum(0))).sum() - 1
        assert chi_square_information(chains, 2)[0, lag] == pytest.approx(counted, abs=3e-3)


def test_neighbours_are_most_alike():
    chains = random_chains(500, 4, seed=1)
    told, alike = chi_square_information(chains, 6), alikeness(chains, 6)
    assert np.allclose(told[:, 0], 3)  # a token tells all about itself
    assert np.allclose(alike[:, 1], told[:, 1])
    assert (np.diff(told, axis=1) < 1e-12).all()  # data processing
    assert (alike[:, 2:] <= told[:, 1:2] + 1e-12).all()
    assert (alike**2 <= told[:, 1:2] * told + 1e-12).all()  # Cauchy and Schwarz
    assert np.allclose(alike[:, 0], np.trace(chains, axis1=1, axis2=2) - 1)


def loss_by_torch(A, texts, last, wanted, sharpness):
    n, T = texts.shape
    K = wanted.shape[1]
    marks = torch.nn.functional.one_hot(torch.tensor(texts), K).double()
    ahead = torch.ones(T, T).triu(1).bool()
    first = torch.softmax(A.masked_fill(ahead, -torch.inf), dim=1)
    found = (first @ marks)[torch.arange(n), :, torch.tensor(last)]
    scores = torch.cat([sharpness * found, torch.full((n, 1), np.log(K))], dim=1)
    look = torch.softmax(scores, dim=1)
    given = (look[:, :-1, None] * marks).sum(dim=1) + look[:, -1:] / K
    return -(torch.tensor(wanted) * given.log()).sum(dim=1).mean()


@pytest.mark.parametrize("sharpness", [0.5, 3.0])
def test_the_first_gradient_against_autograd(sharpness):
    chains = random_chains(40, 3, seed=2)
    rng = np.random.default_rng(9)
    texts = markov_texts(chains, 7 + WARM_UP, seed=rng)[:, WARM_UP:]
    last = rng.integers(3, size=(40, 1))[:, 0]
    A = torch.zeros(7, 7, dtype=torch.float64, requires_grad=True)
    loss_by_torch(A, texts, last, chains[np.arange(40), last], sharpness).backward()
    ours = first_gradient(chains, 7, seed=9, sharpness=sharpness)
    assert np.allclose(-A.grad.numpy() * np.arange(1, 8)[:, None], ours, atol=1e-12)


def test_the_first_gradient_points_one_place_back():
    G = first_gradient(random_chains(20_000, 3, seed=0), 12, seed=1)
    assert G.argmax(axis=1)[1:].tolist() == list(range(11))
    assert np.allclose(G.sum(axis=1), 0, atol=1e-12)  # attention is only moved
    assert not np.triu(G, 1).any()


def test_chains_that_never_mix_are_refused():
    with pytest.raises(DataError, match="positive"):
        chi_square_information([np.eye(2)], 2)
