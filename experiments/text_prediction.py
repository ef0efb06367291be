"""What are the tables of a text worth on articles that nobody read, in bits?

Learnt on 48 articles of WikiText-2's valid.txt, chosen by its other 12, tested on the 60 articles
of test.txt.
"""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

import nta_beyond.text as nta_text
from experiments.experiment import Experiment
from experiments.texts import held_out
from nta_beyond.text import HeldOutScore, Predictor, TextAutomaton, Windows
from nta_core import embeddings, gradient_descent
from nta_core.boundary import Floats, Ints

STEPS = (10, 20, 40, 70, 110, 160, 220)  # where training may stop: the articles to choose by say
STEP_SIZE = 2.0
WIDEST_LAYER = 1_000  # tokens: W has their square
LEAGUES = (1, 2, 6, 51, 1_000_000)  # sizes of deciding leagues: 1, 2 to 5, 6 to 50, more

CELLS = (
    {"tokens": "words", "kept": 100, "window": 16},
    {"tokens": "words", "kept": 1_000, "window": 16},
    {"tokens": "words", "kept": 0, "window": 16},
    {"tokens": "pieces", "kept": 0, "window": 16},
    {"tokens": "words", "kept": 1_000, "window": 64},
    {"tokens": "words", "kept": 0, "window": 64},
)


def measure(tokens: str, kept: int, window: int) -> dict[str, object]:
    """Scores on three kinds of windows, and what the tables decide."""
    articles = held_out(tokens)
    words = nta_text.Vocabulary.of(articles[0], kept or None)
    learnt, chosen_by, test = (
        nta_text.text_windows(part, words, window=window) for part in articles
    )
    article = np.repeat(
        np.arange(len(articles[2].documents)),
        [block.n for block in nta_text.window_blocks(articles[2], words, window=window)],
    )
    unigram = nta_text.Unigram(learnt, words.K)
    bigram = nta_text.Bigram.tuned(learnt, words.K, chosen_by)
    automaton = TextAutomaton(nta_text.window_edges(learnt, words.names), learnt)
    cache = nta_text.Untrained()
    copiers: dict[str, Predictor] = {
        "unigram cache": cache,
        "bigram in the window": nta_text.BigramInWindow(bigram),
        "past wins": nta_text.PastWins(learnt, words.K),
        "automaton": automaton,
    }
    tried: list[float] = []  # losses of the layer on the articles to choose by
    if words.K <= WIDEST_LAYER:
        copiers["trained layer"], tried = trained(learnt, chosen_by, words.names)
    said = automaton.tables.decide(test)
    scores = nta_text.held_out_scores({"bigram": bigram, **copiers}, bigram, chosen_by, test)
    in_sight = test.label_present
    # on races everybody knows that the answer is in sight, so what is lent is spread over it
    races, careless = (
        nta_text.held_out_scores(
            {"unigram": unigram, "bigram": bigram, **copiers},
            *(lender, chosen_by.races(), test.races()),
        )
        for lender in (cache, unigram)
    )
    return {
        "kinds": words.K,
        "coverage": words.coverage,
        "windows": [learnt.n, chosen_by.n, test.n],
        "label_share": in_sight.mean(),
        "all": table(scores, "bigram", article),
        "tables_save": mean_by_article(
            scores["past wins"].bits - scores["automaton"].bits, article
        ),
        "races": table(races, "bigram in the window", article[in_sight]),
        "unigram_lends": {name: careless[name].cross_entropy for name in copiers},
        "decisions": decisions(said, test, races, article[in_sight]),
        "odds": odds(automaton, chosen_by, test, cache),
        "layer": [list(pair) for pair in zip(STEPS, tried, strict=False)],  # none: no pairs
    }


def trained(
    learnt: Windows, chosen_by: Windows, names: tuple[str, ...]
) -> tuple[nta_text.TrainedLayer, list[float]]:
    """A layer trained on the races, stopped where it does best on the articles to choose by.

    With it come the losses there, one for every step at which it may stop.
    Orthonormal embeddings are the setting of the theorems; d = K leaves the layer free.
    """
    E = embeddings(len(names), len(names), kind="orthonormal")
    data = learnt.races().dataset(names)
    run = gradient_descent(data, E, steps=STEPS[-1], step_size=STEP_SIZE, record=STEPS)
    layers = [nta_text.TrainedLayer(E, W) for W in run.path]
    losses = [float(-np.log(layer.probability(chosen_by.races())).mean()) for layer in layers]
    return layers[int(np.argmin(losses))], losses


def table(scores: Mapping[str, HeldOutScore], against: str, article: Ints) -> dict[str, object]:
    """Bits, first guesses, share lent; bits saved against a rival, and their standard error."""
    return {
        name: {
            "bits": score.cross_entropy,
            "right": score.top1,
            "lent": score.lent,
            "saved": mean_by_article(scores[against].bits - score.bits, article),
        }
        for name, score in scores.items()
    }


def mean_by_article(values: Floats, article: Ints) -> tuple[float, float]:
    """The mean over all windows, and its standard error when articles are drawn, not windows."""
    mean, count = float(values.mean()), len(np.unique(article))
    off = np.bincount(article, values - mean)
    return mean, float(np.sqrt((off**2).sum() * count / (count - 1)) / len(values))


def decisions(
    said: nta_text.Decisions, test: Windows, races: Mapping[str, HeldOutScore], article: Ints
) -> dict[str, object]:
    """What the tables decide: without a tie, and by the size of the deciding league.

    Windows with a single token in sight leave nothing to decide, and count as neither.
    `article` says from which article each race is.
    """
    spans = [(low <= said.size) & (said.size < high) for low, high in pairwise(LEAGUES)]
    hit = ((test.tokens == test.labels[:, None]) & said.retrieved).any(axis=1)
    return {
        "decided": (said.size > 0).mean(),
        "untied": said.untied.mean(),
        "untied_right": hit[said.untied].mean(),
        "silent": _class(~said.decided, said, hit, test, races, article),
        "by_league": [_class(chosen, said, hit, test, races, article) for chosen in spans],
    }


def _class(
    chosen: NDArray[np.bool_],
    said: nta_text.Decisions,
    hit: NDArray[np.bool_],
    test: Windows,
    races: Mapping[str, HeldOutScore],
    article: Ints,
) -> dict[str, object]:
    """Some windows in numbers, and their races: first guesses that were right, and bits.

    What the tables save per race has a standard error only where several articles have a say.
    """
    held = chosen[test.label_present]
    saved = (races["past wins"].bits - races["automaton"].bits)[held]
    several = len(np.unique(article[held])) > 1
    return {
        "windows": int(chosen.sum()),
        "untied": int(said.untied[chosen].sum()),
        "left": int(said.left[chosen].sum()),
        "retrieved": int(hit[chosen].sum()),
        "races": int(held.sum()),
        "right": {name: int(score.right[held].sum()) for name, score in races.items()},
        "bits": {name: score.bits[held].sum() for name, score in races.items()},
        "tables_save": mean_by_article(saved, article[held]) if several else None,
    }


def odds(
    automaton: TextAutomaton, chosen_by: Windows, test: Windows, cache: Predictor
) -> dict[str, object]:
    """What the strengths add to the tables: races that the tables decide, shared by either."""
    even = TextAutomaton.__new__(TextAutomaton)
    even.__dict__.update(vars(automaton))
    theta = np.zeros_like(automaton.strengths.theta)
    even.strengths = nta_text.Strengths(automaton.strengths.nodes, theta, automaton.strengths.K)
    decided = [
        part.pick((automaton.tables.decide(part).size > 0) & part.label_present)
        for part in (chosen_by, test)
    ]
    scores = nta_text.held_out_scores({"even": even, "odds": automaton}, cache, *decided)
    return {name: [score.cross_entropy, score.top1] for name, score in scores.items()}


EXPERIMENT = Experiment(
    "Held-out articles of WikiText-2 in bits", *(16, CELLS, measure), corpora=("wikitext-2",)
)
