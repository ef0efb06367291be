"""What the results of a chapter depend on, as a hash: change any of it and chapters run again."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Iterable
from importlib.metadata import distributions
from pathlib import Path

# Scripts and styles of nta_core change what a page does with a result, never the result itself.
_NOT_RESULTS = {".js", ".css", ".pyc", ".md"}


def files_below(folder: Path, *, without: Iterable[str] = ()) -> list[Path]:
    """Return the files of a folder in a fixed order, caches and hidden folders left out."""
    skip = set(without)
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file()
        and path.suffix not in skip
        and not any(
            part == "__pycache__" or part.startswith(".") for part in path.relative_to(folder).parts
        )
    )


def hash_of(files: Iterable[Path], *words: str, root: Path) -> str:
    """Return a short hash of the names and contents of files, and of further words."""
    digest = hashlib.sha256()
    for path in files:
        digest.update(f"\0{path.relative_to(root).as_posix()}\0".encode())
        digest.update(path.read_bytes())
    for word in words:
        digest.update(f"\0{word}".encode())
    return digest.hexdigest()[:16]


def results_fingerprint(root: Path) -> str:
    """Hash everything outside the chapters that can change what a chapter computes.

    These are the sources and stored data of ``nta_core`` and ``experiments``, the requirements, the
    versions of every installed package and of Python itself.
    """
    files = [path for path in sorted(root.glob("requirements*.txt")) if path.is_file()]
    for name in ("nta_core", "experiments"):
        if (root / name).is_dir():
            files += files_below(root / name, without=_NOT_RESULTS)
    packages = sorted({f"{d.metadata['Name']}=={d.version}" for d in distributions()})
    return hash_of(files, platform.python_version(), *packages, root=root)


def execution_cache(root: Path) -> Path:
    """Return the folder of chapter results that belong to the present code, and to no other."""
    return root / "_build" / "executed" / results_fingerprint(root)
