"""Norms before a head: each kind against the module that computes it, and no kind is guessed."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from nta_beyond.heads import Head, HeadError, MissingTensor, normalized
from nta_core import OptionError

D, K = 12, 7


class Rms(nn.Module):
    """RMSNorm as Llama, T5 and Gemma write it; its name says nothing, as T5's LayerNorm."""

    def __init__(self, eps: float = 1e-6, *, plus: float = 0.0, named: str = "eps") -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(D))
        self.plus, self.added = plus, eps
        setattr(self, named, eps)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        wide = x.float()
        size = torch.rsqrt(wide.pow(2).mean(-1, keepdim=True) + self.added)
        return ((wide * size) * (self.plus + self.weight.float())).to(x.dtype)


def layer_norm(**options: object) -> nn.LayerNorm:
    norm = nn.LayerNorm(D, **options)
    for part in norm.parameters():
        nn.init.normal_(part)
    return norm


def rms_norm(**options: object) -> nn.RMSNorm:
    norm = nn.RMSNorm(D, **options)
    nn.init.normal_(norm.weight)
    return norm


NORMS = {
    "LayerNorm": (layer_norm, "layer"),
    "LayerNorm without bias": (lambda: layer_norm(bias=False), "layer"),
    "BERT's eps": (lambda: layer_norm(eps=1e-12), "layer"),
    "eps 0": (lambda: layer_norm(eps=0.0), "layer"),
    "a large eps": (lambda: layer_norm(eps=0.3), "layer"),
    "RMSNorm": (lambda: rms_norm(eps=1e-5), "rms"),
    "RMSNorm without eps": (rms_norm, "rms"),
    "Llama": (lambda: Rms(named="variance_epsilon"), "rms"),
    "Gemma": (lambda: Rms(plus=1.0), "rms+1"),
}


@pytest.fixture
def tokens() -> nn.Embedding:
    """The last three so small that eps decides what becomes of them."""
    torch.manual_seed(0)
    found = nn.Embedding(K, D)
    with torch.no_grad():
        found.weight[4:] *= torch.tensor([1e-2, 1e-3, 1e-4])[:, None]
        found.weight += 0.5 * found.weight.abs().mean(dim=1, keepdim=True)
    return found


def attention_of(norm: nn.Module, tokens: nn.Embedding) -> SimpleNamespace:
    layer = SimpleNamespace(q_proj=nn.Linear(D, D), k_proj=nn.Linear(D, D), num_heads=1)
    for part in (layer.q_proj, layer.k_proj):
        part.weight, part.bias = nn.Parameter(torch.eye(D).to(norm.weight.dtype)), None
    return layer


@pytest.mark.parametrize("precision", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", NORMS)
def test_a_module_is_read_as_what_it_does(
    tokens: nn.Embedding, name: str, precision: torch.dtype
) -> None:
    made, kind = NORMS[name]
    norm, tokens = made().to(precision), tokens.to(precision)
    head = Head.from_module(attention_of(norm, tokens), tokens, norm=norm, scale=1.0)
    told = norm(tokens.weight).detach().double().numpy()
    unit = 16 * torch.finfo(precision).eps + 1e-5
    np.testing.assert_allclose(head.embeddings.values, told, atol=unit * np.abs(told).max())
    assert f"The embeddings pass a {kind} norm first." in head.notes


@pytest.mark.parametrize("name", NORMS)
def test_a_file_says_what_it_can(tokens: nn.Embedding, name: str) -> None:
    """A bias makes a LayerNorm; without one the kind is asked, and each kind is another table."""
    made, kind = NORMS[name]
    norm = made()
    told = norm(tokens.weight).detach().numpy()
    state = {f"ln.{part}": value for part, value in norm.state_dict().items()}
    state |= {"e": tokens.weight, "q": torch.eye(D), "k": torch.eye(D)}
    eps = torch.finfo(torch.float32).eps if "without eps" in name else (
        getattr(norm, "eps", getattr(norm, "variance_epsilon", None))
    )  # fmt: skip
    named = {"query": "q", "key": "k", "embedding": "e", "heads": 1, "norm_eps": eps, "scale": 1.0}
    for asked in ("ln", "ln.weight"):
        head = Head.from_state(state, **named, norm=asked, norm_kind=kind)
        np.testing.assert_allclose(head.embeddings.values, told, atol=1e-5)
    if "ln.bias" in state:
        same = Head.from_state(state, **named, norm="ln")
        np.testing.assert_array_equal(same.embeddings.values, head.embeddings.values)
    else:
        with pytest.raises(HeadError, match=r"norm ln has no bias, .* say norm_kind .* rms\+1"):
            Head.from_state(state, **named, norm="ln")
    others = {"layer", "rms", "rms+1"} - {kind}
    for other in others:
        wrong = Head.from_state(state, **named, norm="ln", norm_kind=other)
        assert np.abs(wrong.embeddings.values - told).max() > 0.1


def test_gamma_and_beta_as_in_berts_files(tokens: nn.Embedding) -> None:
    norm = layer_norm(eps=1e-12)
    told = norm(tokens.weight).detach().numpy()
    state = {"LayerNorm.gamma": norm.weight, "LayerNorm.beta": norm.bias, "e": tokens.weight}
    state |= {"q": torch.eye(D), "k": torch.eye(D)}
    named = {"query": "q", "key": "k", "embedding": "e", "heads": 1, "norm_eps": 1e-12}
    for asked in ("LayerNorm", "LayerNorm.gamma"):
        head = Head.from_state(state, **named, norm=asked)
        np.testing.assert_allclose(head.embeddings.values, told, atol=1e-5)
    with pytest.raises(MissingTensor, match=r"there is no tensor 'ln.weight' for the norm"):
        Head.from_state(state, **named, norm="ln")
    with pytest.raises(OptionError, match="norm_kind='LayerNorm': choose one of layer, rms, rms"):
        Head.from_state(state, **named, norm="LayerNorm", norm_kind="LayerNorm")


def test_a_gain_under_a_name_of_its_own() -> None:
    state = {"gain": np.full(4, 2.0), "e": np.eye(5, 4), "q": np.eye(4), "k": np.eye(4)}
    named = {"query": "q", "key": "k", "embedding": "e", "heads": 1, "norm": "gain"}
    head = Head.from_state(state, **named, norm_kind="rms", norm_eps=0)
    np.testing.assert_allclose(head.embeddings.values[:4], 4 * np.eye(4))  # 2 / √(1/4)
    with pytest.raises(HeadError, match=r"the norm has 3 numbers and the embeddings .* have 4"):
        Head.from_state({**state, "gain": np.ones(3)}, **named, norm_kind="rms")
    with pytest.raises(MissingTensor, match="there is no tensor 3"):
        Head.from_state(state, **(named | {"norm": 3}))


def test_modules_that_are_no_norm_we_know(tokens: nn.Embedding) -> None:
    layer = attention_of(layer_norm(), tokens)

    class Other(Rms):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return super().forward(x).tanh()

    class Hidden(Rms):
        """Its eps stands where nobody looks."""

        def __init__(self) -> None:
            super().__init__(0.1, named="epsilon")

    for odd in (Other(), Hidden(), Rms(plus=0.5)):
        with pytest.raises(HeadError, match=r"run on two vectors, does not do what .* give as E"):
            Head.from_module(layer, tokens, norm=odd)
    wide, broken = Rms(), Rms()
    wide.forward = lambda x: torch.cat([x, x], dim=-1)
    with pytest.raises(HeadError, match="is no norm: it changes the shape"):
        Head.from_module(layer, tokens, norm=wide)
    broken.forward = lambda x: x.no_such_thing
    with pytest.raises(HeadError, match="cannot be run on two vectors"):
        Head.from_module(layer, tokens, norm=broken)
    with pytest.raises(HeadError, match="norm must be a norm with a weight"):
        Head.from_module(layer, tokens, norm=nn.LayerNorm(D, elementwise_affine=False))


def test_eps_0_and_a_vector_of_zeros() -> None:
    found = normalized(np.zeros((1, 3)), np.ones(3), kind="rms", eps=0)
    assert not found.any()
