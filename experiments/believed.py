"""What a trained W believes: its graphs, the direction they ask for, and how well W follows it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nta_core import attention_masses, cosine, pseudo_graphs, solve_graph_svm
from nta_core.boundary import Floats
from nta_core.data import Dataset
from nta_core.graphs import TokenPriorityGraphs

# (loss, head) that are compared
PAIRS = (
    *(("squared-softmax", "general"), ("cross-entropy", "general")),
    *(("squared", "tied"), ("log", "tied")),
)
SELECTED = 0.01  # attention mass above which a token counts as selected, as in the paper's code


def selections(
    dataset: Dataset, graphs: TokenPriorityGraphs, E: Floats, W: Floats
) -> Iterator[tuple[set[int], frozenset[int]]]:
    """Yield, for each sequence, the tokens that W selects and those of the label's league."""
    chosen = attention_masses(dataset, W, E) > SELECTED
    for sequence, label, row in zip(dataset.sequences, dataset.labels, chosen, strict=True):
        league = graphs[sequence[-1]].component_of(label)
        yield set(np.flatnonzero(row).tolist()), league.intersection(sequence)


@dataclass(frozen=True, eq=False)
class Belief:
    """The Graph-SVM of the graphs that a W believes.

    Graphs that ask for the same W count as one: an edge more or less inside a league is no news.
    """

    direction: Floats

    @classmethod
    def of(cls, dataset: Dataset, E: Floats, W: Floats, *, threshold: float = SELECTED) -> Belief:
        """Read the graphs off the attention of W."""
        return cls.asked_by(pseudo_graphs(dataset, E, W, threshold=threshold), E)

    @classmethod
    def asked_by(cls, graphs: TokenPriorityGraphs, E: Floats) -> Belief:
        """Order and ties of given graphs."""
        return cls(solve_graph_svm(graphs, E).W)

    @property
    def key(self) -> bytes:
        """Equal for graphs that ask for the same W."""
        return (self.direction.round(6) + 0.0).tobytes()  # + 0.0: no negative zeros

    def followed_by(self, W: Floats) -> float:
        """Cosine of a W with the direction; 0 if one of them is 0, since nothing is followed."""
        return cosine(W, self.direction) if W.any() and self.direction.any() else 0.0
