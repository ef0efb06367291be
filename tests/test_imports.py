"""Who may import whom, and what ``import nta_core`` may cost."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "nta_core"

# The way of the data: a room may use the rooms before it, never one behind it.
ORDER = [
    *("errors", "progress", "stored", "data", "graphs", "svm", "soft", "model", "training"),
    *("reading", "automaton", "openlab", "scansnap", "text", "viz", "explore", "lab", "exercises"),
]
# Modules that belong to a room of another name.
ROOM_OF = {
    "generate": "graphs",  # random data with a wanted graph
    "paths": "training",
    "__main__": "text",  # the command line
}
HEAVY = ("torch", "cvxpy", "plotly", "networkx", "ipywidgets", "anywidget", "scipy.optimize")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def room(parts: tuple[str, ...]) -> str:
    name = parts[0].removesuffix(".py")
    return ROOM_OF.get(name, name)


class _WithoutTypes(ast.NodeTransformer):
    """Drop ``if TYPE_CHECKING:``, which never runs: a name in an annotation is no dependence."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node.orelse
        return node


def imported_rooms(source: str) -> set[str]:
    """Return the rooms of nta_core that a source imports when it runs, at its top or later."""
    names = set()
    for node in ast.walk(_WithoutTypes().visit(ast.parse(source))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found = [node.module]
            if node.module == "nta_core":
                found = [f"nta_core.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        else:
            continue
        names |= {room(tuple(n.split(".")[1:])) for n in found if n.startswith("nta_core.")}
    return names


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_room_uses_only_rooms_before_it(path: Path) -> None:
    own = room(path.relative_to(PACKAGE).parts)
    assert own in ORDER, f"{path.name} belongs to no room: name its place in tests/test_imports.py"
    allowed = set(ORDER[: ORDER.index(own) + 1])
    assert imported_rooms(path.read_text(encoding="utf-8")) <= allowed


def test_an_import_backwards_would_be_found() -> None:
    assert imported_rooms("def f():\n    from nta_book.viz import theme") == {"viz"}
    assert imported_rooms("import nta_core.svm.dual") == {"svm"}
    assert imported_rooms("from nta_core import paths") == {"training"}
    assert imported_rooms("if TYPE_CHECKING:\n    import nta_book.viz") == set()


@pytest.mark.parametrize(
    "path", sorted((ROOT / "book" / "_ext").rglob("*.py")), ids=lambda p: p.name
)
def test_the_sphinx_extension_knows_nothing_about_attention(path: Path) -> None:
    assert imported_rooms(path.read_text(encoding="utf-8")) == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = f"import sys, nta_core; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
