"""How often does the next token of a text stand in the window, as the window grows?"""

from collections.abc import Iterable

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from experiments.texts import ORDERS, whole_text
from nta_beyond.text import Vocabulary
from nta_core.boundary import Ints

WINDOWS = (4, 8, 16, 32, 64, 128, 256, 512, 1024)
FREQUENT = 10  # tokens: how much of the copying is theirs
CELLS = grid(tokens=("words", "pieces"), order=ORDERS)


def measure(tokens: str, order: str) -> dict[str, object]:
    """Shares of the places that have the longest window before them in their article."""
    text = whole_text(tokens, order)
    words = Vocabulary.of(text)
    labels, back = looking_back(map(words.encode, text.tokens()), WINDOWS[-1])
    hits = [back <= T for T in WINDOWS]
    return {
        "T": WINDOWS,
        "share": [hit.mean() for hit in hits],
        "frequent": [(labels[hit] < FREQUENT).mean() for hit in hits],
        "places": len(back),
        "kinds": words.K,
        "tokens_read": words.total,
    }


def looking_back(articles: Iterable[Ints], least: int) -> tuple[Ints, Ints]:
    """Next tokens with `least` tokens before them, and how far back each stood last.

    As in `Windows`, neither the next token nor the one before it is a gap.  A token that is new to
    its article stood infinitely far back, as far as an int64 goes.
    """
    labels, backs = [], []
    for ids in articles:
        order = np.argsort(ids, kind="stable")  # equal tokens side by side, in order of place
        again = np.diff(ids[order], prepend=-2) == 0
        back = np.full(len(ids), np.iinfo(np.int64).max)
        back[order[again]] = np.diff(order, prepend=0)[again]
        asked = (ids[1:] >= 0) & (ids[:-1] >= 0)
        asked[: least - 1] = False
        labels.append(ids[1:][asked])
        backs.append(back[1:][asked])
    return np.concatenate(labels), np.concatenate(backs)


EXPERIMENT = Experiment(
    "The next token in the window, for windows of every length",
    *(16, CELLS, measure),
    corpora=("wikitext-2",),
)
