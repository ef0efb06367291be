"""The boundary of the package: every argument a caller gives is checked by one of these.

Each returns the value in the form the code behind it works with, or raises a named error whose
sentence says what is wrong, where, and what to do.  Behind the boundary nothing is checked again.
"""

from __future__ import annotations

import operator
import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from importlib import import_module
from itertools import islice
from numbers import Real
from reprlib import Repr
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nta_core.errors import (
    DataError,
    EmbeddingError,
    MissingPackage,
    NTAError,
    OptionError,
    SolverDidNotConverge,
    TooLarge,
    UnknownToken,
)

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Kind = type[NTAError]
T = TypeVar("T")

LARGEST_ID, LARGEST_SEED = 2**63 - 1, 2**1024  # numpy recommends seeds of 128 bits
MAX_K = 2_000_000  # an edge is one integer key (last·K + label)·K + token, which must fit 63 bits
LONGEST = 2_000_000  # entries read from something that does not say how many it has
BRIEFLY = Repr()  # of a list of a million entries it looks at six
BRIEFLY.maxstring = BRIEFLY.maxother = 75
ALWAYS_THERE = 5e7  # bytes that nobody need ask for
WORD = re.compile(r"[^\s\ufeff\ud800-\udfff]+")  # no space, byte order mark or half character
HOLDS = {"least": operator.ge, "above": operator.gt, "most": operator.le, "below": operator.lt}
EXTREME = 1e50  # products of four such entries, and of their inverses, still fit a float64


def whole(
    value: object, name: str, *, least: int = 0, most: int = LARGEST_ID, error: Kind = OptionError
) -> int:
    """Return `value` as an int from `least` to `most`; True, 2.0 and "2" are none."""
    if not is_integer(value) or not least <= value <= most:  # type: ignore[operator]
        upto = f"from {least} to {most}" if most < LARGEST_ID else f"{least} or more"
        upto += ", below 2⁶³" * (most == LARGEST_ID)
        raise error(f"{name}={shown(value)}: must be an integer, {upto}")
    return int(value)  # type: ignore[call-overload, no-any-return]


def is_integer(value: object) -> bool:
    """Whether a value is an integer, of Python or numpy; True and a span of time are none."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def flag(value: object, name: str) -> bool:
    """Return True or False; "no" and 0 are neither."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name}={shown(value)}: must be True or False")
    return bool(value)


def number(value: object, name: str, **bounds: float) -> float:
    """Return `value` as a finite float, `least`, `most`, `above` and `below` being its bounds."""
    try:
        found = _float(value)
    except Exception:
        found = np.nan
    if not np.isfinite(found) or not all(HOLDS[key](found, at) for key, at in bounds.items()):
        words = " and ".join(f"{key} {at:g}" for key, at in bounds.items())
        words = words.replace("least", "at least").replace("most", "at most")
        raise OptionError(f"{name}={shown(value)}: must be a finite number{words and ', ' + words}")
    return found


def one_of(value: object, name: str, choices: Collection[T]) -> T:
    """Return the choice that `value` equals; the message lists them all."""
    for choice in choices:
        # of one type first: an array, or True for 1, is never asked whether it is equal
        alike = type(value) is type(choice) or (isinstance(value, str) and isinstance(choice, str))
        if alike and value == choice:
            return choice
    raise OptionError(f"{name}={shown(value)}: choose one of {', '.join(map(str, choices))}")


def a(kind: type[T], value: object, name: str, *, error: Kind = OptionError) -> T:
    """Return `value` if it is a `kind`, for arguments that only this package can make."""
    if not isinstance(value, kind):
        raise error(f"{name} must be a {kind.__name__}, got {shown(value)}")
    return value


def seed_of(seed: object, name: str = "seed") -> int | None:
    """Return a seed for numpy's generator: an integer, 0 or more, or None for a fresh one."""
    return None if seed is None else whole(seed, name, most=LARGEST_SEED)


def generator(seed: object) -> np.random.Generator:
    """Return numpy's generator for a seed, or the generator that was given."""
    return seed if isinstance(seed, np.random.Generator) else np.random.default_rng(seed_of(seed))


def reals(values: object, name: str, *, error: Kind = EmbeddingError) -> Floats:
    """Return an array (also a tensor or a data frame) of finite real numbers as float64."""
    return _reals(values, name, error)[0]


def _reals(values: object, name: str, error: Kind) -> tuple[Floats, float]:
    """The array, and the size of its largest entry."""
    array = array_of(values, name, error)
    if array.dtype.kind == "O":  # fractions and decimals are real numbers, None and text are not
        try:
            array = np.array([_float(entry) for entry in array.flat]).reshape(array.shape)
        except Exception:
            raise error(f"{name} must hold real numbers, got {shown(values)}") from None
    if array.dtype.kind not in "buif":
        raise error(f"{name} must hold real numbers, got {shown(values)} ({array.dtype})")
    if array.dtype.itemsize > 8:  # of 128 bits: what is too large becomes infinite without a word
        with np.errstate(over="ignore"):
            array = array.astype(np.float64)
    array = array.astype(np.float64)
    largest = float(np.maximum.reduce(np.abs(array), axis=None, initial=0.0))
    if not largest < np.inf:  # nan is not, either
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise error(f"{name} has a NaN or infinite entry, the first at {where}: replace it")
    return array, largest


def integers(values: object, name: str, *, error: Kind = DataError) -> Ints:
    """Return an array (also a tensor or a data frame) of integers as int64; 2.0 is none."""
    array = array_of(values, name, error)
    if array.size == 0:
        return np.zeros(array.shape, dtype=np.int64)
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and array.max() > LARGEST_ID):
        raise error(f"{name} must hold integers below 2⁶³, got {shown(values)} ({array.dtype})")
    return array.astype(np.int64)


def default_names(K: int) -> tuple[str, ...]:
    """What tokens are called unless they have names of their own."""
    return tuple(f"e{k + 1}" for k in range(K))


def token_id(token: object, K: int, names: Sequence[str] = (), *, what: str = "token") -> int:
    """Return the id of a token given by its id or its name (e1, e2, … where there are none)."""
    if isinstance(token, str) and token in (names := names or default_names(K)):
        return names.index(token)
    if not is_integer(token) or not 0 <= token < K:  # type: ignore[operator]
        names = names or default_names(min(K, 9))
        called = f"{', '.join(names[:8])}{', …' if K > 8 else ''}"
        raise UnknownToken(f"{what} {shown(token)} is not in the vocabulary 0…{K - 1} ({called})")
    return int(token)  # type: ignore[call-overload, no-any-return]


def check_context(context: object, K: int, names: Sequence[str] | None = ()) -> Ints:
    """Return a context (ids or names) as token ids, shape (T,), or say which is unknown."""
    known = names is None or isinstance(names, tuple)  # the names of a dataset are checked
    called = names or () if known else check_names(names, K)
    if isinstance(context, str):
        context = context.split()  # "e1 e2 e1" reads as it does in a text form
    tokens = entries(context, "a context")
    if not tokens:
        raise DataError("a context needs at least one token: the last one is the query")
    return np.array(token_ids(tokens, K, called), dtype=np.int64)


def token_ids(tokens: Collection[Any], K: int, names: Sequence[str] = ()) -> list[int]:
    """Return the ids of tokens given by ids or names."""
    if set(map(type, tokens)) == {int} and min(tokens) >= 0 and max(tokens) < K:
        return list(tokens)
    for token in tokens:
        if not isinstance(token, str) and not is_integer(token):
            raise UnknownToken(f"tokens are ids (integers) or names, got {shown(token)}")
    return [token_id(token, K, names) for token in tokens]


def entries(values: object, name: str, *, error: Kind = DataError) -> list[Any]:
    """Return the entries of a list, an array, a tensor or a column as a list, in their order."""
    if isinstance(values, (list, tuple, range)):
        return list(values)
    if not isinstance(values, Iterable) or isinstance(values, (str, bytes, set, frozenset, dict)):
        raise error(f"{name} must be a list, got {shown(values)}")
    if not hasattr(values, "__array__"):
        found = list(islice(values, LONGEST + 1))
        if len(found) > LONGEST:  # perhaps it never ends
            raise error(f"{name} has more than {LONGEST:,} entries: give an array")
        return found
    array = array_of(values, name, error)
    if array.ndim != 1:
        raise error(f"{name} must have one axis, got an array of shape {array.shape}")
    return list(array.tolist())


def check_names(names: object, K: int | None = None) -> tuple[str, ...]:
    """Return K different names without spaces, e1, e2, … for None, or say which one is none."""
    if names is None and K is not None:
        return default_names(K)
    found = tuple(names if isinstance(names, str) else entries(names, "names"))
    for i, name in enumerate(found):
        if not isinstance(name, str) or name in ("->", "→") or not WORD.fullmatch(name):
            rule = "a token's name is a non-empty word without spaces, not '->'"
            raise DataError(f"name {i} is {shown(name)}: {rule}")
    if len(set(found)) < len(found):
        twice = Counter(found).most_common(1)[0][0]
        raise DataError(f"the name {shown(twice)} is given to two tokens: names must differ")
    if K is not None and len(found) != K:
        raise DataError(f"{len(found)} names for K={K} tokens: give one name per token")
    return tuple(map(str, found))


def check_rows(rows: object, n: int) -> Ints:
    """Return rows (ids, also from the end, or a mask) as ids from 0 to n − 1, at least one."""
    asked: Any = entries(rows, "rows")
    if len(asked) == n and set(map(type, asked)) <= {bool, np.bool_}:
        asked = np.flatnonzero(asked)
    ids = integers(asked, "rows")
    if ids.ndim != 1 or not len(ids):
        raise DataError("no row is chosen: choose at least one, as [0, 2]")
    if len(outside := ids[(ids < -n) | (ids >= n)]):
        raise DataError(f"row {outside[0]}: choose among the rows 0…{n - 1}")
    return ids % n


def check_embeddings(E: ArrayLike, K: int | None = None) -> Floats:
    """Return E as a finite float64 array of shape (K, d), or say what is wrong with it."""
    array, size = _reals(E, "E", EmbeddingError)
    if array.ndim != 2 or not array.size or array.shape[0] != (K or len(array)):
        raise EmbeddingError(
            f"E must have shape (K, d) = ({K or 'K'}, d) with one row per token, got {array.shape}"
        )
    if not (size == 0 or 1 / EXTREME <= size <= EXTREME):
        what = f"the largest entry of E is {size:.3g} in size, and products of such numbers"
        raise EmbeddingError(f"{what} leave float64: divide E by it")
    return array


def check_weights(W: ArrayLike, d: int, *, many: bool = False) -> Floats:
    """Return W as a finite float64 array of shape (d, d), or say what is wrong with it.

    With `many` it may be a stack of such matrices, of shape (..., d, d).
    """
    array, size = _reals(W, "W", EmbeddingError)
    if (array.shape[-2:] if many else array.shape) != (d, d):
        raise EmbeddingError(f"W must have shape (d, d) = ({d}, {d}), got {array.shape}")
    if size > EXTREME**2:
        raise EmbeddingError(f"W has an entry of {size:.3g}: divide W, its scores leave float64")
    return array


def room_for(needed: float, what: str, *, instead: str) -> None:
    """Refuse, before anything is allocated, what needs more bytes than this machine has left."""
    if needed > ALWAYS_THERE and needed > (free := memory_left()):
        raise TooLarge(
            f"{what} needs {needed / 1e9:.3g} GB and {free / 1e9:.3g} GB are free: {instead}"
        )


def memory_left() -> float:
    """Bytes that can still be had; NTA_MEMORY_GB in the environment says otherwise."""
    if told := os.environ.get("NTA_MEMORY_GB"):
        asked = float(told) if told.replace(".", "", 1).isdecimal() else told
        return 1e9 * number(asked, "NTA_MEMORY_GB", above=0)
    try:
        with open("/proc/meminfo") as lines:
            return 1024.0 * next(int(line.split()[1]) for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration):  # not Linux: half of what is built in
        return 0.5 * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@contextmanager
def in_float64(what: str, *, instead: str) -> Iterator[None]:
    """Make of an overflow or a singular matrix inside an error that says what to do, never NaN."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            yield
    except (FloatingPointError, np.linalg.LinAlgError) as reason:
        raise SolverDidNotConverge(f"{what} leaves float64 ({reason}): {instead}") from None


def needs(package: str, *, wanted_for: str, extra: str) -> Any:
    """Import an optional package, or say how to get it."""
    try:
        return import_module(package)
    except ModuleNotFoundError as error:
        top = package.partition(".")[0]
        if (error.name or "").partition(".")[0] != top:
            raise  # it is there, and something of its own is not
        raise MissingPackage(top, wanted_for=wanted_for, extra=extra) from None


def shown(value: object) -> str:
    """A value as a message shows it: short, and never an error of its own."""
    try:
        text = " ".join(BRIEFLY.repr(value).split())
    except Exception:
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:60]}… (a {type(value).__name__})"


def _float(value: object) -> float:
    if getattr(value, "ndim", 1) == 0 and hasattr(value, "item"):
        value = value.item()  # of an array or a tensor with no axis
    if isinstance(value, bool) or not isinstance(value, (Real, Decimal)):
        raise TypeError(value)
    return float(value)


def array_of(values: object, name: str, error: Kind) -> NDArray[Any]:
    """Return what numpy makes of anything that holds an array, of any kind of entries."""
    try:
        if type(values) is np.ndarray:
            return values
        if hasattr(values, "detach"):  # a tensor that is still being trained, or on a device
            values = values.detach().cpu().numpy()
        if np.ma.is_masked(values):
            raise ValueError("it has masked entries")  # numpy would read what is under the mask
        return np.asarray(values)
    except Exception as reason:
        raise error(f"{name} cannot be read as an array: {shown(reason)}") from None
