"""A layer on arbitrary contexts, against the dense gradient of the same sequences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import coo_array

from nta_beyond.scansnap import (
    contexts_from_counts,
    contexts_from_windows,
    contexts_of,
    syn_small,
    train_on_contexts,
)
from nta_beyond.scansnap.gradient import attention_shares, make_batch, slope
from nta_core import FIG3, DataError, Dataset, OptionError


def ragged(n=40, K=9, seed=0):
    rng = np.random.default_rng(seed)
    rows = [rng.integers(K, size=rng.integers(2, 12)).tolist() for _ in range(n)]
    return Dataset(rows, rng.integers(K, size=n), K=K)


def test_sparse_steps_are_the_dense_steps():
    """The same minibatches, through full M × M matrices."""
    data = ragged()
    contexts = contexts_of(data)
    run = train_on_contexts(
        contexts, seed=5, steps=25, eta_y=2.0, eta_z=0.8, batch_size=6, record=[0, 10, 25]
    )
    counts, M = contexts.counts.toarray(), contexts.M
    Z, Y, rng = np.zeros((M, M)), np.zeros((M, M)), np.random.default_rng(5)
    for _ in range(25):
        rows = rng.integers(contexts.n, size=6)
        batch = make_batch(
            counts[rows], data.lasts[rows], data.targets[rows], np.full(6, 1 / 6), Q=M, C=M
        )
        now = slope(Z, Y, batch, np.ones(M))
        Z, Y = Z - 0.8 * now.Z, Y - 2.0 * now.Y
    np.testing.assert_allclose(run.Z, Z, atol=1e-12)
    np.testing.assert_allclose(run.Y, Y, atol=1e-12)
    a = attention_shares(Z, counts, data.lasts)
    per_position = np.divide(a, counts, out=np.ones_like(a), where=counts > 0)
    assert run.entropies[-1] == pytest.approx(-(a * np.log(per_position)).sum(axis=1).mean())
    everything = make_batch(counts, data.lasts, data.targets, np.full(40, 1 / 40), Q=M, C=M)
    assert run.losses[-1] == pytest.approx(float(slope(Z, Y, everything, np.ones(M)).loss))


def test_attention_starts_even_and_the_moves_are_those_of_attention():
    data = ragged(seed=2)
    contexts = contexts_of(data)
    run = train_on_contexts(
        contexts, seed=0, steps=40, eta_z=3.0, batch_size=20, record=[0, 20, 40]
    )
    lengths = np.diff(data.offsets) - 1
    assert run.entropies[0] == pytest.approx(np.log(lengths).mean())
    assert run.moves[0] == 0
    assert (run.moves[1:] > 0).all()
    assert "40 steps, M=9" in repr(run)


def test_on_sequence_classes_attention_leaves_the_common_tokens():
    small = syn_small()
    contexts = contexts_of(small.sample(2000, T=64, seed=0))
    run = train_on_contexts(contexts, seed=0, steps=400, eta_y=2, eta_z=2)
    z = run.Z[small.L : small.L + 2, : small.L]
    assert z[:, small.common].max() < -0.05
    assert run.losses[-1] < 0.1
    assert run.entropies[-1] < run.entropies[0] - 0.05


def test_contexts_leave_out_the_query_and_merge_repeats():
    contexts = contexts_of(Dataset([[1, 1, 2, 0], [0, 0]], [2, 1]))
    np.testing.assert_array_equal(contexts.counts.toarray(), [[0, 2, 1], [1, 0, 0]])
    assert contexts.queries.tolist() == [0, 0]
    assert contexts.answers.tolist() == [2, 1]
    twice = coo_array(([1.0, 1.0, 0.0], ([0, 0, 0], [1, 1, 2])), shape=(1, 3))
    merged = contexts_from_counts(twice, [0], [0])
    assert merged.counts.nnz == 1
    assert repr(merged) == "Contexts(1 contexts, M=3)"


def test_windows_of_a_text_are_the_contexts_of_their_sequences():
    data = ragged(seed=3)
    windows = np.full((data.n, 12), -1)
    for i, row in enumerate(data.sequences):
        windows[i, -len(row) :] = row
    ours = contexts_from_windows(windows, data.targets, M=data.K)
    wanted = contexts_of(data)
    np.testing.assert_array_equal(ours.counts.toarray(), wanted.counts.toarray())
    np.testing.assert_array_equal(ours.queries, wanted.queries)
    np.testing.assert_array_equal(ours.answers, wanted.answers)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: contexts_of(Dataset([[0]], [0])), DataError, "its query"),
        (lambda: contexts_from_counts([[0, 0]], [0], [0]), DataError, "empty"),
        (lambda: contexts_from_windows([[0]], [0], M=1), DataError, "T ≥ 2"),
        (lambda: contexts_from_windows([[0, 0]], [0, 0], M=1), DataError, "as many"),
        (lambda: contexts_from_windows([[3, 0]], [0], M=2), DataError, "from 0 to 1"),
        (lambda: contexts_from_counts([[1, -1]], [0], [0]), DataError, "numbers from 0"),
        (lambda: contexts_from_counts([[1, 1]], [2], [0]), DataError, "queries: context 0"),
        (lambda: contexts_from_counts([[1, 1]], [0], [0, 1]), DataError, "one token id"),
        (
            lambda: train_on_contexts(contexts_of(FIG3), seed=0, steps=1, batch_size=8),
            OptionError,
            "batch_size",
        ),
    ],
)
def test_bad_contexts_are_named(call, error, words):
    with pytest.raises(error, match=words):
        call()
