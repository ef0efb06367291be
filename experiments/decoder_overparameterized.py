"""A head over still attention with more dimensions than contexts: three optimizers, one limit?

The experiment of Thrampoulidis 2024, App. A.2: 50 contexts at random in 60 dimensions, 10 words of
which 6 follow each context, 10,000 iterations of plain descent (step 0.5), normalized descent and
Adam (0.01) from a random start.
"""

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.decoder import HeadTheory, Language, train_head

TIMES = (0, 100, 300, 1000, 3000, 10_000)
METHODS = {"plain": 0.5, "normalized": 0.01, "adam": 0.01}
WORDS, FOLLOW = 10, 6
CELLS = (
    *grid(m=[50], d=[60], seed=range(5)),
    {"m": 8, "d": 10, "seed": 0},
)


def measure(m: int, d: int, seed: int) -> dict[str, object]:
    """The entropy, and cosine, distance from the odds, loss and length over time by optimizer."""
    rng = np.random.default_rng(seed)
    odds = np.zeros((m, WORDS))
    for row in odds:
        row[rng.permutation(WORDS)[:FOLLOW]] = rng.dirichlet(np.ones(FOLLOW))
    shares = rng.multinomial(100 * m, np.full(m, 1 / m)) / (100 * m)
    language = Language(rng.standard_normal((m, d)), odds, shares=shares)
    start = rng.standard_normal((WORDS, d)) / np.sqrt(d)
    theory = HeadTheory.of(language)
    found: dict[str, object] = {"entropy": language.entropy, "times": list(TIMES)}
    for method, step in METHODS.items():
        run = train_head(
            language, steps=TIMES[-1], step_size=step, method=method, W0=start, record=TIMES
        )
        parts = [theory.decompose(W) for W in run.path]
        found[f"{method}_cosine"] = [part.cosine for part in parts]
        found[f"{method}_odds"] = [part.odds_distance for part in parts]
        found[f"{method}_loss"] = run.losses.tolist()
        found[f"{method}_norm"] = run.norms.tolist()
    return found


# Normalized steps of one length end by bouncing, and rounding decides the phase: a start moved by
# a few 1e-15 moved odds by 1e-4 and lengths by 2e-3.
EXPERIMENT = Experiment(
    "A head with room to spare", 20, CELLS, measure, spot=(len(CELLS) - 1,), tolerance=1e-3
)
