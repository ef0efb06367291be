"""The public names of a room: where each is imported from, and what it says about itself."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path


def public_names(room: str) -> list[str]:
    """Return the full paths of the public names of a room, such as ``nta_core.svm``.

    They are those of its ``__all__``, or without one the classes that it defines.  A package that
    has an ``__all__`` itself, as `nta_core`, offers names directly; of the others, the classes are
    public, which readers meet as results.  A single name stands for itself.
    """
    try:
        home, top = import_module(room), import_module(room.partition(".")[0])
    except ModuleNotFoundError:
        return [room]
    offered = getattr(top, "__all__", ())
    own = [name for name, value in vars(home).items() if getattr(value, "__module__", "") == room]
    names = getattr(home, "__all__", own)
    every = names is not own and not offered
    return [
        f"{top.__name__ if name in offered else room}.{name}"
        for name in names
        if every or name in offered or inspect.isclass(getattr(home, name))
    ]


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
    module, _, name = path.rpartition(".")
    home = Path(str(import_module(module).__file__))
    for file in sorted(home.parent.rglob("*.py")) if home.name == "__init__.py" else [home]:
        lines = file.read_text(encoding="utf-8").splitlines()
        for node in ast.parse("\n".join(lines)).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", 0)]
            if name in (getattr(target, "id", None) for target in targets):
                start = end = node.lineno - 1
                while start and lines[start - 1].startswith("#"):
                    start -= 1
                return [line.lstrip("#:").strip() for line in lines[start:end]]
    return []
