"""How do the leagues of a text merge as it grows, and how many new contexts do they decide?"""

from experiments.experiment import Experiment
from experiments.instances import grid
from experiments.texts import CORPORA, documents, row_after, state, stretch
from nta_beyond.text import Corpus, LeagueTables, Vocabulary, read_edges, text_windows, tracks

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000)  # tokens read
HELD_OUT = 2_000  # tokens behind them, never read
WINDOWS = (4, 8, 16, 32)
VOCABULARIES = (50, 150, 0)  # 0: every word
SHOWN = 5  # last tokens whose tables are kept
# Tokens above, in, below and beside the largest league after a word; leagues; races.
ROW = ("above", "largest", "below", "beside", "leagues", "races")
CELLS = grid(corpus=CORPORA, vocabulary=VOCABULARIES, window=WINDOWS)


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
        "rows": [row_after(table, name, ROW) for name in shown],
    }


# the spots are the grammar's text and its shuffle: the book's prose changes
EXPERIMENT = Experiment(
    "Leagues of text as it grows", 16, CELLS, measure, spot=(12, 36), tolerance=1e-9
)
