"""The architecture as a picture: the packages, their rooms, and who really imports whom.

Nothing is typed: the order is the one declared in ``pyproject.toml``, which import-linter enforces,
the arcs are read off the sources, and the sentences are the first lines of the rooms' docstrings.
"""

from __future__ import annotations

import html
import inspect
import re
import tomllib
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import grimp
import networkx as nx
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from nta_book.sphinx.markup import link, row, table
from nta_book.sphinx.reference import api_pages

ROW, WIDTH, BOX = 30, 330, 118  # pixels: height of a row, width of the picture, width of a box


def register(app: Sphinx) -> None:
    """Add the directive ``{nta-rooms}``."""
    app.add_directive("nta-rooms", Rooms)


class Rooms(SphinxDirective):
    """The picture, and a table with what each room is for."""

    def run(self) -> list[nodes.Node]:
        """Return both."""
        root = Path(self.env.srcdir)
        declaration = root / "pyproject.toml"
        house = declared(tomllib.loads(declaration.read_text(encoding="utf-8")))
        packages = [name for name in house if "." not in name]
        sources = [path for name in packages for path in (root / name).rglob("*.py")]
        for path in [declaration, *sorted(sources)]:
            self.env.note_dependency(str(path))
        picture = drawing(house, arcs(house))
        figure = nodes.raw("", picture, format="html", classes=["nta-output"])
        return [figure, self._table(house)]

    def _table(self, house: list[str]) -> nodes.table:
        pages = api_pages(Path(self.env.srcdir) / "book")
        page_of = {
            ".".join(path.split(".")[:2]): f"/book/api/{page}"
            for page, listed in pages.items()
            for path in listed
        }
        rows = []
        for room in house:
            name: nodes.Node = nodes.literal("", room)
            if room in page_of:
                name = link("std:doc", page_of[room], name)
            rows.append(row([nodes.paragraph("", "", name)], [nodes.paragraph("", purpose(room))]))
        return table("nta-rooms", (25, 75), rows)


def declared(project: Mapping[str, Any]) -> list[str]:
    """Return the packages that have rooms, and these, each behind those that it may use.

    >>> layers = [{"type": "layers", "layers": ["tools", "p"]},
    ...           {"type": "layers", "containers": ["p"], "layers": ["b", "a | (c)"]}]
    >>> declared({"tool": {"importlinter": {"contracts": layers}}})
    ['p', 'p.a', 'p.c', 'p.b']
    """
    contracts = project["tool"]["importlinter"]["contracts"]
    found: dict[str, list[str]] = {"": []}
    for contract in contracts:
        if contract["type"] == "layers":
            for container in contract.get("containers", [""]):
                layers = [re.findall(r"[\w.]+", layer) for layer in reversed(contract["layers"])]
                names = [name for layer in layers for name in layer if name != "__main__"]
                found[container] = [f"{container}.{name}".lstrip(".") for name in names]
    return [name for top in found[""] if top in found for name in [top, *found[top]]]


def arcs(house: list[str]) -> list[tuple[str, str]]:
    """Return (room, what it imports) without what follows from the others, in order.

    A room that imports a package as such may use all its rooms.
    """
    packages = [name for name in house if "." not in name]
    code = grimp.build_graph(*packages, exclude_type_checking_imports=True, cache_dir=None)
    for name in house:
        if name not in packages:
            code.squash_module(name)
    uses = nx.DiGraph(
        (name, other)
        for name in house
        for other in code.find_modules_directly_imported_by(name) - {name}
    )
    # The package itself counts as the last of its rooms, and as first in the picture.
    uses.add_edges_from((n.partition(".")[0], n) for n in house if n not in packages)
    kept = nx.transitive_reduction(uses.subgraph(house)).edges
    return [(a, b) for a in house for b in house if (a, b) in kept and not b.startswith(f"{a}.")]


def purpose(room: str) -> str:
    """Return the first paragraph of a room's docstring, as plain words."""
    said = inspect.getdoc(import_module(room)) or ""
    return re.sub(r"`+", "", " ".join(said.split("\n\n")[0].split()))


def drawing(house: list[str], lines: list[tuple[str, str]]) -> str:
    """Return packages and rooms as a column, and arcs from each room to those it uses."""
    place = {room: ROW * k + ROW / 2 for k, room in enumerate(house)}
    shapes = [_arc(place[user], place[used]) for user, used in lines]
    shapes += [_box(room, place[room]) for room in house]
    rooms = [room for room in house if "." in room]
    alt = html.escape(
        f"A column of {len(house) - len(rooms)} packages with {len(rooms)} boxes, from {rooms[0]} "
        f"at the top to {rooms[-1]} at the bottom, and {len(lines)} arcs that all lead upwards: "
        "every room uses only what is above it. "
        + " ".join(
            f"{user} uses {', '.join(used for other, used in lines if other == user)}."
            for user in dict.fromkeys(user for user, _ in lines)
        )
    )
    svg = (
        f'<svg viewBox="0 0 {WIDTH} {ROW * len(house)}" width="{WIDTH}" style="max-width:100%" '
        f'font-family="inherit" font-size="14">{"".join(shapes)}</svg>'
    )
    return (
        '<figure class="nta-fig" data-state="drawn"><div class="nta-drawing" role="img" '
        f'aria-label="{alt}">{svg}</div></figure>'
    )


def _box(name: str, y: float) -> str:
    """Return a room as a box, and a package as bold words above its rooms."""
    package, _, room = name.partition(".")
    look = "" if room else ' font-weight="bold"'
    text = (
        f'<text x="{BOX / 2:g}" y="{y + 5:g}" text-anchor="middle"{look} '
        f'fill="var(--nta-ink, #1B1F24)">{html.escape(room or package)}</text>'
    )
    if not room:
        return text
    return (
        f'<rect x="1" y="{y - 11:g}" width="{BOX}" height="22" rx="5" '
        f'fill="var(--nta-wash, #F4F6F8)" stroke="var(--nta-league-1, #0072B2)"/>{text}'
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
