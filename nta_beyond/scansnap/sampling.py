"""Drawing sequences of the classes, as counts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import Batch, make_batch
from nta_core.data import Ints


class Sampler:
    """Draws the next batch of every seed, each from a generator of its own."""

    def __init__(
        self, classes: SequenceClasses, seeds: Sequence[int], *, batch_size: int, T: int
    ) -> None:
        self.classes, self.batch_size, self.T = classes, batch_size, T
        self.generators = [np.random.default_rng(seed) for seed in seeds]
        self.weights = np.full(batch_size, 1 / batch_size)
        # Tokens of each class in front of which absent ones are padded: the binomials that make
        # up a multinomial leave what rounding loses to the last token, which must be a real one.
        width = int((classes.P > 0).sum(axis=1).max())
        self.tokens = np.argsort(classes.P > 0, axis=1, kind="stable")[:, -width:]
        self.P = np.take_along_axis(classes.P, self.tokens, axis=1)

    def __call__(self, C: int) -> Batch:
        numbers = np.stack([self._classes(rng) for rng in self.generators])
        counts = np.zeros((*numbers.shape, self.classes.L))
        drawn = [
            rng.multinomial(self.T - 1, self.P[n])
            for rng, n in zip(self.generators, numbers, strict=True)
        ]
        np.put_along_axis(counts, self.tokens[numbers], np.stack(drawn), axis=-1)
        queries = self.classes.queries[numbers]
        return make_batch(counts, queries, numbers, self.weights, Q=self.classes.Q, C=C)

    def _classes(self, rng: np.random.Generator) -> Ints:
        edges = np.cumsum(self.classes.priors)
        return np.asarray(np.searchsorted(edges / edges[-1], rng.random(self.batch_size), "right"))
