"""Files that appear whole or not at all, and the forms in which they hold a dataset."""

from __future__ import annotations

import io
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from errno import EEXIST
from pathlib import Path
from secrets import token_hex
from typing import Any, BinaryIO

from nta_core.boundary import flag, needs, one_of, shown
from nta_core.data import textform
from nta_core.errors import DataError, FileError, NTAError

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


def save(path: object, *parts: Sequence[Any], force: object) -> Path:
    """Write sequences, labels and names in the form of the suffix, atomically."""
    place, form, replace = *_place(path), flag(force, "force")
    sequences, labels, names = parts
    with _named(place), draft_of(place, replace=replace) as file:
        if form == ".txt":
            file.write(textform.write(sequences, labels, names).encode())
        elif form == ".json":
            named = dict(zip(PARTS, parts, strict=True))
            file.write(json.dumps(named, ensure_ascii=False).encode())
        else:
            arrow, parquet = _pyarrow()
            columns = {"sequence": arrow.array(sequences), "label": arrow.array(labels)}
            table = arrow.table(columns).replace_schema_metadata({"names": json.dumps(names)})
            parquet.write_table(table, file)
    return place


def load(path: object) -> tuple[Any, Any, Any]:
    """Read sequences, labels and names; what cannot be read is named with its line or row."""
    place, form = _place(path)
    with _named(place):
        data = place.read_bytes()
    try:
        if form == ".parquet":
            table = _pyarrow()[1].read_table(io.BytesIO(data), columns=["sequence", "label"])
            names = json.loads((table.schema.metadata or {}).get(b"names", b"null"))
            return table["sequence"].to_pylist(), table["label"].to_pylist(), names
        text = data.decode().removeprefix("\ufeff")
        if form == ".txt":
            return textform.parse(text)
        found = json.loads(text)
        return found["sequences"], found["labels"], found.get("names")
    except NTAError:
        raise
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise DataError(f"{place}, line {line}: not UTF-8; save it as UTF-8 first") from None
    except Exception as error:  # whatever a foreign file brings about
        what = "an object with sequences, labels and names" if form == ".json" else "two columns"
        raise DataError(f"{place} does not hold {what}: {shown(error)}") from None


def _pyarrow() -> list[Any]:
    packages, why = ("pyarrow", "pyarrow.parquet"), "a dataset in a Parquet file"
    return [needs(package, wanted_for=why, extra="text") for package in packages]


def _place(path: object) -> tuple[Path, str]:
    text = os.fspath(path) if isinstance(path, (str, os.PathLike)) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise FileError(f"path must name a file, got {shown(path)}")
    return Path(text), one_of(Path(text).suffix.lower(), "suffix", FORMS)


@contextmanager
def _named(place: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "; force=True replaces a file" * isinstance(error, FileExistsError)
        raise FileError(f"{place}: {error.strerror or error}{hint}") from None
