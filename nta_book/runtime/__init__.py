"""Python for the reader's browser: fetched by name, checked, trimmed, and written into the book.

`write` puts into the book what a page loads at its first Run.  Nothing of it is kept in the
repository but a list of names and sha256 (``files.json``).

================  ==================================================================
``source``        where the files of Pyodide come from, and whether they are the listed ones
``contents``      which files of numpy, scipy, networkx and our packages the page needs
``packing``       their archives, compiled by the Python that will import them
================  ==================================================================
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from nta_book.runtime import contents, packing, source
from nta_book.runtime.source import RuntimeFilesError
from nta_core.data.files import write_atomically

__all__ = ["Package", "Runtime", "RuntimeFilesError", "told", "write"]

#: What the worker runs once everything is unpacked.
START = "from nta_book.page.python import runner\nrunner.install()"


@dataclass(frozen=True)
class Package:
    """One part of Python for the browser: its version, its licence, and what it weighs."""

    name: str
    version: str
    licence: str
    size: int


@dataclass(frozen=True)
class Runtime:
    """What was written into a book.

    Attributes
    ----------
    version : str
        Differs whenever a file does: browsers may keep files for as long as it stays.
    packages : tuple of Package
    """

    version: str
    packages: tuple[Package, ...]

    @property
    def size(self) -> int:
        """Bytes that a reader's first Run loads."""
        return sum(package.size for package in self.packages)


def write(folder: Path, *, warn: Callable[[str], object] = print) -> Runtime | None:
    """Write Python for the browser into ``folder/python``.

    Parameters
    ----------
    folder
        The static files of a book.
    warn
        Told, in one sentence, why it could not be had.

    Returns
    -------
    Runtime or None
        None when it cannot be had; then nothing is written.
    """
    try:
        parts = _parts(source.files())
    except (RuntimeFilesError, OSError) as error:
        warn(
            f"NO PYTHON IN THE PAGES: {error}.  The book is built without Run buttons, and is "
            "otherwise the same"
        )
        return None
    manifest = _manifest(parts)
    place = folder / "python"
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    files: dict[str, bytes | str] = {part.name: part.data for part in parts}
    files |= {f"disk/{part.name}.js": part.script() for part in parts}
    files |= {"manifest.json": text, "manifest.js": f"window.ntaPython = {text};\n"}
    (place / "disk").mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        write_atomically(place / name, content)
    # The folder of cells stays: those of pages that this build leaves as they are.
    for path in [*place.glob("*"), *place.glob("disk/*")]:
        if path.is_file() and path.relative_to(place).as_posix() not in files:
            path.unlink()
    return Runtime(manifest["version"], _packages(parts))


def told() -> Runtime | None:
    """What `write` would write, or None where it cannot be had."""
    try:
        parts = _parts(source.files())
    except (RuntimeFilesError, OSError):
        return None
    return Runtime(_manifest(parts)["version"], _packages(parts))


@dataclass(frozen=True)
class _Part:
    """One file of the page's Python; `what` is what a reader is told while it loads."""

    name: str
    what: str
    package: str
    data: bytes
    unpack: str | None = None

    def script(self) -> str:
        """The file as a classic script: from a disk a browser loads nothing else."""
        text = base64.b64encode(self.data).decode()
        return f'(window.ntaDisk ||= {{}})[{json.dumps(self.name)}]="{text}";\n'


def _parts(core: Path) -> list[_Part]:
    kept = source.store() / "packed"

    def archive(name: str, what: str, files: Iterable[contents.File]) -> _Part:
        data = packing.packed(name, files, core=core, kept=kept)
        return _Part(f"{name}.tar.xz", what, name, data, unpack="xztar")

    def wheel(name: str) -> _Part:
        found = next(file for file in source.listed()["files"] if file.startswith(f"{name}-"))
        return archive(name, name, contents.of_wheel(core / found))

    def official(name: str, what: str, package: str) -> _Part:
        return _Part(name, what, package, (core / name).read_bytes())

    return [
        official("pyodide.mjs", "Python", "pyodide"),
        official("pyodide.asm.mjs", "Python", "pyodide"),
        official("pyodide.asm.wasm", "Python", "pyodide"),
        official("python_stdlib.zip", "Python's own library", "python"),
        wheel("numpy"),
        wheel("scipy"),
        archive("networkx", "networkx", contents.of_networkx()),
        archive("ipython", "the printer of values", contents.of_the_printer()),
        archive("nta", "the packages of this book", contents.ours()),
    ]


def _manifest(parts: list[_Part]) -> dict[str, Any]:
    files = [
        {
            "name": part.name,
            "bytes": len(part.data),
            "what": part.what,
            "unpack": part.unpack,
        }
        for part in parts
    ]
    start = {"lock": source.listed()["lock"], "start": START}
    digest = hashlib.sha256(json.dumps([files, start]).encode())
    for part in parts:
        digest.update(part.data)
    return {"version": digest.hexdigest()[:16], "files": files, **start}


def _packages(parts: list[_Part]) -> tuple[Package, ...]:
    """Versions and licences; those of wheels and of installed packages are their own words."""
    known = source.listed()["packages"]
    sizes: dict[str, int] = {}
    for part in parts:
        sizes[part.package] = sizes.get(part.package, 0) + len(part.data)
    return tuple(
        Package(
            known[key]["name"],
            known[key].get("version") or version(known[key]["installed"]),
            known[key]["licence"],
            size,
        )
        for key, size in sizes.items()
    )
