"""Which public functions a chapter uses, read from its code: nobody keeps such a list by hand."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path


def code_of(notebook: Path) -> list[str]:
    """Return the source of every code cell."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def names_used(sources: Iterable[str], package: str) -> list[str]:
    """Return the names of a package that a program imports, sorted, with their full path.

    A module that was imported as a whole counts for each of its names that is used.

    >>> names_used(["from p import a, m", "m.b(a)", "import p.q as r; r.c"], "p")
    ['p.a', 'p.m.b', 'p.q.c']
    """
    trees = [tree for tree in map(_parsed, sources) if tree is not None]
    alias = {name: path for tree in trees for name, path in _imports(tree, package)}
    used = set(alias.values())
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                path = alias.get(node.value.id)
                if path is not None:
                    used.add(f"{path}.{node.attr}")
                    used.discard(path)
    return sorted(used)


def _parsed(source: str) -> ast.Module | None:
    """Return a cell as a tree; a cell of shell commands or magics uses no function of ours."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return None


def _imports(tree: ast.Module, package: str) -> Iterator[tuple[str, str]]:
    """Yield (name in the program, full path) of everything imported from the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            if node.module == package or node.module.startswith(f"{package}."):
                for name in node.names:
                    yield name.asname or name.name, f"{node.module}.{name.name}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                if name.name.startswith(f"{package}.") and name.asname:
                    yield name.asname, name.name


def chapters_using(book: Path, package: str) -> dict[str, list[Path]]:
    """Return, for every name of a package that some page of the book uses, these pages in order."""
    found: dict[str, list[Path]] = {}
    for notebook in sorted(book.glob("*.ipynb")):
        for name in names_used(code_of(notebook), package):
            found.setdefault(name, []).append(notebook)
    return found
