"""Norms between the embeddings and a head: of which kind one is, and what comes out of it.

A file holds the numbers of a norm and not its formula; a module of PyTorch can be asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.heads.errors import HeadError, missing
from nta_beyond.heads.tensors import ROUNDING, ROWS, stored
from nta_core.boundary import number, one_of, shown

NORMS = ("layer", "rms", "rms+1")
# What gain and offset are called; the second pair in BERT's own files.
CALLED = (("weight", "bias"), ("gamma", "beta"))
SMALL = 1e-3  # size of a vector of which half precision keeps the square
LOOSE = 1e-4, 16  # how far a module may lie from its formula: this, and so many roundings


def normalized(
    E: ArrayLike,
    weight: ArrayLike,
    bias: ArrayLike | None = None,
    *,
    kind: str = "layer",
    eps: float = 1e-5,
) -> Any:
    """Return embeddings after a norm: what a head reads in most of today's models.

    Parameters
    ----------
    E : array of shape (K, d)
        Token embeddings.
    weight, bias : arrays of shape (d,)
        Gain and offset of the norm.
    kind : {"layer", "rms", "rms+1"}
        LayerNorm takes the mean away and divides by the standard deviation; RMSNorm divides by
        the root of the mean square.  With ``"rms+1"`` the gain is 1 + weight, as in Gemma.
    eps : float
        Added to the variance.

    Examples
    --------
    >>> normalized([[3.0, 1.0]], [1.0, 1.0], kind="layer").round(3)
    array([[ 1., -1.]])
    >>> normalized([[3.0, 1.0]], [0.0, 1.0], kind="rms+1").round(3)
    array([[1.342, 0.894]])

    Explained in: chapter 17.
    """
    one_of(kind, "norm_kind", NORMS)
    added = number(eps, "norm_eps", least=0, most=1e9)
    values = stored(E, "E", axes=2).values
    gain = stored(weight, "the norm's weight", axes=1).values
    offset = None if bias is None else stored(bias, "the norm's bias", axes=1).values
    for part in (gain, offset):
        if part is not None and part.shape != values.shape[1:]:
            raise HeadError(
                f"the norm has {len(part)} numbers and the embeddings of shape {values.shape} "
                f"have {values.shape[1]}"
            )
    if kind == "rms+1":
        gain = 1.0 + gain.astype(np.float64)
    found = np.empty(values.shape)
    for begin in range(0, len(values), rows := max(1, ROWS // values.shape[1])):
        x = values[begin : begin + rows].astype(np.float64)
        if kind == "layer":
            x = x - x.mean(axis=1, keepdims=True)
        size = np.sqrt((x * x).mean(axis=1, keepdims=True) + added)
        found[begin : begin + rows] = x / np.where(size > 0, size, 1.0) * gain
    return found if offset is None else found + offset


def norm_of_state(state: Mapping[str, Any], name: object, kind: str | None) -> tuple[Any, Any, str]:
    """Gain, offset and kind of a norm among named tensors; without an offset the kind is asked."""
    if kind is not None:
        one_of(kind, "norm_kind", NORMS)
    weight, bias = _parts(state, name)
    if bias is None and kind is None:
        raise HeadError(
            f"the norm {name} has no bias, and the file does not say of which kind it is: say "
            "norm_kind (--norm-kind), rms for Llama, rms+1 for Gemma, layer for a LayerNorm"
        )
    return weight, bias, kind or "layer"


def _parts(state: Mapping[str, Any], name: object) -> tuple[Any, Any]:
    if not isinstance(name, str):
        raise missing(name, [str(held) for held in state], what="the norm")
    for gain, offset in CALLED:
        stem = name.removesuffix(f".{gain}")
        if f"{stem}.{gain}" in state:
            return state[f"{stem}.{gain}"], state.get(f"{stem}.{offset}")
    if name not in state:
        raise missing(f"{name}.weight", [str(held) for held in state], what="the norm")
    return state[name], None


def norm_of_module(norm: Any) -> tuple[Any, Any, str, float]:
    """Gain, offset, kind and eps of a module: those with which it does what it does."""
    weight, bias = getattr(norm, "weight", None), getattr(norm, "bias", None)
    if weight is None or not callable(norm):
        raise HeadError(f"norm must be a norm with a weight, got {shown(norm)}")
    kept = stored(weight, "the norm's weight", axes=1)
    told = getattr(norm, "eps", getattr(norm, "variance_epsilon", 1e-5))
    # Without one, PyTorch adds the eps of a type of numbers: its own, or that it computes in.
    types = dict.fromkeys((kept.kind, "float32"))
    for eps in (told,) if told is not None else (2 * ROUNDING[kind] for kind in types):
        added = number(eps, "the eps of the norm", least=0, most=1e9)
        entering, leaving = _run(norm, weight, added)
        allowed = (LOOSE[0] + LOOSE[1] * ROUNDING[kept.kind]) * np.abs(leaving).max()
        for kind in NORMS:
            found = normalized(entering, weight, bias, kind=kind, eps=added)
            if np.abs(found - leaving).max() <= allowed:
                return weight, bias, kind, added
    raise HeadError(
        f"{shown(norm)}, run on two vectors, does not do what a LayerNorm or an RMSNorm with its "
        "weight, bias and eps does: give as E what comes out of it"
    )


def _run(norm: Any, weight: Any, eps: float) -> tuple[Any, Any]:
    """Two vectors with a mean, the second so small that eps counts, and what becomes of them."""
    wave = 1.0 + np.cos(np.arange(len(weight)) * 2.0)
    small = min(max(eps**0.5, SMALL), 1.0)
    try:
        entering = weight.detach().new_tensor([(wave * size).tolist() for size in (1.0, small)])
        leaving = norm(entering)
    except Exception as reason:  # it is anybody's code
        raise HeadError(f"{shown(norm)} cannot be run on two vectors: {shown(reason)}") from None
    parts = stored(entering, "what enters the norm"), stored(leaving, "what leaves the norm")
    if parts[0].values.shape != parts[1].values.shape:
        raise HeadError(f"{shown(norm)} is no norm: it changes the shape of what enters it")
    return parts[0].values, parts[1].values.astype(np.float64)
