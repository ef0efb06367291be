"""Numbers as models store them: any precision in, float32 or float64 and its rounding out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nta_beyond.heads.errors import HeadError
from nta_core.boundary import EXTREME, array_of, reals, room_for

# Half the distance of two neighbouring numbers, relative to them: what storing a weight loses.
ROUNDING = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
QUANTIZED = (
    "numbers of 8 bits and integers need the scales of whoever quantized them; store the weights "
    "as floating point first"
)
ROWS = 1 << 22  # entries looked at in one go


@dataclass(frozen=True, eq=False)
class Stored:
    """A tensor of a model.

    Attributes
    ----------
    values : float32 or float64 array
        What it holds; narrower numbers fit float32 exactly.
    kind : str
        In what it was stored, a key of `ROUNDING`.
    """

    values: NDArray[np.floating[Any]]
    kind: str


def stored(values: object, name: str, *, axes: int | None = None) -> Stored:
    """Return an array or tensor of finite numbers, or say what is wrong with it."""
    found = values if isinstance(values, Stored) else _read(values, name)
    array = found.values
    if axes is not None and (array.ndim != axes or not array.size):
        wanted = {1: "one axis", 2: "two axes"}[axes]
        raise HeadError(f"{name} must have {wanted} and no empty one, got shape {array.shape}")
    flat, largest = array.reshape(-1), 0.0
    for begin in range(0, flat.size, ROWS):
        size = float(np.abs(flat[begin : begin + ROWS]).max())
        largest = max(largest, size)
        if not size < np.inf:  # nan is not, either
            place = begin + int(np.argmin(np.isfinite(flat[begin : begin + ROWS])))
            where = tuple(int(i) for i in np.unravel_index(place, array.shape))
            raise HeadError(
                f"{name} has a NaN or infinite entry, the first at {where}: this head was not "
                "trained to an end, or was stored wrongly"
            )
    if largest > EXTREME:
        raise HeadError(f"{name} has an entry of {largest:.3g}: products of such leave float64")
    return found


def _read(values: object, name: str) -> Stored:
    kind = str(getattr(values, "dtype", "float64")).removeprefix("torch.")
    if kind == "bfloat16" and hasattr(values, "detach"):
        values = values.detach().float()  # numpy has no such numbers
    array = array_of(values, name, HeadError)
    if array.dtype.kind in "biu" and hasattr(values, "dtype"):  # a list of 1 and 2 is no model's
        raise HeadError(f"{name} holds {array.dtype}: {QUANTIZED}")
    if array.dtype in (np.float16, np.float32):
        return Stored(array.astype(np.float32), kind if kind in ROUNDING else str(array.dtype))
    room_for(8.0 * array.size, f"{name} in float64", instead="store it in float32")
    return Stored(reals(values, name, error=HeadError), "float64")


def coarsest(*parts: Stored | None) -> str:
    """The kind of number that lost most."""
    return max((part.kind for part in parts if part is not None), key=ROUNDING.__getitem__)
