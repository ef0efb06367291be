"""Which files of each package go into the page."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
File = tuple[str, bytes]

#: Nobody imports these: tests, stubs, headers, static libraries, templates, records of installers.
_NEVER = re.compile(
    r"(^|/)(tests?|include|_pyinstaller|_examples|_precompute|__pycache__)/"
    r"|(^|/)conftest\.py$"
    r"|\.(pyi|h|a|pxd|pyx|c|f|ini|rst|build|template|typed)$"
    r"|(^|/)(RECORD|WHEEL|INSTALLER|REQUESTED|direct_url\.json)$"
)
#: Rooms of scipy that nothing here needs; scipy.linalg does need numpy.f2py.
_SCIPY = re.compile(
    r"^scipy/((signal|io|cluster|odr|datasets|misc|differentiate|fftpack|_external/array_api_compat/"
    r"(torch|dask|cupy))/|stats/(_sobol_direction_numbers|_unuran/))"
    r"|(_test_\w+|_cytest|_test_internal)\.cpython"
)
#: Of our own packages all but what makes books.
_NOT_OURS = re.compile(r"^nta_book/(sphinx|classroom|runtime|page/(?!__init__|bundle\.py|python/))")
_OURS = ("nta_core", "nta_beyond", "nta_book")
_LICENCES = re.compile(r"\.dist-info/(.*/)?(LICEN[CS]E|COPYING)[^/]*$")


def of_wheel(wheel: Path) -> Iterator[File]:
    """What the page needs of the wheel of numpy or scipy, with its licences."""
    with zipfile.ZipFile(wheel) as archive:
        for name in sorted(archive.namelist()):
            if not name.endswith("/") and _wanted(name) and not _SCIPY.search(name):
                yield name, archive.read(name)


def of_networkx() -> Iterator[File]:
    """networkx as it is installed here, with its licence: it is pure Python."""
    yield from _installed(distribution("networkx"), "")


def of_the_printer() -> Iterator[File]:
    """The one module of IPython that breaks the lines of a printed value, with its licence."""
    yield from _installed(distribution("ipython"), "IPython/lib/pretty.py")


def ours() -> Iterator[File]:
    """The packages of this book, with the stored results."""
    for package in _OURS:
        for path in sorted((ROOT / package).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in (".py", ".json", ".safetensors") and path.is_file():
                if _NEVER.search(name) or _NOT_OURS.search(name):
                    continue
                yield name, path.read_bytes()
    yield "nta_core/LICENSE", (ROOT / "LICENSE").read_bytes()


def _wanted(name: str) -> bool:
    if ".dist-info/" in name:
        return bool(_LICENCES.search(name))
    return not _NEVER.search(name)


def _installed(package: Distribution, only: str) -> Iterator[File]:
    for entry in sorted(package.files or [], key=str):
        name = PurePosixPath(entry).as_posix()
        outside = name.startswith("..") or "/" not in name
        if outside or not _wanted(name) or not (".dist-info/" in name or name.startswith(only)):
            continue
        if name.endswith((".py", ".txt", "LICENSE", "COPYING")):
            yield name, Path(str(entry.locate())).read_bytes()
