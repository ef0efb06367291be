"""Sequence classes: what they say of themselves, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

from nta_beyond.scansnap import (
    SequenceClasses,
    class_attention,
    contexts_of,
    distinct_recall,
    make_classes,
    population_flow,
    syn_medium,
    syn_small,
)
from nta_beyond.scansnap.gradient import attention_shares
from nta_core import DataError, OptionError


@pytest.mark.parametrize(
    ("classes", "sizes"),
    [  # K, L, Q, M as the authors' generator counts them
        (syn_small(1), (2, 30, 1, 33)),
        (syn_small(2), (2, 30, 2, 34)),
        (syn_medium(10), (20, 210, 10, 240)),
        (make_classes(4, queries=2, common=3, distinct=2, common_per_query=5, unused=7),
         (4, 21, 2, 34)),
    ],
)  # fmt: skip
def test_sizes_are_those_of_the_authors(classes, sizes):
    assert sizes == (classes.K, classes.L, classes.Q, classes.M)
    assert len(classes.vocabulary) == len(set(classes.vocabulary)) == classes.M
    np.testing.assert_allclose(classes.P.sum(axis=1), 1, atol=1e-15)


def test_common_and_distinct_tokens_partition_what_occurs():
    classes = make_classes(3, queries=2, common=2, distinct=4, common_per_query=1, shared=0.5)
    homes = (classes.P > 0).sum(axis=0)
    assert classes.common.tolist() == (homes >= 2).tolist()
    assert classes.distinct.sum(axis=0).tolist() == (homes == 1).astype(int).tolist()
    # 2 shared by all, 1 shared by the two classes of query 0, 1 shared by classes 0 and 1
    assert classes.queries.tolist() == [0, 0, 1]
    assert int(classes.common.sum()) == 4
    assert classes.P[0, -1] > classes.P[1, -1] > classes.P[2, -1] == 0


def test_frequencies_run_in_equal_steps():
    P = make_classes(2, common=1, common_weight=2, distinct=3, lowest=1, highest=3).P
    np.testing.assert_allclose(P[0] * 8, [2, 1, 2, 3, 0, 0, 0])
    assert syn_small().top.tolist() == [19, 29]


def test_names_of_many_classes_and_of_tokens_that_never_occur():
    assert make_classes(30, common=0, distinct=1).names[-1] == "d30.1"
    assert SequenceClasses([[1, 0]]).names == ("a1", "x1")
    assert SequenceClasses([[1, 2]], names=["<b>", "y"]).names == ("<b>", "y")


def test_html_escapes_names_and_says_when_there_are_more():
    page = SequenceClasses([[1, 2]], names=["x", "<b>"])._repr_html_()
    assert "&lt;b&gt;" in page
    assert "<b>" not in page
    assert "the first 8 shown" in syn_medium(5)._repr_html_()
    assert "none" in SequenceClasses([[1, 1], [1, 1]])._repr_html_()


def test_sampled_sequences_follow_the_frequencies():
    classes = SequenceClasses([[3, 1, 0], [0, 1, 1]], queries=[0, 1], priors=[1, 3])
    data = classes.sample(4000, T=26, seed=0)
    numbers = data.targets - classes.L - classes.Q
    np.testing.assert_allclose(np.bincount(numbers) / 4000, [0.25, 0.75], atol=0.02)
    assert np.array_equal(data.lasts - classes.L, classes.queries[numbers])
    counts = contexts_of(data).counts.toarray()[:, : classes.L]
    for n in range(2):
        np.testing.assert_allclose(counts[numbers == n].mean(axis=0) / 25, classes.P[n], atol=0.01)


def test_attention_of_sequences_approaches_that_of_their_class_like_the_root_of_their_length():
    """Lemma 2 with Lemma 18: the log-log slope of the error is −½."""
    classes = syn_small(1)
    Z = np.random.default_rng(0).normal(size=(1, classes.L))
    lengths, errors = np.array([32, 128, 512, 2048]), []
    for length in lengths:
        data = classes.sample(300, T=int(length) + 1, seed=1)
        counts = contexts_of(data).counts.toarray()[:, : classes.L]
        a = attention_shares(Z, counts, np.zeros(300, dtype=np.int64))
        limit = class_attention(classes, Z)[data.targets - classes.L - classes.Q]
        errors.append(np.abs(a - limit).sum(axis=1).mean())
    slope = np.polyfit(np.log(lengths), np.log(errors), 1)[0]
    assert slope == pytest.approx(-0.5, abs=0.05)


def test_attention_survives_logits_of_any_size():
    counts = np.array([[1.0, 1.0, 0.0]])
    a = attention_shares(np.array([[0.0, 1.0, 5000.0]]), counts, np.zeros(1, dtype=np.int64))
    np.testing.assert_allclose(a, [[1 / (1 + np.e), np.e / (1 + np.e), 0]], rtol=1e-14)
    a = class_attention(SequenceClasses(counts), np.array([[0.0, 1.0, 5000.0]]))
    np.testing.assert_allclose(a, [[1 / (1 + np.e), np.e / (1 + np.e), 0]], rtol=1e-14)


@pytest.mark.parametrize(
    ("common", "query_count", "low", "high"), [(10, 1, 0.25, 0.45), (1, 1, 0.02, 0.12)]
)
def test_an_unequally_shared_token_counts_as_distinct(common, query_count, low, high):
    """Weights 1 and r: the sign of its logit flips, at r ≈ 0.3 beside ten common tokens."""

    def end(r):
        classes = make_classes(2, queries=query_count, common=common, shared=r)
        return population_flow(classes, eta_y=1, eta_z=0.1, record=2).z[-1, 0, -1]

    assert end(low) > 0 > end(high)


def test_recall_counts_distinct_tokens_above_the_threshold():
    small = syn_small()
    attention = np.zeros((2, 30))
    attention[0, 10:13], attention[1, 0] = 1 / 3, 1.0
    np.testing.assert_allclose(distinct_recall(attention, small), [0.3, 0.0])
    with pytest.raises(OptionError, match="threshold"):
        distinct_recall(attention, small, threshold=-1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: SequenceClasses([1, 2]), DataError, "shape"),
        (lambda: SequenceClasses([[1, -2]]), DataError, "0 or more"),
        (lambda: SequenceClasses([[1, 2], [0, 0]]), DataError, "class 1"),
        (lambda: SequenceClasses([[1, 2]], queries=[0.5]), DataError, "must hold integers"),
        (lambda: SequenceClasses([[1], [1]], queries=[0, 2]), DataError, "without a gap"),
        (lambda: SequenceClasses([[1], [1]], priors=[0, 1]), DataError, "priors"),
        (lambda: SequenceClasses([[1]], unused=-1), OptionError, "unused"),
        (lambda: SequenceClasses([[1, 1]], names=["a"]), DataError, "1 names"),
        (lambda: SequenceClasses([[1], [1]]).top, DataError, "no distinct token"),
        (lambda: syn_small().sample(0, seed=0), OptionError, "n=0"),
        (lambda: syn_small(3), OptionError, "queries=3"),
        (lambda: make_classes(0), OptionError, "K=0"),
        (lambda: make_classes(2, common=0, distinct=0), OptionError, "some token"),
        (lambda: make_classes(2, common_weight=-1), OptionError, "common_weight"),
        (lambda: make_classes(2, lowest=float("nan")), OptionError, "lowest"),
        (lambda: make_classes(1, shared=0.5), OptionError, "two classes"),
    ],
)
def test_bad_input_is_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
