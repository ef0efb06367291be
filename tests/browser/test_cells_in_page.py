"""All light cells of the chapters in the page's own Python: they run, and say what a kernel said.

The Python is that of the built book, under Node: a browser would take an hour for all of them.
What is heavy for a package must miss it there; a tag that is not needed any more is found.
A sample of pages stands for all; ``make engines`` takes every page.
"""

from __future__ import annotations

import base64
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

from nta_book.explore.explorer import MIME as EXPLORER
from nta_book.sphinx.executed import Executed
from nta_book.sphinx.outputs import WIDGET
from nta_book.sphinx.pagecells import NEEDS, Cell, page_cells
from tests.browser import wasm
from tests.every_page import EVERY_PAGE
from tools.toc import toc_sources

ROOT = Path(__file__).resolve().parents[2]
PYTHON = ROOT / "_build" / "html" / "_static" / "python"
PAGES = [path for path in toc_sources(ROOT) if path.suffix == ".ipynb"]
SAMPLE = ("02_", "07_", "bring_")  # drawings; plots, long runs; cells that miss a package
CHOSEN = [path for path in PAGES if EVERY_PAGE or path.stem.startswith(SAMPLE)]


def executed(page: Path) -> nbformat.NotebookNode:
    """The notebook as the kernel left it; without it nothing can be compared."""
    notebook = Executed(ROOT).notebook(page)
    if notebook is None:
        pytest.fail(f"{page.name} was not built with the present code: make book")
    return notebook


def outputs_of(page: Path) -> dict[str, list]:
    return {cell.id: cell.outputs for cell in executed(page).cells if cell.cell_type == "code"}


def prebuilt_places(notebook: nbformat.NotebookNode) -> set[int]:
    """Return the places of cells of an executed notebook that end with an explorer or a lab."""
    return {
        place
        for place, cell in enumerate(notebook.cells)
        for output in cell.get("outputs", ())
        if {EXPLORER, WIDGET} & set(output.get("data", ()))
    }


def cells_of(page: Path) -> dict[str, Cell]:
    places = prebuilt_places(executed(page))
    return {cell.id: cell for cell in page_cells(page, places).values()}


def problems_of(python: wasm.Wasm, outputs: dict[str, list], tagged: dict[str, str]) -> list[str]:
    """Run the light cells of a page, then those that need a package; say what is not as it was."""
    problems = []
    for cell in list(python.cells.values()):
        if cell.kind in ("cell", "exercise"):
            found = wasm.difference(python.run(cell.id), outputs[cell.id])
            problems += [f"{cell.id}: {found}"] if found else []
    python.reset()  # cells further down may have given other things the same names
    for name, package in tagged.items():
        answer = python.run(name)
        if answer["ok"]:
            problems.append(f"{name} runs: its tag is not needed any more")
        elif answer["error"]["missing"] != package:
            problems.append(f"{name} does not miss {package}: {answer['error']['text']}")
    return problems


@pytest.mark.parametrize("page", CHOSEN, ids=lambda path: path.stem)
def test_cells_say_what_the_kernel_said(page: Path) -> None:
    tagged = {
        cell.id: tag.removeprefix(NEEDS)
        for cell in executed(page).cells
        for tag in cell.metadata.get("tags", ())
        if tag.startswith(NEEDS)
    }
    with wasm.started(PYTHON, cells_of(page)) as python:
        problems = problems_of(python, outputs_of(page), tagged)
    assert not problems, "\n".join(problems)


# ---- planted faults ------------------------------------------------------------------------------

CELLS = {
    cell.id: cell
    for cell in (
        Cell("import math", "import math", "import math", "hidden"),
        Cell("x", "x = math.pi\nprint(x)", "x = math.pi", "cell", "", ("import math",)),
        Cell("y", "round(x, 3)", "", "cell", "", ("import math", "x")),
    )
}
SAID = [{"output_type": "execute_result", "data": {"text/plain": "3.142"}}]


@pytest.fixture(scope="module")
def shared() -> Iterator[wasm.Wasm]:
    with wasm.started(PYTHON, CELLS) as python:
        yield python


@pytest.fixture
def python(shared: wasm.Wasm) -> wasm.Wasm:
    """The page's Python, started once for all faults, without a memory of the last one."""
    shared.cells = CELLS
    shared.reset()
    return shared


def test_a_cell_that_answers_otherwise_is_found(python: wasm.Wasm) -> None:
    assert wasm.difference(python.run("y"), SAID) == ""
    for planted in (
        [{"output_type": "execute_result", "data": {"text/plain": "3.145"}}],
        [{"output_type": "execute_result", "data": {"text/html": "3.142"}}],
        [{"output_type": "stream", "text": "3.142"}],
        [],
    ):
        assert wasm.difference(python.run("y"), planted)


def test_a_tag_that_is_not_needed_or_not_true_is_found(python: wasm.Wasm) -> None:
    said = {"x": [{"output_type": "stream", "text": "3.141592653589793"}], "y": SAID}
    assert problems_of(python, said, {}) == []
    assert problems_of(python, said, {"y": "torch"}) == ["y runs: its tag is not needed any more"]
    python.cells = CELLS | {"z": Cell("z", "1 / 0", "", "heavy")}
    assert "z does not miss torch" in problems_of(python, said, {"z": "torch"})[0]


def test_a_needed_cell_that_is_missing_is_found(python: wasm.Wasm) -> None:
    python.cells = CELLS | {"y": Cell("y", "round(x, 3)", "", "cell", "", ("import math",))}
    assert "NameError" in wasm.difference(python.run("y"), SAID)


def test_a_broken_runtime_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "python"
    ignored = shutil.ignore_patterns("disk", "cells")
    shutil.copytree(PYTHON, folder, ignore=ignored)
    with (folder / "python_stdlib.zip").open("r+b") as file:
        file.truncate(1000)
    with (
        wasm.started(folder, CELLS) as python,
        pytest.raises((AssertionError, BrokenPipeError)),
    ):
        python.run("y")


def test_a_curve_that_differs_as_far_as_one_sees_is_found() -> None:
    def plot(
        *curves: list[float], label: float = -2.3016, ends: float = 0.0254, axis: str = "linear"
    ) -> dict[str, Any]:
        data = [
            {"y": {"dtype": "f8", "bdata": base64.b64encode(np.array(curve)).decode()}}
            for curve in curves
        ]
        layout = {
            "annotations": [{"y": label}],
            "meta": {"alt": f"falls from 0.1 to {ends} in 20 steps"},
            "yaxis": {"type": axis},
        }
        return {wasm.PLOT: {"data": data, "layout": layout}}

    def differs(one: dict[str, Any], other: dict[str, Any]) -> bool:
        (_, mine), (_, yours) = wasm.best(one), wasm.best(other)
        return bool(wasm.different_texts(mine, yours, wasm.SEEN))

    base = plot([1.0, 0.5], [0.1, 0.02])
    assert not differs(base, plot([1.0, 0.503], [0.1, 0.026], label=-2.3005))
    assert not differs(base, plot([1.0, 0.5], [0.1, 0.02], ends=0.0312))
    few = plot([1.0, 0.5], [0.1, 0.02], axis="log")  # its far end is seen
    assert differs(few, plot([1.0, 0.5], [0.1, 0.02], axis="log", ends=0.0312))
    for planted in (
        plot([1.0, 0.53], [0.1, 0.02]),
        plot([1.0, 0.5], [0.1, 0.05]),
        plot([1.05, 0.5], [0.1, 0.02]),
        plot([1.0, 0.5], [0.1, 0.02], label=-2.4),
        plot([1.0, 0.5], [0.1, 0.02], ends=0.05),
        plot([1.0, 0.5]),
        plot([1.0, float("nan")], [0.1, 0.02]),
    ):
        assert differs(base, planted)


def test_texts_are_compared_number_by_number() -> None:
    assert not wasm.different_texts("loss 0.3300001, 12", "loss 0.33, 12")
    assert not wasm.different_texts("x 1.2345678901", "x 1.2345678912")
    for one, other in (("a 1", "a 2"), ("a 0.33", "a 0.35"), ("a 1", "b 1"), ("a", "a 1")):
        assert wasm.different_texts(one, other)
