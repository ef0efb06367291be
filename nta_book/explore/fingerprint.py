"""A name for the content of an explorer, so that unchanged explorers are not computed again.

The name covers the declaration, the code of `render` and `words` with everything they use from the
notebook, and the source of this package.  Where a cell stands in its notebook and which file the
kernel pretends it to be plays no part.  Anything that has no stable form gets a new name each time:
then the explorer is computed again, which is slow but never wrong.

Explained in: chapter 0.
"""

from __future__ import annotations

import functools
import hashlib
import io
import types
from importlib.metadata import version
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]

PACKAGE = Path(__file__).parents[1]


def _cached(function: Any, maxsize: int | None) -> Any:
    return functools.lru_cache(maxsize)(function)


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    """By value what the notebook defines, also a function behind ``functools.cache``."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, functools._lru_cache_wrapper) and obj.__module__ == "__main__":
            return _cached, (obj.__wrapped__, obj.cache_parameters()["maxsize"])
        return super().reducer_override(obj)


class _Namer(_Pickler):
    """Only for naming: code without file name and line numbers."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, types.CodeType):
            parts = (obj.co_code, obj.co_consts, obj.co_names, obj.co_varnames, obj.co_freevars)
            return tuple, ((*parts, obj.co_argcount, obj.co_kwonlyargcount, obj.co_flags),)
        return super().reducer_override(obj)


def pickled(value: Any) -> bytes:
    """Bytes from which another process can rebuild a value, notebook functions included.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickled(lambda: 42))()
    42

    Explained in: chapter 0.
    """
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return buffer.getvalue()


def fingerprint(declaration: Any, *functions: Any) -> str | None:
    """Name of a declaration and the functions that draw it; None when they cannot be pickled.

    Examples
    --------
    >>> same = fingerprint("C", lambda x: x + 1) == fingerprint("C", lambda x: x + 1)
    >>> same, fingerprint("C", lambda x: x + 1) == fingerprint("C", lambda x: x + 2)
    (True, False)

    Explained in: chapter 0.
    """
    buffer = io.BytesIO()
    try:
        _Namer(buffer).dump((declaration, *(_anonymous(function) for function in functions)))
    except Exception:  # pickling runs foreign code: whatever it raises, there is no stable name
        return None
    digest = hashlib.sha256(buffer.getvalue())
    digest.update(package_hash().encode())
    return digest.hexdigest()[:32]


def _anonymous(function: Any) -> Any:
    """A function as its parts, so that it is named by what it does even in an imported module."""
    if not isinstance(function, types.FunctionType):
        return function
    cells = tuple(cell.cell_contents for cell in function.__closure__ or ())
    used = {
        name: function.__globals__[name]
        for name in sorted(_names(function.__code__))
        if name in function.__globals__
    }
    return function.__code__, function.__defaults__, function.__kwdefaults__, cells, used


def _names(code: types.CodeType) -> set[str]:
    """Global names a function may read, its inner functions included."""
    inner = (const for const in code.co_consts if isinstance(const, types.CodeType))
    return set(code.co_names).union(*(_names(const) for const in inner))


@functools.cache
def package_hash() -> str:
    """Hash of the source of this package and of the versions it draws with.

    Examples
    --------
    >>> len(package_hash())
    64

    Explained in: chapter 0.
    """
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    for package in ("numpy", "scipy", "plotly"):
        digest.update(f"{package} {version(package)}".encode())
    return digest.hexdigest()
