"""What lies beyond the theorems goes wrong in these ways; all errors are `NTAError`.

Below them: what `nta_core.boundary` does for one value, for texts, seeds and paths.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from nta_core.boundary import entries, shown, whole
from nta_core.errors import DataError, NTAError, OptionError, SolverDidNotConverge


class TextFileError(DataError):
    """A text that cannot be read as one; the message begins with its `path`."""

    def __init__(self, message: str, *, path: object = None) -> None:
        # without a path when another process sends the error, whose message then has it already
        super().__init__(message if path is None else f"{path}: {message}")
        self.path = path


class MissingCorpus(NTAError):
    """A published corpus that is not on this machine; the message says where to get it."""


class ChangedCorpus(NTAError):
    """A corpus that is not the text its name stands for, or not the one a result was made of."""


def texts(values: object, name: str, *, error: type[NTAError] = OptionError) -> list[str]:
    """Return a list of strings, or name the entry that is none."""
    found = entries(values, name, error=error)
    if set(map(type, found)) - {str}:
        for i, value in enumerate(found):
            if not isinstance(value, str):
                raise error(f"{name}: entry {i} must be a text, got {shown(value)}")
    return found


def seeds_of(seeds: object, *, most: int = 100_000) -> list[int]:
    """Return a list of seeds, at least one."""
    given = entries(seeds, "seeds", error=OptionError)
    found = [whole(seed, f"seeds[{i}]") for i, seed in enumerate(given)]
    if not 0 < len(found) <= most:
        raise OptionError(f"seeds: from 1 to {most:,} at once, got {len(found):,}")
    return found


def path_of(path: object) -> Path:
    """Return a path that a file system can be asked about."""
    if not isinstance(path, (str, os.PathLike)) or isinstance(path, bytes):
        raise OptionError(f"path={shown(path)}: must be the name of a file or a folder")
    try:
        place = Path(path)
        if b"\0" in os.fsencode(place):
            raise ValueError
    except (TypeError, ValueError):
        raise OptionError(f"path={shown(path)}: no file can have such a name") from None
    return place


def still_finite(step: int, *arrays: Any) -> None:
    """Raise `SolverDidNotConverge` when a training has left float64."""
    if not all(np.isfinite(array).all() for array in arrays):
        raise SolverDidNotConverge(
            f"step {step}: the weights have left float64 (NaN or infinity): take smaller "
            "learning rates, or fewer steps"
        )
