"""Experiments of the tests' own: a project in a folder, with the real packages beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from experiments import __main__ as command
from experiments import experiment as declaration
from experiments import restamp, run
from experiments.experiment import Experiment


@contextmanager
def planted(source: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Let the machinery find one experiment, ``toy``, and store below the folder."""
    place = folder / "experiments"
    place.mkdir()
    for package in ("nta_core", "nta_beyond"):
        (folder / package).symlink_to(declaration.ROOT / package)
    (place / "experiment.py").symlink_to(declaration.FOLDER / "experiment.py")
    toy = place / "toy.py"
    toy.write_text(source)
    monkeypatch.setattr(declaration, "FOLDER", place)
    monkeypatch.setattr(declaration, "ROOT", folder)
    monkeypatch.setattr(run, "RESULTS", folder / "results")
    monkeypatch.setattr(run, "KEPT", folder / "kept")
    for module in (run, restamp, command):
        monkeypatch.setattr(module, "load_experiment", lambda name: declared(toy))
    declaration._project.cache_clear()
    yield toy
    declaration._project.cache_clear()


def declared(source: Path) -> Experiment:
    """Run the module and return the experiment that it declares."""
    names: dict[str, Any] = {}
    exec(compile(source.read_text(), str(source), "exec"), names)
    found = names["EXPERIMENT"]
    assert isinstance(found, Experiment)
    return found


def edit(source: Path, old: str, new: str) -> None:
    """Change a line of an experiment."""
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))
    declaration._project.cache_clear()
