"""How well does the automaton predict unread text, against words, pairs and a trained layer?"""

import numpy as np

import nta_beyond.text as nta_text
from experiments.experiment import Experiment
from experiments.texts import documents, state, stretch
from nta_core import embeddings, gradient_descent

WINDOW, WORDS = 16, 400
STEPS = (10, 20, 40, 70, 110, 160, 200)  # where training may stop: the validation windows choose
STEP_SIZE = 2.0
PARTS = (0.8, 0.1, 0.1)
FEWEST = 20  # windows: fewer say nothing

CELLS = (
    *({"corpus": "grammar", "tokens": n} for n in (1_250, 5_000, 20_000, 80_000)),
    *({"corpus": "book", "tokens": n} for n in (5_000, 10_000, 20_000, 35_000)),
)


def measure(corpus: str, tokens: int) -> dict[str, object]:
    """Scores on three kinds of held-out windows."""
    whole = documents(corpus, tokens)
    text = stretch(whole, 0, tokens)
    words = nta_text.Vocabulary.of(text, WORDS)
    train, validation, test = nta_text.split_windows(
        nta_text.text_windows(text, words, window=WINDOW), PARTS
    )
    unigram, bigram = (
        nta_text.Unigram(train, words.K),
        nta_text.Bigram.tuned(train, words.K, validation),
    )
    automaton = nta_text.TextAutomaton(nta_text.window_edges(train, words.names), train)
    predictors: dict[str, nta_text.Predictor] = {
        "unigram": unigram,
        "bigram": bigram,
        "bigram in the window": nta_text.BigramInWindow(bigram),
        "untrained layer": nta_text.Untrained(),
        "automaton": automaton,
        "trained layer": _trained(train, validation, words),
    }
    decided = automaton.tables.decide(test).decided
    decided_before = automaton.tables.decide(validation).decided
    kinds: dict[str, tuple[nta_text.Predictor, nta_text.Windows, nta_text.Windows]] = {
        "all": (bigram, validation, test),
        "copyable": (unigram, validation.races(), test.races()),
        "decided": (
            unigram,
            validation.pick(decided_before & validation.label_present),
            test.pick(decided & test.label_present),
        ),
    }
    scores: dict[str, dict[str, list[float]]] = {}
    for kind, (other, chosen_by, asked) in kinds.items():
        if min(chosen_by.n, asked.n) < FEWEST:
            continue
        found = nta_text.held_out_scores(predictors, other, chosen_by, asked)
        scores[kind] = {
            name: [score.top1, score.log_loss, score.lent] for name, score in found.items()
        }
    return {
        "words": words.K,
        "coverage": words.coverage,
        "windows": [train.n, validation.n, test.n],
        "asked": {kind: asked.n for kind, (_, _, asked) in kinds.items()},
        "label_share": test.label_present.mean(),
        "decided": decided.mean(),
        "decided_of_copyable": decided[test.label_present].mean(),
        "scores": scores,
        **state(whole),
    }


def _trained(
    train: nta_text.Windows, validation: nta_text.Windows, words: nta_text.Vocabulary
) -> nta_text.TrainedLayer:
    """A layer trained on the races, stopped where it does best on the validation races.

    Orthonormal embeddings are the setting of the theorems; d = K leaves the layer free.
    """
    E = embeddings(words.K, words.K, kind="orthonormal")
    data = train.races().dataset(words.names)
    run = gradient_descent(data, E, steps=STEPS[-1], step_size=STEP_SIZE, record=STEPS)
    layers = [nta_text.TrainedLayer(E, W) for W in run.path]
    asked = validation.races()
    losses = [-np.log(layer.probability(asked)).mean() for layer in layers]
    return layers[int(np.argmin(losses))]


EXPERIMENT = Experiment("Held-out prediction on text", 16, CELLS, measure)
