"""Exercises as tasks of their own: they run with nothing but what they bring along."""

import contextlib
import io
import json
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from nta_book.classroom import Labels, for_nbgrader, for_otter, read_tasks
from nta_book.classroom.plain import plain
from nta_book.errors import AssignmentError
from nta_book.sphinx.sheets import sources

BOOK = Path(__file__).parents[3] / "book"
TASKS = {task.label: task for path in sources(BOOK) for task in read_tasks(path)}
LABELS = Labels.of(sources(BOOK))


def test_every_exercise_of_the_book_is_a_task():
    written = [
        line.split(":label: ")[1].strip()
        for path in sources(BOOK)
        for cell in json.loads(path.read_text())["cells"]
        for line in cell["source"]
        if line.startswith(":label: ex-")
    ]
    assert sorted(written) == sorted(TASKS)
    assert len(TASKS) >= 60


def ran(*parts: str) -> dict[str, object]:
    """Run code in a namespace of its own."""
    space: dict[str, object] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for part in parts:
            exec(compile(part, "task", "exec"), space)
    return space


# One per chapter: all of them go through nbgrader and Otter in tests/graders.
@pytest.mark.parametrize("label", ["ex-01-4", "ex-03-2", "ex-05-2", "ex-11-4"])
def test_the_stub_fails_and_the_solution_passes_with_what_the_task_brings(label):
    task = TASKS[label]
    judged = f"verdict = {task.check}"
    assert not ran(*task.needs, task.stub, judged)["verdict"]
    assert ran(*task.needs, task.stub, task.solution, judged)["verdict"]


def chapter(folder: Path, *cells: str) -> Path:
    """Write a chapter; a cell that begins with a word of prose is text."""
    made = [
        (nbformat.v4.new_code_cell if cell.startswith("py:") else nbformat.v4.new_markdown_cell)(
            cell.removeprefix("py:")
        )
        for cell in cells
    ]
    path = folder / "07_x.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=made), path)
    return path


TASK = """# Why?

```{exercise} Half
:label: ex-07-1

*difficulty 2/5 · 10 min · why it matters: so.*

What is half of {eq}`eq-x`?
```"""
SOLUTION = "```{solution-start} ex-07-1\n:class: dropdown\n```\n\nHalf of it."
END = "```{solution-end}\n```"


def test_a_constant_of_the_stub_gets_a_name_and_the_solution_gives_it_a_value(tmp_path):
    cells = (TASK, "py:check.half('a', 1)", SOLUTION, "py:x = 2\ncheck.half('b', x)", END)
    (task,) = read_tasks(chapter(tmp_path, "py:import nta_core as check", *cells))
    assert task.stub == "my_answer_1 = 'a'\nmy_answer_2 = 1"
    assert task.check == "check.half(my_answer_1, my_answer_2)"
    assert task.solution == "x = 2\nmy_answer_1, my_answer_2 = ('b', x)"
    assert (task.place, task.points, task.minutes, task.explanation) == (
        "7.1",
        2,
        10,
        "Half of it.",
    )
    assert task.text == "What is half of {eq}`eq-x`?"


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((TASK, SOLUTION, "py:f(1)", END), "no stub"),
        ((TASK, "py:f(1)", SOLUTION, END), "no solution in code"),
        ((TASK, "py:f(1)\nx = 2", SOLUTION, "py:f(1)", END), "ends with the call"),
        ((TASK, "py:f(g)", SOLUTION, "py:f(1)", END), r"uses \['f', 'g'\]"),
        ((TASK.replace("2/5", "two"), "py:f(1)", SOLUTION, "py:f(1)", END), "difficulty"),
        ((TASK, "py:f(1)", SOLUTION.replace("07-1", "07-2"), "py:f(1)", END), "not the exercise"),
    ],
)
def test_an_exercise_that_cannot_stand_alone_is_refused(tmp_path, cells, message):
    with pytest.raises(AssignmentError, match=message):
        read_tasks(chapter(tmp_path, *cells))


def test_formulas_are_found_in_both_forms(tmp_path):
    page = chapter(tmp_path, "$$ a = b $$ (eq-a)", "```{math}\n:label: eq-b\nb = c\n```")
    assert Labels.of([page]).formulas == {"eq-a": "a = b", "eq-b": "b = c"}


def test_words_lose_their_roles_but_not_their_meaning():
    known = Labels({"eq-x": r"a \le b"}, {"fig-x": "the figure “Who wins”", "thm-1": "“No end”"})
    text = (
        "By {prf:ref}`thm-1`, {eq}`eq-x` in {numref}`fig-x` "
        "({ref}`chapter 4 <ch-04>`): {given}`39`."
    )
    assert plain(text, known) == (
        "By “No end”, the formula below in the figure “Who wins” (chapter 4): 39.\n\n$$a \\le b$$"
    )
    with pytest.raises(AssignmentError, match="eq-y"):
        plain("{eq}`eq-y`", known)
    with pytest.raises(AssignmentError, match="only its page knows"):
        plain("It is {glue:text}`ch04-mean:.2f`.", known)


@pytest.mark.parametrize("write", [for_nbgrader, for_otter])
def test_all_exercises_make_a_valid_notebook_without_roles(write):
    notebook = nbformat.reads(write(list(TASKS.values()), LABELS, "All"), as_version=4)
    nbformat.validate(notebook)
    words = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
    assert not [text for text in words if "}`" in text]
    assert len({cell.id for cell in notebook.cells}) == len(notebook.cells)


def test_a_cell_runs_again_only_when_its_names_have_changed():
    first = replace(TASKS["ex-01-1"], needs=("a = 1", "b = 2"), stub="b = 3", solution="c = 4")
    cells = json.loads(for_otter([first, first], LABELS, "x"))["cells"]
    assert [c["source"] for c in cells if c["source"] in first.needs] == ["a = 1", "b = 2", "b = 2"]
