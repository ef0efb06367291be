"""Graphs of a corpus in a file that any data tool reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from nta_beyond.errors import TextFileError, path_of
from nta_beyond.text.corpus import Advance, tell
from nta_beyond.text.edges import TokenEdges
from nta_beyond.text.summary import leagues_of
from nta_core.boundary import a, flag, needs
from nta_core.data.files import draft_of

ROWS = 1 << 20  # edges written at a time


def write_parquet(
    found: TokenEdges, path: str | Path, *, replace: bool = True, advance: Advance | None = None
) -> Path:
    """Write all edges between different tokens, with names, leagues and levels.

    One row per edge: ``last, winner, loser`` (ids), ``last_name, winner_name, loser_name``,
    ``winner_league, loser_league`` (0 is the strongest league of its track),
    ``winner_level, loser_level`` (longest chain of strict wins below), ``strict`` (whether the
    edge leads from one league to another).  The file appears whole or not at all; with `replace`
    false one that is there already is refused.

    Raises `MissingPackage` when pyarrow is not installed, `TextFileError` when the file cannot be
    written.

    Examples
    --------
    >>> import tempfile
    >>> from nta_beyond.text import Corpus, Vocabulary, read_edges
    >>> corpus = Corpus.from_text("the cat saw the dog and the dog saw the cat")
    >>> found = read_edges(corpus, Vocabulary.of(corpus), window=4)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_parquet(found, folder + "/graphs.parquet").name
    'graphs.parquet'

    Explained in: chapter 16.
    """
    a(TokenEdges, found, "found")
    tell(advance, 0)
    place = check_target(path, replace=replace)
    import pyarrow.parquet as pq

    tables = _tables(found)
    first = next(tables)
    try:
        with (
            draft_of(place, replace=replace) as file,
            pq.ParquetWriter(file, first.schema) as writer,
        ):
            for table in chain([first], tables):
                writer.write_table(table)
                tell(advance, table.num_rows)
    except OSError as error:
        why = error.strerror or error
        raise TextFileError(f"it cannot be written: {why}", path=place) from None
    return place


def check_target(path: str | Path, *, replace: bool = True) -> Path:
    """Refuse a file that could not be written, before hours of reading.

    Raises `MissingPackage` when pyarrow is not installed, `TextFileError` when there is no such
    folder, or when a file is there that must not be replaced.
    """
    flag(replace, "replace")
    place = path_of(path)
    needs("pyarrow.parquet", wanted_for="writing Parquet", extra="text")
    try:
        if place.is_dir():
            raise TextFileError("this is a folder: name a file in it", path=place)
        if not place.parent.is_dir():
            raise TextFileError("its folder does not exist: create it first", path=place)
        if place.exists() and not place.is_file():
            raise TextFileError("this is no regular file: name another", path=place)
        if place.exists() and not replace:
            what = "it is there already: choose another name, or allow to replace it"
            raise TextFileError(what, path=place)
    except OSError as error:  # a name too long, a folder that may not be searched
        raise TextFileError(f"it cannot be written: {error.strerror}", path=place) from None
    return place


def _tables(found: TokenEdges) -> Iterator[Any]:
    """The edges as arrow tables, at least one, a million rows at a time."""
    import pyarrow as pa

    parts = found.condensation
    _, _, rank = leagues_of(parts)
    tails = np.repeat(np.arange(len(parts.nodes)), np.diff(parts.begins))
    edges = np.flatnonzero(tails != parts.heads)
    names = pa.array(found.names, type=pa.string())
    for begin in range(0, max(len(edges), 1), ROWS):
        chosen = edges[begin : begin + ROWS]
        upper, lower = tails[chosen], parts.heads[chosen]
        last, winner = np.divmod(parts.nodes[upper], parts.K)
        ids = {"last": last, "winner": winner, "loser": parts.nodes[lower] % parts.K}
        above, below = parts.component[upper], parts.component[lower]
        columns: dict[str, Any] = {name: pa.array(ids[name], type=pa.int32()) for name in ids}
        for name, column in list(columns.items()):
            columns[f"{name}_name"] = pa.DictionaryArray.from_arrays(column, names)
        for name, values in (("league", rank), ("level", parts.levels)):
            columns[f"winner_{name}"] = pa.array(values[above], type=pa.int32())
            columns[f"loser_{name}"] = pa.array(values[below], type=pa.int32())
        columns["strict"] = pa.array(above != below)
        yield pa.table(columns)
