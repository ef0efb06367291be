"""A stamp for the code a result depends on: does a stored result still belong to this code?

The stamp covers the experiment's module and every module of the project it imports, directly or
through others.  Comments, docstrings and blank lines do not count: explaining code better must not
cost an hour of computing.
"""

from __future__ import annotations

import ast
import hashlib
import io
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import nta_core

ROOT = Path(__file__).resolve().parents[1]
# These carry results and messages about; they do not change a number.
_WITHOUT_INFLUENCE = {
    "nta_core/__init__.py",
    "nta_core/errors.py",
    "nta_beyond/progress.py",
    "nta_book/results.py",
    "experiments/__init__.py",
    "experiments/experiment.py",
}


def stamp(module: Path) -> str:
    """Return the hash of the code that a module runs."""
    digest = hashlib.sha256()
    for path in sorted(sources(module)):
        digest.update(f"\0{path.relative_to(ROOT).as_posix()}\0".encode())
        digest.update(bare_code(path).encode())
    return digest.hexdigest()[:16]


def sources(module: Path) -> set[Path]:
    """Return a module and all modules of the project that it needs."""
    found: set[Path] = set()
    waiting = [module]
    while waiting:
        path = waiting.pop()
        if path in found or path.relative_to(ROOT).as_posix() in _WITHOUT_INFLUENCE:
            continue
        found.add(path)
        waiting.extend(_imported(path))
    return found


@cache
def bare_code(path: Path) -> str:
    """Return the code of a file without comments, docstrings, blank lines and trailing spaces.

    Text rather than a syntax tree: Python's dump of a tree differs between its versions.
    """
    source = path.read_text(encoding="utf-8")
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in _docstrings(ast.parse(source)):
        assert node.end_lineno is not None
        lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _docstrings(tree: ast.Module) -> Iterator[ast.stmt]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            yield node.body[0]


@cache
def _imported(path: Path) -> frozenset[Path]:
    found: set[Path] = set()
    for node in _running_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                found |= _files(node.module, alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found |= _files(alias.name, None)
    return frozenset(found)


def _running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree without what stands under ``if TYPE_CHECKING:``, which never runs."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        yield child
        yield from _running_nodes(child)


def _files(module: str, name: str | None) -> set[Path]:
    """Return the files of the project that ``from module import name`` takes code from."""
    if module.split(".")[0] not in ("nta_core", "experiments"):
        return set()
    if module == "nta_core" and name in nta_core._MODULE_OF:
        module = f"nta_core.{nta_core._MODULE_OF[name]}"
    candidates = [module] if name is None else [f"{module}.{name}", module]
    for candidate in candidates:
        base = ROOT.joinpath(*candidate.split("."))
        for path in (base.with_suffix(".py"), base / "__init__.py"):
            if path.is_file():
                return {path}
    raise ModuleNotFoundError(f"from {module} import {name}: no such module in the project")
