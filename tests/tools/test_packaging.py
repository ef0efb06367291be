"""What is published: an archive whose tests can be run, and what it says about itself."""

from __future__ import annotations

import email
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
# What lies in a checkout without belonging to it.
MADE = (
    *("_build", "node_modules", "build", "dist", "*.egg-info", "__pycache__", ".git", ".venv"),
    *(".*_cache", ".hypothesis", ".ipynb_checkpoints", ".coverage*"),
)
# Without a new environment: setuptools is what pip would call.
BUILD = "import setuptools.build_meta as b, sys; b.build_sdist(sys.argv[1])"


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of this checkout, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    copy = folder / "checkout"  # setuptools writes into the folder that it reads
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(*MADE))
    if (ROOT / "node_modules").exists():
        (copy / "node_modules").symlink_to(ROOT / "node_modules")
    done = subprocess.run(
        [sys.executable, "-c", BUILD, str(folder)],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as tar:
        tar.extractall(folder / "unpacked", filter="data")
    (inside,) = (folder / "unpacked").iterdir()
    return inside


def test_every_file_of_the_checkout_is_in_the_archive(unpacked: Path) -> None:
    checkout = unpacked.parents[1] / "checkout"
    names = {
        Path(folder).relative_to(checkout) / name
        for folder, _, files in os.walk(checkout)  # which follows no link
        for name in files
    }
    assert len(names) > 300
    missing = sorted(str(name) for name in names if not (unpacked / name).is_file())
    assert missing == ["nta_book/page/built/.lock"]
    assert (unpacked / "nta_book" / "page" / "built" / "esm" / "token_lab.js").is_file()


def test_the_tests_of_the_archive_can_be_collected(unpacked: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=unpacked,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    collected = {line.partition("::")[0] for line in done.stdout.splitlines() if "::" in line}
    here = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    assert here - collected == set()


def test_the_metadata_names_python_types_and_papers() -> None:
    stated = " ".join(PROJECT["classifiers"])
    assert "Typing :: Typed" in stated
    assert "Programming Language :: Python :: 3.14" in stated
    assert "License ::" not in stated  # `license` says it; setuptools refuses both
    lowest = re.search(r">=3\.(\d+)", PROJECT["requires-python"])
    assert lowest
    versions = [int(v) for v in re.findall(r"Python :: 3\.(\d+)", stated)]
    assert min(versions) == int(lowest[1])
    assert "<" not in PROJECT["requires-python"]  # a new Python is refused by a pin or by nothing


def test_the_addresses_are_those_of_the_citation_and_of_the_checkout(unpacked: Path) -> None:
    told = email.message_from_string((unpacked / "PKG-INFO").read_text(encoding="utf-8"))
    urls = dict(line.split(", ") for line in told.get_all("Project-URL"))
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    papers = {name: url for name, url in urls.items() if f"url: {url}\n" in cited}
    assert len(papers) == 2
    assert urls == papers, "a copy without git has no address of its own"


def test_a_chapter_gets_what_requirements_allow() -> None:
    """The extra for hubs and Colab is the part of requirements.txt that chapters import."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    allowed = {line.partition("#")[0].strip() for line in lines}
    extras = PROJECT["optional-dependencies"]
    assert set(PROJECT["dependencies"]) <= allowed
    for name, wanted in extras.items():
        assert {line for line in wanted if not line.startswith("nta-core[")} <= allowed, name


@pytest.mark.parametrize("folder", ["build", "dist", "_build", ".venv", "nta_core.egg-info"])
def test_what_is_made_is_ignored(folder: str) -> None:
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert f"{folder}/" in ignored or f"*{Path(folder).suffix}/" in ignored
