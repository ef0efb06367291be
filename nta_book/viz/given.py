"""What a picture is given, checked once: by the annotation of each parameter, before it is drawn.

So a new picture is covered the day it is written.  Parameters with an annotation that `CHECKS` does
not know are checked by the picture itself.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_book.errors import FigureError
from nta_core.boundary import a, entries, flag, number, reals, shown, whole
from nta_core.data import Dataset
from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = 1e30  # numbers on paper are float32, and differences of them are drawn, too
MOST_NUMBERS = 4_000_000


def picture(draw: Callable[P, R]) -> Callable[P, R]:
    """Check every argument of a picture by the annotation of its parameter."""
    signature = inspect.signature(draw)
    kinds = {p.name: str(p.annotation).partition(" | None") for p in signature.parameters.values()}
    checks = {name: (CHECKS.get(kind), bool(none)) for name, (kind, none, _) in kinds.items()}

    def drawn(*args: P.args, **kwargs: P.kwargs) -> R:
        given = signature.bind(*args, **kwargs)
        for name, value in given.arguments.items():
            check, may_miss = checks[name]
            if check is not None and not (value is None and may_miss):
                given.arguments[name] = check(value, name)
        return draw(*given.args, **given.kwargs)

    # with the globals of its module, so that doctest counts it among the functions there
    here = types.FunctionType(drawn.__code__, draw.__globals__, closure=drawn.__closure__)
    return functools.update_wrapper(here, draw)


def numbers(values: object, name: str) -> NDArray[np.float64]:
    """Finite numbers that fit on paper, of any shape."""
    array = reals(values, name, error=FigureError)
    if array.size > MOST_NUMBERS:
        raise FigureError(f"{name} has {array.size:,} numbers, more than a picture can show")
    if array.size and np.abs(array).max() > LARGEST:
        raise FigureError(f"{name} has numbers above {LARGEST:g} in size: rescale them")
    return array


def along(values: object, name: str) -> NDArray[np.float64]:
    """Finite numbers along one axis, at least one."""
    array = numbers(values, name)
    if array.ndim != 1 or not array.size:
        raise FigureError(f"{name} needs shape (t,), at least one number, got {array.shape}")
    return array


def one_number(value: object, name: str) -> float:
    """A finite number that fits on paper."""
    return number(value, name, least=-LARGEST, most=LARGEST)


def text(value: object, name: str) -> str:
    """A text, or a number that stands for one."""
    if not isinstance(value, (str, int, float, np.generic)):
        raise FigureError(f"{name} must be a text, got {shown(value)}")
    return str(value)


def texts(values: object, name: str) -> list[str]:
    """Names, one per thing; the letters of a word are names, too."""
    found = [*values] if isinstance(values, str) else entries(values, name, error=FigureError)
    return [text(value, f"{name}[{i}]") for i, value in enumerate(found)]


def comparisons(values: object, name: str) -> list[tuple[int, ...]]:
    """Comparisons, or edges: tuples of token ids."""
    unordered = isinstance(values, (set, frozenset))
    found = [*values] if unordered else entries(values, name, error=FigureError)  # type: ignore[misc]
    return [tuple(tokens(value, f"{name}[{i}]")) for i, value in enumerate(found)]


def tokens(values: object, name: str) -> list[int]:
    """Rows or token ids."""
    unordered = isinstance(values, (set, frozenset))
    found = [*values] if unordered else entries(values, name, error=FigureError)  # type: ignore[misc]
    return [whole(value, f"{name}[{i}]", error=FigureError) for i, value in enumerate(found)]


def pair(values: object, name: str) -> tuple[float, float]:
    """Two numbers."""
    found = entries(values, name, error=FigureError)
    if len(found) != 2:
        raise FigureError(f"{name} must be two numbers, got {shown(values)}")
    return one_number(found[0], name), one_number(found[1], name)


def series(values: object, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Two arrays: x and y."""
    # of an array or a tensor, its two rows
    found = [*np.atleast_1d(numbers(values, name))] if hasattr(values, "ndim") else values
    if not isinstance(found, (list, tuple)) or len(found) != 2:
        raise FigureError(f"{name} must be a pair of arrays, x and y, got {shown(values)}")
    return numbers(found[0], f"{name}, x"), numbers(found[1], f"{name}, y")


def cells(values: object, name: str) -> list[NDArray[np.float64]]:
    """One array of runs per column; nan stands for a run without this number."""
    found = []
    for value in entries(values, name, error=FigureError):
        try:
            found.append(np.atleast_1d(np.asarray(value, dtype=np.float64)))
        except Exception as error:  # a value may be anything
            raise FigureError(f"{name} must hold numbers, got {shown(value)}") from error
    return found


class Line(NamedTuple):
    """A word of a league table: the races that it won of those it ran, and a note."""

    word: str
    wins: int
    races: int
    note: str


def table_lines(values: object, name: str) -> list[Line]:
    """Words of a league table, each with its races."""
    found = []
    for value in entries(values, name, error=FigureError):
        parts = entries(value, name, error=FigureError)
        if len(parts) != len(Line._fields):
            raise FigureError(f"{name}: a line is {', '.join(Line._fields)}, got {shown(value)}")
        wins, races = (whole(part, name, error=FigureError) for part in parts[1:3])
        line = Line(text(parts[0], name), wins, races, text(parts[3], name))
        if line.wins > line.races or not line.races:
            raise FigureError(f"{name}: {shown(line.word)} won {wins} of {races} races")
        found.append(line)
    return found


def count(value: object, name: str) -> int:
    """How many."""
    return whole(value, name, error=FigureError)


def mapping(check: Callable[[Any, str], R]) -> Callable[[Any, str], dict[Any, R]]:
    """A mapping from names to what the check lets through."""

    def checked(values: Any, name: str) -> dict[Any, R]:
        if not isinstance(values, Mapping):
            raise FigureError(f"{name} must be a mapping from names, got {shown(values)}")
        return {key: check(value, f"{name}[{shown(key)}]") for key, value in values.items()}

    return checked


def _titled(check: Callable[[Any, str], R]) -> Callable[[Any, str], dict[str, R]]:
    inner = mapping(check)
    return lambda values, name: {text(k, name): v for k, v in inner(values, name).items()}


CHECKS: dict[str, Callable[[Any, str], Any]] = {
    "str": lambda value, name: a(str, value, name),
    "object": text,
    "bool": flag,
    "int": lambda value, name: whole(value, name),
    "float": one_number,
    "ArrayLike": numbers,
    "Sequence[str]": texts,
    "Sequence[int]": tokens,
    "Collection[int]": tokens,
    "Collection[Comparison]": comparisons,
    "Collection[Edge]": comparisons,
    "Collection[tuple[int, int, int]]": comparisons,
    "tuple[float, float]": pair,
    "tuple[ArrayLike, ArrayLike]": series,
    "Mapping[str, ArrayLike]": _titled(numbers),
    "Mapping[str, float]": _titled(one_number),
    "Mapping[str, int]": _titled(count),
    "Mapping[str, str]": _titled(text),
    "Mapping[str, Sequence[Line]]": _titled(table_lines),
    "Mapping[str, tuple[float, float]]": _titled(pair),
    "Mapping[str, Rows]": _titled(_titled(cells)),
    "Pairs": _titled(series),
    "Mapping[Comparison, float]": mapping(one_number),
    "Dataset": lambda value, name: a(Dataset, value, name),
    "TokenPriorityGraph": lambda value, name: a(TokenPriorityGraph, value, name),
    "TokenPriorityGraphs": lambda value, name: a(TokenPriorityGraphs, value, name),
}
