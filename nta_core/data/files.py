"""Files that appear whole or not at all, and the forms in which they hold a dataset."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from nta_core.boundary import needs, one_of, shown
from nta_core.data import textform
from nta_core.errors import DataError, FileError

FORMS = (".txt", ".json", ".parquet")
PARTS = ("sequences", "labels", "names")


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


def save(path: object, *parts: Sequence[Any], force: bool) -> Path:
    """Write sequences, labels and names in the form of the suffix, atomically."""
    place, form = _place(path)
    sequences, labels, names = parts
    with _named(place), draft_of(place, replace=force) as file:
        if form == ".txt":
            file.write(textform.write(sequences, labels, names).encode())
        elif form == ".json":
            named = dict(zip(PARTS, parts, strict=True))
            file.write(json.dumps(named, ensure_ascii=False).encode())
        else:
            arrow, parquet = _pyarrow()
            columns = {"sequence": arrow.array(sequences), "label": arrow.array(labels)}
            known = {"names": json.dumps(names)}
            parquet.write_table(arrow.table(columns).replace_schema_metadata(known), file)
    return place


def load(path: object) -> tuple[Any, Any, Any]:
    """Read sequences, labels and names; what cannot be read is named with its line or row."""
    place, form = _place(path)
    with _named(place):
        data = place.read_bytes()
    if form == ".parquet":
        return _from_parquet(place)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{place}, line {line}: not UTF-8; save it as UTF-8 first") from None
    if form == ".txt":
        return textform.parse(text)
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DataError(f"{place} is not JSON: {error}") from None
    if not isinstance(found, dict) or not {"sequences", "labels"} <= found.keys() <= set(PARTS):
        raise DataError(f'{place} must be {{"sequences": [[0, 1]], "labels": [1], "names": […]}}')
    return found["sequences"], found["labels"], found.get("names")


def _from_parquet(place: Path) -> tuple[Any, Any, Any]:
    arrow, parquet = _pyarrow()
    try:
        table = parquet.read_table(place, columns=["sequence", "label"])
        names = json.loads((table.schema.metadata or {}).get(b"names", b"null"))
        return *(table[column].to_pylist() for column in ("sequence", "label")), names
    except (arrow.ArrowException, OSError, KeyError, ValueError) as error:
        raise DataError(f"{place} has no columns sequence and label: {shown(error)}") from None


def _pyarrow() -> tuple[Any, Any]:
    arrow = needs("pyarrow", wanted_for="a dataset in a Parquet file", extra="text")
    return arrow, needs("pyarrow.parquet", wanted_for="a dataset in a Parquet file", extra="text")


def _place(path: object) -> tuple[Path, str]:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise FileError(f"path must name a file, got {shown(path)}")
    return Path(text), one_of(Path(text).suffix.lower(), "suffix", FORMS)


@contextmanager
def _named(place: Path) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise FileError(f"{place}: {error.strerror}; force=True replaces a file") from None
    except OSError as error:
        raise FileError(f"{place}: {error.strerror or error}") from None
