"""Pages are kept without results and in a form in which a change to a sentence changes a line."""

from __future__ import annotations

import doctest
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

from nta_book.sphinx import captions
from tools import tidy_notebooks
from tools.tidy_notebooks import one_sentence_per_line, pages, tidied, tidy
from tools.toc import toc_sources

ROOT = Path(__file__).resolve().parents[2]
CHAPTERS = sorted((ROOT / "book").glob("*.ipynb"))
HOOKS = {
    hook["id"]: hook
    for hook in yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
}


def test_every_chapter_is_in_the_toc() -> None:
    assert set(CHAPTERS) <= set(toc_sources(ROOT))


@pytest.mark.parametrize("module", [captions, tidy_notebooks])
def test_examples_hold(module) -> None:
    assert doctest.testmod(module).attempted
    assert not doctest.testmod(module).failed


# ---- results -------------------------------------------------------------------------------------


def nbstripout(*arguments: str | Path) -> int:
    """Run the hook as it is configured, in this Python."""
    hook = HOOKS["nbstripout"]
    assert hook["entry"] == ".venv/bin/nbstripout"
    command = [sys.executable, "-m", "nbstripout", *hook["args"], *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False).returncode


def test_chapters_hold_no_results_and_no_traces_of_an_editor() -> None:
    assert nbstripout("--verify", *CHAPTERS) == 0


def written(folder: Path, *cells: nbformat.NotebookNode, **metadata: object) -> Path:
    notebook = nbformat.v4.new_notebook(cells=list(cells), metadata=metadata)
    path = folder / "page.ipynb"
    # As nbformat writes it, which would mend what we plant.
    path.write_text(json.dumps(notebook, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return path


FAULTS = [
    {"execution_count": 7},
    {"outputs": [nbformat.v4.new_output("execute_result", {"text/plain": "2"})]},
    {"metadata": {"tags": ["hide-input"], "execution": {"iopub.status.busy": "now"}}},
    {"metadata": {"tags": ["hide-input"], "collapsed": True}},
    {"metadata": {"tags": ["hide-input"], "editable": True, "jupyter": {}}},
]


def test_planted_results_are_found_and_removed(tmp_path: Path) -> None:
    sound = nbformat.v4.new_code_cell("1 + 1", id="a", metadata={"tags": ["hide-input"]})
    before = nbformat.read(written(tmp_path, sound), as_version=4)
    paths = []
    for k, fault in enumerate(FAULTS):
        (folder := tmp_path / str(k)).mkdir()
        paths.append(written(folder, nbformat.from_dict(sound | fault)))
        assert nbstripout("--verify", paths[-1]) == 1, fault
    assert nbstripout(*paths) == 0
    assert nbstripout("--verify", *paths) == 0
    assert [nbformat.read(path, as_version=4) for path in paths] == [before] * len(FAULTS)


# ---- sentences, names and captions ---------------------------------------------------------------


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_page_is_in_the_form_that_is_kept(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == tidied(path), f"{path.name}: run python -m tools.tidy_notebooks"


@pytest.mark.parametrize(
    ("wrapped", "kept"),
    [
        ("One. Two\nthree.", "One.\nTwo three."),
        ("- One. Two\n  three.\n- Four.", "- One.\n  Two three.\n- Four."),
        ("1. One. Two.\n\n   Three. Four.", "1. One.\n   Two.\n\n   Three.\n   Four."),
        (
            "```{admonition} A. B\n:class: say\nOne. Two.\n```",
            "```{admonition} A. B\n:class: say\nOne.\nTwo.\n```",
        ),
        (
            ":::{prf:lemma} A. B\n:label: x\n\nOne. Two.\n:::\nThree. Four.",
            ":::{prf:lemma} A. B\n:label: x\n\nOne.\nTwo.\n:::\nThree.\nFour.",
        ),
        (
            "```{glossary}\nword\n  One. Two.\n\nother\n  Three.\n```",
            "```{glossary}\nword\n  One.\n  Two.\n\nother\n  Three.\n```",
        ),
        ("It is so. {proved}`A. B` So is this.", "It is so. {proved}`A. B`\nSo is this."),
        ('He asked "Why?" Then he "left." Now.', 'He asked "Why?"\nThen he "left."\nNow.'),
        ("**One. Two.** Three.", "**One.\nTwo.**\nThree."),
        ("It falls below\n0. What then?", "It falls below 0.\nWhat then?"),
        (
            "It is so. {ref}`Chapter 3\n<ch-03>` says it.",
            "It is so.\n{ref}`Chapter 3 <ch-03>` says it.",
        ),
    ],
)
def test_sentences_get_lines_of_their_own(wrapped: str, kept: str) -> None:
    assert one_sentence_per_line(wrapped) == kept
    assert one_sentence_per_line(kept) == kept


@pytest.mark.parametrize(
    "text",
    [
        "# One. Two",
        "| One. Two | Three. Four |\n|---|---|\n| A. B | C |",
        "```python\nx = 1. \n# One. Two.\n```",
        "```{math}\n:label: eq-x\na. B\n```",
        "$$\na. B\n$$",
        "$$ a\nb. C $$ (eq-x)",
        "See Fig. 3, Sec. 2, eq. (1), e.g. Lemma 3 of Li et al. There, cf. App. B.",
        "Theorem 2. It holds.",
        "It is $a. B$ or `a. B` or [a. B](there. Here) or {ref}`a. B <ch-01>`.",
        "It is 2.5 long.",
        "First line  \nsecond line.",
        "(ch-01)=",
        "So it is 5. 1. would begin a list.",
    ],
)
def test_what_is_no_end_of_a_sentence_stays(text: str) -> None:
    assert one_sentence_per_line(text) == text


def cell(source: str, name: str, **metadata: object) -> nbformat.NotebookNode:
    code = not source.startswith("# ")
    make = nbformat.v4.new_code_cell if code else nbformat.v4.new_markdown_cell
    return make(source, id=name, metadata=metadata)


def tidied_cells(folder: Path, *cells: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    text = tidy(written(folder, *cells, vscode={}).read_text(encoding="utf-8"))
    assert tidy(text) == text
    return nbformat.reads(text, as_version=4).cells


def test_names_of_cells_survive_insertions_and_changes(tmp_path: Path) -> None:
    first = tidied_cells(
        tmp_path,
        cell("# Why ties?\n\nBecause.", "a1b2c3d4"),
        cell("x = 1", "0d2f9f2c-7a3e-4a4b-9a64-3a9a1d5f6f10"),
        cell("assert x", "deadbeef", tags=["remove-cell"]),
        cell("x = 2", "a1b2c3d5"),
    )
    assert [c.id for c in first] == ["why-ties", "x", "check-x", "x-2"]
    first[0].source = "# How do ties come about?"
    first.insert(1, cell("# More", "a1b2c3d6"))
    first.insert(3, cell("x = 3", "x"))  # a copied cell brings its name along
    again = tidied_cells(tmp_path, *first)
    assert [c.id for c in again] == ["why-ties", "more", "x", "x-3", "check-x", "x-2"]


CAPTION = "#| name: fig-x\n#| caption: >\n#|   Fig. 3 again.\n#|   It's so: red.\nrace()"


def test_captions_are_comments_that_the_book_takes_for_captions(tmp_path: Path) -> None:
    figure = {"name": "fig-x", "caption": "Fig. 3 again. It's so: red."}
    in_metadata, wrapped = tidied_cells(
        tmp_path,
        cell("race()", "a1b2c3d4", mystnb={"figure": figure}, tags=["hide-input"]),
        cell(CAPTION.replace("again.\n#|   It", "again. It"), "other"),
    )
    assert in_metadata.source == wrapped.source == CAPTION
    assert in_metadata.metadata == {"tags": ["hide-input"]}
    assert in_metadata.id == "fig-x"
    read = captions.read_notebook(nbformat.writes(nbformat.v4.new_notebook(cells=[in_metadata])))
    assert read.cells[0].source == "race()"
    assert read.cells[0].metadata == {"tags": ["hide-input"], "mystnb": {"figure": figure}}


@pytest.mark.parametrize(
    "head", ["#| name: fig-x", "#| caption: Who?", "#| so", "#| a: b\n#| c: d"]
)
def test_half_a_caption_is_refused(head: str) -> None:
    with pytest.raises(captions.CaptionError, match="a name and a caption"):
        captions.taken_off(f"{head}\nrace()")


def test_every_figure_has_its_caption_in_the_code() -> None:
    cells = [c for path in CHAPTERS for c in json.loads(path.read_text())["cells"]]
    assert not [c["id"] for c in cells if "mystnb" in c["metadata"]]
    figures = [captions.taken_off("".join(c["source"]))[0] for c in cells]
    assert len([figure for figure in figures if figure]) >= 71
