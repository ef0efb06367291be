"""The architecture as a picture: rooms of a package, and who really imports whom.

Nothing is typed: the order of the rooms is the one that ``tests/test_imports.py`` enforces, the
arcs are read off the sources, and the sentences are the first lines of the rooms' docstrings.
"""

from __future__ import annotations

import ast
import html
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nta_book.sphinx.reference import PACKAGE, api_pages

ROW, WIDTH, BOX = 30, 330, 118  # pixels: height of a row, width of the picture, width of a box


def register(app: Sphinx) -> None:
    """Add the directive ``{nta-rooms}``."""
    app.add_directive("nta-rooms", Rooms)


class Rooms(SphinxDirective):
    """The picture, and a table with what each room is for."""

    def run(self) -> list[nodes.Node]:
        """Return both."""
        root = Path(self.env.srcdir)
        order, aliases = declared(root / "tests" / "test_imports.py")
        uses = imports(root / PACKAGE, aliases)
        shown = [room for room in order if room in uses]
        for path in sorted((root / PACKAGE).rglob("*.py")):
            self.env.note_dependency(str(path))
        picture = drawing(shown, reduced(uses, shown))
        figure = nodes.raw("", picture, format="html", classes=["nta-output"])
        return [figure, self._table(root, shown)]

    def _table(self, root: Path, rooms: list[str]) -> nodes.table:
        pages = api_pages(root / "book")
        group = nodes.tgroup("", cols=2)
        group += [nodes.colspec("", colwidth=width) for width in (20, 80)]
        body = nodes.tbody()
        for room in rooms:
            name: nodes.Element = nodes.literal("", room)
            page = next((p for p, listed in pages.items() if room in _bare(listed)), None)
            if page is not None:
                name = pending_xref(
                    "",
                    name,
                    refdomain="std",
                    reftype="doc",
                    reftarget=f"/book/api/{page}",
                    refexplicit=True,
                    refwarn=True,
                )
            first = nodes.entry("", nodes.paragraph("", "", name))
            said = nodes.entry("", nodes.paragraph("", purpose(root / PACKAGE, room)))
            body += nodes.row("", first, said)
        group += body
        return nodes.table("", group, classes=["nta-rooms"])


def declared(test: Path) -> tuple[list[str], dict[str, str]]:
    """Return the order of the rooms, and modules that live in a room of another name."""
    values: dict[str, Any] = {}
    for node in ast.parse(test.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name in ("ORDER", "ROOM_OF"):  # literals, apart from the stars in the list
                values[name] = eval(compile(ast.Expression(node.value), str(test), "eval"), {})
    return values["ORDER"], values["ROOM_OF"]


def imports(package: Path, aliases: dict[str, str]) -> dict[str, set[str]]:
    """Return for every room the other rooms that its modules import, wherever in the code."""
    found: dict[str, set[str]] = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).parts
        own = parts[0].removesuffix(".py")
        if own == "__init__":
            continue
        own = aliases.get(own, own)
        found.setdefault(own, set())
        tree = _WithoutTypes().visit(ast.parse(path.read_text(encoding="utf-8")))
        for name in _imported(tree, package.name):
            other = aliases.get(name, name)
            if other != own:
                found[own].add(other)
    return found


class _WithoutTypes(ast.NodeTransformer):
    """Drop ``if TYPE_CHECKING:``, which never runs."""

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Keep every other condition."""
        is_types = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        return node.orelse if is_types else node


def _imported(tree: ast.AST, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            if node.module == package:
                yield from (alias.name for alias in node.names)
            elif node.module.startswith(f"{package}."):
                yield node.module.split(".")[1]
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith(f"{package}."):
                    yield alias.name.split(".")[1]


def reduced(uses: dict[str, set[str]], order: list[str]) -> list[tuple[str, str]]:
    """Return (room, room it uses) without what follows from the others, in order.

    >>> reduced({"a": set(), "b": {"a"}, "c": {"a", "b"}}, ["a", "b", "c"])
    [('b', 'a'), ('c', 'b')]
    """
    known = {room: uses[room] & set(order) for room in order}
    below: dict[str, set[str]] = {}
    for room in order:  # a room uses only rooms before it, so these are complete already
        below[room] = set().union(*(below.get(other, set()) | {other} for other in known[room]))
    return [
        (room, other)
        for room in order
        for other in order
        if other in known[room] and not any(other in below[step] for step in known[room])
    ]


def purpose(package: Path, room: str) -> str:
    """Return the first line of a room's docstring."""
    path = package / room / "__init__.py"
    source = path if path.exists() else package / f"{room}.py"
    text = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return re.sub(r"`+", "", " ".join(text.split("\n\n")[0].split()))


def drawing(rooms: list[str], arcs: list[tuple[str, str]]) -> str:
    """Return the rooms as a column of boxes, and arcs from each to the rooms it uses."""
    place = {room: ROW * k + ROW / 2 for k, room in enumerate(rooms)}
    height = ROW * len(rooms)
    lines = [_arc(place[user], place[used]) for user, used in arcs]
    boxes = [_box(room, place[room]) for room in rooms]
    alt = html.escape(
        f"A column of {len(rooms)} boxes, from {rooms[0]} at the top to {rooms[-1]} at the bottom, "
        f"and {len(arcs)} arcs that all lead upwards: every room uses only rooms above it. "
        + " ".join(
            f"{user} uses {', '.join(used for other, used in arcs if other == user)}."
            for user in dict.fromkeys(user for user, _ in arcs)
        )
    )
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" style="max-width:100%" '
        f'font-family="inherit" font-size="14">{"".join(lines + boxes)}</svg>'
    )
    return (
        '<figure class="nta-fig" data-state="drawn"><div class="nta-drawing" role="img" '
        f'aria-label="{alt}">{svg}</div></figure>'
    )


def _box(room: str, y: float) -> str:
    return (
        f'<rect x="1" y="{y - 11:g}" width="{BOX}" height="22" rx="5" '
        'fill="var(--nta-wash, #F4F6F8)" stroke="var(--nta-league-1, #0072B2)"/>'
        f'<text x="{BOX / 2:g}" y="{y + 5:g}" text-anchor="middle" '
        f'fill="var(--nta-ink, #1B1F24)">{html.escape(room)}</text>'
    )


def _arc(start: float, end: float) -> str:
    """Return an arc from the box of a room up to the one it uses, ending in an arrow head."""
    edge = BOX + 3
    bend = edge + min(WIDTH - edge - 8, 12 + 0.62 * (start - end))
    path = f"M{edge} {start:g} C{bend:g} {start:g} {bend:g} {end + 4:g} {edge + 7} {end + 4:g}"
    head = f"M{edge} {end + 4:g} l8 -3.5 v7 z"
    hue = "var(--nta-muted, #5C6670)"
    return (
        f'<path d="{path}" fill="none" stroke="{hue}" stroke-width="1.3" opacity="0.8"/>'
        f'<path d="{head}" fill="{hue}"/>'
    )


def _bare(rooms: list[str]) -> list[str]:
    return [room.removesuffix(".*") for room in rooms]
