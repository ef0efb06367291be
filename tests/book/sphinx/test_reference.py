"""The API reference and what it is made of: public names, places in the book, uses in chapters."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import nta_core
from nta_book import viz
from tools.toc import toc_pages

from nta_book.sphinx import backlinks, chapterlinks, ledger, public, reference, rooms, usage  # isort: skip

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"
NAMES = reference.documented(BOOK)


@pytest.mark.parametrize("module", [chapterlinks, public, reference, rooms, usage])
def test_examples_in_the_extension_hold(module) -> None:
    assert doctest.testmod(module).failed == 0


# ---- every public name has one entry -------------------------------------------------------------


def test_every_public_name_has_exactly_one_entry() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert {f"nta_core.{name}" for name in nta_core.__all__} <= set(NAMES)
    assert {reference.canonical(f"nta_book.viz.{n}", set(NAMES)) for n in viz.__all__} <= set(NAMES)
    values = [
        public.value_of(path) for path in NAMES if public.kind_of(public.value_of(path)) != "data"
    ]
    assert len(values) == len(set(map(id, values))), "one thing under two names"


def test_every_page_of_the_reference_is_in_the_overview_and_in_the_toc() -> None:
    listed = re.search(r"\{nta-api-overview\} (.+)", (BOOK / "api.md").read_text(encoding="utf-8"))
    assert listed is not None
    assert sorted(listed[1].split()) == sorted(reference.api_pages(BOOK))
    assert {f"book/api/{page}" for page in reference.api_pages(BOOK)} <= set(toc_pages(ROOT))


@pytest.mark.parametrize("path", NAMES)
def test_every_entry_says_what_it_is(path: str) -> None:
    assert public.summary_of(path).rstrip("`").endswith((".", "?", "…")), path


def test_a_word_with_two_meanings_keeps_both() -> None:
    """`tracks` is a picture in viz and a table of counts in text."""
    assert public.value_of("nta_book.viz.tracks") is viz.tracks
    assert "nta_book.viz.tracks" in NAMES


# ---- "Explained in" ------------------------------------------------------------------------------


def _docstrings() -> Iterator[tuple[str, str]]:
    for path in NAMES:
        value = public.value_of(path)
        if public.kind_of(value) != "data":
            yield path, inspect.getdoc(value) or ""
        if inspect.isclass(value):
            for name, member in vars(value).items():
                if not name.startswith("_") and inspect.getdoc(member):
                    yield f"{path}.{name}", inspect.getdoc(member) or ""


@pytest.mark.parametrize(
    ("path", "text"), [pair for pair in _docstrings() if "Explained" in pair[1]]
)
def test_a_docstring_names_chapters_that_exist(path: str, text: str) -> None:
    places = chapterlinks.take_explained(text.splitlines())
    assert places is not None, path
    for label in re.findall(r"<([\w-]+)>", chapterlinks.linked(places[0])):
        assert label in _labels(), f"{path} is explained in {label}, which does not exist"


def _labels() -> set[str]:
    pages = [*BOOK.glob("*.ipynb"), *BOOK.glob("*.md")]
    return {label for page in pages for label in _labels_of(page)}


def _labels_of(page: Path) -> list[str]:
    return re.findall(r"\(([\w-]+)\)=", page.read_text(encoding="utf-8"))


def test_nearly_every_function_says_where_it_is_explained() -> None:
    functions = [p for p in NAMES if public.kind_of(public.value_of(p)) == "function"]
    silent = [p for p in functions if "Explained in:" not in (public.value_of(p).__doc__ or "")]
    assert not silent


@pytest.mark.parametrize("where", ["chapter five", "chapters 4 & 5", "somewhere", ""])
def test_a_place_that_is_none_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="names no place"):
        chapterlinks.linked(where)


# ---- uses ----------------------------------------------------------------------------------------


def test_chapters_use_functions_that_have_an_entry() -> None:
    used = usage.chapters_using(BOOK, "nta_core")
    found = {reference.canonical(path, set(NAMES)) for path in used} - {None}
    assert {"nta_core.solve_graph_svm", "nta_book.viz.priority_graphs"} <= found
    chapters = {page for pages in used.values() for page in pages}
    assert set(BOOK.glob("[0-9][0-9]_*.ipynb")) <= chapters


def test_only_what_is_used_counts() -> None:
    assert usage.names_used(["from nta_core import viz"], "nta_core") == ["nta_book.viz"]
    assert usage.names_used(["import numpy", "%matplotlib"], "nta_core") == []
    sources = ["from nta_core.svm import solve_graph_svm as solve", "def f():\n    solve.x"]
    assert usage.names_used(sources, "nta_core") == ["nta_core.svm.solve_graph_svm.x"]


# ---- the ledger and the map ----------------------------------------------------------------------


def test_times_are_said_in_words() -> None:
    assert ledger._time({"seconds": 0.01, "stored": ""}) == "< 0.1 s"
    assert ledger._time({"seconds": 825, "stored": "x"}) == "14 min, stored as x"
    assert ledger._time({"seconds": 9, "stored": "x"}) == "9 s, stored as x"


def test_the_map_follows_the_imports(tmp_path: Path) -> None:
    package = tmp_path / "p"
    (package / "b").mkdir(parents=True)
    (package / "__init__.py").write_text("from p.a import x")
    (package / "a.py").write_text(
        '"""One."""\nfrom typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import p.b'
    )
    (package / "b" / "__init__.py").write_text('"""Two `b`\nlines."""\nfrom p import a')
    (package / "c.py").write_text("def f():\n    import p.b.x")
    assert rooms.imports(package, {"c": "b"}) == {"a": set(), "b": {"a"}}
    assert rooms.imports(package, {}) == {"a": set(), "b": {"a"}, "c": {"b"}}
    assert rooms.purpose(package, "b") == "Two b lines."
    picture = rooms.drawing(["a", "b"], [("b", "a")])
    assert picture.count("<rect") == 2
    assert "b uses a." in picture


def test_the_map_holds_every_room() -> None:
    order, aliases = rooms.declared(ROOT / "tests" / "test_imports.py")
    assert set(rooms.imports(ROOT / "nta_core", aliases)) <= set(order)


def test_commands_on_the_page_exist() -> None:
    page = (BOOK / "how_this_book_is_made.ipynb").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for command in set(re.findall(r"`make (\w+)", page)):
        assert re.search(rf"^{command}:", makefile, re.MULTILINE), command


def test_links_are_not_put_into_headings() -> None:
    from docutils import nodes

    title = nodes.title("", "", nodes.literal("", "attention"))
    paragraph = nodes.paragraph(
        "", "", nodes.literal("", "attention"), nodes.literal("", "attention")
    )
    document = nodes.section("", title, paragraph)
    backlinks._link_mentions(document, {"nta_core.attention"})
    links = [link["reftarget"] for link in document.findall(backlinks.pending_xref)]
    assert links == ["nta_core.attention"]
    assert isinstance(title.children[0], nodes.literal)
