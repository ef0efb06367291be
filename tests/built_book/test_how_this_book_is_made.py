"""The small chapter on the page "How this book is made" is one: it builds, strictly."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from experiments.experiment import Experiment
from tests.built_book.crawl import soup, undescribed_pictures
from tests.reproductions import mechanics_figures
from tests.reproductions.entry import Lines
from tests.small_book import write_small_book
from tools.build_book import build

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "book" / "how_this_book_is_made.ipynb"


def fences(title: str) -> list[str]:
    """Return the fenced blocks of a section of the page, in order."""
    notebook = json.loads(PAGE.read_text(encoding="utf-8"))
    texts = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    section = "\n".join(texts).partition(f"## {title}")[2].partition("\n## ")[0]
    return re.findall(r"^```(?:markdown|python)\n(.*?)\n```$", section, re.DOTALL | re.MULTILINE)


def test_the_example_is_a_chapter(tmp_path: Path) -> None:
    cells = fences("Add a chapter")
    assert len(cells) == 4
    book = write_small_book(tmp_path, ["# A book"], cells)
    build(book)
    page = book / "_build" / "html" / "book" / "01_chapter.html"
    assert soup(page).select_one("figure.nta-fig .nta-drawing")
    assert "Dashed arrows" in soup(page).select_one("#fig-example figcaption").get_text()
    assert not undescribed_pictures(page)
    assert "frozenset({3})" in soup(page).select_one(".cell_output pre").get_text()


def test_the_example_is_an_experiment() -> None:
    (code,) = fences("Store an experiment")
    module: dict[str, Any] = {}
    exec(code, module)  # our own page
    experiment = module["EXPERIMENT"]
    assert isinstance(experiment, Experiment)
    assert 0.9 < experiment.measure(**experiment.cells[0])["cosine"] <= 1


def test_the_line_of_the_ledger_is_the_one_that_runs() -> None:
    (code,) = fences("Add a line to the ledger")
    module = vars(mechanics_figures) | {"line": Lines("mechanics")}
    exec(code, module)  # our own page
    (shown,) = module["line"]
    (kept,) = [entry for entry in mechanics_figures.ENTRIES if entry.key == shown.key]
    assert shown.ours.__code__.co_names == kept.ours.__code__.co_names
    assert replace(shown, ours=kept.ours) == kept


def test_the_map_is_drawn() -> None:
    page = ROOT / "_build" / "html" / "book" / "how_this_book_is_made.html"
    (picture,) = soup(page).select("figure.nta-fig .nta-drawing[aria-label*='boxes']")
    rooms = [text.get_text() for text in picture.select("text")]
    assert rooms[:2] == ["nta_core", "errors"]
    assert {"graphs", "svm", "nta_beyond", "scansnap", "nta_book", "viz"} <= set(rooms)
    assert len(picture.select("rect")) == len(rooms) - 3, "packages are words above their rooms"
