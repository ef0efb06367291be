"""Chapters are kept without results: the book and every reader compute their own."""

from __future__ import annotations

import json
from pathlib import Path

import nbformat
import pytest

from tools.strip_outputs import stripped
from tools.toc import toc_sources

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))


@pytest.mark.parametrize("path", CHAPTERS, ids=lambda path: path.name)
def test_chapter_has_no_outputs_and_no_traces_of_an_editor(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == stripped(text), f"{path.name}: run python -m tools.strip_outputs"


def test_every_chapter_is_in_the_toc() -> None:
    assert set(CHAPTERS) <= set(toc_sources(ROOT))


def test_stripping_removes_results_and_keeps_what_authors_wrote() -> None:
    notebook = nbformat.v4.new_notebook()
    cell = nbformat.v4.new_code_cell("1 + 1", id="a", metadata={"tags": ["hide-input"]})
    cell.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2"})]
    cell.execution_count = 7
    cell.metadata["execution"] = {"iopub.status.busy": "now"}
    notebook.cells = [nbformat.v4.new_markdown_cell("# Words", id="b"), cell]
    notebook.metadata["vscode"] = {}
    clean = json.loads(stripped(nbformat.writes(notebook)))
    assert clean["cells"][0]["source"] == ["# Words"]
    assert clean["cells"][1]["outputs"] == []
    assert clean["cells"][1]["execution_count"] is None
    assert clean["cells"][1]["metadata"] == {"tags": ["hide-input"]}
    assert set(clean["metadata"]) == {"kernelspec", "language_info"}
    assert stripped(json.dumps(clean)) == stripped(stripped(json.dumps(clean)))
