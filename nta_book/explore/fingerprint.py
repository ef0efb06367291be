"""A name for the content of an explorer, so that unchanged explorers are not computed again.

The name covers the declaration, the code of `render` and `words` with everything they use from the
notebook, and what they need of our packages (`nta_book.results.changes`).  Where a cell stands in
its notebook and which file the kernel pretends it to be plays no part.  What has no stable form
gets a new name each time: then the explorer is computed again, which is slow but never wrong.
"""

import functools
import hashlib
import io
import types
from typing import TYPE_CHECKING, Any

from nta_book.results.changes import Names, Project
from nta_core.boundary import needs

if TYPE_CHECKING:
    import cloudpickle  # type: ignore[import-untyped]
else:  # joblib brings it along
    cloudpickle = needs("cloudpickle", wanted_for="an explorer", extra="pictures")
STORED = ("nta_book.results.stored", "stored_result")
DRAWING = (("nta_book.explore.compute", "Recipe"), ("nta_book.explore.encode", "encode"))

project = functools.cache(Project)


def _cached(function: Any, maxsize: int | None) -> Any:
    return functools.lru_cache(maxsize)(function)


class _Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
    """By value what the notebook defines, also a function behind ``functools.cache``."""

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, functools._lru_cache_wrapper) and obj.__module__ == "__main__":
            return _cached, (obj.__wrapped__, obj.cache_parameters()["maxsize"])
        return super().reducer_override(obj)


class _Namer(_Pickler):
    """Only for naming: code without file name and line numbers, and what it refers to."""

    def __init__(self, buffer: io.BytesIO) -> None:
        super().__init__(buffer)
        self.names: set[str] = set()
        self.modules: set[str] = set()
        self.paths: set[Names] = set()

    def reducer_override(self, obj: Any) -> Any:
        if isinstance(obj, types.CodeType):
            self.names |= set(obj.co_names)
            parts = (obj.co_code, obj.co_consts, obj.co_names, obj.co_varnames, obj.co_freevars)
            return tuple, ((*parts, obj.co_argcount, obj.co_kwonlyargcount, obj.co_flags),)
        if isinstance(obj, types.ModuleType):
            self.modules.add(obj.__name__)
        elif isinstance(module := getattr(obj, "__module__", None), str) and module != "__main__":
            name = getattr(obj, "__qualname__", type(obj).__qualname__)
            self.paths.add((module, name.partition(".")[0]))
        return super().reducer_override(obj)

    def needed(self, sources: Project) -> set[Names]:
        """Return what the pickled functions refer to; of a module, only the names they mention."""
        paths = set(self.paths)
        for module in self.modules:
            source = sources.source(module)
            mentioned = {
                (module, name)
                for name in self.names
                if source and (source.offers(name) or sources.source(f"{module}.{name}"))
            }
            if not mentioned or self.names & {"getattr", "vars", "__dict__"}:
                paths.add((module,))
            paths |= mentioned
        return paths


def pickled(value: Any) -> bytes:
    """Bytes from which another process can rebuild a value, notebook functions included.

    Examples
    --------
    >>> import pickle
    >>> pickle.loads(pickled(lambda: 42))()
    42
    """
    buffer = io.BytesIO()
    _Pickler(buffer).dump(value)
    return buffer.getvalue()


def fingerprint(declaration: Any, *functions: Any, sources: Project | None = None) -> str | None:
    """Name of a declaration and the functions that draw it; None when they cannot be pickled.

    Examples
    --------
    >>> same = fingerprint("C", lambda x: x + 1) == fingerprint("C", lambda x: x + 1)
    >>> same, fingerprint("C", lambda x: x + 1) == fingerprint("C", lambda x: x + 2)
    (True, False)
    """
    sources = sources or project()
    buffer = io.BytesIO()
    namer = _Namer(buffer)
    try:
        namer.dump((declaration, *(_anonymous(function) for function in functions)))
    except Exception:  # pickling runs foreign code: whatever it raises, there is no stable name
        return None
    paths = namer.needed(sources)
    digest = hashlib.sha256(buffer.getvalue())
    digest.update(sources.stamp(*DRAWING, *paths).encode())
    if STORED in paths:  # called while drawing: its argument is unknown here
        digest.update("".join(sources.stored("*")).encode())
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
