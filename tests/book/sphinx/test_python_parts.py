"""The page on making names what the Python of the pages consists of."""

from __future__ import annotations

from typing import Any

import pytest
from docutils import nodes

from nta_book import runtime
from nta_book.sphinx.python_parts import PythonParts


class Page:
    """As much of Sphinx as the directive asks for."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def note_dependency(self, path: str) -> None:
        self.read.append(path)


def made(monkeypatch: pytest.MonkeyPatch, found: runtime.Runtime | None) -> list[nodes.Node]:
    page = Page()
    monkeypatch.setattr(runtime, "told", lambda: found)
    monkeypatch.setattr(PythonParts, "env", page)
    directive: Any = PythonParts.__new__(PythonParts)
    shown = directive.run()
    assert [path.rpartition("/")[2] for path in page.read] == ["files.json"]
    return shown


def test_packages_versions_licences_and_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = (
        runtime.Package("Pyodide", "314.0.3", "MPL-2.0", 10_900_000),
        runtime.Package("numpy", "2.4.3", "BSD-3-Clause", 2_000_000),
    )
    listed, total = made(monkeypatch, runtime.Runtime("v", parts))
    assert [item.astext() for item in listed.findall(nodes.list_item)] == [
        "Pyodide 314.0.3, MPL-2.0, 10.9 MB",
        "numpy 2.4.3, BSD-3-Clause, 2.0 MB",
    ]
    assert total.astext().startswith("Together 12.9 MB")


def test_a_book_without_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    (only,) = made(monkeypatch, None)
    assert only.astext() == "This build has no Python in its pages."
