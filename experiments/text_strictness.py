"""How strict does a layer get on text in the time one has, and what do losers keep?"""

import numpy as np

import nta_core as nta
from experiments.experiment import Experiment
from experiments.texts import held_out
from nta_beyond.text import Vocabulary, text_windows

STEPS = (10, 100, 1000, 10_000)
WINDOW = 16
CELLS = tuple({"articles": articles, "words": 50} for articles in (6, 48))


def measure(articles: int, words: int) -> dict[str, object]:
    """Plain descent on the races of some articles of WikiText-2, one-hot embeddings.

    `lost` is the mean attention outside the label's league, the price of a finite C.
    """
    text = held_out("words")[0].pick(slice(articles))
    vocabulary = Vocabulary.of(text, words)
    data = text_windows(text, vocabulary, window=WINDOW).races().dataset(vocabulary.names)
    E = np.eye(data.K)
    theory = nta.Theory.of(data, E)
    run = nta.gradient_descent(
        data, E, steps=STEPS[-1], step_size=4.0, normalized=False, record=STEPS
    )
    parts = [theory.decompose(W) for W in run.path]
    races = list(zip(data.sequences, data.labels, strict=True))
    leagues = [list(theory.graphs[x[-1]].component_of(y)) for x, y in races]
    lost = [
        1 - np.mean([row[league].sum() for row, league in zip(masses, leagues, strict=True)])
        for masses in nta.attention_masses(data, run.path, E)
    ]
    return {
        "races": data.n,
        "steps": list(STEPS),
        "C": [part.C for part in parts],
        "cosine": [part.cosine for part in parts],
        "lost": lost,
    }


TITLE = "C on text: how strict a layer is after N steps"
EXPERIMENT = Experiment(TITLE, *(16, CELLS, measure), tolerance=1e-4, corpora=("wikitext-2",))
