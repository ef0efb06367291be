"""Every item of the sources has its place in the built book, and something behind it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nta_book.sphinx.evidence import Evidence
from tests.built import HTML, built_book
from tests.built_book.coverage import (
    Item,
    Place,
    missing,
    named_tests,
    not_collected,
    read_sources,
    unmapped,
)

WANTED, ITEMS = read_sources()


@pytest.fixture(scope="session", autouse=True)
def _built() -> None:
    built_book()


def test_every_item_of_the_sources_is_mapped() -> None:
    assert not unmapped(WANTED, ITEMS)


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: f"{item.kind}-{item.name}")
def test_item_is_in_the_book(item: Item) -> None:
    faults = missing(item, HTML)
    assert not faults, "\n".join(faults)


def test_every_test_behind_an_item_is_one_that_runs() -> None:
    named = named_tests(ITEMS)
    assert named
    assert not not_collected(named)


# ---- the check can fail --------------------------------------------------------------------------

PAGE = """<html><body><section id="all"><h1>A page</h1><section id="here"><h2>Here</h2>
<figure id="fig-1"></figure></section></section></body></html>"""
GOOD = Item(
    "question", "1", "what?", (Place("one", "here"),), (Evidence("cell", "one", "picture"),)
)


@pytest.fixture
def html(tmp_path: Path) -> Path:
    book = tmp_path / "book"
    book.mkdir()
    (book / "one.html").write_text(PAGE, encoding="utf-8")
    cells = [{"cell_type": "code", "id": "picture", "source": ["draw()"], "metadata": {}}]
    (book / "one.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (book / "ledger.json").write_text('{"entries": [{"key": "fig-1"}]}', encoding="utf-8")
    (tmp_path / "test_a.py").write_text("def test_b():\n    assert True\n", encoding="utf-8")
    (tmp_path / "helper.py").write_text("def test_c():\n    assert True\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("anchor", ["here", "fig-1", "all"])
def test_an_anchor_is_found(html: Path, anchor: str) -> None:
    assert not missing(replace(GOOD, places=(Place("one", anchor),)), html, html)


@pytest.mark.parametrize("text", ["one: picture", "ledger fig-1", "test_a.py::test_b"])
def test_evidence_is_found(html: Path, text: str) -> None:
    assert not missing(replace(GOOD, evidence=(Evidence.read(text),)), html, html)


@pytest.mark.parametrize(
    ("place", "fault"),
    [(Place("two", "here"), "no page two"), (Place("one", "there"), "no #there")],
)
def test_a_place_that_is_gone_is_found(html: Path, place: Place, fault: str) -> None:
    (found,) = missing(replace(GOOD, places=(place,)), html, html)
    assert fault in found


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("one: drawing", "no cell drawing"),
        ("ledger fig-2", "no line fig-2"),
        ("test_a.py::test_x", "no test test_x"),
        ("test_b.py::test_b", "no file test_b.py"),
    ],
)
def test_evidence_that_is_gone_is_found(html: Path, text: str, fault: str) -> None:
    (found,) = missing(replace(GOOD, evidence=(Evidence.read(text),)), html, html)
    assert fault in found


def test_a_test_that_never_runs_is_found(html: Path) -> None:
    hidden = "helper.py::test_c"  # pytest looks into files called test_*.py only
    named = ["test_a.py::test_b", "test_a.py::test_x", hidden]
    assert not_collected(named[:1], html) == []
    assert not_collected(named, html) == named[1:]


def test_an_item_without_a_place_or_without_evidence_is_found(html: Path) -> None:
    assert missing(replace(GOOD, places=()), html, html)
    assert missing(replace(GOOD, evidence=()), html, html)
    assert unmapped({"question": ["1", "2"]}, [GOOD]) == ["no place for question 2"]
    assert unmapped({}, [GOOD]) == ["not in the list of wanted items: question 1"]


def test_places_are_read() -> None:
    assert Place.read("01_x#y") == Place("01_x", "y")
