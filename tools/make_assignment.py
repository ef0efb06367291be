"""Write exercises of the book for nbgrader or Otter, or its Predict boxes as a Moodle quiz.

python -m tools.make_assignment nbgrader ex-04-1 5.2 --out my_course
python -m tools.make_assignment otter 2 3 --out my_course     # every exercise of chapters 2 and 3
python -m tools.make_assignment moodle 1 2 --out my_course    # without numbers: every chapter
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path

from nta_book.classroom import (
    NBGRADER_CONFIG,
    Labels,
    Task,
    for_nbgrader,
    for_otter,
    moodle_quiz,
    read_tasks,
)
from nta_book.errors import AssignmentError
from nta_book.sphinx.questions import Question, questions
from nta_book.sphinx.sheets import sources
from nta_core.data.files import write_atomically
from nta_core.errors import NTAError

ROOT = Path(__file__).resolve().parents[1]
NEXT = {
    "nbgrader": "nbgrader generate_assignment {name}",
    "otter": "otter assign {name}.ipynb dist",
    "moodle": "in Moodle: Question bank, Import, Moodle XML format",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write what was asked for; 0 when it stands there, 2 with a sentence when it cannot."""
    asked = _parser().parse_args(arguments)
    try:
        written = write(asked.system, asked.what, Path(asked.out), asked.name, asked.force)
    except (NTAError, ValueError, OSError) as error:
        print(f"make_assignment: {error}", file=sys.stderr)
        return 2
    for path in written:
        print(path)
    print(f"next, in {asked.out}: {NEXT[asked.system].format(name=asked.name)}")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.make_assignment", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("system", choices=NEXT)
    parser.add_argument(
        "what", nargs="*", help="exercises (ex-04-1 or 4.1) or chapters (4); moodle: chapters"
    )
    parser.add_argument("--out", required=True, help="folder to write into; made if missing")
    parser.add_argument("--name", default="next_token", help="name of the assignment")
    parser.add_argument("--force", action="store_true", help="replace files that are there")
    return parser


def write(system: str, what: Sequence[str], out: Path, name: str, force: bool) -> list[Path]:
    """Write the files of one system and return them; nothing is written when one is in the way."""
    if not name.isidentifier():
        raise AssignmentError(f"--name {name}: use letters, digits and _ (it names a file)")
    notebooks = sources(ROOT / "book")
    labels = Labels.of(notebooks)
    if system == "moodle":
        files = {out / f"{name}.xml": moodle_quiz(_questions(notebooks, what), labels)}
    else:
        tasks = chosen([task for path in notebooks for task in read_tasks(path)], what)
        title = "The Next-Token Automaton: " + ", ".join(task.place for task in tasks)
        if system == "nbgrader":
            files = {
                out / "nbgrader_config.py": NBGRADER_CONFIG,
                out / "source" / name / f"{name}.ipynb": for_nbgrader(tasks, labels, title),
            }
        else:
            files = {out / f"{name}.ipynb": for_otter(tasks, labels, title)}
    return _written(files, force)


def chosen(tasks: Sequence[Task], what: Sequence[str]) -> list[Task]:
    """Return the exercises that labels, places or numbers of chapters name, in the book's order."""
    if not what:
        raise AssignmentError("name exercises (ex-04-1 or 4.1) or chapters (4)")
    names = {task.label: {task.label, task.place, task.place.split(".")[0]} for task in tasks}
    known = set().union(*names.values())
    for name in what:
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=3)
            hint = f"did you mean {' or '.join(near)}?" if near else f"there are {_all(tasks)}"
            raise AssignmentError(f"there is no exercise or chapter {name}; {hint}")
    return [task for task in tasks if names[task.label] & set(what)]


def _all(tasks: Sequence[Task]) -> str:
    return f"{tasks[0].label} to {tasks[-1].label}"


def _questions(notebooks: Sequence[Path], what: Sequence[str]) -> list[Question]:
    found = [question for path in notebooks for question in questions(path)]
    chapters = {str(question.chapter) for question in found if question.chapter is not None}
    if unknown := set(what) - chapters:
        raise AssignmentError(f"no chapter {min(unknown)} asks anything; name chapters such as 4")
    return [q for q in found if not what or str(q.chapter) in what]


def _written(files: dict[Path, str], force: bool) -> list[Path]:
    there = [path for path in files if path.exists()]
    if there and not force:
        raise AssignmentError(
            f"{there[0]} is there already: choose another --out or --name, or --force"
        )
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text)
    return list(files)


if __name__ == "__main__":
    sys.exit(main())
