"""A head is what PyTorch computes with it: its own attention is the oracle for every layout."""

from __future__ import annotations

import copy
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

from nta_beyond.heads import Head, HeadError, MissingTensor
from nta_beyond.heads.layouts import BEFORE
from nta_core import FIG8, DataError, OptionError, TooLarge, attention, decompose, gradient_descent

D, HEADS, K = 12, 3, 7
CONTEXT = [3, 0, 6, 3, 2]


@pytest.fixture
def tokens() -> nn.Embedding:
    torch.manual_seed(0)
    return nn.Embedding(K, D)


def attended(queries: torch.Tensor, keys: torch.Tensor) -> np.ndarray:
    """Attention of the last place by PyTorch: the values are the places themselves."""
    places = torch.eye(len(CONTEXT), dtype=queries.dtype)
    last = queries[None, None, -1:]
    found = functional.scaled_dot_product_attention(last, keys[None, None], places[None, None])
    return found[0, 0, 0].detach().double().numpy()


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("kdim", [None, D])
@pytest.mark.parametrize("head", range(HEADS))
def test_multihead_attention(tokens: nn.Embedding, bias: bool, kdim: int | None, head: int) -> None:
    layer = nn.MultiheadAttention(D, HEADS, bias=bias, kdim=kdim and D + 1, batch_first=True)
    if bias:
        nn.init.normal_(layer.in_proj_bias)
    biases = layer.in_proj_bias.chunk(3) if bias else (None, None)
    if kdim is None:
        weights = layer.in_proj_weight.chunk(3)[:2]
    else:  # how the layer keeps keys of another width
        layer.k_proj_weight = nn.Parameter(torch.randn(D, D))
        weights = (layer.q_proj_weight, layer.k_proj_weight)
    found = Head.from_module(layer, tokens, head=head).attention(CONTEXT)
    x = tokens.weight[CONTEXT]
    mine = slice(head * D // HEADS, (head + 1) * D // HEADS)
    projected = [functional.linear(x, weights[i], biases[i])[:, mine] for i in (0, 1)]
    np.testing.assert_allclose(found, attended(*projected), atol=1e-6)
    if kdim is None:  # and by the layer itself
        _, told = layer(x[None], x[None], x[None], average_attn_weights=False)
        np.testing.assert_allclose(found, told[0, head, -1].detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("norm_first", [True, False])
def test_encoder_layer_with_its_norm(tokens: nn.Embedding, norm_first: bool) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        layer = nn.TransformerEncoderLayer(D, HEADS, 8, batch_first=True, norm_first=norm_first)
    layer.eval()  # no dropout
    nn.init.normal_(layer.norm1.weight)
    nn.init.normal_(layer.norm1.bias)
    x = tokens.weight[CONTEXT][None]
    entering = layer.norm1(x) if norm_first else x
    _, told = layer.self_attn(entering, entering, entering, average_attn_weights=False)
    found = Head.from_module(layer, tokens, head=1).attention(CONTEXT)
    np.testing.assert_allclose(found, told[0, 1, -1].detach().numpy(), atol=1e-6)


@pytest.mark.parametrize("transposed", [True, False])
def test_packed_as_in_gpt2(tokens: nn.Embedding, transposed: bool) -> None:
    weight, bias = torch.randn(D, 3 * D), torch.randn(3 * D)
    x = tokens.weight[CONTEXT]
    packed = x @ weight + bias
    mine = slice(2 * D // HEADS, 3 * D // HEADS)
    told = attended(packed[:, :D][:, mine], packed[:, D : 2 * D][:, mine])
    stored = weight.T if transposed else weight
    state = {"c_attn.weight": stored, "c_attn.bias": bias, "wte.weight": tokens.weight}
    name, layout = "c_attn.weight", "linear" if transposed else "conv1d"
    named = {"query": name, "key": name, "embedding": "wte.weight", "layout": layout}
    by_name = Head.from_state(state, **named, heads=HEADS, head=2)
    np.testing.assert_allclose(by_name.attention(CONTEXT), told, atol=1e-6)
    layer = SimpleNamespace(c_attn=SimpleNamespace(weight=stored, bias=bias), n_head=HEADS)
    by_layer = Head.from_module(layer, tokens, head=2)
    np.testing.assert_allclose(by_layer.attention(CONTEXT), told, atol=1e-6)


def head_by_head(x: torch.Tensor, linear: nn.Linear, heads: int, kv: int) -> list[torch.Tensor]:
    """Queries and keys (place, head, number) of a matrix in which heads come one by one.

    Of each key head: its queries, the key, the value, as Pythia, BLOOM and Falcon view it.
    """
    found = linear(x).reshape(len(x), kv, heads // kv + 2, -1)
    queries = found[:, :, :-2].reshape(len(x), heads, -1)
    return [queries, found[:, :, -2].repeat_interleave(heads // kv, dim=1)]


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("heads", "kv"), [(3, 3), (4, 2), (4, 1)])
def test_packed_head_by_head(tokens: nn.Embedding, heads: int, kv: int, bias: bool) -> None:
    size = D // heads
    linear = nn.Linear(D, (heads + 2 * kv) * size, bias=bias)
    layer = nn.Module()  # as in Pythia: the module says how many heads, not in which order
    layer.query_key_value, layer.num_attention_heads = linear, heads
    state = {f"layers.0.attn.{name}": value for name, value in layer.state_dict().items()}
    state["embed_in.weight"] = tokens.weight
    name = "layers.0.attn.query_key_value.weight"
    named = {"query": name, "key": name, "embedding": "embed_in.weight", "heads": heads}
    queries, keys = head_by_head(tokens.weight[CONTEXT], linear, heads, kv)
    asked = {"packed": "by-head", "kv_heads": None if kv == heads else kv}
    for head in range(heads):
        told = attended(queries[:, head], keys[:, head])
        by_name = Head.from_state(state, **named, **asked, head=head)
        np.testing.assert_allclose(by_name.attention(CONTEXT), told, atol=1e-6)
        by_layer = Head.from_module(layer, tokens, **asked, head=head)
        np.testing.assert_allclose(by_layer.attention(CONTEXT), told, atol=1e-6)
    each = {3: "3 times a query", 2: "2 times 2 queries", 1: "1 times 4 queries"}[kv]
    said = f"The packed weights are read as {each}, a key and a value, each {size} wide."
    assert said in by_name.notes
    other = Head.from_state(state, **named, **(asked | {"packed": "by-kind"}), head=heads - 1)
    same = np.allclose(other.attention(CONTEXT), told, atol=1e-6)
    assert same == (kv == 1)  # one key head: there is only one order
    for guess in ({}, {"kv_heads": kv}):
        with pytest.raises(HeadError, match=r"query_key_value.* say packed \(--packed\), by-head"):
            Head.from_state(state, **named, **guess)
        with pytest.raises(HeadError, match=r"query_key_value may hold .* say packed"):
            Head.from_module(layer, tokens, **guess)


def test_what_stands_apart_is_not_packed(tokens: nn.Embedding) -> None:
    apart = SimpleNamespace(q_proj=nn.Linear(D, D), k_proj=nn.Linear(D, D), num_heads=HEADS)
    with pytest.raises(OptionError, match="queries and keys stand apart here"):
        Head.from_module(apart, tokens, packed="by-head")
    with pytest.raises(OptionError, match="packed='heads': choose one of by-kind, by-head"):
        Head.from_module(nn.MultiheadAttention(D, HEADS), tokens, packed="heads")


@pytest.mark.parametrize("head", range(4))
def test_grouped_queries_as_in_llama(tokens: nn.Embedding, head: int) -> None:
    layer = SimpleNamespace(
        q_proj=nn.Linear(D, 4 * 5, bias=False), k_proj=nn.Linear(D, 2 * 5, bias=False),
        config=SimpleNamespace(num_attention_heads=4), scaling=5**-0.5,
    )  # fmt: skip
    x = tokens.weight[CONTEXT]
    query, key = layer.q_proj(x).reshape(-1, 4, 5), layer.k_proj(x).reshape(-1, 2, 5)
    shared = key.repeat_interleave(2, dim=1)  # as transformers repeats them
    told = attended(query[:, head], shared[:, head])
    found = Head.from_module(layer, tokens, head=head, positions="rotary")
    np.testing.assert_allclose(found.attention(CONTEXT), told, atol=1e-6)
    assert "offset 0" in found.notes[-1]
    state = {"q.weight": layer.q_proj.weight, "k.weight": layer.k_proj.weight, "e": tokens.weight}
    named = {"query": "q.weight", "key": "k.weight", "embedding": "e", "heads": 4, "head": head}
    for kv_heads in (None, 2):
        by_name = Head.from_state(state, **named, kv_heads=kv_heads)
        np.testing.assert_allclose(by_name.attention(CONTEXT), told, atol=1e-6)


def test_rotary_positions_cancel_where_the_last_token_stands() -> None:
    """The sentence that the notes print: at offset 0 a rotation changes no score."""
    torch.manual_seed(1)
    q, k = torch.randn(2, 6, dtype=torch.float64)
    angle = torch.tensor([0.7, 0.2, 0.05], dtype=torch.float64)

    def turned(x: torch.Tensor, place: int) -> torch.Tensor:
        one, other = x[:3], x[3:]
        cos, sin = torch.cos(place * angle), torch.sin(place * angle)
        return torch.cat([one * cos - other * sin, other * cos + one * sin])

    assert torch.isclose(turned(q, 5) @ turned(k, 5), q @ k)
    assert not torch.isclose(turned(q, 5) @ turned(k, 3), q @ k)


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.float16, torch.bfloat16])
def test_safetensors_of_every_precision(tmp_path, tokens: nn.Embedding, kind) -> None:
    parts = {"q.weight": torch.randn(4, D), "k.weight": torch.randn(4, D), "e": tokens.weight}
    stored = {name: value.detach().to(kind).contiguous() for name, value in parts.items()}
    save_file(stored, tmp_path / "head.safetensors")
    named = {"query": "q.weight", "key": "k.weight", "embedding": "e"}
    found = Head.from_safetensors(tmp_path / "head.safetensors", **named)
    query, key, E = (stored[name].double() for name in parts)
    told = (E @ query.T) @ (E @ key.T).T / 2
    np.testing.assert_allclose(found.score_matrix(), told.numpy(), atol=1e-9)
    assert found.kind == str(kind).removeprefix("torch.")
    assert found.precision == torch.finfo(kind).eps / 2
    in_memory = Head.from_state(stored, **named)
    np.testing.assert_array_equal(in_memory.score_matrix(), found.score_matrix())
    assert in_memory.kind == found.kind


def test_a_head_in_the_words_of_the_core() -> None:
    """W and E of a head are those of `nta_core`, with biases as one more dimension."""
    rng = np.random.default_rng(0)
    W_Q, W_K, E = rng.normal(size=(3, 2)), rng.normal(size=(3, 2)), rng.normal(size=(5, 3))
    b_Q, b_K = rng.normal(size=2), rng.normal(size=2)
    for biases in ({}, {"b_Q": b_Q}, {"b_Q": b_Q, "b_K": b_K}):
        head = Head.from_arrays(W_Q, W_K, E, **biases)
        np.testing.assert_allclose((head.E @ head.W @ head.E.T).T, head.score_matrix(), atol=1e-12)
        context = [0, 4, 2]
        told = attention(head.W, head.E, context)
        np.testing.assert_allclose(head.attention(context), told, atol=1e-12)
    np.testing.assert_array_equal(head.score_rows([4, "e1"]), head.score_matrix()[[4, 0]])
    trained = gradient_descent(FIG8, np.eye(4), steps=500, step_size=0.1).W
    read = Head.from_arrays(np.eye(4), trained, np.eye(4), scale=1.0)
    assert decompose(read.W, FIG8, read.E).cosine == pytest.approx(
        decompose(trained, FIG8, np.eye(4)).cosine
    )


# ---- what does not fit ---------------------------------------------------------------------------

ARRAYS = {"W_Q": np.ones((4, 2)), "W_K": np.ones((4, 2)), "E": np.ones((5, 4))}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"W_K": np.ones((4, 3))}, r"W_Q of shape \(4, 2\) and W_K of shape \(4, 3\)"),
        ({"E": np.ones((5, 3))}, r"reads vectors of 4 numbers and .* \(5, 3\) have 3"),
        ({"W_Q": np.ones((2, 4)), "W_K": np.ones((2, 4))}, "its transpose would fit"),
        ({"b_Q": np.ones(3)}, r"b_Q must have shape \(2,\)"),
        ({"E": np.full((5, 4), np.nan)}, r"E has a NaN or infinite entry, the first at \(0, 0\)"),
        ({"W_K": np.array([[0, 0], [0, np.inf], [0, 0], [0, 0]])}, r"W_K .* at \(1, 1\)"),
        ({"W_Q": 1e60 * np.ones((4, 2))}, "W_Q has an entry of 1e"),
        ({"W_Q": np.ones(4)}, "W_Q must have two axes"),
        ({"E": np.ones((0, 4))}, "E must have two axes and no empty one"),
        ({"E": "text"}, "E must hold real numbers"),
    ],
)
def test_shapes_and_numbers_that_do_not_fit(changed: dict, words: str) -> None:
    with pytest.raises(HeadError, match=words):
        Head.from_arrays(**(ARRAYS | changed))


def test_names_and_options_that_do_not_fit() -> None:
    with pytest.raises(DataError, match=r"2 names for K=5 rows .* for example <row-4>"):
        Head.from_arrays(**ARRAYS, names=["a", "b"])
    with pytest.raises(DataError, match=r"6 names for K=5 rows .* another model's tokens"):
        Head.from_arrays(**ARRAYS, names=[*"abcdef"])
    with pytest.raises(OptionError, match="positions='here': choose one of"):
        Head.from_arrays(**ARRAYS, positions="here")
    with pytest.raises(OptionError, match="scale=0"):
        Head.from_arrays(**ARRAYS, scale=0)


@pytest.fixture
def state() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    return {
        "h.0.attn.q_proj.weight": rng.normal(size=(6, 4)),
        "h.0.attn.k_proj.weight": rng.normal(size=(6, 4)),
        "h.0.attn.packed.weight": rng.normal(size=(18, 4)),
        "wte.weight": rng.normal(size=(5, 4)),
        "lm_head.weight": rng.normal(size=(5, 4)),
    }


NAMES = {"query": "h.0.attn.q_proj.weight", "key": "h.0.attn.k_proj.weight"}
ONE = {**NAMES, "heads": 1}


@pytest.mark.parametrize(
    ("changed", "error", "words"),
    [
        ({"embedding": None}, HeadError, r"name them .* shape \(K, d\) with d=4"),
        ({"embedding": "wpe.weight"}, MissingTensor, "'wpe.weight' .*near it: wte.weight"),
        ({"query": "h.1.attn.q_proj.weight"}, MissingTensor, "near it: h.0.attn.q_proj.weight"),
        ({"key": 3}, MissingTensor, "there is no tensor 3"),
        ({"embedding": "lm_head.weight"}, HeadError, "is the output head .* are wte.weight"),
        ({"heads": 4}, HeadError, "6 outputs of the queries cannot be shared by 4 heads"),
        ({"heads": 3, "head": 3}, OptionError, "head=3: there are 3, numbered 0 to 2"),
        ({"head": -1}, OptionError, "head=-1"),
        ({"heads": 3, "kv_heads": 2}, HeadError, "keys with 6 outputs do not fit"),
        ({"layout": "rows"}, OptionError, "layout='rows': choose one of linear, conv1d"),
        (
            {"layout": "conv1d"},
            HeadError,
            "tensor h.0.attn.q_proj.weight, .* reads vectors of 6 .*--layout linear",
        ),
        ({"packed": "by-head"}, OptionError, "packed='by-head': queries and keys stand apart here"),
        ({"packed": "head"}, OptionError, "packed='head': choose one of by-kind, by-head"),
        ({"norm": "ln_1"}, MissingTensor, "there is no tensor 'ln_1.weight' for the norm"),
        ({"norm": "wte", "norm_kind": "rms"}, HeadError, "the norm's weight must have one axis"),
    ],
)
def test_states_that_do_not_fit(state: dict, changed: dict, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        Head.from_state(state, **(NAMES | {"embedding": "wte.weight", "heads": 1} | changed))


def test_square_weights_may_be_those_of_many_heads(state: dict) -> None:
    """Read as one head, twelve heads would be added up, and nothing would look wrong."""
    rng = np.random.default_rng(1)
    square = {"q": rng.normal(size=(8, 8)), "k": rng.normal(size=(8, 8)), "e": np.eye(9, 8)}
    named = {"query": "q", "key": "k", "embedding": "e"}
    with pytest.raises(HeadError, match=r"8 outputs that read 8 .* several heads: say how many"):
        Head.from_state(square, **named)
    assert Head.from_state(square, **named, heads=1).d_head == 8
    assert Head.from_state(square, **named, heads=2).d_head == 4
    narrow = {**square, "q": square["q"][:4], "k": square["k"][:4]}
    assert Head.from_state(narrow, **named).d_head == 4
    packed = {"query": "h.0.attn.packed.weight", "key": "h.0.attn.packed.weight"}
    with pytest.raises(HeadError, match=r"--heads"):
        Head.from_state(state, **packed, embedding="wte.weight")


def test_names_of_different_layers(state: dict) -> None:
    def named(query: str, key: str, norm: str | None = None) -> Head:
        parts = {query: "h.0.attn.q_proj.weight", key: "h.0.attn.k_proj.weight"}
        there = {name: state[part] for name, part in parts.items()} | {"e": state["wte.weight"]}
        if norm is not None:
            there |= {f"{norm}.weight": np.ones(4), f"{norm}.bias": np.ones(4)}
        return Head.from_state(there, query=query, key=key, embedding="e", norm=norm, heads=1)

    with pytest.raises(HeadError, match=r"h.3.q.weight and h.0.k.weight belong to different"):
        named("h.3.q.weight", "h.0.k.weight")
    assert named("h.3.q.weight", "k.weight").notes  # nothing speaks against it
    assert named("attn.linears.0.weight", "attn.linears.1.weight").notes  # parts of one layer
    said = "By their names, h.1.ln and h.0.q.weight belong to different layers."
    for norm, differs in (("h.1.ln", True), ("h.0.ln", False), ("ln", False)):
        assert (said in named("h.0.q.weight", "h.0.k.weight", norm).notes) == differs


@pytest.mark.parametrize(
    ("name", "layer"),
    [("h.0.attn", ""), ("h.5.attn", "5"), ("model.layers.12.self_attn", "12"), ("attn2", "")],
)
def test_a_layer_above_the_first_is_noted(state: dict, name: str, layer: str) -> None:
    stems = ("q_proj.weight", "k_proj.weight")
    there = {f"{name}.{stem}": state[f"h.0.attn.{stem}"] for stem in stems}
    query, key = there
    there["wte.weight"] = state["wte.weight"]
    named = {"query": query, "key": key, "embedding": "wte.weight"}
    notes = Head.from_state(there, **named, heads=1).notes
    said = f"By its name, {query} belongs to layer {layer}, counted from 0, and wte.weight enters"
    assert any(note.startswith(said) for note in notes) == bool(layer)
    assert BEFORE in notes


def test_packed_states_that_do_not_fit(state: dict) -> None:
    packed = {"query": "h.0.attn.packed.weight", "key": "h.0.attn.packed.weight"}
    with pytest.raises(HeadError, match="18 is no multiple of 12"):
        Head.from_state(state, **packed, embedding="wte.weight", heads=4)
    wide = {**state, packed["key"]: np.ones((7 * 2, 4))}
    with pytest.raises(HeadError, match="3 query heads cannot share 2"):
        Head.from_state(wide, **packed, embedding="wte.weight", heads=3, kv_heads=2)
    with pytest.raises(OptionError, match="state must map names to tensors"):
        Head.from_state([1], **packed, embedding="e")


def test_packed_weights_with_shared_keys_are_cut_as_told() -> None:
    """8 numbers, 4 heads of queries and 1 of keys, each 2 wide: 4 of each, 1 wide, fit as well."""
    rng = np.random.default_rng(0)
    qkv, E = rng.normal(size=(12, 8)), rng.normal(size=(5, 8))
    named = {"query": "qkv", "key": "qkv", "embedding": "e", "heads": 4, "head": 3}
    state = {"qkv": qkv, "e": E}
    with pytest.raises(HeadError, match=r"4 heads 1 each, .* 4 and not the 8 .*: say kv_heads"):
        Head.from_state(state, **named)
    right = Head.from_state(state, **named, kv_heads=1)
    told = (E @ qkv[6:8].T) @ (E @ qkv[8:10].T).T / 2**0.5
    np.testing.assert_allclose(right.score_matrix(), told, atol=1e-12)
    assert "queries of 4 heads, then keys and values of 1, each 2 wide" in " ".join(right.notes)
    assert Head.from_state(state, **named, kv_heads=4).d_head == 1  # narrow heads may be meant
    layer = SimpleNamespace(c_attn=SimpleNamespace(weight=qkv.T), n_head=4)
    with pytest.raises(HeadError, match="say kv_heads"):
        Head.from_module(layer, E)


@pytest.mark.parametrize("length", [23, 64])
def test_a_packed_bias_has_a_number_per_output(length: int) -> None:
    state = {"qkv.weight": np.ones((24, 8)), "qkv.bias": np.ones(length), "e": np.ones((5, 8))}
    with pytest.raises(HeadError, match=f"the queries has {length} numbers and their weight 24"):
        Head.from_state(state, query="qkv.weight", key="qkv.weight", embedding="e", heads=2)
    layer = nn.MultiheadAttention(8, 2, kdim=9)  # its bias is cut before its weights are
    layer.k_proj_weight = nn.Parameter(torch.ones(8, 8))
    layer.in_proj_bias = nn.Parameter(torch.ones(length))
    with pytest.raises(HeadError, match=f"in_proj_bias has {length} numbers: .* 8 outputs each"):
        Head.from_module(layer, state["e"])


@pytest.mark.parametrize(
    ("query", "norm"),
    [
        ("self_attn.q_proj.weight", "self_attn.q_norm.weight"),
        ("self_attn.q_proj.weight", "self_attn.k_norm.weight"),
        ("self_attn.q_proj.base.weight", "self_attn.q_layernorm.weight"),
        ("attn_q.weight", "attn_q_norm.weight"),
        ("attention.query.weight", "attention.query_norm.scale"),
    ],
)
def test_normalized_queries_and_keys_are_refused_by_name(query: str, norm: str) -> None:
    state = {f"layers.1.{query}": np.eye(4), "layers.1.k": np.eye(4), "e": np.eye(5, 4)}
    named = {"query": f"layers.1.{query}", "key": "layers.1.k", "embedding": "e", "heads": 1}
    elsewhere = {f"layers.11.{norm}": np.ones(4), "layers.1.mlp.q_norm.weight": np.ones(4)}
    assert Head.from_state({**state, **elsewhere}, **named).d_head == 4
    with pytest.raises(HeadError, match=r"keys themselves \(layers.1.*cannot be read as one table"):
        Head.from_state({**state, f"layers.1.{norm}": np.ones(4)}, **named)


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64, np.bool_, torch.int8])
def test_quantized_states_are_refused(state: dict, kind: type) -> None:
    whole = np.ones((6, 4))
    integers = torch.ones(6, 4, dtype=kind) if kind is torch.int8 else whole.astype(kind)
    for weights in NAMES.values():
        with pytest.raises(HeadError, match=r"holds .*: .* scales of whoever quantized them"):
            Head.from_state({**state, weights: integers}, **NAMES, embedding="wte.weight")
    assert Head.from_arrays([[1], [2]], [[1], [0]], [[1, 0], [0, 1]]).d_head == 1  # by hand


def test_the_embeddings_of_a_decoder_are_no_output_head(state: dict) -> None:
    inputs, decoder = state.pop("wte.weight"), "model.decoder.embed_tokens.weight"
    state[decoder] = inputs
    for more in ({}, {"model.encoder.embed_tokens.weight": inputs + 1}):
        read = Head.from_state({**state, **more}, **ONE, embedding=decoder)
        assert not any("tied" in note or "output head" in note for note in read.notes)
    tied = Head.from_state({**state, "lm_head.weight": inputs}, **ONE, embedding=decoder)
    assert "The model is tied: lm_head.weight" in " ".join(tied.notes)
    for last, first in (
        ("unembed.weight", "embed.weight"),
        ("embed_out.weight", "embed_in.weight"),
    ):
        named = {**state, last: inputs, first: inputs + 1}
        del named[decoder]
        with pytest.raises(HeadError, match=f"{last} is the output head .* are {first}"):
            Head.from_state(named, **ONE, embedding=last)


def test_tied_embeddings_are_said(state: dict) -> None:
    read = Head.from_state(state, **ONE, embedding="wte.weight")
    assert not any("tied" in note for note in read.notes)
    tied = {**state, "lm_head.weight": state["wte.weight"]}
    for name, other in (("wte", "lm_head"), ("lm_head", "wte")):
        notes = Head.from_state(tied, **ONE, embedding=f"{name}.weight").notes
        assert f"The model is tied: {other}.weight is the same matrix" in " ".join(notes)
    alone = {name: value for name, value in tied.items() if name != "wte.weight"}
    notes = Head.from_state(alone, **ONE, embedding="lm_head.weight").notes
    assert "Only an output head is stored" in " ".join(notes)


def test_modules_that_cannot_be_read(tokens: nn.Embedding) -> None:
    with pytest.raises(HeadError, match=r"has none of in_proj_weight.*from_state"):
        Head.from_module(nn.Linear(D, D), tokens, heads=1)
    with pytest.raises(HeadError, match="if it is an attention, name its weights"):
        Head.from_module(nn.Linear(D, D), tokens)
    silent = SimpleNamespace(q_proj=nn.Linear(D, D), k_proj=nn.Linear(D, D))
    with pytest.raises(OptionError, match="does not say how many heads it has"):
        Head.from_module(silent, tokens)
    with pytest.raises(HeadError, match="normalizes queries and keys themselves"):
        Head.from_module(SimpleNamespace(**vars(silent), q_norm=1), tokens, heads=1)
    with pytest.raises(OptionError, match="heads=4: this module has 2; leave heads out"):
        Head.from_module(nn.MultiheadAttention(8, 2), tokens, heads=4, head=3)
    with pytest.raises(HeadError, match="norm must be a norm with a weight"):
        Head.from_module(silent, tokens, heads=1, norm=3)
    small = nn.MultiheadAttention(6, 2)
    with pytest.raises(HeadError, match=r"embeddings of shape \(7, 12\)"):
        Head.from_module(small, tokens)
    extra = nn.MultiheadAttention(D, HEADS, add_bias_kv=True)
    assert "places that hold no token" in " ".join(Head.from_module(extra, tokens).notes)
    layer = nn.MultiheadAttention(D, HEADS)
    broken = copy.deepcopy(layer)
    with torch.no_grad():
        broken.in_proj_weight[5, 2] = torch.nan
    with pytest.raises(HeadError, match="in_proj_weight has a NaN"):
        Head.from_module(broken, tokens)


# ---- size ----------------------------------------------------------------------------------------


def test_fifty_thousand_tokens_are_read_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    E = rng.normal(size=(50_000, 8)).astype(np.float32)
    head = Head.from_arrays(rng.normal(size=(8, 4)), rng.normal(size=(8, 4)), E)
    monkeypatch.setenv("NTA_MEMORY_GB", "1")
    with pytest.raises(TooLarge, match=r"50,000 × 50,000 .*ask scores\(last\) for one row"):
        head.score_matrix()
    row = head.scores(49_999)
    told = (E.astype(float) @ head.W_K.values) @ (E[-1].astype(float) @ head.W_Q.values) / 2
    np.testing.assert_allclose(row, told, atol=1e-10)
    with pytest.raises(TooLarge, match="ask for fewer last tokens at a time"):
        head.score_rows(range(2_000))
