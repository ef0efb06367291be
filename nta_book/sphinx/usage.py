"""Which functions a chapter uses, read from its code: nobody keeps such a list by hand."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Iterator
from pathlib import Path


def code_of(notebook: Path) -> list[str]:
    """Return the source of every code cell."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def names_used(sources: Iterable[str]) -> set[str]:
    """Return the full paths of the names that a program imports.

    A module that was imported as a whole counts for each of its names that is used.

    >>> sorted(names_used(["from p import a, m", "m.b(a)", "import p.q as r; r.c", "%magic"]))
    ['p.a', 'p.m.b', 'p.q.c']
    """
    nodes = [node for tree in map(_parsed, sources) for node in ast.walk(tree)]
    alias = dict(name for node in nodes for name in _imports(node))
    used = set(alias.values())
    for node in nodes:
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            path = alias.get(node.value.id)
            if path is not None:
                used.add(f"{path}.{node.attr}")
                used.discard(path)
    return used


def _parsed(source: str) -> ast.Module:
    """Return a cell as a tree; a cell of shell commands or magics uses no function of ours."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse("")


def _imports(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield (name in the program, full path) of everything that a statement imports."""
    if isinstance(node, ast.ImportFrom) and node.module:
        yield from ((n.asname or n.name, f"{node.module}.{n.name}") for n in node.names)
    elif isinstance(node, ast.Import):
        yield from ((n.asname, n.name) for n in node.names if n.asname)
