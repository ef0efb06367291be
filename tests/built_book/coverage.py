"""Where the built book treats each item of its sources (sources.toml), and what answers it."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from nta_book.sphinx.evidence import Evidence
from tests.built_book.crawl import soup

SOURCES = Path(__file__).with_name("sources.toml")
ROOT = SOURCES.parents[2]


@dataclass(frozen=True)
class Place:
    """A spot in the book: a page, and the id of a heading, statement, figure or word there."""

    page: str
    anchor: str

    @classmethod
    def read(cls, text: str) -> Place:
        """Read ``page#anchor``."""
        page, _, anchor = text.partition("#")
        return cls(page, anchor)


@dataclass(frozen=True)
class Item:
    """One thing that the sources say, ask or show; where the book treats it, and what answers it.

    Attributes
    ----------
    kind, name, says
        Which item, and what the sources say.
    places
        Where a reader finds it.
    evidence
        The cells, lines of the ledger and tests behind it.
    """

    kind: str
    name: str
    says: str
    places: tuple[Place, ...]
    evidence: tuple[Evidence, ...]


def read_sources(path: Path = SOURCES) -> tuple[dict[str, list[str]], list[Item]]:
    """Return what must be covered (names by kind), and the items."""
    found = tomllib.loads(path.read_text(encoding="utf-8"))
    items = [
        Item(
            kind,
            name,
            entry["says"],
            tuple(map(Place.read, entry["at"])),
            tuple(map(Evidence.read, entry["by"])),
        )
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


def missing(item: Item, html: Path, root: Path = ROOT) -> list[str]:
    """Return what an item lacks: places in the built book, and evidence that exists."""
    faults = [] if item.places else ["has no place"]
    faults += [fault for place in item.places if (fault := _fault(place, html))]
    faults += [] if item.evidence else ["has nothing behind it"]
    faults += [fault for evidence in item.evidence if (fault := evidence.fault(root))]
    return [f"{item.kind} {item.name}: {fault}" for fault in faults]


def _fault(place: Place, html: Path) -> str:
    page = html / "book" / f"{place.page}.html"
    if not page.is_file():
        return f"there is no page {place.page}"
    if soup(page).find(id=place.anchor) is None:
        return f"{place.page} has no #{place.anchor}"
    return ""


def named_tests(items: Iterable[Item]) -> list[str]:
    """Return the tests that are named as evidence, as pytest calls them."""
    return sorted({str(e) for item in items for e in item.evidence if e.kind == "test"})


def not_collected(tests: Iterable[str], root: Path = ROOT) -> list[str]:
    """Return the tests that pytest does not find, and so never runs."""
    wanted = list(tests)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    # Folders, not files: a file that is named would be read whatever it is called.
    folders = sorted({str(Path(test.partition("::")[0]).parent) for test in wanted})
    done = subprocess.run(
        [*command, "-n", "0", *folders], cwd=root, capture_output=True, text=True, check=False
    )
    found = {line.partition("[")[0] for line in done.stdout.splitlines()}
    return [test for test in wanted if test not in found]
