"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path
from secrets import token_hex
from typing import BinaryIO


@contextmanager
def draft_of(path: str | Path, *, replace: bool = True) -> Iterator[BinaryIO]:
    """Open a file beside `path` that takes its place when, and only when, all of it is on disk."""
    place = Path(os.path.realpath(path))  # a link stays a link
    if place.exists() and not (replace and place.is_file()):  # a device is no file to replace
        raise FileExistsError(EEXIST, f"it is {'there' if place.is_file() else 'no file'}", path)
    draft = place.with_name(f".{token_hex(8)}.draft")
    try:
        with draft.open("xb") as file:
            if place.exists():
                shutil.copymode(place, draft)
            yield file
            file.flush()
            os.fsync(file.fileno())
        if not replace:
            place.touch(exist_ok=False)  # fails when somebody else was faster
        draft.replace(place)
    finally:
        draft.unlink(missing_ok=True)


def write_atomically(path: str | Path, data: str | bytes, *, replace: bool = True) -> Path:
    """Write text (as UTF-8) or bytes; what stood there before stays until the last byte is safe."""
    with draft_of(path, replace=replace) as file:
        file.write(data.encode() if isinstance(data, str) else data)
    return Path(path)
