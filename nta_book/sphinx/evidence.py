"""What stands behind a statement: a cell of a chapter, a line of the ledger, a test.

A statement of the book ends with its badge and with what checks it::

    {proved}`Theorem 2` {checked}`fig-07-parts, ledger theorem-2, tests/core/test_x.py::test_y`

Names are looked up while the book is built, so evidence that is gone stops the build.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from nta_book.sphinx.captions import taken_off
from nta_book.sphinx.chapterlinks import label_of_page
from nta_book.sphinx.markup import link


def register(app: Sphinx) -> None:
    """Add the role ``{checked}``."""
    app.add_role("checked", CheckedRole())


@dataclass(frozen=True)
class Evidence:
    """One thing that can be run.

    Attributes
    ----------
    kind
        ``"cell"``, ``"ledger"`` or ``"test"``.
    place
        The page of a cell (the stem of its file), or the file of a test.
    name
        Of the cell, the line or the test.
    """

    kind: str
    place: str
    name: str

    @classmethod
    def read(cls, text: str, page: str = "") -> Evidence:
        """Read one item; a cell without a page stands on `page`.

        >>> Evidence.read("fig-x", page="04_strict_order")
        Evidence(kind='cell', place='04_strict_order', name='fig-x')
        >>> Evidence.read("07_two_parts: fig-y")
        Evidence(kind='cell', place='07_two_parts', name='fig-y')
        >>> Evidence.read("ledger theorem-2")
        Evidence(kind='ledger', place='', name='theorem-2')
        >>> Evidence.read("tests/a.py::test_b")
        Evidence(kind='test', place='tests/a.py', name='test_b')
        """
        place, found, name = text.strip().partition("::")
        if found:
            return cls("test", place, name)
        if place.startswith("ledger "):
            return cls("ledger", "", place.removeprefix("ledger ").strip())
        place, found, name = place.partition(":")
        return cls("cell", place.strip(), name.strip()) if found else cls("cell", page, place)

    def __str__(self) -> str:
        separator = {"cell": ": ", "ledger": "ledger ", "test": "::"}[self.kind]
        return f"{self.place}{separator}{self.name}"

    def fault(self, root: Path) -> str:
        """Return why there is no such evidence in the repository at `root`, or nothing."""
        if self.kind == "cell":
            names = dict(cells(root / "book" / f"{self.place}.ipynb"))
            return "" if self.name in names else f"{self.place} has no cell {self.name}"
        if self.kind == "ledger":
            return "" if ledger_line(root, self.name) else f"the ledger has no line {self.name}"
        path = root / self.place
        if not path.is_file():
            return f"there is no file {self.place}"
        defined = {n.name for n in ast.walk(_parsed(path)) if isinstance(n, ast.FunctionDef)}
        return "" if self.name in defined else f"{self.place} has no test {self.name}"


def read_all(text: str, page: str = "") -> list[Evidence]:
    """Return all items of a list with commas."""
    return [Evidence.read(item, page) for item in text.split(",") if item.strip()]


def cells(notebook: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of the code cells of a notebook, with the name of their figure if any."""
    if not notebook.is_file():
        return
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            figure = taken_off("".join(cell["source"]))[0].get("name", "")
            yield cell["id"], figure
            if figure:
                yield figure, figure


def ledger_line(root: Path, key: str) -> dict[str, str] | None:
    """Return a line of the ledger by its key."""
    path = root / "book" / "ledger.json"
    lines = json.loads(path.read_text(encoding="utf-8"))["entries"] if path.is_file() else []
    return next((line for line in lines if line["key"] == key), None)


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


class CheckedRole(SphinxRole):
    """What checks a statement, as links where the page shows it; a missing one is a warning."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return "checked by" and the list."""
        root, page = Path(self.env.srcdir), Path(self.env.docname).name
        found = read_all(self.text, page)
        faults = [fault for evidence in found if (fault := evidence.fault(root))]
        if not found:
            faults = ["{checked} names nothing"]
        messages = [self.inliner.reporter.warning(fault, line=self.lineno) for fault in faults]
        parts: list[nodes.Node] = []
        for evidence in found:
            parts += [
                nodes.Text(" · " if parts else "· checked by "),
                *_shown(evidence, root, page),
            ]
        return [nodes.inline("", "", *parts, classes=["nta-badge", "nta-checked"])], messages


def _shown(evidence: Evidence, root: Path, page: str) -> Iterator[nodes.Node]:
    """Yield a piece of evidence as a reader can follow it."""
    if evidence.kind == "test":
        words = evidence.name.removeprefix("test_").replace("_", " ")
        yield nodes.Text(f"a test, “{words}”")
        return
    if evidence.kind == "ledger":
        line = ledger_line(root, evidence.name) or {"paper": "", "figure": evidence.name}
        # All pages that hold statements lie in one folder with the ledger.
        address = f"ledger.html#ledger-{line['paper']}-{evidence.name}"
        yield nodes.reference("", f"the ledger, {line['figure']}", refuri=address, internal=True)
        return
    figure = dict(cells(root / "book" / f"{evidence.place}.ipynb")).get(evidence.name)
    if figure:
        yield link("std:numref", figure, nodes.literal("", figure), named=False)
        return
    label = label_of_page(Path(evidence.place))
    if evidence.place != page and label:
        yield link("std:ref", label, nodes.inline("", f"chapter {int(evidence.place[:2])}"))
        yield nodes.Text(", ")
    yield nodes.Text("cell ")
    yield nodes.literal("", evidence.name)
