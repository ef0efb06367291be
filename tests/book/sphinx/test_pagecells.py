"""What a page knows of its code: kinds, needs and reasons, on small notebooks and on the book."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from nta_book.classroom.tasks import read_tasks
from nta_book.results.changes import Project, Source
from nta_book.sphinx.pagecells import NEEDS, Cell, CellsError, imports_of, page_cells, setup_of

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "book").glob("*.ipynb"))
CHAPTERS = [path for path in NOTEBOOKS if path.stem[:2].isdigit()]


def cells_of(folder: Path, *cells: tuple[str, str, str], prebuilt: tuple[int, ...] = ()) -> dict:
    """What is known of a notebook of (name, code or text, tags), by name."""
    notebook = nbformat.v4.new_notebook()
    for name, source, tags in cells:
        text = source.startswith(("#", "```"))
        make = nbformat.v4.new_markdown_cell if text else nbformat.v4.new_code_cell
        notebook.cells.append(make(source, id=name, metadata={"tags": tags.split()}))
    path = folder / "page.ipynb"
    nbformat.write(notebook, path)
    return {cell.id: cell for cell in page_cells(path, prebuilt).values()}


EXERCISE = ("task", "```{exercise} Who?\n:label: ex\n\nWho?\n```", "")
SOLUTION = ("solution", "```{solution-start} ex\n:class: dropdown\n```\n\nSo.", "")
END = ("end", "```{solution-end}\n```", "")


def test_a_cell_needs_imports_one_by_one_and_others_for_their_names(tmp_path: Path) -> None:
    found = cells_of(
        tmp_path,
        ("imports", "import math\nfrom os import path, sep", ""),
        ("numbers", "x = math.pi\nprint(x)\nx", ""),
        ("unseen", "assert x > 3\ny = x", "remove-cell"),
        ("last", "y + 1", ""),
    )
    assert found["last"] == Cell(
        "last", "y + 1", "", "cell", "", ("import math", "numbers", "unseen")
    )
    assert found["numbers"].setup == "x = math.pi"
    assert [found[name].gives for name in ("import math", "numbers")] == [("math",), ("x",)]
    assert (found["unseen"].kind, found["unseen"].setup) == ("hidden", "\ny = x")
    assert found["from os import sep"].kind == "hidden"


def test_a_caption_is_no_code(tmp_path: Path) -> None:
    source = "#| name: fig-x\n#| caption: >\n#|   Who?\nx = 1"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source, id="a")])
    nbformat.write(notebook, tmp_path / "page.ipynb")
    assert page_cells(tmp_path / "page.ipynb")[0].code == "x = 1"


def test_an_exercise_starts_from_the_lesson_and_not_from_other_answers(tmp_path: Path) -> None:
    found = cells_of(
        tmp_path,
        ("lesson", "base = 1", ""),
        EXERCISE,
        ("stub", "mine = base\nmine", ""),
        ("check", "assert not _", "remove-cell"),
        SOLUTION,
        ("answer", "base = 2\nmine = base\nmine", ""),
        END,
        ("task-2", EXERCISE[1], ""),
        ("stub-2", "mine = base", ""),
        ("part-2", "mine", ""),
    )
    assert {name: (found[name].kind, found[name].needs) for name in found if found[name].needs} == {
        "stub": ("exercise", ("lesson",)),
        "stub-2": ("exercise", ("lesson",)),
        "part-2": ("exercise", ("lesson", "stub-2")),
    }
    assert found["answer"].kind == "cell"
    assert found["check"].kind == "hidden"
    assert {name for name in found if found[name].gives} == {"lesson"}, "no answer is given away"


def test_an_answer_finds_what_the_solution_uses_and_what_is_usual(tmp_path: Path) -> None:
    found = cells_of(
        tmp_path,
        ("imports", "import math\nimport numpy as np\nfrom nta_core import FIG3", ""),
        ("room", "from nta_beyond.chain import TokenChain", ""),
        ("lesson", "base = math.pi", ""),
        ("aside", "from nta_core import FIG8\nunused = FIG8", ""),
        EXERCISE,
        ("stub", "mine = 1\nmine", ""),
        SOLUTION,
        ("answer", "mine = base\nmine", ""),
        END,
    )
    usual = (
        "import numpy as np",
        "from nta_core import FIG3",
        "from nta_beyond.chain import TokenChain",
    )
    aside = "from nta_core import FIG8"
    assert found["stub"].needs == ("import math", *usual, "lesson", aside)


@pytest.mark.parametrize(
    ("tags", "why"),
    [
        ("needs-torch", "it needs PyTorch, which a browser does not have."),
        ("needs-cvxpy slow", "it needs cvxpy, which a browser does not have."),
        ("slow", "it takes more than a few seconds in a browser."),
    ],
)
def test_what_needs_a_heavy_cell_is_heavy(tmp_path: Path, tags: str, why: str) -> None:
    found = cells_of(
        tmp_path, ("a", "x = f = 1", tags), ("b", "y = x", ""), ("c", "y", ""), ("d", "2", "")
    )
    assert [found[name].why for name in "abcd"] == [why, why, why, ""]
    assert [found[name].kind for name in "abcd"] == ["heavy", "heavy", "heavy", "cell"]
    assert not [name for name in "abcd" if found[name].gives], "it would be asked for in vain"


def test_an_explorer_is_heavy_and_what_it_gives_is_not(tmp_path: Path) -> None:
    cells = ("a", "x = 1\nExplorer(x)", ""), ("b", "x", "")
    found = cells_of(tmp_path, ("i", "from o import Explorer", ""), *cells, prebuilt=(1,))
    assert found["a"].why.startswith("an explorer: its states were computed")
    assert (found["b"].kind, found["b"].needs) == ("cell", ("a",))
    assert (found["a"].setup, found["a"].gives) == ("x = 1", ("x",))


def test_a_name_that_nobody_gives_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CellsError, match=r"page\.ipynb, cell b: no cell before it gives nobody, z"):
        cells_of(tmp_path, ("a", "x = 1", ""), ("b", "x + nobody + z", ""))


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_no_cell_of_the_book_lacks_a_name_and_no_exercise_is_heavy(notebook: Path) -> None:
    cells = page_cells(notebook).values()
    places = {cell.id: k for k, cell in enumerate(cells)}
    assert all(need in places for cell in cells for need in cell.needs)
    exercises = "".join(notebook.read_text(encoding="utf-8")).count("{exercise}")
    kinds = [cell.kind for cell in cells]
    assert kinds.count("exercise") >= exercises
    for cell in cells:
        calls_a_checker = "check." in cell.code and cell.kind != "hidden"
        assert not (calls_a_checker and cell.kind == "heavy"), cell


@pytest.mark.parametrize("notebook", CHAPTERS, ids=lambda path: path.stem)
def test_a_tag_names_a_package_that_its_cell_reaches(notebook: Path) -> None:
    """The tests in the browser's Python say whether it is missed; this one whether it can be."""
    project = Project()
    before: list[str] = []
    for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code":
            before.append(source)
        for tag in cell["metadata"].get("tags", []):
            if tag.startswith(NEEDS):
                names = imports_of("\n".join(before))
                assert tag.removeprefix(NEEDS) in reached(project, "\n".join([*names, source]))


def reached(project: Project, code: str) -> set[str]:
    """The packages of others that code reaches."""
    source = project._sources["tagged"] = Source("tagged", code)
    found = project.reached([f"tagged:{name}" for name in source.parts])
    others = {need for needs in found.values() for need in needs if ":" not in need}
    return {need.split(".")[0] for need in others}


@pytest.mark.parametrize("notebook", CHAPTERS[:2], ids=lambda path: path.stem)
def test_an_exercise_runs_alone_with_what_it_needs(notebook: Path) -> None:
    """A second opinion on needs: a fresh Python, and the verdicts that the chapter asks for."""
    cells = {cell.id: cell for cell in page_cells(notebook).values()}
    stubs = [cell for cell in cells.values() if cell.kind == "exercise"]
    assert len(stubs) == len(read_tasks(notebook))
    for stub in stubs:
        *before, last = ast.parse(stub.code).body
        asked = [cells[need].setup for need in stub.needs] + [ast.unparse(ast.Module(before, []))]
        code = "\n".join([*asked, f"print(bool({ast.unparse(last)}))"])
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        assert done.stdout.splitlines()[-1:] == ["False"], done.stderr


def test_what_leaves_nothing_behind_is_left_off() -> None:
    assert setup_of("import a\nfor i in x:\n    y = i\n\nprint(y)") == "\nfor i in x:\n    y = i"
    assert setup_of("rows.append(1)\nx[0] = 2\nrows") == "rows.append(1)\nx[0] = 2"
    assert setup_of("x = 1; y = 2; print(x)") == "x = 1; y = 2; pass"
    assert setup_of("# why\nprint(1)\n1") == ""


@pytest.mark.parametrize(
    "code",
    [
        "import a\n\nprint(\n    1,\n)\nx = 1\nassert x\ny = 2",
        "'é'; x = 1; print(\n'é'); y = 2; y",
        "x = 1\nprint(x);  # why\ny = 2; print(\n  x\n)\nz = 3",
    ],
)
def test_what_stays_stays_on_its_line(code: str) -> None:
    kept = setup_of(code)
    lines = {ast.unparse(s): s.lineno for s in ast.parse(kept).body if not isinstance(s, ast.Pass)}
    whole = {ast.unparse(s): s.lineno for s in ast.parse(code).body if isinstance(s, ast.Assign)}
    assert lines == whole
