"""Exercises as notebooks for nbgrader and Otter: stub, points, hidden checks, solution.

Both systems make the students' version from the teacher's: what stands between their marks of a
solution is taken out.  The stub stands before it, so the students' version begins with code that
runs and is wrong, as in the book.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from nta_book.classroom.plain import Labels, plain
from nta_book.classroom.tasks import Task
from nta_book.slicing import names_of

#: What nbgrader is told about a folder of such notebooks (nbgrader_config.py).
NBGRADER_CONFIG = """c = get_config()
c.CourseDirectory.course_id = "next-token-automaton"
# The stub above the solution runs by itself: nothing needs to be raised in its place.
c.ClearSolutions.code_stub = {"python": "# your code"}
"""
_KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
Cell = dict[str, Any]


def for_nbgrader(tasks: Sequence[Task], labels: Labels, title: str) -> str:
    """Return the teacher's version for nbgrader; a task gives as many points as it is difficult."""
    cells = [_nbgrader(_cell("markdown", _opening(tasks, title)), "opening", locked=True)]
    for task, needs in _with_needs(tasks):
        words = _cell("markdown", _words(task, labels))
        cells.append(_nbgrader(words, f"{task.label}-task", locked=True))
        cells += [
            _nbgrader(_cell("code", code), f"{task.label}-needs-{k}", locked=True)
            for k, code in enumerate(needs)
        ]
        answer = _lines(
            task.stub, "### BEGIN SOLUTION", task.solution, "### END SOLUTION", task.check
        )
        cells.append(_nbgrader(_cell("code", answer), task.label, solution=True))
        hidden = _lines("### BEGIN HIDDEN TESTS", _judged(task), "### END HIDDEN TESTS")
        test = _cell("code", f"# Judged after it is handed in: {task.points} points.\n{hidden}")
        cells.append(
            _nbgrader(test, f"{task.label}-test", locked=True, grade=True, points=task.points)
        )
    return _notebook(cells)


def _nbgrader(cell: Cell, name: str, **marks: object) -> Cell:
    """Return a cell with nbgrader's marks on it."""
    kind = {"schema_version": 3, "grade_id": name, "cell_type": cell["cell_type"]}
    cell["metadata"]["nbgrader"] = {
        **{"grade": False, "solution": False, "locked": False, "task": False},
        **kind,
        **marks,
    }
    return cell


def for_otter(tasks: Sequence[Task], labels: Labels, title: str) -> str:
    """Return the teacher's version for Otter Assign; a task gives as many points as it is hard."""
    cells = [
        _cell("raw", "# ASSIGNMENT CONFIG\nexport_cell: false\nsolutions_pdf: false"),
        _cell("markdown", _opening(tasks, title)),
    ]
    for task, needs in _with_needs(tasks):
        cells.append(_cell("markdown", _words(task, labels)))
        cells += [_cell("code", code) for code in needs]
        answer = _lines(
            task.stub, "# BEGIN SOLUTION NO PROMPT", task.solution, "# END SOLUTION", task.check
        )
        cells += [
            _cell("raw", f"# BEGIN QUESTION\nname: {task.label}\npoints: {task.points}"),
            _cell("raw", "# BEGIN SOLUTION"),
            _cell("code", answer),
            _cell("raw", "# END SOLUTION"),
            _cell("raw", "# BEGIN TESTS"),
            _cell("code", f"# HIDDEN\n{_judged(task)}"),
            _cell("raw", "# END TESTS"),
            _cell("raw", "# END QUESTION"),
        ]
    return _notebook(cells)


def _with_needs(tasks: Iterable[Task]) -> Iterator[tuple[Task, list[str]]]:
    """Yield each task with the cells of its chapter that must run before it.

    A cell runs again only when something after its last run gave its names another meaning.
    """
    standing: dict[str, frozenset[str]] = {}  # code that ran, and the names it gives
    for task in tasks:
        needs = []
        for code in task.needs:
            if code not in standing:
                needs.append(code)
                _forget(standing, code)
                standing[code] = names_of(code).given
        yield task, needs
        _forget(standing, _lines(task.stub, task.solution))


def _forget(standing: dict[str, frozenset[str]], code: str) -> None:
    """Drop the cells whose names a piece of code binds anew or changes."""
    names = names_of(code)
    for known, given in list(standing.items()):
        if given & (names.given | names.changed):
            del standing[known]


def _opening(tasks: Sequence[Task], title: str) -> str:
    points, minutes = sum(t.points for t in tasks), sum(t.minutes for t in tasks)
    return (
        f"# {title}\n\n"
        f"{len(tasks)} exercises · {points} points · about {minutes} minutes.\n\n"
        "Change the cells below the tasks. Their last line answers “ok” or gives one hint, as "
        "often as you like; the points are given after you have handed in.\n\n"
        "You need the packages of *The Next-Token Automaton*."
    )


def _words(task: Task, labels: Labels) -> str:
    head = f"## Exercise {task.place}: {task.title}"
    terms = f"*{task.points} points · {task.minutes} min · why it matters: {task.why}*"
    return f"{head}\n\n{terms}\n\n{plain(task.text, labels)}"


def _judged(task: Task) -> str:
    """Return the code that judges; a student who renamed `check` has gained nothing."""
    chapter = task.label.split("-")[1]
    return f"from nta_book.exercises import chapter_{chapter} as check\n\nassert {task.check}"


def _lines(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _cell(kind: str, source: str) -> Cell:
    results: Cell = {"execution_count": None, "outputs": []} if kind == "code" else {}
    return {"cell_type": kind, "metadata": {}, "source": source, **results}


def _notebook(cells: Sequence[Cell]) -> str:
    """Return a notebook whose cells have lasting names, so that versions can be compared."""
    named = [{"id": f"cell-{k}", **cell} for k, cell in enumerate(cells)]
    form = {"nbformat": 4, "nbformat_minor": 5, "metadata": {"kernelspec": _KERNEL}}
    return json.dumps({"cells": named, **form}, indent=1, ensure_ascii=False) + "\n"
