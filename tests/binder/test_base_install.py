"""Wheel and archive in clean environments, with every Python of this machine and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from email import message_from_string
from pathlib import Path

import pytest

from nta_core import __version__
from tests.binder.elsewhere import ROOT
from tools import base_install
from tools.base_install import Failed
from tools.other_versions import copy_checkout

PYTHONS = base_install.pythons()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("base")


@pytest.fixture(scope="module")
def built(folder: Path) -> tuple[Path, Path]:
    """The wheel and the archive, from a checkout at an address."""
    checkout, out = folder / "checkout", folder / "built"
    out.mkdir()
    copy_checkout(checkout)
    for words in (["init", "-q"], ["remote", "add", "origin", "git@github.com:someone/a-book.git"]):
        subprocess.run(["git", *words], cwd=checkout, check=True)
    return base_install.build(sys.executable, out, checkout)


@pytest.fixture(scope="module", params=sorted(PYTHONS))
def python(request: pytest.FixtureRequest, folder: Path, built: tuple[Path, Path]) -> Path:
    place = folder / request.param
    place.mkdir()
    made = base_install.environment(PYTHONS[request.param], place / "environment")
    base_install.install(made, built[0], place)
    return made


def test_the_python_of_this_run_is_among_those_found() -> None:
    assert "{}.{}".format(*sys.version_info[:2]) in PYTHONS


def test_the_base_install_passes_its_tests(python: Path) -> None:
    base_install.check(python, python.parents[2])
    code = "import importlib.util as u; print([n for n in ('torch', 'plotly') if u.find_spec(n)])"
    assert base_install.run([python, "-c", code], python.parents[2]).strip() == "[]"


def test_a_wheel_without_a_module_would_be_noticed(python: Path) -> None:
    """Last for each Python, because it breaks the environment."""
    (module,) = python.parents[1].glob("lib/python3*/site-packages/nta_core/graphs")
    module.rename(module.with_name("elsewhere"))
    with pytest.raises(Failed, match="graphs"):
        base_install.run([python, "-c", "import nta_core"], python.parents[2])


def test_wheel_and_archive_say_the_same_about_themselves(built: tuple[Path, Path]) -> None:
    wheel, archive = built
    with zipfile.ZipFile(wheel) as zipped, tarfile.open(archive) as tar:
        inside = f"nta_core-{__version__}"
        texts = [
            zipped.read(f"{inside}.dist-info/METADATA").decode(),
            tar.extractfile(f"{inside}/PKG-INFO").read().decode(),
        ]
    assert texts[0] == texts[1]
    told = message_from_string(texts[0])
    assert told["Version"] == __version__
    urls = dict(line.split(", ") for line in told.get_all("Project-URL"))
    assert urls["Source"] == "https://github.com/someone/a-book"
    assert len(urls) == 4
    for version in base_install.VERSIONS:
        assert f"Programming Language :: Python :: {version}" in told.get_all("Classifier")


def test_the_wheel_has_every_module_and_what_the_pages_run(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[0]) as zipped:
        inside = set(zipped.namelist())
    modules = {
        str(path.relative_to(ROOT))
        for package in ("nta_core", "nta_beyond", "nta_book")
        for path in (ROOT / package).rglob("*.py")
    }
    assert modules <= inside
    assert {"nta_core/py.typed", "nta_book/page/built/esm/token_lab.js"} <= inside
    assert not [name for name in inside if name.startswith(("tests", "tools", "book/"))]
