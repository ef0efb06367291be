"""What Binder would build, asked of the tool it uses; nothing is built and no engine is needed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def dockerfile(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The recipe for a checkout that holds only what Binder reads."""
    checkout = tmp_path_factory.mktemp("checkout")
    shutil.copytree(ROOT / ".binder", checkout / ".binder")
    for name in ("requirements.txt", "pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, checkout)
    done = subprocess.run(
        [sys.executable, "-m", "repo2docker", "--no-build", "--debug", "."],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_binder_takes_our_python(dockerfile: str) -> None:
    assert "python=3.11" in dockerfile or "python-3.11" in dockerfile or "py-3.11" in dockerfile


def test_binder_installs_our_requirements_and_runs_our_script(dockerfile: str) -> None:
    assert '-r ".binder/requirements.txt"' in dockerfile.replace("'", '"')
    assert ".binder/postBuild" in dockerfile


def test_requirements_bring_the_cpu_build_of_the_pinned_torch() -> None:
    lines = (ROOT / ".binder" / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert "-r ../requirements.txt" in lines
    assert any(line.startswith("--extra-index-url") and line.endswith("/cpu") for line in lines)
    assert "torch==2.13.0" in (ROOT / "requirements.txt").read_text(encoding="utf-8")
    script = (ROOT / ".binder" / "postBuild").read_text(encoding="utf-8")
    assert "pip install" in script
    assert (ROOT / ".binder" / "postBuild").stat().st_mode & 0o111
