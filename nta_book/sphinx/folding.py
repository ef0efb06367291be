"""Code that only draws is folded once, below its picture.

Adjacent cells with the tag ``hide-input`` (imports, helpers, the explorer itself) give one fold,
under the last of their outputs: nothing stands between the text and the picture.
"""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.application import Sphinx

_TAG = "tag_hide-input"


def register(app: Sphinx) -> None:
    """Connect to Sphinx."""
    app.connect("doctree-resolved", fold)


def fold(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Gather the code of each row of adjacent cells whose code is hidden."""
    # A list: cells are moved while we go.
    for row in list(_rows(doctree)):
        _fold_one(row)


def _rows(doctree: nodes.document) -> Iterator[list[nodes.Element]]:
    """Yield the rows of adjacent cells whose code is hidden."""
    for parent in doctree.findall(nodes.Element):
        row: list[nodes.Element] = []
        for node in parent.children:
            if _is_hidden(node):
                row.append(node)
            elif row and not _shows_nothing(node):
                yield row
                row = []
        if row:
            yield row


def _is_hidden(node: nodes.Node) -> bool:
    return (
        isinstance(node, nodes.container)
        and _TAG in node["classes"]
        and any(isinstance(child, HideCodeCellNode) for child in node.children)
    )


def _shows_nothing(node: nodes.Node) -> bool:
    """Tell whether a cell or a comment leaves nothing on the page."""
    empty_cell = isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
    return isinstance(node, nodes.comment) or (empty_cell and not node.children)


def _fold_one(row: list[nodes.Element]) -> None:
    folds = [
        child for cell in row for child in cell.children if isinstance(child, HideCodeCellNode)
    ]
    (fold, *others) = folds
    for other in others:
        fold.extend(other.children)
    for node in folds:
        node.parent.remove(node)
    shown = [cell for cell in row if cell.children]
    last = shown[-1] if shown else row[-1]
    last += fold
    for cell in row:
        cell["classes"].remove(_TAG)
        cell["classes"].append("nta-folded")
        if not cell.children and not cell["ids"]:
            cell.parent.remove(cell)
