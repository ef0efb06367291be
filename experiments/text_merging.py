"""Do the leagues of a growing text merge into one, as those of random races do (Fig. 11)?"""

import numpy as np

from experiments.experiment import Experiment
from experiments.texts import documents, row_after, state, stretch
from nta_beyond.text import Tracks, Vocabulary, growing_edges, tracks

WINDOW = 16
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000)  # windows
SHOWN = 3  # last tokens followed one by one
ROW = ("leagues", "tokens")  # after each of them

CELLS = (
    {"corpus": "grammar", "tokens": 11_000},
    {"corpus": "grammar", "tokens": 1_001_000},
    {"corpus": "shuffled grammar", "tokens": 1_001_000},
    {"corpus": "book", "tokens": 0},
    {"corpus": "shuffled book", "tokens": 0},
)


def measure(corpus: str, tokens: int) -> dict[str, object]:
    """One list per quantity, one entry per number of windows that the text reaches."""
    whole = documents(corpus, tokens)
    text = stretch(whole, 0, sum(map(len, whole)))
    words = Vocabulary.of(text)
    rows = []
    for found in growing_edges(text, words, SIZES, window=WINDOW):
        table = tracks(found)
        rows.append(
            {
                "n": found.n,
                "edges": len(found.keys),
                "nodes": table.tokens.sum(),
                "leagues": table.leagues.sum(),
                "never_won": _never_won(found.keys, words.K, table),
                "after": {name: row_after(table, name, ROW) for name in words.names[:SHOWN]},
            }
        )
    columns = {key: [row[key] for row in rows] for key in rows[0]}
    return {"words": words.K, **columns, **state(whole)}


def _never_won(keys: np.ndarray, K: int, table: Tracks) -> int:
    """Nodes that never won a race on their track: each is a league of its own, for ever."""
    return int(table.tokens.sum() - len(np.unique(keys // K)))


EXPERIMENT = Experiment(
    "Leagues of text against its length (Fig. 11 on text)", 16, CELLS, measure, tolerance=1e-9
)
