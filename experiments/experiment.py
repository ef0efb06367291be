"""An experiment: a grid of cells, and what is measured in each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from nta_book.results.changes import RESULTS as STORED
from nta_book.results.changes import Project

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent
RESULTS = ROOT / STORED


@dataclass(frozen=True)
class Experiment:
    """A question answered by the same measurement under many settings.

    Attributes
    ----------
    title : str
        What it is about, for the progress bar and the ledger.
    chapter : int
        The chapter that shows it.
    cells : tuple of mapping
        Settings of each cell; JSON scalars and short lists only.
    measure : callable
        Takes the settings of a cell as keywords, returns numbers, texts and lists of them.
    spot : tuple of int
        Cells that the tests compute again; cheap ones.
    tolerance : float
        How far a number computed again may lie from the stored one, relative to max(1, |number|).
    corpora : tuple of str
        Published texts that some cell reads, by the names that `named_corpus` knows.
    """

    title: str
    chapter: int
    cells: tuple[Mapping[str, Any], ...]
    measure: Callable[..., Mapping[str, Any]]
    spot: tuple[int, ...] = (0,)
    tolerance: float = 1e-6
    corpora: tuple[str, ...] = ()


def experiment_names() -> list[str]:
    """Return the experiments of this folder: its modules that declare one."""
    return sorted(
        path.stem
        for path in FOLDER.glob("*.py")
        if "\nEXPERIMENT = Experiment(" in path.read_text(encoding="utf-8")
    )


def load_experiment(name: str) -> Experiment:
    """Return the experiment declared by ``experiments/<name>.py``."""
    found = import_module(f"experiments.{name}").EXPERIMENT
    if not isinstance(found, Experiment):
        raise TypeError(f"experiments/{name}.py: EXPERIMENT is a {type(found).__name__}")
    return found


def present_stamp(name: str) -> str:
    """Return the stamp of the code behind an experiment.

    It does not depend on versions of other packages: the spot cells show whether these matter.
    """
    return _project().stamp((f"experiments.{name}", "EXPERIMENT"), versions=False)


def reads_corpora(name: str) -> bool:
    """Tell whether the code of an experiment opens a published corpus, declared or not."""
    project = _project()
    start = project.resolve(f"experiments.{name}", "EXPERIMENT")
    return ("nta_beyond.text.corpora", "named_corpus") in project.reached([start])


@cache
def _project() -> Project:
    return Project(ROOT)
