"""Links and tables as docutils wants them."""

from __future__ import annotations

from collections.abc import Sequence

from docutils import nodes
from sphinx.addnodes import pending_xref

Cell = Sequence[nodes.Node]  # paragraphs


def link(role: str, target: str, content: nodes.Node, *, named: bool = True) -> pending_xref:
    """Return a link of a role such as ``py:obj``; one that leads nowhere stops the strict build.

    With `named` false the link says what the role makes of its target, such as "Fig. 3.1".
    """
    domain, kind = role.split(":")
    options = {"refdomain": domain, "reftype": kind, "refexplicit": named, "refwarn": True}
    return pending_xref("", content, reftarget=target, **options)


def table(
    name: str, widths: Sequence[int], rows: Sequence[nodes.row], head: nodes.row | None = None
) -> nodes.table:
    """Return a table of the class `name`; widths are in percent."""
    group = nodes.tgroup("", *(nodes.colspec("", colwidth=width) for width in widths))
    group["cols"] = len(widths)
    if head is not None:
        group += nodes.thead("", head)
    group += nodes.tbody("", *rows)
    return nodes.table("", group, classes=[name])


def row(*cells: Cell) -> nodes.row:
    """Return a row of a table."""
    return nodes.row("", *(nodes.entry("", *cell) for cell in cells))
