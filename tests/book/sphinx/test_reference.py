"""The API reference and what it is made of: public names, places in the book, uses in chapters."""

from __future__ import annotations

import doctest
import inspect
import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import nta_core
from nta_book import viz
from nta_book.sphinx import backlinks, chapterlinks, ledger, public, reference, rooms, usage
from tools.toc import toc_pages

ROOT = Path(__file__).resolve().parents[3]
BOOK = ROOT / "book"
ROOMS = [room for page in reference.api_pages(BOOK).values() for room in page]
NAMES = [path for room in ROOMS for path in public.public_names(room)]
HOUSE = rooms.declared(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))


@pytest.mark.parametrize("module", [chapterlinks, public, reference, rooms, usage])
def test_examples_in_the_extension_hold(module) -> None:
    assert doctest.testmod(module).failed == 0


# ---- every public name has one entry -------------------------------------------------------------


def test_every_public_name_has_exactly_one_entry() -> None:
    assert len(NAMES) == len(set(NAMES))
    assert set(NAMES) == reference.documented(BOOK)
    direct = {name for name in NAMES if name.count(".") == 1}
    assert direct == {f"nta_core.{name}" for name in nta_core.__all__}
    results = {"nta_core.svm.GraphSVM", "nta_core.soft.FinitePart", "nta_core.training.Run"}
    assert all(reference.entry_of(name, set(NAMES)) for name in results), "results are public too"
    values = [
        public.value_of(path) for path in NAMES if public.kind_of(public.value_of(path)) != "data"
    ]
    assert len(values) == len(set(map(id, values))), "one thing under two names"


def test_every_room_that_offers_names_has_a_page() -> None:
    offering = {room for room in HOUSE if "." in room and public.public_names(room)}
    # What runs while the book is built, in the reader's browser or at a prompt is not imported.
    behind = {"nta_book.sphinx", "nta_book.page", "nta_book.runtime", "nta_book.exercises"}
    behind |= {"nta_beyond.command", "nta_beyond.progress", "nta_beyond.processes"}
    behind |= {"nta_book.classroom", "nta_book.slicing"}  # tools.make_assignment is their prompt
    shown = {".".join(path.split(".")[:2]) for path in ROOMS}
    assert offering - behind <= shown <= set(HOUSE)


def test_errors_of_each_package_are_documented() -> None:
    errors = {path for path in NAMES if public.kind_of(public.value_of(path)) == "exception"}
    assert {
        "nta_core.NTAError",
        "nta_beyond.errors.TextFileError",
        "nta_book.errors.FigureError",
    } <= errors


def test_what_a_package_does_not_offer_is_not_public(tmp_path, monkeypatch) -> None:
    (tmp_path / "shop" / "a").mkdir(parents=True)
    (tmp_path / "shop" / "__init__.py").write_text("from shop.a import f\n__all__ = ['f']\n")
    (tmp_path / "shop" / "a" / "__init__.py").write_text(
        "from math import pi\nfrom shop.a.inner import R, f, g\n"
    )
    (tmp_path / "shop" / "a" / "inner.py").write_text(
        "def f(): ...\ndef g(): ...\ndef hidden(): ...\nclass R: ...\n"
    )
    (tmp_path / "stall").mkdir()
    (tmp_path / "stall" / "__init__.py").write_text("")
    code = "from shop import f\ndef h(): ...\nclass H: ...\n# How many.\nk = 3\n"
    (tmp_path / "stall" / "b.py").write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert public.public_names("shop.a") == ["shop.a.R", "shop.f"]
    assert public.public_names("stall.b") == ["stall.b.H"]
    assert public.public_names("stall.b.h") == ["stall.b.h"], "a page may show a single name"
    assert public.summary_of("stall.b.k") == "How many."


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


def test_a_function_that_computes_says_where_it_is_explained() -> None:
    """What draws or shows is met on every page; what computes has its chapter."""
    functions = [p for p in NAMES if public.kind_of(public.value_of(p)) == "function"]
    computing = [p for p in functions if not p.startswith("nta_book.")]
    silent = [p for p in computing if "Explained in:" not in (public.value_of(p).__doc__ or "")]
    assert len(computing) > 60
    assert not silent


@pytest.mark.parametrize("where", ["chapter five", "chapters 4 & 5", "somewhere", ""])
def test_a_place_that_is_none_is_refused(where: str) -> None:
    with pytest.raises(ValueError, match="names no place"):
        chapterlinks.linked(where)


# ---- uses ----------------------------------------------------------------------------------------


def test_chapters_use_functions_that_have_an_entry() -> None:
    users = reference._users(BOOK)
    assert {
        "nta_core.solve_graph_svm",
        "nta_beyond.scansnap.train_scanning",
        "nta_book.viz.priority_graphs",
    } <= set(users)
    assert set(users) <= set(NAMES)
    assert set(BOOK.glob("[0-9][0-9]_*.ipynb")) <= {
        page for pages in users.values() for page in pages
    }


@pytest.mark.parametrize("chapter", sorted(BOOK.glob("*.ipynb")), ids=lambda path: path.stem)
def test_what_a_chapter_imports_has_a_page(chapter: Path) -> None:
    """Checkers of exercises have none: they are met where they are used."""
    for path in usage.names_used(usage.code_of(chapter)):
        if path.startswith(("nta_core.", "nta_beyond.", "nta_book.")) and ".exercises" not in path:
            assert reference._page_of(BOOK, path) or reference.entry_of(path, set(NAMES)), path


def test_only_what_is_used_counts() -> None:
    assert usage.names_used(["from nta_book import viz"]) == {"nta_book.viz"}
    assert usage.names_used(["from nta_book import viz", "viz.race()"]) == {"nta_book.viz.race"}
    assert usage.names_used(["import numpy", "%matplotlib"]) == set()
    sources = ["from nta_core.svm import solve_graph_svm as solve", "def f():\n    solve.x"]
    assert usage.names_used(sources) == {"nta_core.svm.solve_graph_svm.x"}


# ---- the ledger and the map ----------------------------------------------------------------------


def test_times_are_said_in_words() -> None:
    assert ledger._time({"seconds": 0.01, "stored": ""}) == "< 0.1 s"
    assert ledger._time({"seconds": 825, "stored": "x"}) == "14 min, stored as x"
    assert ledger._time({"seconds": 9, "stored": "x"}) == "9 s, stored as x"


def test_the_map_follows_the_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = {
        "lower/__init__.py": "from lower.b import x",
        "lower/a.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import lower.b",
        "lower/b/__init__.py": '"""Two `b`\nlines."""\nfrom lower import a\nx = 1',
        "lower/b/inner.py": "from lower.b import x",
        "lower/c.py": "def f():\n    import lower.b.inner, lower.a",
        "upper/__init__.py": "",
        "upper/d.py": "from lower import x\nimport lower.a",
        "upper/e.py": "import lower.c\nimport numpy",
    }
    for name, code in sources.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(code)
    monkeypatch.syspath_prepend(str(tmp_path))
    house = ["lower", "lower.a", "lower.b", "lower.c", "upper", "upper.d", "upper.e"]
    found = rooms.arcs(house)
    assert found == [
        ("lower.b", "lower.a"),
        ("lower.c", "lower.b"),
        ("upper.d", "lower"),
        ("upper.e", "lower.c"),
    ]
    assert rooms.purpose("lower.b") == "Two b lines."
    picture = rooms.drawing(house, found)
    assert picture.count("<rect") == 5
    assert "2 packages with 5 boxes" in picture
    assert "lower.b uses lower.a." in picture


def test_the_map_holds_every_room_and_leads_upwards() -> None:
    packages = [name for name in HOUSE if "." not in name]
    assert packages == ["nta_core", "nta_beyond", "nta_book"]
    for package in packages:
        modules = [path.stem for path in (ROOT / package).glob("*.py")]
        modules += [path.parent.name for path in (ROOT / package).glob("*/__init__.py")]
        rooms_of = {f"{package}.{name}" for name in modules if not name.startswith("_")}
        assert rooms_of == {name for name in HOUSE if name.startswith(f"{package}.")}
    assert all(HOUSE.index(used) < HOUSE.index(user) for user, used in rooms.arcs(HOUSE))


def test_commands_on_the_page_exist() -> None:
    page = (BOOK / "how_this_book_is_made.ipynb").read_text(encoding="utf-8")
    commands = sorted(set(re.findall(r"`make (\w+)", page)))
    assert commands
    done = subprocess.run(["make", "-n", *commands], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_links_are_not_put_into_headings() -> None:
    from docutils import nodes

    title = nodes.title("", "", nodes.literal("", "attention"))
    paragraph = nodes.paragraph(
        "", "", nodes.literal("", "attention"), nodes.literal("", "attention")
    )
    document = nodes.section("", title, paragraph)
    backlinks.link_mentions(document, {"nta_core.attention"})
    links = [link["reftarget"] for link in document.findall(backlinks.pending_xref)]
    assert links == ["nta_core.attention"]
    assert isinstance(title.children[0], nodes.literal)
