"""Pins and setting up: the whole environment, one version each; a Python that cannot is refused."""

from __future__ import annotations

import doctest
import os
import shutil
import subprocess
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.small_book import write_small_book
from tools import base_install, other_versions, refresh_constraints, set_up
from tools.refresh_constraints import faults, pinned, wanted

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "constraints.txt").read_text(encoding="utf-8")


# ---- constraints.txt ----------------------------------------------------------------------------


def test_every_requirement_is_pinned_within_its_bounds() -> None:
    assert faults(TEXT, wanted()) == []
    assert {"sphinx", "docutils", "pydata-sphinx-theme", "numpy", "traitlets"} <= pinned(
        TEXT
    ).keys()
    assert len(pinned(TEXT)) > 200


def test_this_environment_is_the_pinned_one() -> None:
    installed = {canonicalize_name(d.name): d.version.partition("+")[0] for d in distributions()}
    pins = pinned(TEXT, "{}.{}".format(*sys.version_info[:2]))
    # What is not pinned came from somewhere else than the requirements; it is not ours to judge.
    moved = {name: (v, pins[name]) for name, v in installed.items() if pins.get(name, v) != v}
    assert not moved, "make setup"
    assert not pins.keys() - installed.keys(), "make setup"


@pytest.mark.parametrize(
    ("line", "planted", "found"),
    [
        ("sphinx-book-theme==1.3.0", "", "sphinx-book-theme is not pinned"),
        ("torch==2.13.0", "torch==2.13.0+cpu", "not one version: torch==2.13.0+cpu"),
        ("torch==2.13.0", "torch==2.12.0", "torch 2.12.0 is not ==2.13.0"),
        ("jupyter-book==1.0.4.post1", "jupyter-book==2.1.7", "jupyter-book 2.1.7 is not"),
        ("jupyter-book==1.0.4.post1", "jupyter-book>=1", "not one version: jupyter-book>=1"),
    ],
)
def test_a_planted_fault_is_found(line: str, planted: str, found: str) -> None:
    assert f"\n{line}\n" in TEXT
    text = TEXT.replace(f"\n{line}\n", f"\n{planted}\n" if planted else "\n")
    assert any(problem.startswith(found) for problem in faults(text, wanted()))


def test_a_marker_chooses_the_python() -> None:
    text = 'a==1\nb==2 ; python_version >= "3.12"\n'
    assert pinned(text) == {"a": "1"}
    assert pinned(text, "3.12") == {"a": "1", "b": "2"}


def test_pip_resolves_into_a_fresh_environment(tmp_path: Path) -> None:
    """One small package; what is installed here plays no part."""
    assert refresh_constraints.resolve(sys.executable, ["six>=1.16"], "six==1.16.0") == {
        "six": "1.16.0"
    }
    with pytest.raises(refresh_constraints.NotResolved, match="Cannot install six"):
        refresh_constraints.resolve(sys.executable, ["six>=1.17"], "six==1.16.0")


def test_the_command_writes_whole_files_and_says_what_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "constraints.txt"
    file.write_text(TEXT.replace("\nsphinx==", "\nsphinx==1."))
    monkeypatch.setattr(refresh_constraints, "CONSTRAINTS", file)
    monkeypatch.setattr(refresh_constraints, "LOWEST", sys.version_info[:2])
    found = pinned(TEXT)
    light = {name: version for name, version in found.items() if name not in ("torch", "sympy")}
    newer = {name: version for name, version in light.items() if name != "overrides"}
    more = {sys.executable: light, "3.12": newer | {"only-there": "1.0"}}

    def resolve(python: str, requirements: object, pins: str = "") -> dict[str, str]:
        return more[python] if pins else found

    monkeypatch.setattr(refresh_constraints, "resolve", resolve)
    monkeypatch.setattr(refresh_constraints, "pythons", lambda: {"3.12": "3.12"})
    assert refresh_constraints.main() == 0
    said = capsys.readouterr().out
    assert "Python 3.14 is not here" in said
    assert f"sphinx: 1.{found['sphinx']} -> {found['sphinx']}" in said
    written = file.read_text()
    assert 'only-there==1.0 ; python_version >= "3.12"' in written.splitlines()
    assert pinned(written) == found
    assert pinned(written, "3.12").keys() == found.keys() - {"overrides"} | {"only-there"}
    del found["torch"]
    assert refresh_constraints.main() == 1
    assert "torch is not pinned" in capsys.readouterr().err
    assert file.read_text() == written

    def refuse(*_: object) -> None:
        raise refresh_constraints.NotResolved("no such thing")

    monkeypatch.setattr(refresh_constraints, "resolve", refuse)
    assert refresh_constraints.main() == 1
    assert "constraints.txt is as it was" in capsys.readouterr().err
    monkeypatch.setattr(refresh_constraints, "LOWEST", (3, 99))
    assert refresh_constraints.main() == 1


# ---- make setup ---------------------------------------------------------------------------------


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A project with one requirement, and the script that sets it up."""
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools" / "set_up.py", tmp_path / "tools")
    (tmp_path / "constraints.txt").write_text("")
    (tmp_path / "requirements-dev.txt").write_text("")
    return tmp_path


@pytest.fixture
def alone(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same, where pip finds no file at all."""
    monkeypatch.setattr(set_up, "ROOT", str(checkout))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.delenv("PIP_FIND_LINKS", raising=False)
    return checkout


def test_a_python_without_torch_is_refused_in_words(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file at all is to pip what PyTorch's index is to a Python that it has no wheel for."""
    (alone / "requirements-dev.txt").write_text("torch==2.13.0\n")
    assert set_up.main() == 1
    said = capsys.readouterr().err
    assert "torch==2.13.0 has no wheel for Python 3." in said
    assert "3.11 or 3.12 (make setup PYTHON=python3.12)" in said
    assert "-m pip install ." in said
    assert not (alone / ".venv").exists(), "the next Python would find this one's environment"


def test_what_else_pip_refuses_is_not_blamed_on_torch(
    alone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (alone / "requirements-dev.txt").write_text("no-such-package==1\n")
    assert set_up.main() == 1
    said = capsys.readouterr().err
    assert "torch" not in said
    assert "NOTHING WAS SET UP" in said


def test_an_old_python_is_told_so(checkout: Path) -> None:
    """By the script itself: a Python that is too old cannot import anything of ours."""
    script = checkout / "tools" / "set_up.py"
    script.write_text(script.read_text().replace("LOWEST = (3, 11)", "LOWEST = (3, 99)"))
    command = [sys.executable, str(script), ".venv"]
    done = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Python 3.99 or newer is needed" in done.stderr
    assert not (checkout / ".venv").exists()


def test_an_environment_that_cannot_be_made_leaves_nothing(
    alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Debian's Python without python3-venv stops half-way, with a folder that has no pip."""

    def stops(command: list[str]) -> None:
        (Path(command[-1]) / "bin").mkdir(parents=True)
        raise subprocess.CalledProcessError(1, command)

    monkeypatch.setattr(subprocess, "check_call", stops)
    assert set_up.main() == 1
    assert "python3-venv" in capsys.readouterr().err
    assert not (alone / ".venv").exists()


def test_make_asks_for_the_pins() -> None:
    """When the pins are newer than the environment, it is set up again, by the script above."""
    command = ["make", "-n", "-W", "constraints.txt", "setup"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "tools/set_up.py .venv" in done.stdout


# ---- other versions -----------------------------------------------------------------------------


@pytest.mark.parametrize("module", [other_versions])
def test_examples_hold(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted
    assert not result.failed


def test_looking_ahead_keeps_two_bounds_and_drops_the_others() -> None:
    lines = other_versions.open_ended(wanted())
    bounded = {Requirement(line).name for line in lines if "<" in line or "==" in line}
    assert bounded == {"torch", "jupyter-book"}
    names = [Requirement(line).name for line in other_versions.without_jupyter_book(wanted())]
    assert "jupyter-book" not in names
    assert len(names) == len(set(names))
    assert {"sphinx", "myst-nb", "sphinx-book-theme"} <= set(names)


def test_a_page_that_was_not_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\nchapters:\n- file: book/one\n"
    )
    (tmp_path / "book").mkdir()
    out = tmp_path / "html" / "book"
    out.mkdir(parents=True)
    for name in ("index", "one"):
        (tmp_path / "book" / f"{name}.md").write_text("# x")
        (out / f"{name}.html").write_text("x")
    assert other_versions.missing_pages(tmp_path, tmp_path / "html") == []
    (out / "one.html").unlink()
    assert other_versions.missing_pages(tmp_path, tmp_path / "html") == ["book/one.html"]


def test_a_small_book_comes_out_of_sphinx_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With this environment instead of a fresh one: what is made, not with what."""
    book = write_small_book(tmp_path / "book", ["# A page\n\nWords."], ["# Another\n\nWords."])
    subprocess.run(["git", "init", "-q"], cwd=book, check=True)
    monkeypatch.setattr(other_versions, "ROOT", book)
    copy = other_versions.copy_checkout
    monkeypatch.setattr(other_versions, "copy_checkout", lambda target: copy(target, book))
    monkeypatch.setattr(other_versions, "install", lambda *_: sys.executable)
    monkeypatch.delenv("NTA_REPOSITORY", raising=False)
    assert other_versions.main(["escape"]) == 0, capsys.readouterr().err
    assert (book / "_build" / "escape" / "html" / "book" / "01_chapter.html").is_file()
    assert "escape: the book came out" in capsys.readouterr().out


def test_a_failed_look_says_so(monkeypatch: pytest.MonkeyPatch, capsys, tmp_path: Path) -> None:
    def fail(folder: Path) -> None:
        other_versions.say([sys.executable, "-c", "print('broken'); exit(3)"], folder)

    monkeypatch.setattr(other_versions, "ROOT", tmp_path)
    monkeypatch.setattr(other_versions, "escape", fail)
    assert other_versions.main(["escape"]) == 1
    said = capsys.readouterr().err
    assert "broken" in said
    assert "ESCAPE: the book did not come out" in said


def test_without_jupyter_book_sphinx_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    conf = 'extensions = ["a", "jupyter_book", "a"]\nhtml_theme_options = {}\n'
    values: dict[str, object] = {}
    exec(other_versions.sphinx_alone(conf), values)
    assert values["extensions"] == ["a"]
    assert values["nb_execution_mode"] == "off"
    other_versions.report("x: WARNING: no key [mystnb.glue]\ny: WARNING: other\n")
    assert capsys.readouterr().out.split()[:2] == ["2", "warnings"]


# ---- the base install ---------------------------------------------------------------------------


def test_tests_of_the_base_are_those_that_import_no_more(tmp_path: Path) -> None:
    chosen = base_install.light_tests(ROOT)
    assert "tests/core/test_graphs.py" in chosen
    assert not [path for path in chosen if "torch" in base_install.imports(ROOT / path)]
    planted = tmp_path / "test_x.py"
    planted.write_text("def test():\n    from torch import nn\n    import os.path\n")
    assert base_install.imports(planted) == {"torch"}


def test_a_python_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert base_install.main(["/no/such/python"]) == 2
    assert "/no/such/python" in capsys.readouterr().err


def test_what_fails_in_a_fresh_environment_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(base_install.Failed, match="No module named 'nothing_of_the_kind'"):
        base_install.run([sys.executable, "-c", "import nothing_of_the_kind"], tmp_path)
