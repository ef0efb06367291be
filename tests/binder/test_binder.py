"""Binder: the steps that its own tool derives from ``.binder/``, taken outside the checkout.

repo2docker prints the recipe without building it.  Its steps that concern this repository run here
in a fresh environment, on a copy laid out as Binder lays it out, as an ordinary user; then chapters
of every part run there, with nothing of the checkout in reach.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from tests.binder.elsewhere import ROOT, Place, elsewhere
from tests.every_page import EVERY_PAGE
from tools.other_versions import copy_checkout
from tools.refresh_constraints import pinned

# One page per part of the book: leagues by networkx, stored results, both papers, text, a lab.
PAGES = (
    "03_ties_and_leagues",
    "10_change_the_loss",
    "14_two_papers_one_layer",
    "16_does_real_text_have_leagues",
    "token_lab",
)
if EVERY_PAGE:
    PAGES = tuple(sorted(path.stem for path in (ROOT / "book").glob("*.ipynb")))


class Session:
    """A home folder with a copy of the repository, and an environment of its user's own."""

    def __init__(self, place: Place) -> None:
        self.place, self.home, self.prefix = place, place.home, place.folder / "environment"
        copy_checkout(self.home)
        self.prefix.mkdir()
        place.give(place.folder)
        place.variables |= {
            "KERNEL_PYTHON_PREFIX": str(self.prefix),
            "PATH": f"{self.prefix / 'bin'}:{os.environ['PATH']}",
        }

    def run(self, command: str, *, folder: str = ".") -> subprocess.CompletedProcess[str]:
        return self.place.run(["bash", "-c", command], self.home / folder)

    def recipe(self) -> str:
        command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."]
        done = subprocess.run(command, cwd=self.home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout + done.stderr

    def build(self, recipe: str) -> list[str]:
        """Take the steps of the recipe that follow the copying of the repository."""
        version = re.search(r"python=(3\.\d+)", recipe)
        assert version is not None
        self.place.succeed([self.place.python(version[1]), "-m", "venv", self.prefix])
        after_copy = re.split(r"^COPY .*src/ ", recipe, flags=re.MULTILINE)[-1]
        steps = re.findall(r"^RUN (.+)$", after_copy, re.MULTILINE)
        for step in steps:
            done = self.run(step)
            assert done.returncode == 0, f"{step}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return steps

    def execute(self, page: str) -> subprocess.CompletedProcess[str]:
        return self.run(f"jupyter execute --timeout=300 {page}.ipynb", folder="book")


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with elsewhere() as place:
        made = Session(place)
        steps = made.build(made.recipe())
        assert any("pip install" in step for step in steps)
        assert "./.binder/postBuild" in steps
        yield made


def test_the_packages_are_those_that_were_installed(session: Session) -> None:
    code = "import nta_core, nta_beyond, nta_book; print(*(p.__file__ for p in "
    code += "(nta_core, nta_beyond, nta_book)))"
    done = session.run(f'python -c "{code}"', folder="book")
    assert done.returncode == 0, done.stderr
    assert all(str(session.prefix) in path for path in done.stdout.split())


@pytest.mark.parametrize("page", PAGES)
def test_chapters_of_every_part_run(session: Session, page: str) -> None:
    done = session.execute(page)
    assert done.returncode == 0, done.stderr[-4000:]


def test_every_version_is_the_pinned_one(session: Session) -> None:
    done = session.run("pip list --format=freeze --exclude pip --exclude nta-core")
    found = dict(line.split("==") for line in done.stdout.split())
    assert len(found) > 100
    pins = pinned((ROOT / "constraints.txt").read_text())
    other = {name: v for name, v in found.items() if v.split("+")[0] != pins.get(_canonical(name))}
    assert set(other) <= {"setuptools"}, other  # came with the environment


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_torch_is_the_pinned_one_and_needs_no_gpu(session: Session) -> None:
    done = session.run('python -c "import torch; print(torch.__version__, torch.version.cuda)"')
    assert done.stdout.split()[0].split("+")[0] == "2.13.0"


def test_a_result_that_stayed_behind_would_be_noticed(session: Session) -> None:
    """Last, because it breaks the environment: without stored results a chapter must fail."""
    data = next(session.prefix.glob("lib/python*/site-packages/nta_book/results/data"))
    data.rename(data.with_name("elsewhere"))
    done = session.execute("10_change_the_loss")
    assert done.returncode != 0
    assert "MissingResult" in done.stderr + done.stdout
