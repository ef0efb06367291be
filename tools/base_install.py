"""Install the packages alone, as a stranger would, with every Python found, and test them there.

    python tools/base_install.py [PYTHON ...]

Wheel and archive are built once, by the first Python.  Each Python (3.11 and newer; those on the
path, if none is named) then gets a fresh environment outside the checkout with numpy, scipy and
networkx, and nothing else of what the book needs: the doctests of nta_core, the tests that import
no more than that, and the command ``nta`` run there.  Needs nothing but the standard library.
"""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TESTERS = ("pytest", "hypothesis")
#: Quick ones; of these, what would need more than the base is left out.
TESTS = ("automaton", "files", "graphs", "ragged", "reading", "soft", "svm", "training")
BASE = {"numpy", "scipy", "networkx", "nta_core", "tests", *TESTERS}
#: What a fresh environment hears nothing of: variables that begin so.
HIDDEN = ("PYTHON", "VIRTUAL_ENV", "COV", "PYTEST", "NTA_")
#: With this a Python says its version, if it can make environments.
TELL = "import ensurepip, sys; print('%d.%d' % sys.version_info[:2])"


class Failed(Exception):
    """Something did not work in a fresh environment; the message is what was said."""


def pythons() -> dict[str, str]:
    """Return the Pythons of this machine that run, by version: on the path, or kept by pyenv."""
    found: dict[str, str] = {}
    for version in VERSIONS:
        # The first of its name may be a shim for a version that is not chosen.
        for python in places(version):
            if version not in found and version_of(python) == version:
                found[version] = python
    return found


def places(version: str) -> list[str]:
    """Return where a Python of this version would be."""
    kept = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    folders = [*map(Path, os.get_exec_path()), *sorted(kept.glob("*/bin"))]
    return [str(folder / f"python{version}") for folder in folders]


def version_of(python: str) -> str:
    """Return what a program says its version of Python is, or nothing."""
    try:
        done = subprocess.run([python, "-c", TELL], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def light_tests(root: Path) -> list[str]:
    """Return the tests that import nothing but what the base install has."""
    files = [root / "tests" / "core" / f"test_{name}.py" for name in TESTS]
    return [str(path.relative_to(root)) for path in files if imports(path) <= BASE]


def imports(path: Path) -> set[str]:
    """Return the packages outside the standard library that a file imports."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(str(node.module).partition(".")[0])
    return found - set(sys.stdlib_module_names)


def run(command: list[object], folder: Path, *, hidden: tuple[str, ...] = HIDDEN) -> str:
    """Return what a command says and complains of; raise `Failed` with the end of it."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={name: value for name, value in os.environ.items() if not name.startswith(hidden)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise Failed(f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}")
    return done.stdout


def environment(python: str, folder: Path) -> Path:
    """Return the Python of a fresh environment."""
    run([python, "-m", "venv", folder], folder.parent)
    return folder / "bin" / "python"


def build(python: str, folder: Path, root: Path = ROOT) -> tuple[Path, Path]:
    """Return a wheel and an archive of the sources, made in ``folder`` by tools of their own."""
    with tempfile.TemporaryDirectory() as place:
        builder = environment(python, Path(place) / "builder")
        run([builder, "-m", "pip", "install", "--quiet", "build>=1,<2"], folder)
        # The wheel is made from the archive.
        run([builder, "-m", "build", "--outdir", folder, root], folder)
    (wheel,), (archive,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return wheel, archive


def install(python: Path, what: Path, folder: Path, root: Path = ROOT) -> None:
    """Install a wheel or an archive with nothing but its base, and what runs its tests."""
    pip = [python, "-m", "pip", "install", "--quiet", "--no-compile"]
    pip += ["-c", root / "constraints.txt"]
    run([*pip, what, *TESTERS], folder)


def check(python: Path, folder: Path, root: Path = ROOT) -> None:
    """Run doctests, tests and the command with the installed packages."""
    # Without the settings that all tests share: those know the experiments, which are not here.
    unused = shutil.ignore_patterns("__pycache__", "conftest.py")
    shutil.copytree(root / "tests", folder / "tests", ignore=unused)
    said = run([python, "-c", "import nta_core; print(nta_core.__file__)"], folder)
    where = Path(said.splitlines()[-1])
    if not where.is_relative_to(python.parents[1]):
        raise Failed(f"nta_core was found in {where}")
    run([python.with_name("nta"), "--version"], folder)
    pytest = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    heavier = [path for path in where.parent.rglob("*.py") if not imports(path) <= BASE]
    doctests = ["--doctest-modules", *(f"--ignore={path}" for path in heavier)]
    run([*pytest, *doctests, "--pyargs", "nta_core"], folder)
    run([*pytest, "--hypothesis-profile=ci", *light_tests(root)], folder)


def main(chosen: list[str]) -> int:
    """Test with the Pythons named, or with all that are found; 0 when all is well."""
    found = {version_of(python): python for python in chosen} or pythons()
    strange = [python for version, python in found.items() if version not in VERSIONS]
    if strange or not found:
        print(f"no Python of {', '.join(VERSIONS)}: {strange or 'none found'}", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as name:
        built = Path(name) / "built"
        built.mkdir()
        try:
            wheel, _ = build(next(iter(found.values())), built)
            for version, python in found.items():
                place = Path(name) / version
                place.mkdir()
                installed = environment(python, place / "environment")
                install(installed, wheel, place)
                check(installed, place)
                print(f"Python {version}: the packages install and pass", flush=True)
        except Failed as failure:
            print(failure, file=sys.stderr)
            return 1
    for version in VERSIONS:
        if version not in found:
            print(f"Python {version}: not here, nothing was tested with it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
