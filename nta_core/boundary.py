"""The boundary of the package: every argument a caller gives is checked by one of these.

Each returns the value in the form the code behind it works with, or raises a named error whose
sentence says what is wrong, where, and what to do.  Behind the boundary nothing is checked again.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from importlib import import_module
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.errors import (
    DataError,
    EmbeddingError,
    MissingPackage,
    NTAError,
    OptionError,
    TooLarge,
    UnknownToken,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
T = TypeVar("T")

LARGEST_ID = 2**63 - 1
EXTREME = 1e50  # products of four such entries, and of their inverses, still fit a float64


def whole(value: object, name: str, *, least: int = 0, most: int | None = None) -> int:
    """Return `value` as an int from `least` to `most`; True, 2.0 and "2" are none."""
    fits = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not fits or value < least or value > (LARGEST_ID if most is None else most):  # type: ignore[operator]
        upto = f"from {least} to {most}" if most is not None else f"{least} or more"
        raise OptionError(f"{name}={shown(value)}: must be an integer, {upto}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def number(
    value: object,
    name: str,
    *,
    least: float | None = None,
    above: float | None = None,
    most: float | None = None,
    below: float | None = None,
) -> float:
    """Return `value` as a finite float within these bounds; `above` and `below` are not reached."""
    try:
        found = np.nan if isinstance(value, bool) else _float(value)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        found = np.nan
    bounds = ((least, np.greater_equal, "at least"), (above, np.greater, "above"),
              (most, np.less_equal, "at most"), (below, np.less, "below"))  # fmt: skip
    asked = [(bound, holds, word) for bound, holds, word in bounds if bound is not None]
    if not np.isfinite(found) or not all(holds(found, bound) for bound, holds, _ in asked):
        words = " and ".join(f"{word} {bound:g}" for bound, _, word in asked)
        raise OptionError(f"{name}={shown(value)}: must be a finite number{words and ', ' + words}")
    return found


def one_of(value: T, name: str, choices: Collection[T]) -> T:
    """Return `value` if it is among the choices; the message lists them."""
    if not any(type(value) is type(choice) and value == choice for choice in choices):
        raise OptionError(f"{name}={shown(value)}: choose one of {', '.join(map(str, choices))}")
    return value


def a(kind: type[T], value: object, name: str, *, error: type[NTAError] = OptionError) -> T:
    """Return `value` if it is a `kind`, for arguments that only this package can make."""
    if not isinstance(value, kind):
        raise error(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def seed_of(seed: object, name: str = "seed") -> int | None:
    """Return a seed for numpy's generator: an integer, 0 or more, or None for a fresh one."""
    return None if seed is None else whole(seed, name)


def reals(values: object, name: str, *, error: type[NTAError] = EmbeddingError) -> Floats:
    """Return an array (also a tensor or a data frame) of finite real numbers as float64."""
    array = _array(values, name, error)
    if array.dtype.kind == "O":  # fractions and decimals are real numbers, None and text are not
        try:
            array = np.array([_float(entry) for entry in array.flat]).reshape(array.shape)
        except (TypeError, ValueError, OverflowError):
            raise error(f"{name} must hold real numbers, got {shown(values)}") from None
    if array.dtype.kind not in "buif":
        raise error(f"{name} must hold real numbers, got an array of {array.dtype}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise error(f"{name} has a NaN or infinite entry, the first at {where}")
    return array


def integers(values: object, name: str, *, error: type[NTAError] = DataError) -> Ints:
    """Return an array (also a tensor or a data frame) of integers as int64; 2.0 is none."""
    array = _array(values, name, error)
    if array.size == 0:
        return array.astype(np.int64)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.max() > LARGEST_ID):
        raise error(f"{name} must hold integers below 2⁶³, got {shown(values)} ({array.dtype})")
    return array.astype(np.int64)


def token_id(token: object, K: int, names: Sequence[str] = ()) -> int:
    """Return the id of a token given by its id or, where there are names, by its name."""
    if isinstance(token, str) and token in names:
        return names.index(token)
    known = isinstance(token, (int, np.integer)) and not isinstance(token, bool)
    if not known or not 0 <= token < K:  # type: ignore[operator]
        called = f" ({', '.join(names[:8])}{', …' if len(names) > 8 else ''})" if names else ""
        raise UnknownToken(f"token {shown(token)} is not in the vocabulary 0…{K - 1}{called}")
    return int(token)  # type: ignore[call-overload, no-any-return]


def check_context(context: object, K: int, names: Sequence[str] = ()) -> Ints:
    """Return a context (ids or names) as token ids, shape (T,), or say which is unknown."""
    if isinstance(context, str):
        context = context.split()  # "e1 e2 e1" reads as it does in a text form
    array = _array(context, "context", DataError)
    if array.ndim != 1 or array.size == 0:
        raise DataError("a context needs at least one token: the last one is the query")
    if array.dtype.kind not in "iuUO":
        raise DataError(f"a context holds token ids (integers) or names, got {shown(context)}")
    return np.array([token_id(token, K, names) for token in array.tolist()], dtype=np.int64)


def check_embeddings(E: ArrayLike, K: int) -> Floats:
    """Return E as a finite float64 array of shape (K, d), or say what is wrong with it."""
    array = reals(E, "E")
    if array.ndim != 2 or array.shape[0] != K or array.shape[1] < 1:
        raise EmbeddingError(
            f"E must have shape (K, d) = ({K}, d) with one row per token, got {array.shape}"
        )
    size = float(np.abs(array).max())
    if not (size == 0 or 1 / EXTREME <= size <= EXTREME):
        raise EmbeddingError(
            f"the largest entry of E is {size:.3g} in size, and products of such numbers leave "
            "float64: divide E by it"
        )
    return array


def check_weights(W: ArrayLike, d: int, *, many: bool = False) -> Floats:
    """Return W as a finite float64 array of shape (d, d), or say what is wrong with it.

    With `many` it may be a stack of such matrices, of shape (..., d, d).
    """
    array = reals(W, "W")
    if (array.shape[-2:] if many else array.shape) != (d, d):
        raise EmbeddingError(f"W must have shape (d, d) = ({d}, {d}), got {array.shape}")
    if array.size and float(np.abs(array).max()) > EXTREME**2:
        raise EmbeddingError(f"W has entries above {EXTREME**2:g}: its scores would leave float64")
    return array


def room_for(needed: float, what: str, *, instead: str) -> None:
    """Refuse, before anything is allocated, what needs more bytes than this machine has left."""
    free = memory_left()
    if needed > free:
        raise TooLarge(
            f"{what} needs {needed / 1e9:.3g} GB and {free / 1e9:.3g} GB are free: {instead}"
        )


def memory_left() -> float:
    """Bytes that can still be had; NTA_MEMORY_GB in the environment says otherwise."""
    if told := os.environ.get("NTA_MEMORY_GB"):
        return 1e9 * number(told.strip() and float(told), "NTA_MEMORY_GB", above=0)
    try:
        with open("/proc/meminfo") as lines:
            return 1024.0 * next(int(line.split()[1]) for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):  # not Linux: half of what is built in
        return 0.5 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def needs(package: str, *, wanted_for: str, extra: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package.partition(".")[0]:
            raise  # it is there, and something of its own is not
        raise MissingPackage(package, wanted_for=wanted_for, extra=extra) from None


def shown(value: object) -> str:
    """A value as a message shows it: short, and never an error of its own."""
    try:
        text = repr(value)
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]}… (a {type(value).__name__})"


def _float(value: object) -> float:
    if isinstance(value, (str, bytes, complex, np.complexfloating)) or value is None:
        raise TypeError(value)
    return float(value)  # type: ignore[arg-type]


def _array(values: object, name: str, error: type[NTAError]) -> NDArray[Any]:
    try:
        if hasattr(values, "detach"):  # a tensor that is still being trained, or on a device
            values = values.detach().cpu().numpy()
        return np.asarray(values)
    except Exception as reason:
        raise error(f"{name} cannot be read as an array: {reason}") from None
