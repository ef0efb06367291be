"""Compile modules with the Python that will import them; run by that Python, under Node.

A reader's browser would otherwise compile the same thousand modules again on every page.
"""

from __future__ import annotations

import importlib.util
import io
import marshal
import site
import tarfile


def compiled(archive: bytes) -> bytes:
    """Return a tar file with byte code in the place of every module."""
    made = io.BytesIO()
    folder = site.getsitepackages()[0]
    with tarfile.open(fileobj=io.BytesIO(archive)) as given, tarfile.open(None, "w", made) as new:
        for entry in given:
            data = given.extractfile(entry).read()  # type: ignore[union-attr]  # only files are here
            if entry.name.endswith(".py"):
                code = compile(data, f"{folder}/{entry.name}", "exec", dont_inherit=True)
                # magic number, no flags, no time and size of a source: there is none
                data = importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)
                entry.name += "c"
            entry.size = len(data)
            new.addfile(entry, io.BytesIO(data))
    return made.getvalue()
