"""Safetensors files that others wrote: every size is checked before a byte of data is read.

The format is a number of 8 bytes, a JSON header of that length, and the data.  We read it
ourselves: bfloat16, which most models use, has no numpy type, and a file that lies gets a sentence.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nta_beyond.errors import path_of
from nta_beyond.heads.errors import WeightsFileError, missing
from nta_beyond.heads.tensors import QUANTIZED, Stored
from nta_core.boundary import room_for, shown

BEGIN = 8  # bytes that say how long the header is
LONGEST_HEADER = 100_000_000  # the limit of the format's own library
AXES, LARGEST = 64, 2**63  # what numpy can count
SIZES = {
    **{"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "F8_E4M3": 1, "F8_E5M2": 1, "BOOL": 1},
    **{f"{sign}{8 * size}": size for sign in "IU" for size in (1, 2, 4, 8)},
}
KINDS = {"F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16"}


@dataclass(frozen=True)
class Entry:
    """Where one tensor stands in the file."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    end: int


class WeightsFile(Mapping[str, Stored]):
    """A safetensors file: a mapping from names to tensors, each read when it is asked for.

    Parameters
    ----------
    path : str or Path
        The file.

    Raises
    ------
    WeightsFileError
        When it is no safetensors file, is cut short, or its header does not fit its size.

    Examples
    --------
    >>> import tempfile
    >>> from safetensors.numpy import save_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_file({"wte.weight": np.eye(3)}, f"{folder}/tiny.safetensors")
    ...     file = WeightsFile(f"{folder}/tiny.safetensors")
    ...     list(file), file.shape("wte.weight"), file["wte.weight"].values[2].tolist()
    (['wte.weight'], (3, 3), [0.0, 0.0, 1.0])

    Explained in: chapter 17.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = path_of(path)
        try:
            self._begin, self._entries = self._look()
        except OSError as error:
            if isinstance(error, WeightsFileError):
                raise
            raise self._error(f"it cannot be read: {error.strerror or error}") from None

    def __getitem__(self, name: str) -> Stored:
        entry = self._entry(name)
        if entry.kind not in KINDS:
            raise self._error(f"tensor {shown(name)} holds {entry.kind}: {QUANTIZED}")
        needed = 2.0 * 4 / SIZES[entry.kind] * (entry.end - entry.begin)
        room_for(needed, f"tensor {name}", instead="read it on a machine with more memory")
        try:
            with self.path.open("rb") as file:
                file.seek(self._begin + entry.begin)
                raw = file.read(entry.end - entry.begin)
        except OSError as error:
            raise self._error(f"it cannot be read: {error.strerror or error}") from None
        if len(raw) != entry.end - entry.begin:
            raise self._error("it has become shorter since it was opened: read it again")
        return Stored(_numbers(raw, entry), KINDS[entry.kind])

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"WeightsFile({self.path.name}, {len(self)} tensors)"

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a tensor without reading it."""
        return self._entry(name).shape

    def _entry(self, name: str) -> Entry:
        if name not in self:
            raise missing(name, [*self], what=f"what is asked of {self.path.name}")
        return self._entries[name]

    def _error(self, why: str) -> WeightsFileError:
        return WeightsFileError(f"{self.path}: {why}")

    def _look(self) -> tuple[int, dict[str, Entry]]:
        """Read the header, and compare what it promises with the size of the file."""
        if self.path.is_dir() or (self.path.exists() and not self.path.is_file()):
            raise self._error("it is no file: name the .safetensors file itself")
        size = self.path.stat().st_size
        with self.path.open("rb") as file:
            first = file.read(BEGIN)
            length = int.from_bytes(first, "little")
            if len(first) < BEGIN or size < BEGIN + 2:
                raise self._error(f"{size} bytes are no safetensors file")
            if first[:2] in (b"PK", b"\x80\x02"):
                raise self._error(
                    "it is a pickled PyTorch file, which could run code: load it yourself with "
                    "torch.load(..., weights_only=True) and give Head.from_state what comes out"
                )
            if length > min(LONGEST_HEADER, size - BEGIN):
                raise self._error(
                    f"its first 8 bytes promise a header of {length:,} bytes and the file has "
                    f"{size - BEGIN:,} left: it is cut short, or no safetensors file"
                )
            raw = file.read(length)
        entries = self._entries_of(raw)
        self._compare(entries, size - BEGIN - length)
        return BEGIN + length, entries

    def _entries_of(self, raw: bytes) -> dict[str, Entry]:
        try:
            header = json.loads(raw.decode(), object_pairs_hook=_once)
            header.pop("__metadata__", None)
            return {str(name): _entry_of(told) for name, told in header.items()}
        except RecursionError:
            raise self._error("its header is nested without end") from None
        except Exception as reason:  # whatever a foreign header brings about
            raise self._error(f"its header cannot be read: {shown(str(reason))}") from None

    def _compare(self, entries: dict[str, Entry], left: int) -> None:
        """Refuse tensors that do not fill the data exactly, each its own bytes."""
        for name, entry in entries.items():
            promised = SIZES[entry.kind] * math.prod(entry.shape)
            if promised != entry.end - entry.begin:
                raise self._error(
                    f"its header lies about tensor {shown(name)}: shape {entry.shape} of "
                    f"{entry.kind} takes {promised:,} bytes, and it is given "
                    f"{entry.end - entry.begin:,}"
                )
        end = max((entry.end for entry in entries.values()), default=0)
        if end != left:
            short = "it is cut short" if end > left else "something was added to it"
            raise self._error(
                f"its header promises {end:,} bytes of data and {left:,} are there: {short}"
            )
        filled, before = 0, "the header"
        for name, entry in sorted(entries.items(), key=lambda pair: (pair[1].begin, pair[1].end)):
            if entry.begin < filled:
                raise self._error(f"tensors {before} and {shown(name)} claim the same bytes")
            if entry.begin > filled:
                raise self._error(
                    f"{entry.begin - filled:,} bytes between {before} and {shown(name)} belong to "
                    "no tensor: its header was changed"
                )
            filled, before = entry.end, shown(name)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is given to two tensors")
    return found


def _entry_of(told: dict[str, Any]) -> Entry:
    kind, shape, (begin, end) = told["dtype"], told["shape"], told["data_offsets"]
    if kind not in SIZES:
        raise ValueError(f"there is no type of numbers {kind}")
    sizes = (*shape, begin, end - begin)
    if not all(type(size) is int and 0 <= size < LARGEST for size in sizes):
        raise ValueError("shapes and places are whole numbers, 0 or more, below 2⁶³")
    # Of an empty tensor numpy multiplies the other sizes; the rest is held against the file's size.
    if len(shape) > AXES or (0 in shape and 8 * math.prod(filter(None, shape)) >= LARGEST):
        raise ValueError("no array has so many axes, or axes of such a length")
    return Entry(kind, tuple(shape), begin, end)


def _numbers(raw: bytes, entry: Entry) -> np.ndarray[Any, np.dtype[np.floating[Any]]]:
    if entry.kind == "BF16":  # the upper half of a float32
        halves = np.frombuffer(raw, dtype="<u2").astype(np.uint32)
        return (halves << 16).view(np.float32).reshape(entry.shape)
    numbers = np.frombuffer(raw, dtype=f"<f{SIZES[entry.kind]}").reshape(entry.shape)
    return numbers.astype(np.float64 if entry.kind == "F64" else np.float32)
