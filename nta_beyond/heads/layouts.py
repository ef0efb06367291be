"""Where the query and key weights of one head stand in what a model stores.

Libraries agree on the formula and not on the layout: rows or columns are outputs, queries, keys
and values lie in one matrix (kind by kind, or head by head) or in three, several query heads share
one key head.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nta_beyond.heads.errors import HeadError, missing
from nta_beyond.heads.norms import norm_of_module, norm_of_state, normalized
from nta_beyond.heads.tensors import Stored, stored
from nta_core.boundary import one_of, shown, whole
from nta_core.errors import OptionError

LAYOUTS = ("linear", "conv1d")
# Queries, keys and values in one matrix: first all queries, or all of one head.
PACKED = ("by-kind", "by-head")
EITHER = "query_key_value"  # a name that both kinds of models use
# What each way to know places leaves out when it is not read.
POSITIONS = {
    "unknown": "Positions are not read: whatever the model adds for them is left out.",
    "none": "The model has no positions, so nothing is left out.",
    "added": "Position vectors are not read: scores are those of bare tokens, without the terms in "
    "which a position takes part.",
    "rotary": "Rotary positions are read at offset 0: the scores are those of tokens that stand "
    "where the last one stands, and change with the distance in the model.",
    "bias": "Biases by distance are not read: scores are those of tokens at one distance.",
}
# What models call their first matrix, and their last: "decoder.embed_tokens" is a first one.
INPUTS = re.compile(r"(?<!un)embed(?!_out)|wte|tok")
OUTPUT_HEADS = re.compile(r"lm_head|unembed|embed_out|output|decoder")
# And norms of queries or keys, which stand beside the weights of these.
QK_NORMS = re.compile(r"(?<![a-z])((q|k|query|key)_(layer_?)?(norm|ln)|norm_[qk])(?![a-z])")

# The number of a layer, in "h.5.attn" and "model.layers.5.self_attn"; none in "linears.1.weight".
LAYER = re.compile(r"(?:^|\.)(\d{1,9})\.(?!(?:weight|bias)$)")
BEFORE = (
    "Everything between the embeddings and the head is left out, unless it is named here: a head "
    "above the first layer reads what the layers below made of the tokens."
)
ATTENTIONS = ("in_proj_weight", "q_proj_weight", "q_proj", "c_attn", EITHER)


@dataclass(frozen=True, eq=False)
class Projections:
    """Query and key weights of one head, (d, d_head), and their biases, (d_head,)."""

    W_Q: Stored
    W_K: Stored
    b_Q: Stored | None
    b_K: Stored | None

    def check(self, entering: Stored) -> None:
        """Refuse shapes that do not fit each other or the embeddings."""
        query, key, E = self.W_Q.values.shape, self.W_K.values.shape, entering.values.shape
        if query[1] != key[1]:
            raise HeadError(
                f"W_Q of shape {query} and W_K of shape {key} must have as many columns: queries "
                "and keys are multiplied entry by entry"
            )
        for shape, name in ((query, "W_Q"), (key, "W_K")):
            if shape[0] != E[1]:
                turned = " (its transpose would fit)" if shape[1] == E[1] else ""
                raise HeadError(
                    f"{name} reads vectors of {shape[0]} numbers and the embeddings of shape {E} "
                    f"have {E[1]}{turned}"
                )
        for bias, name in ((self.b_Q, "b_Q"), (self.b_K, "b_K")):
            if bias is not None and bias.values.shape != (query[1],):
                raise HeadError(
                    f"{name} must have shape ({query[1]},), one number per column of the weight, "
                    f"got {bias.values.shape}"
                )


def from_state(
    state: Mapping[str, Any],
    *,
    names: tuple[str, str, str | None],
    which: tuple[int, int | None, int | None],
    layout: str,
    packed: str | None,
    norm: tuple[str | None, str | None, float],
) -> tuple[Projections, Stored, tuple[str, ...]]:
    """Cut a head out of named tensors: its projections, what enters it, and notes."""
    if not isinstance(state, Mapping):
        raise OptionError(f"state must map names to tensors, got {shown(state)}")
    one_of(layout, "layout", LAYOUTS)
    query, key, embedding = names
    weights = [_output_last(_get(state, name, "weights"), layout, name) for name in (query, key)]
    _refuse_normed(map(str, state), beside=(query, key))
    layer = _layer(query)
    if _apart(layer, _layer(key)):
        raise HeadError(
            f"by their names, {query} and {key} belong to different layers: a head has both of one"
        )
    if embedding is None:
        raise HeadError(
            "a head compares embeddings: name them (embedding=...), a matrix of shape (K, d) with "
            f"d={len(weights[0].values)}; a model that ties them may keep them under the name of "
            "its output head"
        )
    entering = stored(_get(state, embedding, "the embeddings"), f"tensor {embedding}", axes=2)
    for weight, name in zip(weights, (query, key), strict=True):
        _check_width(weight, name, entering, embedding, layout)
    packing = _packing(packed, query if query == key else None)
    heads = _heads(which[1], weights[0], packing)
    biases = [_bias(state, name) for name in (query, key)]
    parts = cut(weights[0], weights[1], *biases, which=(which[0], heads, which[2]), packed=packing)
    notes = (f"Embeddings: {embedding}.", *_ties(state, embedding, entering))
    if layer:
        notes += (
            f"By its name, {query} belongs to layer {layer}, counted from 0, and "
            f"{embedding} enters it: if that holds bare tokens, the table is a guess, to be "
            "tested on text.",
        )
    if packing is not None:
        kv = heads if which[2] is None else which[2]
        notes += (_packed_note(packing, heads, kv, parts.W_Q.values.shape[1]),)
    if any(bias is not None for bias in biases):
        notes += ("Biases of queries and keys are read.",)
    if norm[0] is None:
        return parts, entering, (*notes, "No norm is applied to the embeddings.")
    weight, bias, kind = norm_of_state(state, norm[0], norm[1])
    E = normalized(entering.values, weight, bias, kind=kind, eps=norm[2])
    notes += (f"The embeddings pass the norm {norm[0]} ({kind}) first.",)
    if _apart(layer, _layer(norm[0])):
        notes += (f"By their names, {norm[0]} and {query} belong to different layers.",)
    return parts, Stored(E, entering.kind), notes


def cut(
    query: Stored,
    key: Stored,
    query_bias: Stored | None,
    key_bias: Stored | None,
    *,
    which: tuple[int, int, int | None],
    packed: str | None,
) -> Projections:
    """Cut one head out of the projections of all, columns being outputs."""
    heads = whole(which[1], "heads", least=1)
    head = _index(which[0], heads)
    wide, wide_key = query.values.shape[1], key.values.shape[1]
    kv = None if which[2] is None else whole(which[2], "kv_heads", least=1, most=heads)
    if packed is not None:
        told, kv = kv is not None, heads if kv is None else kv
        size, rest = divmod(wide, heads + 2 * kv)
        if rest:
            raise HeadError(
                f"packed weights with {wide} outputs do not hold queries of {heads} heads, and "
                f"keys and values of {kv}: {wide} is no multiple of {heads + 2 * kv}; is it the "
                "other layout (--layout), or another kv_heads (--kv-heads)?"
            )
        # Shared keys can divide evenly, too: then every cut would be a wrong one.
        if not told and heads * size != (d := len(query.values)):
            raise HeadError(
                f"packed weights with {wide} outputs would give {heads} heads {size} each, which "
                f"makes {heads * size} and not the {d} numbers they read: say kv_heads ({heads} "
                "if none is shared), or is it the other layout (--layout)?"
            )
    else:
        size, rest = divmod(wide, heads)
        if rest:
            raise HeadError(f"{wide} outputs of the queries cannot be shared by {heads} heads")
        found, rest = divmod(wide_key, size)
        if rest or not found or (kv or found) != found:
            raise HeadError(
                f"keys with {wide_key} outputs do not fit queries with {wide}: each of {heads} "
                f"heads has {size}, so {size} × {kv or heads} are expected, or fewer, shared"
            )
        kv = kv or found
    if heads % kv:
        raise HeadError(f"{heads} query heads cannot share {kv} key heads evenly")
    for weight, bias, whose in ((query, query_bias, "queries"), (key, key_bias, "keys")):
        if bias is not None and bias.values.shape != (outputs := weight.values.shape[1:]):
            raise HeadError(
                f"the bias of the {whose} has {len(bias.values)} numbers and their weight "
                f"{outputs[0]} outputs: is it the other layout (--layout), or the bias of "
                "another layer?"
            )
    shared, among = divmod(head, per := heads // kv)  # which key head, which of its query heads
    if packed == "by-head":  # the query heads of a key head, then it, then its values
        first = shared * (per + 2)
        at, key_at = first + among, first + per
    else:
        at, key_at = head, shared + (heads if packed else 0)
    mine, theirs = (slice(place * size, (place + 1) * size) for place in (at, key_at))
    return Projections(
        _columns(query, mine), _columns(key, theirs),
        _columns(query_bias, mine), _columns(key_bias, theirs),
    )  # fmt: skip


def _packing(packed: str | None, matrix: str | None) -> str | None:
    """In which order a matrix holds queries, keys and values; None if there is no such matrix."""
    if packed is not None:
        one_of(packed, "packed", PACKED)
    if matrix is None:
        if packed is not None:
            raise OptionError(
                f"packed={packed!r}: queries and keys stand apart here; leave packed (--packed) out"
            )
        return None
    if packed is None and EITHER in matrix:
        raise HeadError(
            f"{matrix} may hold all queries first or one head after the other: say packed "
            "(--packed), by-head for Pythia, BLOOM and Falcon, by-kind for the other order"
        )
    return packed or PACKED[0]


def _packed_note(packing: str, heads: int, kv: int, size: int) -> str:
    if packing == "by-kind":
        told = f"queries of {heads} heads, then keys and values of {kv}"
    else:
        queries = "a query" if heads == kv else f"{heads // kv} queries"
        told = f"{kv} times {queries}, a key and a value"
    return f"The packed weights are read as {told}, each {size} wide."


def _heads(asked: int | None, query: Stored, packing: str | None) -> int:
    """The number of heads as asked; one where the weights are narrow enough to be those of one."""
    reads, writes = query.values.shape
    if asked is None and (packing is not None or 2 * writes > reads):
        raise HeadError(
            f"weights with {writes} outputs that read {reads} numbers may be those of several "
            "heads: say how many (heads=..., or --heads)"
        )
    return 1 if asked is None else asked


def _layer(name: str) -> int | None:
    """The layer to which a tensor belongs by its name, counted from 0."""
    found = LAYER.search(name)
    return int(found[1]) if found else None


def _apart(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one != other


def _check_width(weight: Stored, name: str, entering: Stored, embedding: str, layout: str) -> None:
    """Refuse weights that read vectors of another length than the embeddings have."""
    (reads, writes), wide = weight.values.shape, entering.values.shape[1]
    if reads == wide:
        return
    other = next(one for one in LAYOUTS if one != layout)
    turned = f"; the other layout would fit: layout={other!r}, or --layout {other}"
    raise HeadError(
        f"tensor {name}, in the layout {layout!r}, reads vectors of {reads} numbers and "
        f"{embedding} of shape {entering.values.shape} has {wide}{turned if writes == wide else ''}"
    )


def _index(head: object, heads: int) -> int:
    found = whole(head, "head")
    if found >= heads:
        raise OptionError(f"head={found}: there are {heads}, numbered 0 to {heads - 1}")
    return found


def _refuse_normed(names: Iterable[str], *, beside: tuple[str, ...]) -> None:
    """Refuse norms of queries or keys that stand where the weights do, or around them."""
    for name in names:
        norm = QK_NORMS.search(name)
        if norm and any(weight.startswith(name[: norm.start()]) for weight in beside):
            raise HeadError(
                f"this layer normalizes queries and keys themselves ({name}), so its scores are no "
                "product of two matrices and embeddings: it cannot be read as one table"
            )


def _columns(part: Any, chosen: slice) -> Any:
    return None if part is None else Stored(part.values[..., chosen], part.kind)


def _get(state: Mapping[str, Any], name: object, what: str) -> Any:
    if not isinstance(name, str) or name not in state:
        raise missing(name, [str(held) for held in state], what=what)
    return state[name]


def _output_last(value: Any, layout: str, name: str) -> Stored:
    found = stored(value, f"tensor {name}", axes=2)
    return Stored(found.values.T, found.kind) if layout == "linear" else found


def _bias(state: Mapping[str, Any], weight: str) -> Stored | None:
    """The bias that goes with a weight, if there is one."""
    name = "bias".join(weight.rsplit("weight", 1))
    if name == weight or name not in state:
        return None
    return stored(state[name], f"tensor {name}", axes=1)


def _ties(state: Mapping[str, Any], embedding: str, entering: Stored) -> tuple[str, ...]:
    """Say whether the embeddings are also the output head, and refuse to take one for the other."""
    output = _is_output(embedding)
    for name in map(str, state):
        match = INPUTS.search(name) if output else _is_output(name)
        if not match or name == embedding or _shape(state, name) != entering.values.shape:
            continue
        if np.array_equal(stored(state[name], f"tensor {name}").values, entering.values):
            return (f"The model is tied: {name} is the same matrix, read as token embeddings.",)
        if output:
            raise HeadError(
                f"{embedding} is the output head and differs from {name}, of the same shape: the "
                f"embeddings that enter the layers are {name}"
            )
    only = "Only an output head is stored; it is read as token embeddings, as in a tied model."
    return (only,) if output else ()


def _is_output(name: str) -> bool:
    return bool(OUTPUT_HEADS.search(name)) and not INPUTS.search(name)


def _shape(state: Mapping[str, Any], name: str) -> tuple[int, ...]:
    asked = getattr(state, "shape", None)
    return tuple(asked(name) if asked else getattr(state[name], "shape", ()))


def from_module(
    module: Any,
    E: Any,
    *,
    which: tuple[int, int | None, int | None],
    packed: str | None,
    norm: Any,
) -> tuple[Projections, Stored, tuple[str, ...], float | None]:
    """Cut a head out of a layer of PyTorch: projections, what enters, notes and scale."""
    layer = module
    if hasattr(module, "self_attn"):
        layer = module.self_attn
        if getattr(module, "norm_first", False) and norm is None:
            norm = module.norm1
    _refuse_normed(dir(layer), beside=("",))
    if all(getattr(layer, name, None) is None for name in ATTENTIONS):
        raise _no_attention(layer)
    heads = _told(which[1], layer, ("num_heads", "n_head", "n_heads", "num_attention_heads"))
    parts = _projections(layer, (which[0], heads, which[2]), packed)
    entering = stored(getattr(E, "weight", E), "E", axes=2)
    notes: tuple[str, ...] = ("No norm is applied to the embeddings.",)
    if norm is not None:
        weight, bias, kind, eps = norm_of_module(norm)
        E = normalized(entering.values, weight, bias, kind=kind, eps=eps)
        entering, notes = Stored(E, entering.kind), (f"The embeddings pass a {kind} norm first.",)
    if getattr(layer, "bias_k", None) is not None or getattr(layer, "add_zero_attn", False):
        notes += ("The layer looks at places that hold no token; they are left out.",)
    scale = getattr(layer, "scaling", None)
    return parts, entering, notes, scale if isinstance(scale, float) else None


def _told(asked: int | None, layer: Any, names: tuple[str, ...]) -> int:
    """The number of heads: as asked, or as the layer says."""
    places = (layer, getattr(layer, "config", None))
    told = [getattr(place, name, None) for place in places for name in names]
    counts = [count for count in told if isinstance(count, int)]
    if asked is None and not counts:
        raise OptionError("heads=None: this module does not say how many heads it has; say it")
    heads = whole(counts[0] if asked is None else asked, "heads", least=1)
    if counts and heads != counts[0]:
        raise OptionError(f"heads={heads}: this module has {counts[0]}; leave heads out")
    return heads


def _projections(layer: Any, which: tuple[int, int, int | None], packed: str | None) -> Projections:
    if getattr(layer, "in_proj_weight", None) is not None:
        matrix = _linear(layer.in_proj_weight, "in_proj_weight")
        bias = _maybe(getattr(layer, "in_proj_bias", None), "in_proj_bias")
        packing = _packing(packed, "in_proj_weight")
        return cut(matrix, matrix, bias, bias, which=which, packed=packing)
    for name in ("c_attn", EITHER):
        if (held := getattr(layer, name, None)) is not None:
            matrix = _linear(held.weight, name)
            if name == "c_attn" and matrix.values.shape[0] >= matrix.values.shape[1]:
                matrix = Stored(matrix.values.T, matrix.kind)  # columns are outputs
            bias = _maybe(getattr(held, "bias", None), f"{name}.bias")
            return cut(matrix, matrix, bias, bias, which=which, packed=_packing(packed, name))
    _packing(packed, None)
    if getattr(layer, "q_proj_weight", None) is not None:  # keys of another width than queries
        query, key = (_linear(getattr(layer, f"{x}_proj_weight"), f"{x}_proj_weight") for x in "qk")
        bias = _maybe(getattr(layer, "in_proj_bias", None), "in_proj_bias")
        wide = query.values.shape[1]
        if bias is not None and bias.values.shape != (3 * wide,):
            raise HeadError(
                f"in_proj_bias has {len(bias.values)} numbers: queries, keys and values of {wide} "
                f"outputs each have {3 * wide}"
            )
        parts = (_columns(bias, slice(at, at + wide)) for at in (0, wide))
        return cut(query, key, *parts, which=which, packed=None)
    if hasattr(layer, "q_proj") and hasattr(layer, "k_proj"):
        pair = layer.q_proj, layer.k_proj
        query, key = (_linear(one.weight, "q_proj and k_proj") for one in pair)
        biases = [_maybe(getattr(one, "bias", None), "the bias") for one in pair]
        return cut(query, key, *biases, which=which, packed=None)
    raise _no_attention(layer)


def _no_attention(layer: Any) -> HeadError:
    return HeadError(
        f"{shown(layer)} has none of in_proj_weight, q_proj with k_proj, c_attn and "
        "query_key_value: if it is an attention, name its weights with "
        "Head.from_state(module.state_dict(), query=..., key=..., embedding=...)"
    )


def _linear(weight: Any, name: str) -> Stored:
    return _output_last(weight, "linear", name)


def _maybe(bias: Any, name: str) -> Stored | None:
    return None if bias is None else stored(bias, name, axes=1)
