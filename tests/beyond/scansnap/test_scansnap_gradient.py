"""Counts against sequences: closed-form gradients and whole trainings against autograd."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nta_beyond.scansnap import make_classes, syn_small, train_population, train_sampled
from nta_beyond.scansnap.gradient import make_batch, slope
from nta_beyond.scansnap.steps import Sampler
from nta_core import OptionError


def torch_loss(Z, Y, sequences, labels, norm=True):
    """The paper's layer, position by position; the last token is the query, and no key."""
    M = Z.shape[0]
    total = torch.zeros((), dtype=torch.float64)
    for sequence, label in zip(sequences, labels, strict=True):
        *context, query = sequence
        b = torch.softmax(Z[query, context], dim=0)
        X = torch.nn.functional.one_hot(torch.tensor(context), M).double()
        a = X.T @ b
        u = a / a.norm() if norm else a
        total = total - torch.log_softmax(Y.T @ u, dim=0)[label]
    return total / len(labels)


def full(classes, Z, Y):
    """Z (Q, L) and Y (L, C) as M × M matrices with a column per token, in the paper's order."""
    L, K, M = classes.L, classes.K, classes.M
    big_Z, big_Y = np.zeros((M, M)), np.zeros((M, M))
    big_Z[L : L + classes.Q, :L] = Z
    big_Y[:L] = Y[:, [K]] if Y.shape[1] == K + 1 else Y[:, K:].mean()
    big_Y[:L, L + classes.Q : L + classes.Q + K] = Y[:, :K]
    return torch.tensor(big_Z, requires_grad=True), torch.tensor(big_Y, requires_grad=True)


@pytest.mark.parametrize("norm", [True, False])
@pytest.mark.parametrize("queries", [1, 2])
def test_value_and_gradient_equal_autograd_on_sequences(queries, norm):
    classes = make_classes(4, queries=queries, common=2, distinct=3, unused=5)
    K, L, Q, M = classes.K, classes.L, classes.Q, classes.M
    data = classes.sample(12, T=9, seed=queries)
    rng = np.random.default_rng(0)
    Z, Y = rng.normal(size=(Q, L)), rng.normal(size=(L, K + 1))
    big_Z, big_Y = full(classes, Z, Y)
    loss = torch_loss(big_Z, big_Y, data.sequences, data.labels, norm)
    loss.backward()
    counts = np.array([np.bincount(s[:-1], minlength=M)[:L] for s in data.sequences], dtype=float)
    batch = make_batch(
        counts, data.lasts - L, data.targets - L - Q, np.full(12, 1 / 12), Q=Q, C=K + 1
    )
    ours = slope(Z, Y, batch, np.r_[np.ones(K), M - K], norm=norm)
    assert float(ours.loss) == pytest.approx(float(loss.detach()), abs=1e-12)
    np.testing.assert_allclose(ours.Z, big_Z.grad[L : L + Q, :L], atol=1e-12)
    nexts = big_Y.grad[:L, L + Q : L + Q + K].numpy()
    np.testing.assert_allclose(ours.Y[:, :K], nexts, atol=1e-12)
    for column in (0, L, M - 1):  # tokens that are never an answer all move alike
        np.testing.assert_allclose(ours.Y[:, K], big_Y.grad[:L, column], atol=1e-12)


def drawn_sequences(classes, seed, steps, batch_size, T):
    """The sequences that `train_sampled` sees: its counts, written out token by token."""
    draw = Sampler(classes, [seed], batch_size=batch_size, T=T)
    for _ in range(steps):
        batch = draw(classes.K)
        rows = [np.repeat(np.arange(classes.L), n.astype(int)).tolist() for n in batch.counts[0]]
        queries = (batch.queries[0] + classes.L).tolist()
        labels = (batch.answers[0].argmax(axis=1) + classes.L + classes.Q).tolist()
        yield [[*row, q] for row, q in zip(rows, queries, strict=True)], labels


@pytest.mark.parametrize(("optimizer", "momentum"), [("sgd", 0.9), ("sgd", 0.0), ("adam", 0.0)])
def test_training_through_counts_is_training_on_sequences(optimizer, momentum):
    """The authors' layer in torch, on the same sequences, with torch's own optimizers."""
    classes = make_classes(4, queries=2, common=2, distinct=3)
    settings = {"batch_size": 16, "T": 20}
    run = train_sampled(
        classes, seed=3, eta_y=1.5, eta_z=0.7, steps=6, optimizer=optimizer, momentum=momentum,
        **settings,
    )  # fmt: skip
    Z, Y = full(classes, np.zeros((2, classes.L)), np.zeros((classes.L, 5)))
    make = {
        "sgd": lambda p, lr: torch.optim.SGD([p], lr=lr, momentum=momentum),
        "adam": lambda p, lr: torch.optim.Adam([p], lr=lr),
    }[optimizer]
    steppers = make(Z, 0.7), make(Y, 1.5)
    for step, (sequences, labels) in enumerate(drawn_sequences(classes, 3, 6, **settings)):
        seen = Z.detach().numpy()[classes.L : classes.L + 2, : classes.L]
        np.testing.assert_allclose(
            run.Z_path[step], seen, atol=1e-9 if optimizer == "adam" else 1e-12
        )
        loss = torch_loss(Z, Y, sequences, labels)
        assert run.losses[step] == pytest.approx(float(loss.detach()), abs=1e-9)
        for stepper in steppers:
            stepper.zero_grad()
        loss.backward()
        for stepper in steppers:
            stepper.step()
    np.testing.assert_allclose(
        run.Y[:, :4], Y.detach().numpy()[: classes.L, classes.L + 2 : classes.L + 6], atol=1e-9
    )


def test_the_population_is_the_limit_of_long_sequences_in_large_batches():
    small = syn_small()
    long = train_sampled(small, seed=0, steps=5, batch_size=2000, T=100_000, momentum=0.5)
    limit = train_population(small, steps=5, momentum=0.5)
    np.testing.assert_allclose(long.losses, limit.losses, rtol=0.03)
    np.testing.assert_allclose(long.Z, limit.Z, atol=0.05 * np.abs(limit.Z).max())


@pytest.mark.parametrize("start", ["zero", "linear"])
def test_row_sums_never_change(start):
    """Gradients of a softmax sum to zero: attention logits are only handed round."""
    run = train_sampled(syn_small(), seed=1, steps=200, start=start)
    sums = run.Z_path.sum(axis=2)
    np.testing.assert_allclose(sums, np.broadcast_to(sums[0], sums.shape), atol=1e-10)
    if start == "zero":
        multiplicity = np.r_[1, 1, run.classes.M - 2]
        np.testing.assert_allclose(run.Y @ multiplicity, 0, atol=1e-10)


def test_unknown_optimizers_and_momenta_are_refused():
    with pytest.raises(OptionError, match="sgd, adam"):
        train_population(syn_small(), optimizer="lion")
    with pytest.raises(OptionError, match="momentum"):
        train_population(syn_small(), momentum=1.0)
