"""Garbage for every public name: found by introspection, called as it should be, then spoiled.

A *call* is a public function, constructor or method with arguments that are right.  They are made
by the name of a parameter or by its annotation, never by function, so that a new function is
covered the day it is written.  Then one or two of them are replaced by garbage, and the answer must
be finite, or an `NTAError`.

``python -m tests.garbage [PART OF A NAME]`` lists what is not.
"""

from __future__ import annotations

import dataclasses
import datetime
import inspect
import itertools
import os
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nta_book.sphinx import public
from nta_core import FIG3, MissingPackage, NTAError
from tests.garbage_makers import MAKERS

BOOK = Path(__file__).resolve().parents[1] / "book"
SECONDS = 5.0  # no answer may take longer
MEMORY_GB = 3.0  # nor ask for more
RESULTS = re.compile(r"^ *Attributes\n *-+$", re.M)
PARAMETERS = re.compile(r"^ *Parameters\n *-+$", re.M)


# ---- what is right ------------------------------------------------------------------------------

# Optional arguments that keep a right call short, or make it one that any machine can answer.
QUICK = ("steps", "batch_size", "client", "folder", "force")
PLAIN = {"int": 1, "float": 0.5, "bool": True, "str": "text"}


class NoMaker(AssertionError):
    """A parameter that nobody has said how to fill."""


@dataclasses.dataclass(frozen=True)
class Call:
    """A public callable with right arguments; those of ``*texts`` under the name ``*texts``."""

    name: str
    function: Callable[..., Any]
    parameters: tuple[str, ...]
    arguments: Mapping[str, Any]
    said: str

    def __call__(self, **spoilt: Any) -> Any:
        given = {**self.arguments, **spoilt}
        many = [value for name, value in given.items() if name.startswith("*")]
        named = {name: value for name, value in given.items() if not name.startswith("*")}
        if many:
            first = [named.pop(name) for name in list(named) if name in self.before]
            return self.function(*first, *many, **named)
        return self.function(**named)

    @cached_property
    def before(self) -> set[str]:
        """Parameters that stand before ``*texts``."""
        kinds = inspect.signature(self.function).parameters.values()
        return {p.name for p in kinds if p.kind is p.POSITIONAL_OR_KEYWORD}


@cache
def public_paths() -> tuple[str, ...]:
    """The full path of every public name of the three packages, as the reference lists them."""
    from nta_book.sphinx import reference  # late: it needs what a base install has not

    rooms = [room for page in reference.api_pages(BOOK).values() for room in page]
    return tuple(dict.fromkeys(path for room in rooms for path in public.public_names(room)))


@cache
def classes() -> dict[str, type]:
    values = map(public.value_of, filter(is_there, public_paths()))
    return {value.__name__: value for value in values if is_tested(value)}


def is_there(path: str) -> bool:
    """Whether what a name needs is installed."""
    try:
        public.value_of(path)
    except (NTAError, ImportError):
        return False
    return True


def is_tested(value: object) -> bool:
    """Whether a value is a class that is no error, no protocol and nothing abstract."""
    if not inspect.isclass(value) or issubclass(value, BaseException):
        return False
    return not (getattr(value, "_is_protocol", False) or inspect.isabstract(value))


def targets(paths: tuple[str, ...]) -> Iterator[tuple[str, Callable[..., Any], type | None]]:
    """Yield every public callable with its name, and the class that it needs an instance of."""
    for path in paths:
        value = public.value_of(path)
        if not inspect.isclass(value):
            if inspect.isroutine(value):
                yield path, value, None
        elif is_tested(value):
            said = inspect.getdoc(value) or ""
            made_by_readers = PARAMETERS.search(said) or not RESULTS.search(said)
            if made_by_readers and hasattr(value, "__init__") and _signature(value):
                yield path, value, None
            for name, member in vars(value).items():
                if isinstance(member, (classmethod, staticmethod)):
                    if not name.startswith("_"):
                        yield f"{path}.{name}", getattr(value, name), None
                elif inspect.isfunction(member) and (
                    not name.startswith("_") or name in ("__getitem__", "__call__")
                ):
                    yield f"{path}.{name}", member, value


def _signature(function: Callable[..., Any]) -> inspect.Signature | None:
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def call_of(name: str, function: Callable[..., Any], owner: type | None = None) -> Call:
    """Return the callable with right arguments, or say which maker is missing."""
    if owner is not None:
        function = getattr(instance_of(owner), name.rpartition(".")[2])
    signature = _signature(function)
    assert signature is not None
    room = ".".join(name.split(".")[:2])
    arguments, parameters = {}, []
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD or parameter.name in ("args", "_"):
            continue  # passed on
        star = "*" * (parameter.kind is parameter.VAR_POSITIONAL)
        parameters.append(star + parameter.name)
        optional = parameter.default is not parameter.empty
        if not optional or (parameter.name in QUICK):
            arguments[star + parameter.name] = right_value(room, parameter, name)
    said = (inspect.getdoc(function) or "") + (inspect.getdoc(owner) or "" if owner else "")
    return Call(name, function, tuple(parameters), arguments, said)


def right_value(room: str, parameter: inspect.Parameter, asked_by: str) -> Any:
    """A right argument: by name and type, by room and name, by class, by name alone, by type."""
    annotation = parameter.annotation
    written = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    kind = written.partition(" | ")[0].strip("'\"")
    several = re.fullmatch(r"(?:Sequence|list|Iterable)\[(\w+)\]", kind)
    for own in (f"{parameter.name}: {kind}", f"{room}:{parameter.name}"):
        if own in MAKERS:
            return MAKERS[own]()
    if kind in classes():
        return instance_of(classes()[kind])
    if several and several[1] in classes():
        return [instance_of(classes()[several[1]])]
    if parameter.name in MAKERS:
        made = MAKERS[parameter.name]()
        return tensor(made) if kind == "Tensor" else made
    if kind in PLAIN:
        return PLAIN[kind]
    raise NoMaker(
        f"{asked_by} takes {parameter.name}: {written}, and nobody says how to make one: add "
        f"'{parameter.name}' (or '{room}:{parameter.name}') to MAKERS in tests/garbage_makers.py"
    )


MAKING: list[type] = []


@cache
def instance_of(kind: type) -> Any:
    """Return an instance that a public callable returns, else one that its constructor makes."""
    if (own := f"class:{kind.__name__}") in MAKERS:
        return MAKERS[own]()
    if kind in MAKING:
        raise NoMaker(f"{kind.__name__} needs itself")
    MAKING.append(kind)
    try:
        reasons = []
        for name, function, owner in list(targets(tuple(filter(is_there, public_paths())))):
            if owner is kind or not _returns(function, kind):
                continue
            try:
                found = quietly(call_of(name, function, owner))
                return found if isinstance(found, kind) else found[0]
            except MissingPackage:
                raise
            except Exception as reason:
                reasons.append(f"{name}: {reason}")
        if reasons or RESULTS.search(inspect.getdoc(kind) or ""):
            raise NoMaker(
                f"no public function makes a {kind.__name__} ({'; '.join(reasons)}): add "
                f"'class:{kind.__name__}' to MAKERS in tests/garbage_makers.py"
            )
        return quietly(call_of(kind.__name__, kind))
    finally:
        MAKING.pop()


def quietly(call: Call) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call()


def _returns(function: Callable[..., Any], kind: type) -> bool:
    if inspect.isclass(function):
        return function is kind
    annotation = str(getattr(function, "__annotations__", {}).get("return", "")).strip("'\"")
    name = re.escape(kind.__name__)
    return bool(re.fullmatch(rf"(?:list\[|tuple\[)?(?:\w+\.)*{name}(?:\]|, .*\])?", annotation))


@cache
def calls() -> tuple[Call, ...]:
    """Every public callable with right arguments."""
    return tuple(call_of(*target) for target in targets(public_paths()))


# ---- what is wrong ------------------------------------------------------------------------------


class Hostile:
    """Answers every question with an error; only what it is it does not hide."""

    def _refuse(self, *_: object, **__: object) -> Any:
        raise RuntimeError("hostile")

    __repr__ = __eq__ = __ne__ = __lt__ = __len__ = __bool__ = __array__ = _refuse  # type: ignore[assignment]
    __float__ = __int__ = __index__ = __getitem__ = __contains__ = __add__ = _refuse
    __hash__ = object.__hash__


def endless_list() -> list[Any]:
    itself: list[Any] = []
    itself.append(itself)
    return itself


def tensor(values: object = ((np.nan, 1.0), (0.0, 1.0))) -> Any:
    import torch

    return torch.tensor(np.asarray(values), requires_grad=isinstance(values, tuple))


GARBAGE: tuple[Callable[[], Any], ...] = tuple(
    # values that nothing can spoil
    [
        lambda value=value: value
        for value in (
            None, True, False, 0, 1, -1, 2**62, 2**63, 2**64, -(2**63), 10**400, 0.5, 2.0, -0.0,
            np.nan, np.inf, -np.inf, 1e308, -1e308, 5e-324, 1j, complex("nan"), Fraction(1, 3),
            Decimal("NaN"), Decimal("1e999"), Decimal("0.5"), np.float32("nan"),
            np.float16(2), np.int8(-1),
            np.uint64(2**63), np.bool_(True), np.complex64(1), np.timedelta64(1, "D"),
            np.datetime64("2020-01-01"), datetime.date(2020, 1, 1), np.str_("e1"), "", " ", "text",
            "e1", "cat", "nan", "-1", "\ufeffe1", "a\0b", "\ud800", "x" * 100_000, b"", b"e1",
            ..., NotImplemented, int, len, slice(None), slice(0, -1, -1), range(0), (), (0,),
            frozenset(), Path("nowhere"), Path("."), FIG3,
        )
    ]
    # what is made anew for every call
    + [
        object, Hostile, endless_list, tensor, list, dict, set, bytearray,
        lambda: iter(()), lambda: itertools.count(), lambda: (i for i in range(3)),
        lambda: lambda *_: None,
        lambda: [[]], lambda: [[[]]], lambda: [0, [1]], lambda: [None], lambda: ["e1", 0],
        lambda: ["e1", "e1"], lambda: [np.nan], lambda: [np.inf], lambda: [0.5], lambda: [True],
        lambda: [1j], lambda: [2**63], lambda: [2**70], lambda: [-1], lambda: [10**9],
        lambda: [1e308, 1e308], lambda: [[1e308, 1e308]], lambda: [b"e1"], lambda: ["", ""],
        lambda: [object()], lambda: [FIG3, None], lambda: [{}], lambda: list(range(1000)),
        lambda: {0: [(0.9, 1)]}, lambda: {"a": np.nan}, lambda: {None: None}, lambda: {0},
        lambda: {"a": []}, lambda: {"a": "b"}, lambda: {0: 1e308},
        lambda: np.array(3), lambda: np.array(3.5), lambda: np.array([]), lambda: np.zeros((0, 4)),
        lambda: np.zeros((4, 0)), lambda: np.zeros((3, 3)), lambda: np.zeros((1, 1)),
        lambda: np.zeros((1, 1, 1, 4, 4)), lambda: np.zeros((4, 4)), lambda: 1e308 * np.eye(4),
        lambda: 1e-200 * np.eye(4), lambda: 5e-324 * np.ones((4, 4)), lambda: -np.eye(4),
        lambda: np.full((4, 4), np.nan), lambda: np.full((4, 4), np.inf), lambda: 1j * np.eye(4),
        lambda: np.array([0.5, 0.9]), lambda: np.array([-0.5, 1.5]), lambda: np.array([[0, 1]]),
        lambda: np.eye(4, dtype=bool), lambda: np.full((4, 4), 2**63, dtype=np.uint64),
        lambda: np.eye(4).astype(object), lambda: np.array([None, "a"], dtype=object),
        lambda: np.array(["e1", "e2"]), lambda: np.full((4, 4), "1e4000", dtype=np.longdouble),
        lambda: np.ma.masked_less(np.eye(4), 0.5), lambda: np.zeros(3, dtype=[("a", int)]),
        lambda: np.array(["2020"], dtype="M8[D]"), lambda: np.zeros(100_000),
    ]
)  # fmt: skip


# ---- what an answer may be ----------------------------------------------------------------------


class TookTooLong(BaseException):
    """No `except Exception` swallows it."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` in what is still running after so many seconds."""

    def ring(*_: object) -> None:
        raise TookTooLong

    # of its own time, because the machine may be busy; and for what waits, of everybody's
    clocks = {signal.SIGPROF: (signal.ITIMER_PROF, 1), signal.SIGALRM: (signal.ITIMER_REAL, 20)}
    before = {kind: signal.signal(kind, ring) for kind in clocks}
    for timer, patience in clocks.values():
        signal.setitimer(timer, patience * seconds)
    try:
        yield
    finally:
        for kind, (timer, _) in clocks.items():
            signal.setitimer(timer, 0)
            signal.signal(kind, before[kind])


@contextmanager
def little_memory(gigabytes: float = MEMORY_GB) -> Iterator[None]:
    """Let the process grow by so much; the package is told of less."""
    import resource

    pages = int(Path("/proc/self/statm").read_text().split()[0])
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = pages * resource.getpagesize() + int(gigabytes * 1e9)
    before = os.environ.get("NTA_MEMORY_GB")
    os.environ["NTA_MEMORY_GB"] = str(gigabytes / 3)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
        os.environ.pop("NTA_MEMORY_GB")
        if before is not None:
            os.environ["NTA_MEMORY_GB"] = before


def fault(call: Call, **spoilt: Any) -> str | None:
    """Return what is wrong with the answer to a call, or None; a right call needs an answer."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            with within(SECONDS):
                answer = call(**spoilt)
                if isinstance(answer, Iterator):
                    answer = list(itertools.islice(answer, 3))
        except NTAError as error:
            try:
                said = str(error)
            except Exception as reason:
                return f"an error that cannot be shown: {reason!r}"
            if not spoilt:
                return f"right arguments are refused: {said}"
            return None if said.strip() else f"{type(error).__name__} without a sentence"
        except TookTooLong:
            return f"no answer after {SECONDS:g} s"
        except Exception as error:
            return f"{type(error).__name__}: {_brief(error)}"
    for warning in heard:
        if issubclass(warning.category, (RuntimeWarning, np.exceptions.ComplexWarning)):
            return f"{warning.category.__name__}: {_brief(warning.message)}"
    return not_finite(answer, call.said)


def _brief(error: object) -> str:
    try:
        return " ".join(str(error).split())[:160]
    except Exception:
        return type(error).__name__


def not_finite(answer: object, said: str, depth: int = 0) -> str | None:
    """Say where an answer holds nan or infinity that its documentation does not speak of."""
    if depth > 4 or answer is None or isinstance(answer, (str, bytes, int, type)):
        return None
    if hasattr(answer, "detach"):
        answer = answer.detach().numpy()
    if isinstance(answer, (float, complex, np.inexact, np.ndarray)):
        values = np.asarray(answer)
        if values.dtype.kind not in "fc":
            return None
        if np.isnan(values).any() and not re.search(r"\bnan\b", said, re.I):
            return f"nan in the answer ({type(answer).__name__})"
        if np.isinf(values).any() and not re.search(r"\binf|∞", said):
            return f"infinity in the answer ({type(answer).__name__})"
        return None
    module = type(answer).__module__
    if module.startswith("nta_"):
        said += inspect.getdoc(type(answer)) or ""
        if dataclasses.is_dataclass(answer):
            parts = [getattr(answer, field.name) for field in dataclasses.fields(answer)]
            return _first(parts, said, depth)
        return None
    if isinstance(answer, Mapping):
        return _first([*answer.values()][:50], said, depth)
    if isinstance(answer, (list, tuple, set, frozenset)):
        return _first(list(answer)[:50], said, depth)
    return None


def _first(parts: list[Any], said: str, depth: int) -> str | None:
    return next(filter(None, (not_finite(part, said, depth + 1) for part in parts)), None)


def shown(value: object) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:
        text = f"{type(value).__name__}()"
    return text if len(text) < 60 else f"{text[:55]}…"


def faults_of(call: Call) -> Iterator[tuple[str, str, str]]:
    """Yield (parameter, garbage, fault) for every fault that one piece of garbage brings about."""
    if found := fault(call):
        yield "", "right arguments", found
        return
    for parameter in call.parameters:
        for make in GARBAGE:
            if parameter == "client" and make() is None:
                continue  # it is right, and starts processes
            if found := fault(call, **{parameter: make()}):
                yield parameter, shown(make()), found


def main() -> None:
    """Print the faults of the callables whose names hold one of the words given."""
    wanted = sys.argv[1:] or [""]
    os.chdir(tempfile.mkdtemp())
    with little_memory():
        for name, function, owner in targets(public_paths()):
            if not any(part in name for part in wanted):
                continue
            try:
                found = list(faults_of(call_of(name, function, owner)))
            except NoMaker as reason:
                found = [("", "", str(reason))]
            kinds: dict[tuple[str, str], list[str]] = {}
            for parameter, garbage, what in found:
                kinds.setdefault((parameter, what.partition(":")[0]), []).append(
                    f"{garbage} ({what})"
                )
            for (parameter, _), lines in kinds.items():
                more = f" and {len(lines) - 2} more" if len(lines) > 2 else ""
                print(f"{name}({parameter}=…): {'; '.join(lines[:2])}{more}", flush=True)


if __name__ == "__main__":
    main()
