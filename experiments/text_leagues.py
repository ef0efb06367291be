"""How do the leagues of a text grow and melt as more of it is read?"""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from experiments.texts import ORDERS, whole_text
from nta_beyond.text import TokenEdges, Tracks, Vocabulary, growing_edges, tracks

WINDOW = 16
SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000, 400_000)  # windows
KEPT = (50, 0)  # most frequent tokens; 0: all of them
SHOWN = 6  # last tokens followed one by one
# Tokens above, in, below and beside the largest league after a word; leagues; races.
ROW = ("above", "largest", "below", "beside", "leagues", "races")
CELLS = grid(tokens=("grammar", "words", "pieces"), kept=KEPT, order=ORDERS[:2])


def measure(tokens: str, kept: int, order: str) -> dict[str, object]:
    """One list per quantity, one entry per number of windows that the text reaches."""
    text = whole_text(tokens, order)
    words = Vocabulary.of(text, kept or None)
    shown = words.names[:SHOWN]
    sizes = [at_size(found, shown) for found in growing_edges(text, words, SIZES, window=WINDOW)]
    columns = {key: [size[key] for size in sizes] for key in sizes[0]}
    return {"kinds": words.K, "coverage": words.coverage, "shown": shown, **columns}


def at_size(found: TokenEdges, shown: tuple[str, ...]) -> dict[str, object]:
    """The league tables of so many windows in numbers."""
    table = tracks(found)
    return {
        "n": found.n,
        "label_share": found.label_share,
        "tables": len(table.lasts),
        "entries": table.tokens.sum(),  # a token in a table
        "leagues": table.leagues.sum(),
        "never_won": table.tokens.sum() - len(np.unique(found.keys // found.K)),
        "in_largest": np.where(table.largest > 1, table.largest, 0).sum() / table.tokens.sum(),
        "largest": table.largest.max(),
        "after": {name: row_after(table, name) for name in shown},
    }


def row_after(table: Tracks, name: str) -> list[int]:
    """Some numbers of the table after a word; all 0 before its first race."""
    known = any(table.names[last] == name for last in table.lasts)
    return [table.row(name)[key] if known else 0 for key in ROW]


EXPERIMENT = Experiment(
    "Leagues of a growing text, of words and of pieces",
    *(16, CELLS, measure),
    spot=(0, 4),
    tolerance=1e-9,
    corpora=("wikitext-2",),
)
