"""The public names of a room: where each is imported from, and what it says about itself."""

from __future__ import annotations

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path
from types import ModuleType


def public_names(room: str) -> list[str]:
    """Return the full paths of the public names of a room, such as ``nta_core.svm``.

    They are those that it imports from its own modules, or in a single module the classes that it
    defines.  A package with an ``__all__``, as `nta_core`, offers names directly; of the others,
    the classes are public, which readers meet as results.  A single name stands for itself.
    """
    try:
        home, top = import_module(room), import_module(room.partition(".")[0])
    except ModuleNotFoundError:
        return [room]
    offered = getattr(top, "__all__", ())
    own = [name for name, value in vars(home).items() if getattr(value, "__module__", "") == room]
    listed = _imported(home)
    names, every = listed or own, bool(listed) and not offered
    return [
        f"{top.__name__ if name in offered else room}.{name}"
        for name in names
        if every or name in offered or inspect.isclass(getattr(home, name))
    ]


def _imported(room: ModuleType) -> list[str]:
    """Return the names that a room imports from its own modules, also those it loads late."""
    tree = ast.parse(inspect.getsource(room))
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    own = (node for node in imports if str(node.module).startswith(f"{room.__name__}."))
    return sorted({alias.name for node in own for alias in node.names})


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
