"""The public names of a package: where each can be imported from, and what it says about itself."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType


def public_names(package: str, room: str) -> list[str]:
    """Return the full paths of the public names of one room.

    Parameters
    ----------
    package
        A package with ``__all__`` and the table ``_HOME`` from rooms to the names it re-exports.
    room
        A module below it.  ``room.*`` means all that the room itself offers, where the package
        re-exports only a part.
    """
    top = import_module(package)
    if not room.endswith(".*"):
        return [f"{package}.{name}" for name in top._HOME[room].split()]
    room = room.removesuffix(".*")
    home = import_module(f"{package}.{room}")
    # The same word may mean two things: viz draws tracks, text counts them.
    shared = {n for n in home.__all__ if n in top.__all__ and getattr(top, n) is getattr(home, n)}
    return [f"{package}.{n}" if n in shared else f"{package}.{room}.{n}" for n in home.__all__]


def value_of(path: str) -> object:
    """Return what a full path such as ``nta_book.viz.cone`` names."""
    module, _, name = path.rpartition(".")
    value: object = getattr(import_module(module), name)
    return value


def kind_of(value: object) -> str:
    """Return the autodoc directive that describes a value."""
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if inspect.isroutine(value) else "data"


def summary_of(path: str) -> str:
    """Return the first sentence of what a name says about itself."""
    value = value_of(path)
    said = "\n".join(comment_on(path)) if kind_of(value) == "data" else inspect.getdoc(value) or ""
    first = " ".join(said.split("\n\n")[0].split())
    return re.split(r"(?<!Fig)(?<=\.) (?=[A-Z])", first)[0]


def comment_on(path: str) -> list[str]:
    """Return the comment above a constant, which has no docstring, as lines."""
    package, _, name = path.rpartition(".")
    top = import_module(package)
    home = getattr(top, "_MODULE_OF", {}).get(name)
    for file in _files(import_module(f"{package}.{home}") if home else top):
        text = file.read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and name in map(ast.unparse, node.targets):
                return _above(text.splitlines(), node.lineno - 1)
    return []


def _above(lines: list[str], index: int) -> list[str]:
    """Return the block of comment lines that ends above a line, without its signs."""
    start = index
    while start and lines[start - 1].startswith("#"):
        start -= 1
    return [line.lstrip("#:").strip() for line in lines[start:index]]


def _files(module: ModuleType) -> Iterator[Path]:
    file = Path(str(module.__file__))
    return iter(sorted(file.parent.glob("*.py"))) if file.name == "__init__.py" else iter([file])
