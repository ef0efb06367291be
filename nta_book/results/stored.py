"""Results too slow for a page: computed by ``make experiments``, read by the chapters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from nta_book.errors import MissingResult
from nta_core.boundary import a, shown

# The folder of the stored results: part of the package, so chapters find it wherever that is.
RESULTS = files("nta_book.results") / "data"

Cell = dict[str, Any]


@dataclass(frozen=True)
class StoredResult:
    """What an experiment measured, cell by cell.

    Attributes
    ----------
    name : str
        The module below ``experiments/`` that computes it.
    title : str
        What it is about.
    cells : tuple of dict
        One dictionary per cell: its settings and its measured values together.
    seconds : float
        Time of all cells together, on one core of the machine that ran them.
    corpora : tuple of dict
        Published texts that were read: name, sha256 and number of tokens of each.
    """

    name: str
    title: str
    cells: tuple[Cell, ...]
    seconds: float
    corpora: tuple[dict[str, Any], ...] = ()

    def __repr__(self) -> str:
        return f"StoredResult({self.name!r}: {len(self.cells)} cells, {self.seconds:.0f} s)"

    @property
    def command(self) -> str:
        """What to type in order to compute it again."""
        return f"make experiments NAME={self.name}"

    def select(self, **settings: object) -> tuple[Cell, ...]:
        """Return the cells with these settings."""
        return tuple(
            cell
            for cell in self.cells
            if all(key in cell and cell[key] == value for key, value in settings.items())
        )

    def one(self, **settings: object) -> Cell:
        """Return the only cell with these settings."""
        found = self.select(**settings)
        if len(found) != 1:
            wanted = ", ".join(f"{key}={value!r}" for key, value in settings.items())
            raise MissingResult(
                f"{self.name} holds {len(found)} cells with {wanted or 'no condition'}, not one"
            )
        return found[0]


def stored_file(name: str) -> str:
    """Return the path of a file that an experiment keeps: its result, or weights beside it.

    Parameters
    ----------
    name
        The file; without an ending, the result of that name.

    Raises
    ------
    MissingResult
        If there is no such file.

    Examples
    --------
    >>> stored_file("heads_on_text.safetensors").endswith("heads_on_text.safetensors")
    True
    """
    asked = a(str, name, "name")
    kept = {file.name for file in RESULTS.iterdir()}
    for file in (asked, f"{asked}.json"):
        if file in kept:
            return str(RESULTS / file)
    raise MissingResult(f"no stored file {shown(asked)}")


def stored_result(name: str, *, folder: Traversable = RESULTS) -> StoredResult:
    """Read the stored result of an experiment.

    Parameters
    ----------
    name
        The experiment: a module of ``experiments/``.
    folder
        Where results are kept.

    Returns
    -------
    StoredResult
        Its cells, with the time they took and the command that repeats them.

    Raises
    ------
    MissingResult
        If nothing is stored under this name, or what is stored is damaged.

    Explained in: chapter 10.

    Examples
    --------
    >>> stored_result("nothing")
    Traceback (most recent call last):
    ...
    nta_book.errors.MissingResult: no stored result 'nothing': run make experiments NAME=nothing ...
    """
    stored, asked = _files(folder), a(str, name, "name")
    again = f"run make experiments NAME={asked:.60} in the book's repository"
    if asked not in stored:
        listed = ", ".join(sorted(stored)) or "none"
        raise MissingResult(f"no stored result {shown(asked)}: {again} (stored: {listed})")
    try:
        found = json.loads(stored[name].read_text(encoding="utf-8"))
        cells = tuple(cell["settings"] | cell["values"] for cell in found["cells"])
        corpora = tuple(found.get("corpora", ()))
        return StoredResult(name, found["title"], cells, found["seconds"], corpora)
    except (ValueError, KeyError, TypeError):
        raise MissingResult(f"the stored result {name!r} is damaged: {again}") from None


def _files(folder: Traversable) -> dict[str, Traversable]:
    """The files of a folder of results, by the names of their experiments."""
    try:
        found = [entry for entry in folder.iterdir() if entry.name.endswith(".json")]
    except (OSError, AttributeError):
        raise MissingResult(f"no folder of stored results: {shown(folder)}") from None
    return {entry.name.removesuffix(".json"): entry for entry in found}
