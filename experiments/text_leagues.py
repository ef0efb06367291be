"""How do the leagues of a text merge as it grows, and how many new contexts do they decide?"""

from __future__ import annotations

import itertools

from experiments.experiment import Experiment
from experiments.texts import CORPORA, documents, state, stretch
from nta_beyond.text import (
    Corpus,
    LeagueTables,
    Tracks,
    Vocabulary,
    read_edges,
    text_windows,
    tracks,
)

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000)  # tokens read
HELD_OUT = 2_000  # tokens behind them, never read
WINDOWS = (4, 8, 16, 32)
VOCABULARIES = (50, 150, 0)  # 0: every word
SHOWN = 5  # last tokens whose tables are kept

CELLS = tuple(
    {"corpus": corpus, "window": window, "vocabulary": size}
    for corpus, size, window in itertools.product(CORPORA, VOCABULARIES, WINDOWS)
)


def measure(corpus: str, window: int, vocabulary: int) -> dict[str, object]:
    """One list per quantity, one entry per size of the text."""
    whole = documents(corpus, SIZES[-1] + HELD_OUT)
    shown = Vocabulary.of(stretch(whole, 0, SIZES[-1])).names[:SHOWN]
    sizes = [
        _at_size(stretch(whole, 0, n), stretch(whole, n, n + HELD_OUT), window, vocabulary, shown)
        for n in SIZES
    ]
    columns = {key: [size[key] for size in sizes] for key in sizes[0]}
    return {"tokens": SIZES, "shown": shown, **columns, **state(whole)}


def _at_size(
    text: Corpus, unread: Corpus, window: int, vocabulary: int, shown: tuple[str, ...]
) -> dict[str, object]:
    words = Vocabulary.of(text, vocabulary or None)
    found = read_edges(text, words, window=window)
    asked = text_windows(unread, words, window=window)
    table, tables = tracks(found), LeagueTables(found)
    return {
        "windows": found.n,
        "label_share": found.label_share,
        "edges": len(found.keys),
        "strict": table.strict.sum(),
        "leagues": table.leagues.sum(),
        "nodes": table.tokens.sum(),
        "tracks": len(table.lasts),
        "decided": tables.decide(asked).share,
        "decided_races": tables.decide(asked.races()).share,
        "rows": [_row(table, name) for name in shown],
    }


def _row(table: Tracks, name: str) -> list[int]:
    """Tokens above, in, below and beside the largest league after a word; leagues; races."""
    if not any(table.names[last] == name for last in table.lasts):
        return [0, 0, 0, 0, 0, 0]
    row = table.row(name)
    return [row[key] for key in ("above", "largest", "below", "beside", "leagues", "races")]


EXPERIMENT = Experiment(
    title="Leagues of text as it grows",
    chapter=16,
    cells=CELLS,
    measure=measure,
    spot=(12, 36),  # the grammar's text and its shuffle: the book's prose changes
    tolerance=1e-9,
)
