"""Where the built book treats each item of its sources (sources.toml), and what is missing."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bs4 import Tag

from tests.built_book.crawl import soup

SOURCES = Path(__file__).with_name("sources.toml")


@dataclass(frozen=True)
class Place:
    """A spot in the book: a page, the id of a heading, statement or figure there, and words."""

    page: str
    anchor: str
    phrase: str

    @classmethod
    def read(cls, text: str) -> Place:
        """Read ``page#anchor :: words that occur there``."""
        address, _, phrase = text.partition(" :: ")
        page, _, anchor = address.partition("#")
        return cls(page, anchor, phrase)


@dataclass(frozen=True)
class Item:
    """One thing that the sources say, ask or show, and where the book answers."""

    kind: str
    name: str
    says: str
    places: tuple[Place, ...]


def read_sources(path: Path = SOURCES) -> tuple[dict[str, list[str]], list[Item]]:
    """Return what must be covered (names by kind), and the items with their places."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    items = [
        Item(kind, name, entry["says"], tuple(map(Place.read, entry["at"])))
        for kind, entries in found["item"].items()
        for name, entry in entries.items()
    ]
    return found["wanted"], items


def unmapped(wanted: dict[str, list[str]], items: Iterable[Item]) -> list[str]:
    """Return what the sources hold and no item maps, and the reverse."""
    names = {(kind, name) for kind, listed in wanted.items() for name in listed}
    mapped = {(item.kind, item.name) for item in items}
    return [f"no place for {kind} {name}" for kind, name in sorted(names - mapped)] + [
        f"not in the list of wanted items: {kind} {name}" for kind, name in sorted(mapped - names)
    ]


def missing(item: Item, html: Path) -> list[str]:
    """Return what is wrong with the places of an item in the built book."""
    if not item.places:
        return [f"{item.kind} {item.name} has no place"]
    return [
        f"{item.kind} {item.name}: {fault}"
        for place in item.places
        if (fault := _fault(place, html))
    ]


def _fault(place: Place, html: Path) -> str:
    page = html / "book" / f"{place.page}.html"
    if not page.is_file():
        return f"there is no page {place.page}"
    element = soup(page).find(id=place.anchor)
    if not isinstance(element, Tag):
        return f"{place.page} has no #{place.anchor}"
    if not place.phrase.strip():
        return f"{place.page}#{place.anchor}: say which words to look for"
    if _plain(place.phrase) not in _plain(_around(element).get_text()):
        return f"{place.page}#{place.anchor} does not say {place.phrase!r}"
    return ""


def _around(element: Tag) -> Tag:
    """Return what an anchor stands for: its section, or the section that holds it."""
    if element.name == "section":
        return element
    inside = element.find_parent("section")
    return inside if isinstance(inside, Tag) else element


def _plain(text: str) -> str:
    """Drop differences that a reader does not see: spaces, quotes, letter case."""
    text = text.replace("’", "'").replace("“", '"').replace("”", '"').replace("\u00a0", " ")
    return re.sub(r"\s+", " ", text).casefold()
