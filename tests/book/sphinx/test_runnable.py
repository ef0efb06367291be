"""Marks, scripts and files of a page with code, in a small book with Python and in one without."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup

from nta_book.runtime.source import FOLDER
from tests.small_book import write_small_book
from tools.build_book import BuildFailed, build

HIDE, REMOVE = {"tags": ["hide-input"]}, {"tags": ["remove-cell"]}
LAB = """from nta_book.lab import TokenLab
from nta_core import FIG3
TokenLab(FIG3)"""
WHY = "it needs PyTorch, which a browser does not have."


def book(folder: Path, *more: nbformat.NotebookNode) -> Path:
    """A book with one page of words and one with every kind of cell."""
    write_small_book(folder, ["# Start\n\nWords."], ["# A"], ["# B"])
    text, code = nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell
    cells = [
        text("# Why?", id="why"),
        code("import math", id="imports", metadata=HIDE),
        code("a = math.floor(2.5)\nprint(a)", id="first", metadata=HIDE),
        code("b = a + 1\nb", id="second", metadata=HIDE),
        text("Words.", id="words"),
        code("b", id="alone", metadata=HIDE),
        text("More words.", id="more"),
        code("c = b\nc", id="seen"),
        code("assert c == 3\nd = 3", id="check", metadata=REMOVE),
        code(LAB, id="lab"),
        code("x = 1", id="torch", metadata={"tags": ["needs-torch"]}),
        text("## Exercises\n\n```{exercise} One\n:label: ex-1\n\nWhat is d?\n```", id="task"),
        code("my = 1\nmy == d", id="stub"),
        text("```{solution-start} ex-1\n:class: dropdown\n```\nSo.", id="so"),
        code("my = 3\nmy == d", id="answer"),
        text("```{solution-end}\n```", id="end"),
        *more,
    ]
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.write(notebook, folder / "book" / "01_chapter.ipynb")
    heavy = [text("# Why?", id="why"), code("x = 1", id="x", metadata={"tags": ["needs-torch"]})]
    notebook = nbformat.v4.new_notebook(cells=heavy, metadata=metadata)
    nbformat.write(notebook, folder / "book" / "02_chapter.ipynb")
    return folder


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(book(tmp_path_factory.mktemp("runnable")))


@pytest.fixture(scope="module")
def page(built: Path) -> BeautifulSoup:
    return soup(built)


def soup(built: Path, name: str = "01_chapter") -> BeautifulSoup:
    text = (built / "book" / f"{name}.html").read_text(encoding="utf-8")
    return BeautifulSoup(text, "html.parser")


def marks(page: BeautifulSoup) -> dict[str, str]:
    found = page.select("[data-nta-cell]")
    return {str(mark["data-nta-cell"]): str(mark["data-nta-kind"]) for mark in found}


def script_of(built: Path) -> dict:
    text = (built / "_static" / "python" / "cells" / "01_chapter.js").read_text(encoding="utf-8")
    head = '(window.ntaCells ||= {})["book/01_chapter"] = '
    assert text.startswith(head)
    return dict(json.loads(text.removeprefix(head).rstrip().rstrip(";")))


def cells(built: Path) -> dict:
    return dict(script_of(built)["cells"])


def test_every_cell_that_is_seen_is_marked(page: BeautifulSoup) -> None:
    assert marks(page) == {
        "imports": "cell",
        "first": "cell",
        "second": "cell",
        "alone": "cell",
        "seen": "cell",
        "lab": "heavy",
        "torch": "heavy",
        "stub": "exercise",
        "answer": "cell",
    }
    whys = {str(m["data-nta-cell"]): str(m["data-nta-why"]) for m in page.select("[data-nta-why]")}
    assert whys["torch"] == WHY
    assert whys["lab"].startswith("an explorer: ")


def test_every_mark_has_its_code_and_stands_with_its_output(page: BeautifulSoup) -> None:
    known = {"imports": "import math", "first": "a = math", "second": "b = a", "alone": "b"}
    known |= {"seen": "c = b", "stub": "my = 1", "answer": "my = 3"}
    for name, code in known.items():
        (mark,) = page.select(f'[data-nta-cell="{name}"]')
        own = mark.find("div", class_="cell_input", recursive=False)
        inputs = [own] if own else page.select(f'[data-nta-input="{name}"]')
        assert [i.text.strip().startswith(code) for i in inputs] == [True], name
        assert "cell_input" in inputs[0]["class"], name
        assert "cell" in mark["class"], name
    outputs = {"first": "2", "second": "3", "alone": "3", "seen": "3"}
    for name, words in outputs.items():
        (mark,) = page.select(f'[data-nta-cell="{name}"]')
        assert mark.select_one(".cell_output").text.strip() == words, name  # type: ignore[union-attr]


def test_the_page_has_the_script_and_says_how(page: BeautifulSoup, built: Path) -> None:
    (script,) = page.select('script[src*="nta-python.js"]')
    assert script["data-nta-docname"] == "book/01_chapter"
    version = script_of(built)["version"]  # by which an older page finds that it is another
    assert script["data-nta-cells"] == f"cells/01_chapter.js?v={version}"
    name, _, digest = str(script["data-nta-run"]).partition("?v=")
    content = (built / "_static" / name).read_bytes()
    assert digest == hashlib.sha256(content).hexdigest()[:8]
    assert script.has_attr("defer")
    (hint,) = page.select("p.nta-run-hint[hidden]")  # there are no buttons without a script
    files = json.loads((built / "_static/python/manifest.json").read_text())["files"]
    assert f"{round(sum(file['bytes'] for file in files) / 1e6)} MB" in hint.text
    assert hint.find_next_sibling().find(class_="exercise") or "exercise" in str(
        hint.find_next_sibling()
    )


def test_the_cells_of_the_page_are_a_script_of_their_own(built: Path) -> None:
    found = cells(built)
    assert found["stub"] == {
        "code": "my = 1\nmy == d",
        "setup": "my = 1",
        "needs": ["check", "from nta_core import FIG3"],  # what the page imports is at hand
        "kind": "exercise",
    }
    assert found["second"]["gives"] == ["b"]
    assert found["check"]["kind"] == "hidden"
    assert found["check"]["setup"] == "\nd = 3"
    assert found["seen"]["needs"] == ["import math", "first", "second"]


def test_a_page_without_code_gains_nothing(built: Path) -> None:
    text = (built / "book" / "index.html").read_text(encoding="utf-8")
    assert "nta-python" not in text
    assert "data-nta-cell" not in text


def test_a_page_where_nothing_runs_says_so_at_its_cells(built: Path) -> None:
    heavy = soup(built, "02_chapter")
    assert marks(heavy) == {"x": "heavy"}
    assert heavy.select_one("[data-nta-why]")["data-nta-why"] == WHY  # type: ignore[index]
    assert heavy.select('script[src*="nta-python.js"]')
    assert not heavy.select(".nta-run-hint")


def test_without_python_there_are_no_marks_and_the_build_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], built: Path
) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.setenv(FOLDER, str(tmp_path / "empty"))
    html = build(book(tmp_path / "book"))
    assert "NO PYTHON IN THE PAGES: " in capsys.readouterr().out
    bare, full = soup(html), soup(built)
    assert not marks(bare)
    assert not bare.select('.nta-run-hint, [data-nta-input], script[src*="nta-python"]')
    assert not (html / "_static" / "python").exists()
    assert words(bare) == words(full)


def words(page: BeautifulSoup) -> list[str]:
    """The words of a page, but for those on running it."""
    copy = BeautifulSoup(str(page), "html.parser")
    for hint in copy.select(".nta-run-hint"):
        hint.decompose()
    (article,) = copy.select("article")
    return article.text.split()


def test_a_page_whose_cell_lacks_a_name_stops_the_build(tmp_path: Path) -> None:
    get = nbformat.v4.new_code_cell("globals()['ghost'] = 1", id="secret")
    use = nbformat.v4.new_code_cell("ghost + 1", id="haunted")
    with pytest.raises(BuildFailed, match="cell haunted: no cell before it gives ghost"):
        build(book(tmp_path, get, use))
