"""Every item of the sources has its place in the built book."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.built_book.coverage import Item, Place, missing, read_sources, unmapped

HTML = Path(__file__).resolve().parents[2] / "_build" / "html"
WANTED, ITEMS = read_sources()


@pytest.fixture(scope="session", autouse=True)
def _built() -> None:
    if not (HTML / "index.html").exists():
        pytest.fail("there is no built book: run make book first")


def test_every_item_of_the_sources_is_mapped() -> None:
    assert not unmapped(WANTED, ITEMS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.kind}-{item.name}")
def test_item_is_in_the_book(item: Item) -> None:
    faults = missing(item, HTML)
    assert not faults, "\n".join(faults)


# ---- the check can fail --------------------------------------------------------------------------

PAGE = """<html><body><section id="all"><h1>A page</h1><p>Elsewhere.</p>
<section id="here"><h2>Here</h2><p>Leagues are
 what’s left.</p><figure id="fig-1"></figure></section></section></body></html>"""
GOOD = Item("question", "1", "what?", (Place("one", "here", "what's left"),))


@pytest.fixture
def html(tmp_path: Path) -> Path:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "one.html").write_text(PAGE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("anchor", ["here", "fig-1", "all"])
def test_words_near_an_anchor_are_found(html: Path, anchor: str) -> None:
    assert not missing(replace(GOOD, places=(Place("one", anchor, "what's left"),)), html)


@pytest.mark.parametrize(
    ("place", "fault"),
    [
        (Place("two", "here", "left"), "no page two"),
        (Place("one", "there", "left"), "no #there"),
        (Place("one", "here", "Elsewhere"), "does not say"),
        (Place("one", "fig-1", "Elsewhere"), "does not say"),
        (Place("one", "here", ""), "say which words"),
    ],
)
def test_planted_fault_is_found(html: Path, place: Place, fault: str) -> None:
    (found,) = missing(replace(GOOD, places=(place,)), html)
    assert fault in found


def test_an_item_without_a_place_is_found(html: Path) -> None:
    assert missing(replace(GOOD, places=()), html)
    assert unmapped({"question": ["1", "2"]}, [GOOD]) == ["no place for question 2"]
    assert unmapped({}, [GOOD]) == ["not in the list of wanted items: question 1"]


def test_places_are_read() -> None:
    assert Place.read("01_x#y :: a :: b") == Place("01_x", "y", "a :: b")
