"""Scores of all tokens for a last token: the order (hard) and the odds (soft).

Where the data has spoken the graphs are enough.  Where it has not, the trained layer still
answers, by the geometry of the shortest W; that guess is what these scores hold.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, check_embeddings
from nta_core.data import Dataset
from nta_core.errors import SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs
from nta_core.soft import finite_part, luce_strengths
from nta_core.svm import solve_graph_svm
from nta_core.svm.core import shortest
from nta_core.svm.rows import EPS

KNOWN = 1e-7  # how exactly hard scores are known at least: nearer than 1e-6 they count as equal


class EmbeddedScores:
    """Scores from W_svm and W_fin for given embeddings E of shape (K, d).

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> EmbeddedScores(FIG3, token_priority_graphs(FIG3), np.eye(4)).hard(1).round(6)
    array([-0.25, -0.25, -0.25,  0.75])

    Explained in: chapter 8. Paper: Sec. 3.
    """

    def __init__(self, dataset: Dataset, graphs: TokenPriorityGraphs, E: ArrayLike) -> None:
        self._E = check_embeddings(E, dataset.K)
        self._W_fin = finite_part(dataset, graphs, self._E).W  # first: it refuses sizes at once
        self._W_svm = solve_graph_svm(graphs, self._E).W

    def hard(self, last: int) -> Floats:
        """Scores e_jᵀ W_svm e_last of all tokens, shape (K,)."""
        terms = np.abs(self._E) @ (np.abs(self._W_svm) @ np.abs(self._E[last]))
        if len(self._W_svm) * EPS * terms.max() > KNOWN:
            raise SolverDidNotConverge(
                f"scores after token {last} are differences of numbers as large as "
                f"{terms.max():.0e} and lost in their rounding: use embeddings further apart"
            )
        return np.asarray(self._E @ (self._W_svm @ self._E[last]))

    def soft(self, last: int) -> Floats:
        """Scores e_jᵀ W_fin e_last of all tokens, shape (K,)."""
        return np.asarray(self._E @ (self._W_fin @ self._E[last]))


class OneHotScores:
    """The same for orthonormal embeddings, where each last token is a problem of its own.

    Nothing of size K × K is built: the order is solved on the tokens of one track when it is asked
    for, and the odds come from the races, so a vocabulary of words is no obstacle.

    Examples
    --------
    >>> from nta_core import FIG8, token_priority_graphs
    >>> OneHotScores(FIG8, token_priority_graphs(FIG8)).soft(1).round(4)
    array([-0.1155,  0.231 , -0.1155,  0.    ])

    Explained in: chapter 8. Paper: Sec. 3.
    """

    def __init__(self, dataset: Dataset, graphs: TokenPriorityGraphs) -> None:
        self._graphs = graphs
        self._theta = luce_strengths(dataset, graphs).theta
        self._solved: dict[int, Floats] = {}

    def hard(self, last: int) -> Floats:
        if last not in self._solved:
            self._solved[last] = self._solve(last)
        return self._solved[last]

    def soft(self, last: int) -> Floats:
        scores, theta = np.zeros(self._graphs.K), self._theta.get(last, {})
        scores[list(theta)] = list(theta.values())
        return scores

    def _solve(self, last: int) -> Floats:
        """Solve the order of one track on its leagues.

        A league of c tokens with common score b adds c·b² to ‖W‖²: it is one token whose
        embedding is shorter by √c.
        """
        scores = np.zeros(self._graphs.K)
        if last in self._graphs:
            leagues = self._graphs[last].components
            place = {token: i for i, league in enumerate(leagues) for token in league}
            steps = [(place[last], place[i], place[j]) for i, j in self._graphs[last].reduced]
            strict = np.array(sorted(steps), dtype=np.int64).reshape(-1, 3)
            E = np.diag([len(league) ** -0.5 for league in leagues])
            W = shortest(E, strict, ties=strict[:0]).W
            scores[list(place)] = (E @ (W @ E[place[last]]))[list(place.values())]
        return scores
