"""An exercise of a chapter as cells, with the cells of the chapter that it cannot do without."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from nta_book.errors import AssignmentError
from nta_book.slicing import needed_cells
from nta_book.sphinx.captions import taken_off

_EXERCISE = re.compile(
    r"^(?P<fence>`{3,})\{exercise\} (?P<title>.+)\n:label: (?P<label>\S+)\n"
    r"(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_SOLUTION = re.compile(r"^`{3,}\{solution-start\} (\S+)\n(?::.*\n)*`{3,}\n?", re.MULTILINE)
_END = re.compile(r"^`{3,}\{solution-end\}\n`{3,}$", re.MULTILINE)
_TERMS = re.compile(
    r"^\*difficulty (\d)/5 · (\d+) min(?: · [a-z ]+)? · why it matters: (.*)\*$", re.MULTILINE
)


@dataclass(frozen=True)
class Task:
    """One exercise as a notebook of its own can have it.

    Attributes
    ----------
    label, title, text
        As in the chapter; the text is MyST without the line on difficulty.
    chapter, place
        The chapter's title, and its number with that of the exercise, such as ``4.2``.
    points, minutes, why
        The difficulty, from 1 to 5; the minutes stated; why the exercise matters.
    needs
        Code cells of the chapter that stub, check and solution use.
    stub, check, solution
        Code: where a student starts, the call that judges, what the chapter's solution does.
    explanation
        The solution's words.
    """

    label: str
    title: str
    text: str
    chapter: str
    place: str
    points: int
    minutes: int
    why: str
    needs: tuple[str, ...]
    stub: str
    check: str
    solution: str
    explanation: str


@dataclass
class _Found:
    """An exercise while its chapter is being read."""

    label: str
    title: str
    text: str
    stub: list[str] = field(default_factory=list)
    solution: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)


def read_tasks(notebook: Path) -> list[Task]:
    """Return the exercises of a chapter.

    Raises
    ------
    AssignmentError
        When an exercise has no stub, check or solution, or needs a name that no cell gives.
    """
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    lesson: list[str] = []
    found: list[_Found] = []
    for place, code in _walked(cells, found):
        if place is None:
            lesson.append(code)
        else:
            place.append(code)
    title = re.search(r"^# (.+)$", "\n".join(_markdown(cells)), re.MULTILINE)
    number = str(int(notebook.stem[:2])) if notebook.stem[:2].isdigit() else "0"
    try:
        return [
            _task(exercise, lesson, title[1] if title else notebook.stem, f"{number}.{k}")
            for k, exercise in enumerate(found, start=1)
        ]
    except AssignmentError as error:
        raise AssignmentError(f"{notebook.name}: {error}") from error


def _markdown(cells: list[dict[str, object]]) -> list[str]:
    return [_source(cell) for cell in cells if cell["cell_type"] == "markdown"]


def _source(cell: dict[str, object]) -> str:
    return "".join(cell["source"])  # type: ignore[arg-type]


def _walked(
    cells: list[dict[str, object]], found: list[_Found]
) -> Iterator[tuple[list[str] | None, str]]:
    """Yield (where it belongs, code) of each cell; fill `found` with exercises on the way."""
    solving = False
    for cell in cells:
        source = _source(cell)
        if cell["cell_type"] == "markdown":
            solving = _take_words(source, found, solving)
        elif "assert" in source and "remove-cell" in cell["metadata"].get("tags", []):  # type: ignore[attr-defined]
            continue  # what the book checks about itself
        elif found:
            yield (found[-1].solution if solving else found[-1].stub), source
        else:
            yield None, taken_off(source)[1]


def _take_words(source: str, found: list[_Found], solving: bool) -> bool:
    """Take in the exercises and words of a Markdown cell; return whether a solution is open."""
    for part in re.split(
        r"(?=^`{3,}\{(?:exercise|solution-start|solution-end)\})", source, flags=re.M
    ):
        if exercise := _EXERCISE.match(part):
            found.append(_Found(exercise["label"], exercise["title"], exercise["text"]))
            solving = False
        elif solution := _SOLUTION.match(part):
            if not found or found[-1].label != solution[1]:
                raise AssignmentError(
                    f"a solution of {solution[1]}, which is not the exercise before it"
                )
            solving = True
            found[-1].words.append(part[solution.end() :].strip())
        elif _END.match(part):
            solving = False
        elif solving:
            found[-1].words.append(part.strip())
    return solving


def _task(found: _Found, lesson: list[str], chapter: str, place: str) -> Task:
    terms = _TERMS.search(found.text)
    if terms is None:
        raise AssignmentError(f"{found.label} does not say difficulty, minutes and why it matters")
    if not found.stub or not found.solution:
        raise AssignmentError(f"{found.label} has no stub or no solution in code")
    stub, check = _apart("\n\n".join(found.stub), found.label)
    solution, accepted = _apart("\n\n".join(found.solution), found.label)
    stub, check = _named(stub, check)
    solution = _joined(solution, _assignments(check, accepted))
    own = _joined(stub, solution, ast.unparse(check))
    places, missing = needed_cells(lesson, own)
    missing |= needed_cells(lesson, _joined(stub, ast.unparse(check)))[1]
    if missing:
        raise AssignmentError(
            f"{found.label} uses {sorted(missing)}, which no cell of its chapter gives"
        )
    return Task(
        label=found.label,
        title=found.title,
        text=_TERMS.sub("", found.text).strip(),
        chapter=chapter,
        place=place,
        points=int(terms[1]),
        minutes=int(terms[2]),
        why=terms[3],
        needs=tuple(filter(None, _with_fewer_imports([lesson[k] for k in places], own))),
        stub=stub,
        check=ast.unparse(check),
        solution=solution,
        explanation="\n\n".join(filter(None, found.words)),
    )


def _apart(code: str, label: str) -> tuple[str, ast.Call]:
    """Return code without its last expression, and that expression: the call of the checker."""
    tree = ast.parse(code)
    last = tree.body[-1]
    if not (isinstance(last, ast.Expr) and isinstance(last.value, ast.Call)):
        raise AssignmentError(f"{label}: a cell of an exercise ends with the call of its checker")
    before = code.splitlines()[: last.lineno - 1]
    return "\n".join(before).strip(), last.value


def _named(stub: str, check: ast.Call) -> tuple[str, ast.Call]:
    """Give a name to every argument of the check that has none, so that an answer can be given.

    >>> stub, check = _named("", ast.parse("check.f('abc', x)").body[0].value)
    >>> stub, ast.unparse(check)
    ("my_answer = 'abc'", 'check.f(my_answer, x)')
    """
    nameless = [k for k, arg in enumerate(check.args) if not isinstance(arg, ast.Name)]
    names = ["my_answer"] if len(nameless) == 1 else [f"my_answer_{k + 1}" for k in nameless]
    arguments = list(check.args)
    for k, name in zip(nameless, names, strict=True):
        stub = _joined(stub, f"{name} = {ast.unparse(arguments[k])}")
        arguments[k] = ast.Name(name, ast.Load())
    return stub, ast.Call(check.func, arguments, check.keywords)


def _assignments(check: ast.Call, accepted: ast.Call) -> str:
    """Return code that gives the names of the check the values that the solution checks.

    >>> asked, given = (ast.parse(c).body[0].value for c in ("f(x, y, z)", "f(1, y, z + 1)"))
    >>> _assignments(asked, given)
    'x, z = (1, z + 1)'
    """
    pairs = [
        (name, value)
        for name, value in zip(check.args, accepted.args, strict=True)
        if ast.dump(name) != ast.dump(value)
    ]
    if not pairs:
        return ""
    names, values = (list(side) for side in zip(*pairs, strict=True))
    if len(pairs) == 1:
        return f"{ast.unparse(names[0])} = {ast.unparse(values[0])}"
    return f"{', '.join(map(ast.unparse, names))} = {ast.unparse(ast.Tuple(values, ast.Load()))}"


def _joined(*parts: str) -> str:
    return "\n".join(filter(None, parts))


def _with_fewer_imports(cells: list[str], own: str) -> list[str]:
    """Return cells that import only what is used in them or in the code of the task itself.

    >>> _with_fewer_imports(["import a\\nfrom b import c, d as e", "x = e"], "a.f(x)")
    ['import a\\nfrom b import d as e', 'x = e']
    """
    used = {
        node.id
        for code in (*cells, own)
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.Name)
    }
    return [_trimmed(code, used) for code in cells]


def _trimmed(code: str, used: set[str]) -> str:
    lines = code.splitlines()
    for statement in reversed(ast.parse(code).body):
        if isinstance(statement, ast.Import | ast.ImportFrom):
            names = [n for n in statement.names if (n.asname or n.name.partition(".")[0]) in used]
            statement.names = names
            kept = [ast.unparse(statement)] if names else []
            if kept and len(kept[0]) > 79:
                head, _, tail = kept[0].partition(" import ")
                kept = [f"{head} import (", *(f"    {n}," for n in tail.split(", ")), ")"]
            lines[statement.lineno - 1 : statement.end_lineno] = kept
    return "\n".join(lines).strip()
