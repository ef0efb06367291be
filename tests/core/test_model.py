"""One layer: weights, heads, losses, and the torch module against the numpy formulas."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest

import nta_core.model as attention_module
from nta_core import FIG3, Dataset, EmbeddingError, OptionError, UnknownToken, embeddings
from nta_core.errors import DataError
from nta_core.model import (
    HEADS,
    LOSSES,
    Readout,
    SelfAttention,
    attention,
    attention_masses,
    cosine,
    head_matrix,
    logits,
    sample_loss,
    token_mass,
)
from nta_core.model.readout import RowLosses

CELLS = [(loss, head) for loss in LOSSES for head in HEADS if (loss, head) != ("log", "general")]


def plain_attention(W, E, context):
    """Softmax of e_jᵀ W x̄ with Python loops only."""
    d = len(W)
    query = [sum(W[a][b] * E[context[-1]][b] for b in range(d)) for a in range(d)]
    scores = [sum(E[j][a] * query[a] for a in range(d)) for j in context]
    total = sum(math.exp(score) for score in scores)
    return [math.exp(score) / total for score in scores]


def plain_loss(mass, label, E, loss, head, temperature=1.0):
    """The tables of the readout module, token by token."""
    K = len(mass)
    if head == "tied":
        z = list(mass)
    else:
        f = [sum(mass[j] * E[j][a] for j in range(K)) for a in range(len(E[0]))]
        z = [sum(E[k][a] * f[a] for a in range(len(f))) for k in range(K)]
    share = math.exp(z[label] / temperature) / sum(math.exp(v / temperature) for v in z)
    return {
        "log": lambda: -math.log(z[label]),
        "squared": lambda: (1 - z[label]) ** 2,
        "squared-softmax": lambda: (1 - share) ** 2,
        "cross-entropy": lambda: -math.log(share),
        "correlation": lambda: -z[label],
    }[loss]()


@pytest.mark.parametrize("seed", range(5))
def test_attention_is_softmax_of_scores_with_w_on_the_query(seed):
    rng = np.random.default_rng(seed)
    E, W = embeddings(5, 3, seed=seed), rng.standard_normal((3, 3))
    context = rng.integers(5, size=rng.integers(1, 8))
    weights = attention(W, E, context)
    np.testing.assert_allclose(
        weights, plain_attention(W.tolist(), E.tolist(), context), rtol=1e-13
    )
    mass = token_mass(W, E, context)
    np.testing.assert_allclose(mass, [weights[context == k].sum() for k in range(5)], atol=1e-15)


def test_attention_survives_weights_of_any_size():
    weights = attention(1e6 * np.diag([0.0, 1.0]), np.eye(2), [0, 1])
    np.testing.assert_array_equal(weights, [0.0, 1.0])


def test_attention_of_one_token_is_one():
    np.testing.assert_array_equal(attention(np.ones((2, 2)), np.eye(2), [1]), [1.0])


def test_attention_names_what_is_wrong():
    with pytest.raises(UnknownToken, match="token 2"):
        attention(np.eye(2), np.eye(2), [0, 2])
    with pytest.raises(EmbeddingError, match=r"\(2, 2\)"):
        attention(np.eye(3), np.eye(2), [0, 1])
    with pytest.raises(EmbeddingError, match="E must have shape"):
        token_mass(np.eye(2), 1.0, [0])


@pytest.mark.parametrize("size", [0.0, 1.0, 1e6])
def test_masses_of_a_dataset_are_those_of_its_sequences(size):
    rng = np.random.default_rng(8)
    rows = [rng.integers(5, size=rng.integers(1, 9)).tolist() for _ in range(30)]
    data = Dataset(rows, [4] * 30, K=5)  # labels may be absent: they are not read
    E, W = embeddings(5, 3, seed=8), size * rng.standard_normal((2, 4, 3, 3))
    masses = attention_masses(data, W, E)
    assert masses.shape == (2, 4, 30, 5)
    np.testing.assert_allclose(masses.sum(axis=-1), 1.0, rtol=1e-14)
    for place in np.ndindex(2, 4):
        one = [token_mass(W[place], E, row) for row in rows]
        np.testing.assert_allclose(masses[place], one, rtol=1e-8 if size > 1 else 1e-12, atol=1e-15)
        np.testing.assert_array_equal(attention_masses(data, W[place], E), masses[place])
        if size <= 1:
            plain = plain_attention(W[place].tolist(), E.tolist(), rows[0])
            expected = [
                sum(w for w, t in zip(plain, rows[0], strict=True) if t == k) for k in range(5)
            ]
            np.testing.assert_allclose(masses[place][0], expected, rtol=1e-12)


def test_masses_of_a_dataset_name_what_is_wrong():
    for W, E in ((np.eye(3), np.eye(4)), (np.ones(4), np.eye(4)), (np.eye(4), np.eye(5))):
        with pytest.raises(EmbeddingError, match="must have shape"):
            attention_masses(FIG3, W, E)


def test_cosine_is_that_of_plain_sums_and_knows_no_length():
    rng = np.random.default_rng(9)
    for shape in ((4,), (3, 5)):
        A, B = rng.standard_normal((2, *shape))
        a, b = A.ravel().tolist(), B.ravel().tolist()
        dot = sum(x * y for x, y in zip(a, b, strict=True))
        expected = dot / math.sqrt(math.fsum(x * x for x in a) * math.fsum(y * y for y in b))
        assert cosine(A, B) == cosine(B, A) == pytest.approx(expected, rel=1e-13)
        assert cosine(1e-150 * A, -1e150 * B) == pytest.approx(-expected, rel=1e-12)
    assert cosine([3, 4], [3, 4]) == pytest.approx(1.0, abs=1e-15)
    assert cosine([1, 0], [0, 1]) == 0.0


def test_nothing_has_no_cosine():
    assert math.isnan(cosine(np.zeros((2, 2)), np.eye(2)))
    assert math.isnan(cosine([1.0], [0.0]))
    with pytest.raises(DataError, match="one shape"):
        cosine(np.eye(2), np.ones(4))


def test_a_loss_is_named_or_read_through_a_head():
    assert Readout.of("squared") == Readout("squared", "tied", 1.0)
    general = Readout("cross-entropy", head="general", temperature=0.5)
    assert Readout.of(general) is general
    assert len({general, Readout("cross-entropy", "general", 0.5), Readout()}) == 2


@pytest.mark.parametrize(("loss", "head"), CELLS)
@pytest.mark.parametrize("temperature", [1.0, 0.3])
def test_losses_follow_their_formulas(loss, head, temperature):
    if temperature != 1 and "softmax" not in loss and loss != "cross-entropy":
        temperature = 1.0
    rng = np.random.default_rng(3)
    E = embeddings(4, 5, seed=1)
    for label in range(4):
        mass = rng.dirichlet(np.ones(4))
        mine = sample_loss(mass, label, E, loss=Readout(loss, head, temperature))
        assert mine == pytest.approx(
            plain_loss(mass.tolist(), label, E.tolist(), loss, head, temperature), rel=1e-12
        )


@pytest.mark.parametrize(("loss", "head"), CELLS)
def test_slopes_are_derivatives_of_values(loss, head):
    rng = np.random.default_rng(4)
    E, labels = embeddings(5, 6, seed=2), np.array([0, 3, 4])
    readout = RowLosses(E, labels, Readout(loss, head))
    mass = rng.dirichlet(np.ones(5), size=3)
    slope = readout.slope(mass)
    # along directions of sum 0: masses always sum to 1, and only there the forms agree
    direction = rng.standard_normal((3, 5))
    direction -= direction.mean(axis=1, keepdims=True)
    step = 1e-6
    numeric = (readout.value(mass + step * direction) - readout.value(mass - step * direction)) / (
        2 * step
    )
    np.testing.assert_allclose(np.vecdot(slope, direction), numeric, rtol=1e-7, atol=1e-9)


def test_no_digit_is_lost_when_the_label_has_almost_all_mass():
    tiny = 1e-30
    mass = np.array([1.0 - tiny, tiny])
    assert sample_loss(mass, 0, np.eye(2)) == pytest.approx(tiny, rel=1e-12)
    assert sample_loss(mass, 0, np.eye(2), loss="squared") == pytest.approx(tiny**2, rel=1e-12)
    assert sample_loss([1.0, 0.0], 1, np.eye(2)) == np.inf


def test_padded_tokens_take_no_part_in_the_softmax():
    E, mass = np.zeros((1, 4, 3)), np.array([[[0.2, 0.8, 0.0, 0.0]]])
    E[0, :2, :2] = np.eye(2)
    seen = np.array([[True, True, False, False]])
    readout = RowLosses(E, np.array([[1]]), "cross-entropy", seen)
    expected = sample_loss([0.2, 0.8], 1, np.eye(2), loss="cross-entropy")
    assert readout.value(mass)[0, 0] == pytest.approx(expected, rel=1e-15)


def test_options_are_checked():
    for wrong in [("logg", "tied"), ("log", "tight")]:
        with pytest.raises(OptionError, match="choose one of"):
            Readout(*wrong)
    with pytest.raises(OptionError, match="needs head='tied'"):
        Readout("log", "general")
    with pytest.raises(OptionError, match="above 0"):
        Readout("cross-entropy", "tied", 0.0)
    with pytest.raises(OptionError, match="changes nothing"):
        Readout("squared", "tied", 2.0)
    with pytest.raises(UnknownToken, match="label 2"):
        sample_loss([0.5, 0.5], 2, np.eye(2))
    with pytest.raises(DataError, match="one number per token"):
        sample_loss([[0.5, 0.5]], 0, np.eye(2))


def test_tied_head_reads_each_token_alone_and_needs_independent_embeddings():
    E = embeddings(4, 6, seed=5)
    np.testing.assert_allclose(head_matrix(E) @ E.T, np.eye(4), atol=1e-13)
    np.testing.assert_array_equal(head_matrix(E, head="general"), E)
    with pytest.raises(EmbeddingError, match="rank 2"):
        head_matrix(embeddings(3, 2, seed=0))


def test_tied_head_applied_to_the_output_is_the_attention_mass():
    rng = np.random.default_rng(6)
    E, W = embeddings(4, 6, seed=6), rng.standard_normal((6, 6))
    context = [2, 0, 2, 1]
    output = attention(W, E, context) @ E[context]
    np.testing.assert_allclose(head_matrix(E) @ output, token_mass(W, E, context), atol=1e-13)
    mass = token_mass(W, E, context)
    np.testing.assert_allclose(logits(mass, E, head="general"), E @ output, atol=1e-13)
    np.testing.assert_array_equal(logits(mass, E), mass)


def test_torch_layer_agrees_with_numpy_one_context_or_many():
    import torch

    rng = np.random.default_rng(7)
    E, W = embeddings(5, 4, seed=7), rng.standard_normal((4, 4))
    contexts = rng.integers(5, size=(3, 6))
    for head in HEADS:
        layer = SelfAttention(E, W, head=head)
        many = layer.logits(torch.tensor(contexts))
        outputs = layer(torch.tensor(contexts))
        for row, context in enumerate(contexts):
            mass = token_mass(W, E, context)
            np.testing.assert_allclose(
                layer.attention(torch.tensor(context)).detach(),
                attention(W, E, context),
                atol=1e-14,
            )
            np.testing.assert_allclose(many[row].detach(), logits(mass, E, head=head), atol=1e-14)
            np.testing.assert_allclose(outputs[row].detach(), mass @ E, atol=1e-14)


def test_torch_layer_trains_w_and_nothing_else():
    layer = SelfAttention(np.eye(3))
    assert [name for name, _ in layer.named_parameters()] == ["W"]
    assert layer.W.detach().abs().max() == 0
    with pytest.raises(OptionError, match="choose one of"):
        SelfAttention(np.eye(3), head="none")
    with pytest.raises(EmbeddingError, match="W must have shape"):
        SelfAttention(np.eye(3), np.eye(2))


def test_torch_is_loaded_only_on_request():
    code = (
        "import sys, nta_core.model, nta_core.training, nta_beyond.paths\n"
        "assert 'torch' not in sys.modules and 'cvxpy' not in sys.modules\n"
        "from nta_core.model import SelfAttention\n"
        "assert 'torch' in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="SelfAttentoin"):
        attention_module.SelfAttentoin  # noqa: B018
