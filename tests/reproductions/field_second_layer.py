"""Two layers on texts with chains of their own: what Edelman et al. and Nichani et al. say."""

from __future__ import annotations

import itertools

import numpy as np

from nta_beyond.induction import first_gradient, random_chains
from nta_book.results import stored_result
from tests.reproductions.entry import TREND, Entry, Lines

_line = Lines("field", chapter=21)
_RULES = ("from_uniform", "from_unigram", "from_bigram")


@_line(
    "edelman-phases",
    "Edelman et al., abstract",
    1.0,
    "stated for transformers",
    TREND,
    "16 trainings",
    says="uniform first, then single tokens, then pairs",
    stored="second_layer",
)
def edelman_phases() -> float:
    """which of three rules the predictions are nearest to, over training, 3 and 5 tokens

    Chosen: A network of tables with a sink that starts strong, 64 tokens, plain steps of 2, the
    first token uniform.
    """
    cells = stored_result("second_layer").select(layers=2, positions=True, steps=1000)
    nearest = [np.argmin([cell[rule] for rule in _RULES], axis=0).tolist() for cell in cells]
    phases = [[rule for rule, _ in itertools.groupby(row)] for row in nearest]
    return float(np.mean([row == [0, 1, 2] for row in phases]))


@_line(
    "nichani-edges",
    "Nichani et al., abstract",
    1.0,
    "stated for their simplified model",
    TREND,
    "23 places",
    says="the largest entries of the gradient are the edges of the causal graph",
)
def nichani_edges() -> float:
    """largest entry of the first layer's gradient at the start, 20,000 chains of 3 tokens, T = 24

    Chosen: The second layer's start (sharpness 1) and a sink that holds every token once.
    """
    gradient = first_gradient(random_chains(20_000, 3, seed=0), 24, seed=1)
    return float(np.mean(gradient.argmax(axis=1)[1:] == np.arange(23)))


ENTRIES: list[Entry] = [*_line]
