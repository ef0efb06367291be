"""Which words stand on top after which?  The floors of some league tables, in single words."""

import numpy as np
from numpy.typing import NDArray

from experiments.experiment import Experiment
from experiments.instances import grid
from experiments.texts import ORDERS, whole_text
from nta_beyond.text import (
    Strengths,
    TokenEdges,
    Vocabulary,
    Windows,
    fit_strengths,
    text_windows,
    window_edges,
)
from nta_core.boundary import Ints

WINDOW = 16
SIZES = (25_000, 100_000, 400_000)  # windows
LASTS = (
    *("the", "of", "in", "to", "a", "and", ",", ".", "was", "is", "had", "he", "his", "it", "as"),
    *("at", "from", "'s", "(", "New", "United", "such", "per", "more"),
)
SHOWN = 6  # words of every floor
CELLS = grid(order=ORDERS[:2], windows=SIZES)


def measure(order: str, windows: int) -> dict[str, object]:
    """The floors of the tables after `LASTS`."""
    text = whole_text("words", order)
    words = Vocabulary.of(text)
    read = text_windows(text, words, window=WINDOW, limit=windows)
    found = window_edges(read, words.names)
    strengths = fit_strengths(found, read)
    return {"after": {name: floors(found, strengths, read.races(), name) for name in LASTS}}


def floors(found: TokenEdges, strengths: Strengths, races: Windows, name: str) -> dict[str, object]:
    """The table after one word, floor by floor, and the words of each that matter most.

    Never beaten: no other league beat theirs.  The largest league: its words with the most wins,
    and their strength; no league if nobody ties.  Never won: those that ran most often.
    """
    last, parts = found.names.index(name), found.condensation
    begin, end = np.searchsorted(parts.nodes, [last * found.K, (last + 1) * found.K])
    tokens, league = parts.nodes[begin:end] - last * found.K, parts.component[begin:end]
    here = races.lasts == last
    won = np.bincount(races.labels[here], minlength=found.K)[tokens]
    ran = _ran(races.tokens[here], found.K)[tokens]
    odds = np.exp(strengths.theta[begin:end])
    beaten = np.isin(league, parts.league_edges[1])
    largest = _largest(league)
    on = {
        "never beaten": ~beaten & ~largest,
        "league": largest,
        "between": beaten & ~largest & (won > 0),
        "never won": won == 0,
    }
    return {
        "races": int(here.sum()),
        "tokens": len(tokens),
        "floors": {
            floor: {
                "tokens": int(who.sum()),
                "once": int((ran[who] == 1).sum()),  # that ran a single race
                "words": [
                    [found.names[tokens[k]], int(won[k]), int(ran[k]), float(odds[k])]
                    for k in np.flatnonzero(who)[np.lexsort((-ran[who], -won[who]))][:SHOWN]
                ],
            }
            for floor, who in on.items()
        },
    }


def _ran(windows: Ints, K: int) -> Ints:
    """In how many of these windows each token stands, shape (K,)."""
    ordered = np.sort(windows, axis=1)
    first = np.diff(ordered, axis=1, prepend=-1) != 0
    return np.bincount(ordered[first], minlength=K)


def _largest(league: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which of some tokens of one table are in its largest league, if it has more than one."""
    _, place, sizes = np.unique(league, return_inverse=True, return_counts=True)
    return np.isin(place, sizes.argmax() if sizes.max(initial=1) > 1 else [])


EXPERIMENT = Experiment(
    "Which words stand on top after which", *(16, CELLS, measure), corpora=("wikitext-2",)
)
