"""Back matter: sheets hold every exercise, answers keep their length, words and links exist."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

from nta_book.sphinx import explorers, sheets

BOOK = Path(__file__).parents[3] / "book"
SOURCES = sheets.sources(BOOK)
CHAPTERS = {path.stem: sheets.read_chapter(path) for path in SOURCES}
TERMS = [
    "token",
    "last token",
    "label",
    "race",
    "track",
    "token-priority graph",
    "league",
    "strongly connected component",
    "strict edge",
    "tie",
    "score",
    "attention",
    "hard retrieval",
    "soft composition",
    "Graph-SVM",
    "margin",
    "support",
    "cyclic subspace",
    "active subspace",
    "finite part",
    "Luce strength",
    "strictness",
    "tied head",
    "general head",
    "log-loss",
    "squared loss",
    "cross-entropy",
    "regularization path",
    "normalized descent",
    "pseudo-graph",
    "local solution",
    "automaton",
    "determined",
    "undetermined",
    "realizable",
    "query",
    "sequence class",
    "common token",
    "distinct token",
    "scan",
    "snap",
    "decoder",
    "league agreement",
    "window",
    "topological order",
    "phase transition",
    "co-occurrence",
    "discriminative",
    "implicit bias",
    "conjecture",
]


def prose(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


# ---- exercise sheets -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_a_sheet_has_every_exercise_of_the_chapter(path: Path) -> None:
    written = re.findall(r"\{exercise[a-z-]*\} (.+)\n:label: (\S+)", prose(path))
    read = [(e.title, e.label) for e in CHAPTERS[path.stem].exercises]
    assert read == written
    assert len(read) == prose(path).count("{exercise")


@pytest.mark.parametrize("kind", ["without", "with"])
def test_both_sheets_hold_every_task_in_order(kind: str) -> None:
    text = sheets.sheet(list(CHAPTERS.values()), kind)
    places = [
        (text.index(heading), text.index(exercise.text))
        for chapter in CHAPTERS.values()
        for heading, exercise in zip(sheets.headings(chapter), chapter.exercises, strict=True)
    ]
    assert len(places) >= 33
    assert places == sorted(places)


def solution_lines(exercise: sheets.Exercise) -> list[str]:
    """Lines of a solution that give something away: those that the task does not show itself."""
    shown = "\n".join([exercise.text, *exercise.stub]).splitlines()
    given = "\n".join(exercise.solution).splitlines()
    return [line for line in given if line.strip() and line not in shown]


def test_the_sheet_without_solutions_holds_none() -> None:
    without = set(sheets.sheet(list(CHAPTERS.values()), "without").splitlines())
    complete = sheets.sheet(list(CHAPTERS.values()), "with")
    for chapter in CHAPTERS.values():
        for exercise in chapter.exercises:
            told = [line for line in solution_lines(exercise) if len(line.strip()) > 12]
            assert told, f"{exercise.label}: nothing to give away"
            assert not without.intersection(told), exercise.label
            assert sheets.joined(exercise.solution) in complete
    assert "nta-solution" not in "".join(without)


def notebook(folder: Path, *cells: tuple[str, str]) -> Path:
    made = [
        {"cell_type": kind.split()[0], "source": [text], "metadata": {"tags": kind.split()[1:]}}
        for kind, text in cells
    ]
    path = folder / "07_small.ipynb"
    path.write_text(json.dumps({"cells": made}), encoding="utf-8")
    return path


TASK = "# Why?\n\n```{exercise} Add\n:label: ex-1\n*easy*\n\nWhat is $1 + 1$?\n```"
START = "```{solution-start} ex-1\n:class: dropdown\n```\n\nCount."


def test_stub_and_solution_are_told_apart(tmp_path: Path) -> None:
    path = notebook(
        tmp_path,
        ("markdown", TASK),
        ("code", "my = 3"),
        ("code remove-cell", "assert not _"),
        ("markdown", START),
        ("code", "# two\nmy = 2"),
        ("code remove-cell", "assert _"),
        ("markdown", "```{solution-end}\n```\n\n## Next question\n\nWhat now?"),
        ("code", "later = True"),
    )
    chapter = sheets.read_chapter(path)
    (exercise,) = chapter.exercises
    assert (chapter.number, chapter.title, chapter.label) == ("7", "Why?", "ch-07")
    assert exercise.text == "*easy*\n\nWhat is $1 + 1$?"
    assert sheets.joined(exercise.stub) == "```text\nmy = 3\n```"
    assert sheets.joined(exercise.solution) == "Count.\n\n```text\n# two\nmy = 2\n```"
    without, complete = (sheets.sheet([chapter], kind) for kind in ("without", "with"))
    assert "### Exercise 7.1: Add" in without
    assert "my = 3" in without
    assert "my = 2" not in without
    assert "Count." in complete
    assert "later" not in complete


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([TASK], "ex-1 has no solution"),
        ([START], "a solution of ex-1, which is no exercise"),
        ([TASK.replace(":label: ex-1\n", "")], '"Add" has no label'),
        ([TASK.replace("$1 + 1$", "{glue:text}`x`"), START], "glued number"),
        (["```{exercise-start} Add\n:label: ex-1\n```"], "write {exercise}"),
    ],
)
def test_what_cannot_be_put_on_a_sheet_is_named(
    tmp_path: Path, cells: list[str], message: str
) -> None:
    path = notebook(tmp_path, *(("markdown", cell) for cell in cells))
    with pytest.raises(sheets.SheetError, match=re.escape(message)):
        sheets.read_chapter(path)


def test_an_unknown_sheet_is_refused() -> None:
    with pytest.raises(sheets.SheetError, match="without and with"):
        sheets.sheet([], "some")


# ---- glossary ------------------------------------------------------------------------------------


def glossary_terms() -> list[str]:
    blocks = re.findall(r"```\{glossary\}\n(.*?)```", prose(BOOK / "glossary.ipynb"), re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if re.match(r"\S", line)]


def test_every_promised_term_is_defined_once() -> None:
    terms = glossary_terms()
    assert len(terms) == len(set(terms))
    assert not set(TERMS) - set(terms)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.stem)
def test_chapters_link_words_to_the_glossary_once(path: Path) -> None:
    linked = re.findall(r"\{term\}`(?:[^`<]*<)?([^`<>]+?)>?`", prose(path))
    assert len(linked) >= 3
    assert not set(linked) - set(glossary_terms())
    assert len(linked) == len(set(linked)), sorted(t for t in linked if linked.count(t) > 1)


# ---- ten questions -------------------------------------------------------------------------------


def answers() -> dict[str, str]:
    parts = re.split(r"^## ", prose(BOOK / "ten_questions.ipynb"), flags=re.MULTILINE)[1:]
    return {head: body for head, _, body in (part.partition("\n") for part in parts)}


def words(text: str) -> int:
    """Count the words a reader sees; a formula or a computed number is one."""
    text = re.sub(r"\{glue:text\}`[^`]*`|\$[^$]*\$", "x", text)
    return len(re.sub(r"\{[\w:]+\}`([^`<]*?)(?: <[^>]*>)?`", r"\1", text).split())


def test_there_are_ten_questions() -> None:
    assert [head.split(".")[0] for head in answers()] == [str(k) for k in range(1, 11)]
    assert all(head.endswith("?") for head in answers())


@pytest.mark.parametrize("head", answers())
def test_an_answer_is_short_linked_and_badged(head: str) -> None:
    answer, _, links = answers()[head].partition("*Read on:*")
    assert 90 <= words(answer) <= 150, words(answer)
    assert "{ref}`" in links
    assert re.search(r"\{(proved|measured|open)\}`", links)
    typed = re.sub(r"\{glue:text\}`[^`]*`", "", answer)
    assert not re.search(r"\d\.\d|\d ?%", typed), "a number is computed, not typed"


# ---- links to explorers --------------------------------------------------------------------------


def test_teachers_are_led_to_explorers_that_exist() -> None:
    text = (BOOK / "for_teachers.md").read_text(encoding="utf-8")
    questions = re.findall(r"\{explorer\}`([^`]+)`", text)
    assert len(questions) >= 10
    assert [q for q in questions if explorers.home(q, BOOK) is None] == []
    assert explorers.home("Does anybody ask this?", BOOK) is None


def test_an_anchor_is_made_from_the_question() -> None:
    assert doctest.testmod(explorers).attempted
    assert not doctest.testmod(explorers).failed


def test_routes_on_the_landing_page() -> None:
    table = prose(BOOK / "index.ipynb").partition("## Which way through?")[2]
    routes = {
        "{given}`15 minutes`": [1, 2, 4, 6, 8],
        "**builder**": [3, 5, 7, 10],
        "**theorist**": [7, 9, 11, 12],
        "**other lens**": [13, 14],
    }
    for name, chapters in routes.items():
        (row,) = [line for line in table.splitlines() if line.startswith(f"| {name}")]
        assert [int(k) for k in re.findall(r"<ch-(\d\d)>", row)] == chapters
