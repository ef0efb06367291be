"""Predictors on held-out text: each against its own definition."""

import numpy as np
import pytest

from nta_beyond.text import (
    Bigram,
    BigramInWindow,
    Corpus,
    TextAutomaton,
    TrainedLayer,
    Unigram,
    Untrained,
    Vocabulary,
    Windows,
    grammar_text,
    held_out_scores,
    text_windows,
    window_edges,
)
from nta_beyond.text.predictors import Copier, Mixed
from nta_core import Automaton, DataError, embeddings, token_mass


@pytest.fixture(scope="module")
def parts():
    corpus = Corpus.from_text(grammar_text(4_000, seed=0))
    words = Vocabulary.of(corpus, 60)
    windows = text_windows(corpus, words, window=8)
    cuts = (slice(1_770), slice(1_778, 1_992), slice(2_000, None))
    return words, *(windows.pick(cut) for cut in cuts)


def all_probabilities(predictor, row, K):
    """What a predictor gives to every token after one window."""
    windows = Windows(np.repeat(row[None], K, axis=0), np.arange(K))
    return predictor.probability(windows)


def predictors(words, train):
    bigram = Bigram(train, words.K, mu=2.0)
    E = embeddings(words.K, 16, seed=0)
    W = np.random.default_rng(0).normal(size=(16, 16))
    return {
        "unigram": Unigram(train, words.K),
        "bigram": bigram,
        "untrained": Untrained(),
        "in window": BigramInWindow(bigram),
        "automaton": TextAutomaton(window_edges(train, words.names), train),
        "layer": TrainedLayer(E, W),
        "mixed": Mixed(Untrained(), bigram, 0.3),
    }


def test_probabilities_sum_to_one_and_the_guess_is_the_likeliest(parts):
    words, train, _, test = parts
    for name, predictor in predictors(words, train).items():
        for row in test.tokens[:40]:
            shares = all_probabilities(predictor, row, words.K)
            assert shares.sum() == pytest.approx(1), name
            assert shares.min() >= 0
            if name != "mixed":
                guess = predictor.guess(Windows(row[None], np.array([0])))[0]
                assert shares[guess] == pytest.approx(shares.max()), name


def test_a_bigram_counts_pairs(parts):
    words, train, _, _ = parts
    bigram = Bigram(train, words.K, mu=2.0)
    unigram = Unigram(train, words.K)
    pairs = list(zip(train.lasts.tolist(), train.labels.tolist(), strict=True))
    for last, label in pairs[:20]:
        times, total = pairs.count((last, label)), sum(k == last for k, _ in pairs)
        expected = (times + 2 * unigram.shares[label]) / (total + 2)
        assert bigram.of(np.array(last), np.array(label)) == pytest.approx(expected)


def test_the_bigram_in_the_window_is_the_bigram_renormalized(parts):
    words, train, _, test = parts
    bigram = Bigram(train, words.K)
    for row in test.tokens[:20]:
        shares = all_probabilities(BigramInWindow(bigram), row, words.K)
        full = all_probabilities(bigram, row, words.K)
        present = np.isin(np.arange(words.K), row)
        assert shares == pytest.approx(np.where(present, full, 0) / full[present].sum())


def test_the_layer_is_the_attention_of_part_one(parts):
    words, train, _, test = parts
    layer = predictors(words, train)["layer"]
    for row in test.tokens[:20]:
        context = row[row >= 0]
        expected = token_mass(layer.W, layer.E, context)
        assert all_probabilities(layer, row, words.K) == pytest.approx(expected)


def test_the_automaton_is_that_of_part_one_where_the_data_decides():
    rng = np.random.default_rng(1)
    tokens = rng.integers(4, size=(200, 3))
    found = Windows(tokens, tokens[np.arange(200), rng.integers(3, size=200)])
    tested = Windows(rng.integers(4, size=(50, 3)), np.zeros(50, dtype=int))
    rule = Automaton.from_dataset(found.dataset("abcd"))
    machine = TextAutomaton(window_edges(found, "abcd"), found, ridge=1e-7)
    for row, decided in zip(tested.tokens, machine.tables.decide(tested).decided, strict=True):
        assert decided
        shares = all_probabilities(machine, row, 4)
        for token, share in rule.compose(row).probabilities.items():
            assert shares[token] == pytest.approx(share, abs=1e-4)


def test_where_the_tables_are_silent_past_wins_decide():
    found = Windows(np.array([[0, 3], [0, 3], [1, 3]]), np.array([0, 0, 1]))
    machine = TextAutomaton(window_edges(found, "abcd"), found)
    known = Windows(np.array([[0, 1, 3], [0, 2, 3], [-1, 2, 3], [2, 1, 0]]), np.zeros(4, int))
    assert not machine.tables.decide(known).decided.any()
    assert machine.probability(known).tolist() == pytest.approx([2 / 3, 1, 0, 1 / 3])


def test_scores_choose_what_to_lend_on_the_validation_windows(parts):
    words, train, validation, test = parts
    unigram, bigram = Unigram(train, words.K), Bigram.tuned(train, words.K, validation)
    scores = held_out_scores(
        {"untrained": Untrained(), "bigram": bigram}, unigram, validation, test
    )
    assert scores["bigram"].lent == 0
    assert scores["bigram"].cross_entropy == -np.log2(bigram.probability(test)).mean()
    assert scores["bigram"].top1 == (bigram.guess(test) == test.labels).mean()
    lent = scores["untrained"].lent
    mixed = Mixed(Untrained(), unigram, lent)
    assert scores["untrained"].cross_entropy == -np.log2(mixed.probability(test)).mean()
    for other in (0.01, 0.9):
        loss = -np.log(Mixed(Untrained(), unigram, other).probability(validation)).mean()
        assert loss >= -np.log(mixed.probability(validation)).mean()
    with pytest.raises(DataError, match="at least one window"):
        held_out_scores({}, unigram, validation.pick(slice(0)), test)


def test_a_copier_must_say_how_it_weighs():
    with pytest.raises(TypeError, match="weights"):
        Copier()
