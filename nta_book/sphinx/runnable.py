"""Python in the page: marks on the cells that can run there, and files that say what each needs.

On a page with code the container of each cell that is seen carries ``data-nta-cell``, its name, and
``data-nta-kind``: ``exercise``, ``cell``, or ``heavy`` with ``data-nta-why``.  Code that was folded
away from its cell carries ``data-nta-input``, the name again.  The page's script carries
``data-nta-docname`` and ``data-nta-cells``, the address below ``_static/python`` of the script with
all code of the page, which is loaded at the first Run; and ``data-nta-run``, that of the editor.

Without a runtime to run them there are no marks, no script and no sentence about it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from nta_book import runtime
from nta_book.page.bundle import BUILT
from nta_book.sphinx.pagecells import Cell, CellsError, page_cells
from nta_core.data.files import write_atomically

SCRIPT = "nta-python.js"
_RUN = "nta-python-run.js"
_PREBUILT = ('class="nta-explorer"', 'class="nta-widget"')
_BEFORE_FOLDING, _AFTER_FOLDING = 300, 700


class marked(nodes.container):  # type: ignore[misc]  # small as in docutils
    """A container whose attribute ``data`` becomes ``data-...`` in HTML."""


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.add_node(marked, html=(_open, _close))
    pages = Pages(app)
    app.connect("doctree-resolved", pages.name, priority=_BEFORE_FOLDING)
    app.connect("doctree-resolved", pages.mark, priority=_AFTER_FOLDING)
    app.connect("html-page-context", pages.add_script)


def _open(translator: Any, node: marked) -> None:
    data = {f"data-nta-{key}": words for key, words in node["data"].items()}
    translator.body.append(translator.starttag(node, "div", CLASS="docutils container", **data))


def _close(translator: Any, node: marked) -> None:
    translator.body.append("</div>\n")


class Pages:
    """The pages of one build that have code to run."""

    def __init__(self, app: Sphinx) -> None:
        self.app = app
        self.scripts: dict[str, str] = {}  # page -> address of its cells
        self.drawn: dict[str, set[int]] = {}  # page -> places of explorers

    @cached_property
    def runtime(self) -> runtime.Runtime | None:
        """What runs the cells; written into the book when the first page asks for it.

        When it cannot be had, a line on stdout says so: a warning would stop the strict build.
        """
        return runtime.write(Path(self.app.outdir) / "_static")

    def name(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Note on every piece of code which cell it belongs to, before it is moved."""
        if app.builder.format != "html":
            return
        for cell in _cells(doctree):
            for code in cell.findall(_is_code):
                code["nta_place"] = cell["cell_index"]
            if any(word in raw.astext() for raw in cell.findall(nodes.raw) for word in _PREBUILT):
                self.drawn.setdefault(docname, set()).add(cell["cell_index"])

    def mark(self, app: Sphinx, doctree: nodes.document, docname: str) -> None:
        """Mark the cells of a page, write its code for the first Run, say how it is done."""
        source = Path(app.env.doc2path(docname))
        codes = [node for node in doctree.findall(nodes.container) if "nta_place" in node]
        if source.suffix != ".ipynb" or not codes or self.runtime is None:
            return
        try:
            cells = page_cells(source, self.drawn.get(docname, ()))
        except CellsError as error:
            raise ExtensionError(str(error)) from error
        if all(cell.kind == "hidden" for cell in cells.values()):
            return
        shown = {cell["cell_index"]: cell for cell in _cells(doctree)}
        for code in codes:
            cell = cells[code["nta_place"]]
            _mark(shown.get(code["nta_place"]), code, cell)
        self.scripts[docname] = self._write(docname, cells.values())
        if any(cell.kind == "exercise" for cell in cells.values()):
            _say_how(doctree, megabytes=round(self.runtime.size / 1e6))
        if docname == app.config.root_doc:
            _say_that_it_runs(doctree)

    def _write(self, docname: str, cells: Iterable[Cell]) -> str:
        """Write the code of a page; return its address below the runtime, new for new code."""
        name = docname.rpartition("/")[2]
        version, text = cells_script(docname, cells)
        path = Path(self.app.outdir) / "_static" / "python" / "cells" / f"{name}.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
        return f"cells/{name}.js?v={version}"

    def add_script(
        self, app: Sphinx, docname: str, template: str, page: dict[str, Any], tree: object
    ) -> None:
        """Add the script to pages with marks, and to no other."""
        if docname in self.scripts:
            data: dict[str, Any] = {
                "data-nta-docname": docname,
                "data-nta-cells": self.scripts[docname],
                "data-nta-run": f"{_RUN}?v={_version((BUILT / _RUN).read_bytes())}",
            }
            app.add_js_file(SCRIPT, loading_method="defer", **data)


def cells_script(docname: str, cells: Iterable[Cell]) -> tuple[str, str]:
    """Return the code of a page as a classic script: browsers read nothing else from a disk.

    Before it stands its version, which the script names, too: a page that was opened before the
    book was built anew can tell that this is not its code.
    """
    entries = json.dumps(
        {cell.id: _entry(cell) for cell in cells}, ensure_ascii=False, separators=(",", ":")
    )
    version = _version(entries.encode())
    content = f'{{"version":"{version}","cells":{entries}}}'
    return version, f"(window.ntaCells ||= {{}})[{json.dumps(docname)}] = {content};\n"


def _version(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def _entry(cell: Cell) -> Mapping[str, object]:
    setup = {"setup": cell.setup} if cell.setup != cell.code else {}
    gives = {"gives": cell.gives} if cell.gives else {}
    return {"code": cell.code, **setup, "needs": cell.needs, **gives, "kind": cell.kind}


def _cells(doctree: nodes.document) -> Iterator[nodes.container]:
    return (n for n in doctree.findall(nodes.container) if n.get("nb_element") == "cell_code")


def _is_code(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code_source"


def _mark(shown: nodes.container | None, code: nodes.container, cell: Cell) -> None:
    """Mark a cell where its output stands; one that shows nothing, around its code."""
    if cell.kind == "hidden":
        return
    data = {"cell": cell.id, "kind": cell.kind, **({"why": cell.why} if cell.why else {})}
    if shown is None:
        part = marked("", data=data, classes=["cell", "nta-part"])
        code.parent.replace(code, part)
        part += code
        return
    if code.parent is not shown:
        _replace(code, {"input": cell.id})
    _replace(shown, data)


def _replace(node: nodes.container, data: Mapping[str, str]) -> None:
    """Put a marked container in the place of a plain one, with all it has."""
    copy = marked("", *node.children, data=data)
    copy.attributes.update(node.attributes)
    node.parent.replace(node, copy)


def _say_how(doctree: nodes.document, *, megabytes: int) -> None:
    """Say before the first exercise how it is answered on the page."""
    first = next(iter(doctree.findall(_is_exercise)), None)
    if first is None:
        return
    words = (
        "Change the code and press Run and check (or Ctrl+Enter): Python, "
        f"{megabytes} MB at the first run, answers here, and what you type stays on your machine. "
        "Whole numbers of numpy have 32 bits here: beyond 2,147,483,647 they go wrong unnoticed."
    )
    first.parent.insert(first.parent.index(first), _hint(words))


def _say_that_it_runs(doctree: nodes.document) -> None:
    """Say on the first page of the book, before its first code in sight, what can be done."""
    for cell in doctree.findall(marked):
        if cell["data"].get("kind") == "cell" and "nta-folded" not in cell["classes"]:
            words = (
                "This code runs where it stands, in your browser: change it and press Run. "
                "So does every exercise of this book."
            )
            cell.parent.insert(cell.parent.index(cell), _hint(words))
            return


def _hint(words: str) -> nodes.raw:
    """A sentence on the buttons, which the script shows that makes them."""
    return nodes.raw("", f'<p class="nta-run-hint" hidden>{escape(words)}</p>\n', format="html")


def _is_exercise(node: nodes.Node) -> bool:
    return type(node).__name__ in ("exercise_node", "exercise_enumerable_node")
