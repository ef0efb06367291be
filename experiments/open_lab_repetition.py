"""Do the leagues come back when every training context occurs with more than one winner?"""

import itertools

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.openlab import PARTS, Variant, train_variant
from nta_core import Automaton, Dataset

SEEDS = tuple(range(12))
K, T = 6, 4
HELD_OUT = 20  # of the 60 pairs of a set of tokens and a last token
VARIANTS = {
    "the paper's layer": {},
    "second layer": {"second_layer": True},
    "MLP": {"mlp": True},
    "trained decoder": {"trained_decoder": True},
    "all seven parts": dict.fromkeys([part for part in PARTS if part != "softmax"], True),
}
CELLS = grid(variant=VARIANTS, n=(24, 72, 216))


def planted(n: int, seed: int) -> Dataset:
    """Draw n races on 40 contexts from planted tables: three leagues of two tokens per track.

    The winner is drawn evenly from the top league present.  The other 20 contexts never occur.
    """
    rng = np.random.default_rng([seed, n])
    league = np.array([rng.permutation(K) // 2 for _ in range(K)])
    contexts = [
        (rest, last)
        for last in range(K)
        for rest in itertools.combinations([t for t in range(K) if t != last], T - 1)
    ]
    pool = rng.permutation(len(contexts))[HELD_OUT:]
    sequences, labels = [], []
    for index in rng.choice(pool, size=n):
        rest, last = contexts[index]
        sequence = [*rng.permutation(rest).tolist(), last]
        rank = league[last][sequence]
        sequences.append(sequence)
        labels.append(sequence[rng.choice(np.flatnonzero(rank == rank.min()))])
    return Dataset(sequences, labels, K=K)


def automaton_loss(data: Dataset) -> float:
    """Return the log-loss of the automaton on its own training data."""
    rule = Automaton.from_dataset(data)
    races = zip(data.sequences, data.labels, strict=True)
    return float(-np.mean([np.log(rule.compose(x).probabilities[y]) for x, y in races]))


def measure(variant: str, n: int) -> dict[str, object]:
    """Train one variant on 12 planted datasets of n races."""
    data = [planted(n, seed) for seed in SEEDS]
    trial = train_variant(Variant(**VARIANTS[variant]), data, seeds=SEEDS)
    return {
        "unseen": np.round(trial.unseen[:, -1], 4),
        "loss": np.round(trial.losses[:, -1], 4),
        "automaton": np.round([automaton_loss(d) for d in data], 4),
    }


EXPERIMENT = Experiment("The open lab: ties and repetition", 15, CELLS, measure, tolerance=1e-3)
