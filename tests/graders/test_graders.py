"""Assignments in the hands of the real nbgrader and Otter: the stub fails, the solution passes.

Both run in an environment of their own on top of this one, so that their servers and extensions
touch nothing else.  Every exercise of the book goes through both; the quiz for Moodle is compared
with what a package that nobody here wrote makes of the same questions.
"""

from __future__ import annotations

import json
import os
import shutil
import site
import subprocess
import sys
import venv
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nta_book.classroom import NBGRADER_CONFIG, Labels, for_nbgrader, for_otter, read_tasks
from nta_book.sphinx.questions import questions
from nta_book.sphinx.sheets import sources

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sources(ROOT / "book")
TASKS = [task for path in NOTEBOOKS for task in read_tasks(path)]
PACKAGES = ["nbgrader>=0.9.6,<0.10", "otter-grader>=7,<8", "moodle-questions>=0.2,<0.3"]
SCORES = """
import json, sys
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    for student in ("stub", "solved"):
        notebook = book.find_submission("all", student).notebooks[0]
        print(json.dumps({g.name: [g.score, g.max_score] for g in notebook.grades}))
"""
WRITE_QUIZ = """
import json, sys
from moodle_questions import MultipleChoiceQuestion, Quiz
quiz = Quiz()
for name, text, answers in json.load(open(sys.argv[1])):
    question = MultipleChoiceQuestion(name=name, question_text=text, default_mark=1)
    for answer in answers:
        question.add_answer(*answer)
    quiz.add_question(question)
quiz.save(sys.argv[2])
"""


class Graders:
    """The environment with the graders, and how to run something in it."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        self.bin = folder / "bin"
        inner = next(folder.glob("lib/python3*/site-packages"))
        # What is installed here is found there; an editable package needs addsitedir for that.
        here = [path for path in site.getsitepackages() if Path(path).is_dir()]
        lines = [f"import site; site.addsitedir({path!r})" for path in here]
        (inner / "outer.pth").write_text("\n".join(lines) + "\n")
        self.run(self.bin / "python", "-m", "pip", "install", "-q", *PACKAGES, cwd=folder)

    def run(self, *command: object, cwd: Path) -> str:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("COV_", "PYTEST"))}
        environment = kept | {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "JUPYTER_PREFER_ENV_PATH": "1",
            "OMP_NUM_THREADS": "1",
        }
        done = subprocess.run(
            list(map(str, command)),
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        return done.stdout


@pytest.fixture(scope="session")
def graders(tmp_path_factory: pytest.TempPathFactory) -> Graders:
    return Graders(tmp_path_factory.mktemp("graders"))


@pytest.fixture(scope="session")
def labels() -> Labels:
    return Labels.of(NOTEBOOKS)


def test_nbgrader_gives_no_point_to_a_stub_and_all_to_a_solution(tmp_path, graders, labels):
    (tmp_path / "nbgrader_config.py").write_text(NBGRADER_CONFIG)
    teachers = tmp_path / "source" / "all" / "all.ipynb"
    teachers.parent.mkdir(parents=True)
    teachers.write_text(for_nbgrader(TASKS, labels, "All"))
    graders.run("nbgrader", "generate_assignment", "all", cwd=tmp_path)
    students = tmp_path / "release" / "all" / "all.ipynb"
    text = students.read_text()
    assert "BEGIN SOLUTION" not in text
    assert "assert check" not in text
    for name, notebook in {"stub": students, "solved": teachers}.items():
        handed_in = tmp_path / "submitted" / name / "all"
        handed_in.mkdir(parents=True)
        shutil.copy(notebook, handed_in / "all.ipynb")
    graders.run("nbgrader", "autograde", "all", cwd=tmp_path)
    lines = graders.run("python", "-c", SCORES, cwd=tmp_path).splitlines()
    stub, solved = map(json.loads, lines)
    points = {f"{task.label}-test": task.points for task in TASKS}
    assert stub == {name: [0, most] for name, most in points.items()}
    assert solved == {name: [most, most] for name, most in points.items()}


def test_otter_gives_no_point_to_a_stub_and_all_to_a_solution(tmp_path, graders, labels):
    (tmp_path / "all.ipynb").write_text(for_otter(TASKS, labels, "All"))
    # Assign runs the solutions itself, and stops when a test fails on them.
    graders.run("otter", "assign", "all.ipynb", "dist", cwd=tmp_path)
    students = tmp_path / "dist" / "student" / "all.ipynb"
    assert "BEGIN SOLUTION" not in students.read_text()
    (zipped,) = (tmp_path / "dist" / "autograder").glob("*.zip")
    points = {task.label: task.points for task in TASKS}
    for share, notebook in {0: students, 1: tmp_path / "dist" / "autograder" / "all.ipynb"}.items():
        results = tmp_path / f"results-{share}"
        results.mkdir()
        graders.run("otter", "run", "-a", zipped, "-o", results, notebook, cwd=tmp_path)
        tests = json.loads((results / "results.json").read_text())["tests"]
        scores = {test["name"]: test["score"] for test in tests if "score" in test}
        assert scores == {name: share * most for name, most in points.items()}


def parts(question: ElementTree.Element) -> list[tuple[str, dict[str, str], str]]:
    """Every part of a question that says something: tag, attributes, words."""
    found = [(part.tag, part.attrib, (part.text or "").strip()) for part in question.iter()]
    # A grade may be written 1 or 1.0.
    return [part for part in found if part[2] and part[0] != "defaultgrade"]


def test_the_quiz_has_the_form_that_another_package_writes(tmp_path, graders):
    command = [sys.executable, "-m", "tools.make_assignment", "moodle", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    ours = [
        question
        for question in ElementTree.parse(tmp_path / "next_token.xml").getroot()
        if question.get("type") == "multichoice"
    ]
    asked = [question for path in NOTEBOOKS for question in questions(path)]
    assert len(ours) == len(asked) >= 40
    plain = [
        (
            question.findtext("name/text"),
            question.findtext("questiontext/text"),
            [
                (int(a.attrib["fraction"]), a.findtext("text"), a.findtext("feedback/text"))
                for a in question.findall("answer")
            ],
        )
        for question in ours
    ]
    (tmp_path / "plain.json").write_text(json.dumps(plain))
    names = (tmp_path / "plain.json", tmp_path / "theirs.xml")
    graders.run("python", "-c", WRITE_QUIZ, *names, cwd=tmp_path)
    theirs = ElementTree.parse(tmp_path / "theirs.xml").getroot()
    for other, mine, question in zip(theirs, ours, asked, strict=True):
        assert [part for part in parts(other) if part not in parts(mine)] == []
        fractions = [answer.get("fraction") for answer in mine.findall("answer")]
        assert fractions == ["100" if o == question.right else "0" for o in question.options]
