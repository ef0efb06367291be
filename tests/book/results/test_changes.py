"""What counts as changed: name by name, on a toy project and on the real packages."""

from __future__ import annotations

import ast
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from experiments.experiment import experiment_names
from nta_book.results import changes
from nta_book.results.changes import OURS, ROOT, Project

NO_CODE = shutil.ignore_patterns("built", "__pycache__", "*.js", "*.css")

# ---- a toy project ------------------------------------------------------------------------------

TOY = {
    "nta_core/__init__.py": """
        from nta_core.numbers import one, two
        from nta_core.shapes import Circle
        def __getattr__(name):
            from nta_core.heavy import Heavy
            return Heavy
    """,
    "nta_core/numbers.py": """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        import numpy as np
        if TYPE_CHECKING:
            from nta_core.shapes import Circle
        SIZE = 3
        UNUSED = 4
        def one(circle: Circle = None) -> int:
            '''One.'''
            return _helper(1) + SIZE  # why
        def two():
            from nta_core.shapes import area as measured
            return measured(np.ones(2))
        def _helper(x):
            return [n for n in (x,)][0] + 5
    """,
    "nta_core/shapes.py": """
        import scipy
        class Base:
            pass
        class Circle(Base):
            sides: int = 0
            def draw(self):
                return area(self)
        def area(shape):
            return scipy.pi
    """,
    "nta_core/heavy.py": """
        class Heavy:
            weight = 1
    """,
    "nta_book/__init__.py": "",
    "nta_book/lists.py": """
        TABLE = {}
        def enter(function):
            TABLE[function.__name__] = function
            return function
        def look(name):
            return TABLE[name]
        @enter
        def entered():
            return 1
        for name in ("a",):
            TABLE[name] = loose
        def loose():
            return 2
        def alone():
            return 3
    """,
    "nta_book/viz/__init__.py": """
        from nta_book.viz.bars import bars
        from nta_book.viz.cone import cone
    """,
    "nta_book/viz/bars.py": """
        def bars():
            return "bars"
    """,
    "nta_book/viz/cone.py": """
        def cone():
            return "cone"
    """,
    "nta_core/boundary.py": """
        from importlib import import_module
        def needs(package):
            return import_module(package)
    """,
    "nta_book/viz/given.py": """
        def picture(draw):
            return lambda: draw()
    """,
    "nta_book/viz/discs.py": """
        from nta_book.viz.given import picture
        @picture
        def disc():
            return "disc"
        @picture
        def ring():
            return "ring"
    """,
    "nta_book/sums.py": """
        from nta_core.boundary import needs
        def foreign():
            return needs("yaml")
        def own():
            return needs("nta_core.heavy")
    """,
    "nta_book/near.py": """
        from . import viz
        try:
            from .viz.cone import cone as picture
        except ImportError:
            def picture():
                return viz.bars()
    """,
    "nta_book/whole.py": """
        from nta_book import viz
        from nta_core.shapes import *
        def any_picture(name):
            return getattr(viz, name)()
        def by_string(name):
            return __import__(name)
    """,
}


def _text(lines: str) -> str:
    return "\n".join(line.removeprefix("        ") for line in lines.splitlines()) + "\n"


class Toy:
    """A project to edit, and the stamps of programs in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, lines in TOY.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(_text(lines))

    def edit(self, name: str, old: str, new: str) -> None:
        text = (self.root / name).read_text()
        assert old in text
        (self.root / name).write_text(text.replace(old, new))

    def stamp(self, *cells: str) -> str:
        notebook = self.root / "chapter.ipynb"
        code = [{"cell_type": "code", "source": [cell]} for cell in cells]
        notebook.write_text(json.dumps({"cells": code}))
        return Project(self.root).chapter(notebook)


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    return Toy(tmp_path)


NUMBERS, SHAPES = "nta_core/numbers.py", "nta_core/shapes.py"
DISCS, GIVEN, BOUNDARY = "nta_book/viz/discs.py", "nta_book/viz/given.py", "nta_core/boundary.py"
LISTS, BARS, CONE = "nta_book/lists.py", "nta_book/viz/bars.py", "nta_book/viz/cone.py"


@pytest.mark.parametrize(
    ("program", "edits_that_count", "edits_that_do_not"),
    [
        (
            "from nta_core import one\none()",
            [
                (NUMBERS, "(1) +", "(2) +"),
                (NUMBERS, "+ 5", "- 5"),
                (NUMBERS, "= 3", "= 9"),
            ],
            [
                *((NUMBERS, "'''One.'''", "'''Said\n\n    better.'''"), (NUMBERS, "# why", "# so")),
                *((NUMBERS, "UNUSED = 4", "UNUSED = 9"), (NUMBERS, "np.ones", "np.zeros")),
                *((SHAPES, "sides: int = 0", "sides: int = 1"), (BARS, '"bars"', '"rods"')),
                ("nta_core/heavy.py", "1", "2"),
            ],
        ),
        (
            "import nta_core.numbers as numbers\nnumbers.two()",  # an import inside a function
            [(SHAPES, "scipy.pi", "3"), (NUMBERS, "np.ones", "np.zeros")],
            [(SHAPES, "sides: int = 0", "sides: int = 1"), (NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_core import Circle\nCircle().draw()",
            [(SHAPES, "    pass", "    x = 1"), (SHAPES, "scipy.pi", "3"), (SHAPES, "= 0", "= 1")],
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_core import Heavy\nHeavy()",  # loaded on first use
            [("nta_core/heavy.py", "1", "2")],
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_book import viz\nviz.bars()",
            [(BARS, '"bars"', '"rods"')],
            [(CONE, '"cone"', '"spike"')],
        ),
        (
            "from nta_book import viz\ndraw(viz)",  # as a value: all of it
            [(BARS, '"bars"', '"rods"'), (CONE, '"cone"', '"spike"')],
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_book.whole import any_picture\nany_picture('bars')",
            [(CONE, '"cone"', '"spike"'), (SHAPES, "= 0", "= 1")],  # import * is all of it
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_book.near import picture\npicture()",  # one of two, nobody knows which
            [(BARS, '"bars"', '"rods"'), (CONE, '"cone"', '"spike"')],
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "from nta_book import whole\nwhole.by_string('x')",
            [(NUMBERS, "= 3", "= 9"), ("nta_core/heavy.py", "1", "2")],
            [],
        ),
        (
            "from nta_book.lists import alone\nalone()",  # what a module does on import
            [
                *((LISTS, '("a",)', '("b",)'), (LISTS, "return 2", "return 0")),
                (LISTS, "return 1", "return 0"),
            ],
            [(LISTS, "return TABLE[name]", "return TABLE.get(name)")],
        ),
        (
            "from nta_book.viz.discs import disc\ndisc()",  # a decorator that only wraps
            [(DISCS, '"disc"', '"disk"'), (GIVEN, "lambda: draw()", "draw")],
            [(DISCS, '"ring"', '"rim"'), (BARS, '"bars"', '"rods"')],
        ),
        (
            "from nta_book.sums import foreign\nforeign()",  # what is loaded is never ours
            [(BOUNDARY, "import_module(package)", "import_module(package or 'x')")],
            [(NUMBERS, "= 3", "= 9"), ("nta_core/heavy.py", "1", "2"), (BARS, '"bars"', '"rods"')],
        ),
        (
            "from nta_book.sums import own\nown()",  # and if it were, it would count
            [("nta_core/heavy.py", "1", "2")],
            [(NUMBERS, "= 3", "= 9")],
        ),
        (
            "%matplotlib inline\nfrom nta_core import one",  # unreadable: everything
            [(SHAPES, "= 0", "= 1"), (LISTS, "return 3", "return 0")],
            [(NUMBERS, "# why", "# so")],
        ),
    ],
)
def test_a_change_counts_where_it_is_used(
    tmp_path: Path,
    program: str,
    edits_that_count: list[tuple[str, str, str]],
    edits_that_do_not: list[tuple[str, str, str]],
) -> None:
    before = Toy(tmp_path).stamp(program)
    assert Toy(tmp_path).stamp(program) == before
    for edit in edits_that_count:
        toy = Toy(tmp_path)
        toy.edit(*edit)
        assert toy.stamp(program) != before, edit
    for edit in edits_that_do_not:
        toy = Toy(tmp_path)
        toy.edit(*edit)
        assert toy.stamp(program) == before, edit


def test_a_wrapper_and_an_importer_of_the_same_name_elsewhere_count(tmp_path: Path) -> None:
    """Two modules are trusted, not two names: others called so may do anything."""
    use = "from nta_book.viz.discs import disc\ndisc()"
    entering = "seen = []\ndef picture(draw):\n    seen.append(draw)\n    return draw"
    for door in (entering, "from nta_book.lists import enter as picture"):
        toy = Toy(tmp_path)
        toy.edit(DISCS, "from nta_book.viz.given import picture", door)
        before = toy.stamp(use)
        toy.edit(DISCS, '"ring"', '"rim"')
        assert toy.stamp(use) != before, "it entered the other in a list"
    toy = Toy(tmp_path)
    loader = "from importlib import import_module\ndef needs(x):\n    return import_module(x)"
    toy.edit("nta_book/sums.py", "from nta_core.boundary import needs", loader)
    before = toy.stamp("from nta_book.sums import foreign\nforeign()")
    toy.edit(NUMBERS, "= 3", "= 9")
    assert toy.stamp("from nta_book.sums import foreign\nforeign()") != before, (
        "by string: everything"
    )


def test_the_same_name_from_elsewhere_is_a_change(toy: Toy) -> None:
    both = "from nta_core import one, two\nfrom nta_book import viz\n[one, two, viz.cone, viz.bars]"
    before = toy.stamp(both)
    toy.edit("nta_book/viz/__init__.py", "viz.bars import bars", "viz.cone import cone as bars")
    assert toy.stamp(both) != before


def test_the_same_code_through_another_door_is_no_change(toy: Toy) -> None:
    use = "from nta_book import viz\nviz.bars()"
    before = toy.stamp(use)
    (toy.root / "nta_book/viz/door.py").write_text("from nta_book.viz.bars import bars\n")
    toy.edit("nta_book/viz/__init__.py", "viz.bars import", "viz.door import")
    assert toy.stamp(use) == before


def test_cells_and_the_files_they_name_count(toy: Toy) -> None:
    (toy.root / "words.txt").write_text("a b")
    cell = 'text = open("words.txt").read()'
    before = toy.stamp(cell)
    assert toy.stamp(cell + "\nprint(1)") != before
    (toy.root / "words.txt").write_text("a b c")
    assert toy.stamp(cell) != before


@pytest.mark.parametrize(
    ("call", "read"), [('"growth"', {"growth"}), ('f"g{x}"', {"growth", "gap"}), ("name", {"*"})]
)
def test_the_content_of_stored_results_counts_and_their_stamp_does_not(
    toy: Toy, call: str, read: set[str]
) -> None:
    cell = f"from nta_book.results import stored_result\nstored_result({call})"
    folder = toy.root / changes.RESULTS
    folder.mkdir(parents=True)

    def put(name: str, **content: object) -> str:
        (folder / f"{name}.json").write_text(json.dumps({"stamp": "s", "cells": [], **content}))
        return toy.stamp(cell)

    for name in ("growth", "gap", "other"):
        before = put(name)
        assert put(name, stamp="t") == before
        assert (put(name, cells=[1]) != before) is bool(read & {name, "*"})


def test_versions_count_only_of_packages_in_use(toy: Toy, monkeypatch: pytest.MonkeyPatch) -> None:
    def stamps() -> tuple[str, ...]:
        changes._version.cache_clear()
        uses = ("one", "two"), ("Circle",), ("Heavy",)
        paths = [[("nta_core", name) for name in names] for names in uses]
        paths.append([("nta_book.sums", "foreign")])  # it needs yaml
        project = Project(toy.root)
        fixed = project.stamp(*paths[0], versions=False)
        return *(project.stamp(*path) for path in paths), fixed

    before = stamps()
    for package, changed in {
        "numpy": [True, False, False, False],
        "scipy": [True, True, False, False],
        "yaml": [False, False, False, True],
    }.items():
        with monkeypatch.context() as patch:
            patch.setattr(changes, "version", lambda name, new=package: "9" if name == new else "1")
            now = stamps()
            patch.setattr(changes, "version", lambda name: "1")
            same = stamps()
        assert [a != b for a, b in zip(now, same, strict=True)][:4] == changed
        assert now[4] == same[4] == before[4]
    changes._version.cache_clear()
    assert changes._version("yaml"), "found although its distribution is called PyYAML"
    assert changes._version("json") == changes._version("no_such_package") == ""


# ---- the real packages --------------------------------------------------------------------------


def stamps(project: Project) -> dict[str, str]:
    """The stamps of all chapters and experiments, with these packages."""
    chapters = sorted((ROOT / "book").glob("*.ipynb"))
    return {path.stem: project.chapter(path) for path in chapters} | {
        name: project.stamp((f"experiments.{name}", "EXPERIMENT"), versions=False)
        for name in experiment_names()
    }


class Copy:
    """The copied packages: edited for a moment, and read again where they were."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.project = Project(root)
        self.stamps = stamps(self.project)

    def home(self, module: str, name: str) -> str:
        """The module that defines a public name."""
        return self.project.resolve(module, name).partition(":")[0]

    def file(self, module: str) -> Path:
        return self.root / f"{module.replace('.', '/')}.py"

    def changed(self, module: str, edit: Callable[[str], str]) -> set[str]:
        """What would run again after a module was edited."""
        path = self.file(module)
        text = path.read_text(encoding="utf-8")
        path.write_text(edit(text), encoding="utf-8")
        project = Project(self.root)
        project._sources = {k: v for k, v in self.project._sources.items() if k != module}
        try:
            return {name for name, now in stamps(project).items() if now != self.stamps[name]}
        finally:
            path.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    folder = tmp_path_factory.mktemp("copy")
    for package in OURS:
        shutil.copytree(ROOT / package, folder / package, ignore=NO_CODE)
    return Copy(folder)


def _docstrings(tree: ast.AST) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            yield node.body[0].value


def test_every_docstring_edited_runs_no_chapter_and_no_experiment(
    copy: Copy,
) -> None:
    before = {path: path.read_text(encoding="utf-8") for path in copy.root.rglob("*.py")}
    edited = 0
    for path, text in before.items():
        lines = text.splitlines()
        for node in _docstrings(ast.parse(text)):
            line = lines[node.lineno - 1]
            lines[node.lineno - 1] = line.replace('"""', '"""In other words: ', 1) + (
                "" if node.end_lineno == node.lineno else "\n\nMore."
            )
            edited += 1
        path.write_text("\n".join(["# A comment.", *lines, "", "# The end."]), encoding="utf-8")
    assert edited > 800
    try:
        assert stamps(Project(copy.root)) == copy.stamps
    finally:
        for path, text in before.items():
            path.write_text(text, encoding="utf-8")


def _longer(name: str, line: str = "planted = 0") -> Callable[[str], str]:
    """Edit a module: its function gets one more line."""

    def edit(text: str) -> str:
        lines = text.splitlines()
        node = next(n for n in ast.parse(text).body if getattr(n, "name", "") == name)
        assert node.end_lineno is not None
        lines.insert(node.end_lineno, f"    {line}")
        return "\n".join(lines)

    return edit


def _chapters_that_say(words: str) -> set[str]:
    found = set()
    for path in (ROOT / "book").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        code = "".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
        found |= {path.stem} if re.search(rf"\b{words}\b", code) else set()
    return found


@pytest.mark.parametrize("picture", ["cone", "scorecard", "triangle", "league_floors", "spread"])
def test_a_changed_picture_runs_the_chapters_that_show_it(copy: Copy, picture: str) -> None:
    wanted = _chapters_that_say(rf"viz\.{picture}")
    assert wanted
    assert copy.changed(copy.home("nta_book.viz", picture), _longer(picture)) == wanted


def test_a_changed_function_of_text_runs_what_reads_text(copy: Copy) -> None:
    changed = copy.changed(copy.home("nta_beyond.text", "grammar_text"), _longer("grammar_text"))
    assert changed - set(experiment_names()) == _chapters_that_say("grammar_text")
    assert "text_leagues" in changed
    assert not {name for name in changed if name.startswith(("two_", "pseudo_", "assumption_"))}


def test_a_planted_function_counts_for_its_callers_alone(copy: Copy) -> None:
    home, wanted = copy.home("nta_book.viz", "cone"), _chapters_that_say(r"viz\.cone")
    planted = "\n\ndef planted(x):\n    return x\n\n\nDEFAULT = planted(1)\n"
    called = _longer("cone", "return DEFAULT")
    assert copy.changed(home, lambda text: text + planted) == set()
    assert copy.changed(home, called) == wanted
    text = copy.file(home).read_text(encoding="utf-8")
    copy.file(home).write_text(called(text) + planted, encoding="utf-8")
    try:
        edited = Copy(copy.root).changed(
            home, lambda text: text.replace("return x\n", "return 2\n")
        )
    finally:
        copy.file(home).write_text(text, encoding="utf-8")
    assert edited == wanted


@pytest.mark.parametrize("chapter", ["how_this_book_is_made", "token_lab"])
def test_no_function_runs_that_is_not_reached(
    chapter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compare reading with running: what a chapter calls must be among what its stamp covers."""
    notebook = ROOT / "book" / f"{chapter}.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "code")
    project = Project()
    project.chapter(notebook)
    source = project.source("chapter")
    assert source is not None
    reached = project.reached(f"chapter:{name}" for name in source.parts)
    called: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: object) -> None:
        file, name = Path(frame.f_code.co_filename), frame.f_code.co_qualname
        if event == "call" and file.is_relative_to(ROOT) and not name.startswith("<"):
            # by where it is written: a picture's wrapper runs as if it stood with the picture
            parts = file.relative_to(ROOT).with_suffix("").parts
            home = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if home.startswith(OURS):
                called.add((home, name.partition(".")[0]))

    monkeypatch.chdir(notebook.parent)
    program = compile(code, "chapter", "exec")
    exec(program, {"__name__": "__main__"})  # all modules are imported before we look
    sys.setprofile(watch)
    try:
        exec(program, {"__name__": "__main__"})
    finally:
        sys.setprofile(None)
    assert len(called) > 20
    assert called <= reached.keys()
