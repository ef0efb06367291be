"""Texts follow their chains; predictions from counts are what counting by hand gives."""

import subprocess
import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

from nta_beyond import induction
from nta_beyond.induction import (
    bigram,
    cycle_texts,
    divergence,
    markov_texts,
    mean_loss,
    random_chains,
    unigram,
)
from nta_core.errors import DataError


def test_texts_have_the_transitions_of_their_chain():
    chain = random_chains(1, 3, seed=3)[0]
    text = markov_texts([chain], 60_000, seed=1)[0]
    pairs = Counter(pairwise(text.tolist()))
    for a in range(3):
        n = sum(pairs[a, b] for b in range(3))
        for b in range(3):
            assert pairs[a, b] / n == pytest.approx(chain[a, b], abs=4 * 0.5 / n**0.5)


def test_rows_are_uniform_among_distributions():
    rows = random_chains(20_000, 3, seed=0)[:, 1]
    assert np.allclose(rows.mean(axis=0), 1 / 3, atol=0.01)
    assert rows[:, 0].var() == pytest.approx(1 / 18, rel=0.05)  # of a side of a uniform triangle


def test_predictions_are_counts():
    text = np.random.default_rng(0).integers(3, size=12).tolist()
    for t in range(12):
        seen, pairs = Counter(text[: t + 1]), Counter(pairwise(text[: t + 1]))
        by_token = [(seen[j] + 1) / (t + 4) for j in range(3)]
        row = [pairs[text[t], j] + 1 for j in range(3)]
        assert np.allclose(unigram([text], 3)[0, t], by_token)
        assert np.allclose(bigram([text], 3)[0, t], np.array(row) / sum(row))


def test_counting_pairs_is_the_best_there_is_on_chains():
    texts = markov_texts(random_chains(4_000, 3, seed=5), 40, seed=6)
    best = mean_loss(bigram(texts, 3), texts)
    others = [bigram(texts, 3, prior=p) for p in (0.5, 2.0)]
    others += [unigram(texts, 3, prior=p) for p in (1.0, 4.0)]
    assert best < min(mean_loss(other, texts) for other in others)


def test_cycles_repeat_an_order_of_all_tokens():
    texts = cycle_texts(50, 4, 11, seed=0)
    assert (texts[:, 4:] == texts[:, :-4]).all()
    assert all(set(text[:4]) == {0, 1, 2, 3} for text in texts.tolist())
    assert len({tuple(text[:4]) for text in texts.tolist()}) > 10


def test_loss_and_divergence_by_hand():
    given = np.array([[[0.5, 0.5], [0.25, 0.75], [0.9, 0.1]]])
    assert mean_loss(given, [[0, 1, 0]]) == pytest.approx(-np.log(0.5 * 0.25) / 2)
    assert divergence(given, given) == 0
    flat = np.full((1, 3, 2), 0.5)
    by_hand = (given * np.log(2 * given)).sum() / 3
    assert divergence(given, flat) == pytest.approx(by_hand)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: markov_texts([[[0.5, 0.4], [0.5, 0.5]]], 3, seed=0), "add up to 1"),
        (lambda: markov_texts([[0.5, 0.5]], 3, seed=0), "shape"),
        (lambda: unigram([[0, 3]], 3), "ids from 0"),
        (lambda: bigram([0, 1], 3), "shape"),
        (lambda: mean_loss(np.full((1, 2, 2), 0.5), [[0, 1, 1]]), "shape"),
        (lambda: mean_loss([[[1.0, 0.0], [0.5, 0.5]]], [[0, 1]]), "infinite"),
        (lambda: divergence(np.full((1, 2, 2), 0.5), np.full((1, 3, 2), 0.5)), "one shape"),
        (lambda: divergence(np.full((1, 1, 2), 0.5), [[[1.0, 0.0]]]), "infinite"),
        (lambda: mean_loss(np.full((1, 2, 2), 0.6), [[0, 1]]), "adds up"),
    ],
)
def test_what_is_no_text_and_no_prediction_is_refused(call, message):
    with pytest.raises(DataError, match=message):
        call()


def test_counting_does_not_load_torch():
    code = (
        "import sys, nta_beyond.induction as i; i.chain_limits(2, 3); print('torch' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True).strip() == "False"
    with pytest.raises(AttributeError, match="no attribute"):
        _ = induction.nothing
