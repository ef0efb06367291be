"""The finite part of the weights: Newton's method on the ties.

Inside a league no order is possible, so its loss has a minimum at finite weights.  The log-loss
of the reduced races is strictly convex and coercive on S_fin, and its one minimum is W_fin.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, check_embeddings, in_float64
from nta_core.data import Dataset
from nta_core.data.tables import Html, html_table
from nta_core.errors import SolverDidNotConverge
from nta_core.graphs import TokenPriorityGraphs
from nta_core.graphs.keys import by_track
from nta_core.soft.reduced import ReducedLoss, ReducedRaces, reduced_races
from nta_core.soft.subspaces import Subspace, cyclic_subspace

TOLERANCE = 1e-12  # of the gradient, in units of ReducedLoss.size (about 1 for unit embeddings)
MAX_STEPS = 200
EPSILON = float(np.finfo(np.float64).eps)
SAFE_MOVE = 0.1  # scores that move by less change the Hessian by less than a factor e^0.2


@dataclass(frozen=True, eq=False, repr=False)
class FinitePart:
    """W_fin, the part of the weights that training settles on.

    Attributes
    ----------
    W : float64 array of shape (d, d)
        The minimiser; it lies in S_fin.
    loss : float
        Log-loss of the reduced races, summed and divided by all n sequences.
    gradient_norm : float
        Frobenius norm of the gradient at W: how well it is solved.
    steps : int
        Newton steps taken.
    subspace : Subspace
        S_fin.
    races : ReducedRaces
        The races that decide.
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 6. Paper: Def. 4, Lemma 14.
    """

    W: Floats
    loss: float
    gradient_norm: float
    steps: int
    subspace: Subspace
    races: ReducedRaces
    names: tuple[str, ...]
    _scores: Floats

    @cached_property
    def strengths(self) -> dict[int, dict[int, float]]:
        """Scores e_jᵀ W_fin e_k of the tied tokens: ``strengths[k][j]``, mean zero in a league.

        Their differences are log-odds; they say how attention is split inside a league.

        Examples
        --------
        >>> from nta_core import FIG8, token_priority_graphs
        >>> fin = finite_part(FIG8, token_priority_graphs(FIG8), np.eye(4))
        >>> {j: round(s, 4) for j, s in fin.strengths[1].items()}
        {0: -0.1155, 1: 0.231, 2: -0.1155}
        """
        races = self.races
        _, league = np.unique(races.league_of, return_inverse=True)
        centred = self._scores - (np.bincount(league, self._scores) / np.bincount(league))[league]
        return {
            last: dict(zip(races.tokens[nodes].tolist(), centred[nodes].tolist(), strict=True))
            for last, nodes in by_track(races.lasts)
        }

    def __repr__(self) -> str:
        return (
            f"FinitePart(‖W‖={np.linalg.norm(self.W):.4g}, dim={self.subspace.dim}, "
            f"loss={self.loss:.4g}, gradient {self.gradient_norm:.0e})"
        )

    def _repr_html_(self) -> str:
        rows = [
            (self.names[last], self.names[token], f"{score:+.4f}")
            for last, scores in self.strengths.items()
            for token, score in scores.items()
        ]
        caption = f"W<sub>fin</sub>: ‖W‖ = {np.linalg.norm(self.W):.4g}, loss {self.loss:.4g}"
        titles = ("last token", "tied token", "log-strength")
        return html_table("soft", rows, head=titles, caption=Html(caption))


def finite_part(dataset: Dataset, graphs: TokenPriorityGraphs, E: ArrayLike) -> FinitePart:
    """Return W_fin, the minimiser over S_fin of the loss that is left when the order is learned.

    Parameters
    ----------
    dataset : Dataset
        n sequences and labels over K tokens.
    graphs : TokenPriorityGraphs
        Its token-priority graphs.
    E : array of shape (K, d)
        Token embeddings, of any rank.

    Raises
    ------
    SolverDidNotConverge
        When rounding keeps the gradient above 1e-12 (in units of the embeddings' size).

    Examples
    --------
    >>> from nta_core import FIG8, token_priority_graphs
    >>> fin = finite_part(FIG8, token_priority_graphs(FIG8), np.eye(4))
    >>> fin.W[:, 1].round(4) + 0.0
    array([-0.1155,  0.231 , -0.1155,  0.    ])
    >>> fin.gradient_norm < 1e-12
    True

    Explained in: chapter 6. Paper: Def. 3-4, Lemma 14.
    """
    races = reduced_races(dataset, graphs)
    checked = check_embeddings(E, dataset.K)
    subspace = cyclic_subspace(graphs, checked)
    loss = ReducedLoss(races, subspace, checked)
    start, tolerance = np.zeros(subspace.dim), TOLERANCE * loss.size
    with in_float64("the soft part", instead="choose embeddings that are farther apart"):
        point, steps = minimise(loss.value, loss.derivatives, loss.slopes, start, tolerance)
    return FinitePart(
        W=(point @ subspace.flat).reshape(subspace.basis.shape[1:]),
        loss=loss.value(point),
        gradient_norm=float(np.linalg.norm(loss.derivatives(point)[0])),
        steps=steps,
        subspace=subspace,
        races=races,
        names=graphs.names,
        _scores=loss.slopes @ point,
    )


def minimise(
    value: Callable[[Floats], float],
    derivatives: Callable[[Floats], tuple[Floats, Floats]],
    slopes: Floats,
    start: Floats,
    tolerance: float,
) -> tuple[Floats, int]:
    """Minimise a log-loss that is strictly convex; returns the point and the steps it took.

    Damped Newton until rounding stops the gradient from shrinking.  `derivatives` are gradient and
    Hessian; `slopes` say how every score grows along the coordinates, shape (scores, dim).
    """
    point, before = start, np.inf
    for step in range(MAX_STEPS):
        gradient, hessian = derivatives(point)
        norm = float(np.linalg.norm(gradient))
        if norm <= 1e-4 * tolerance or (norm <= tolerance and norm > before / 2):
            return point, step
        before = norm
        # a ridge of rounding size: a Hessian that is singular to rounding still gives a descent
        hessian.flat[:: len(point) + 1] += EPSILON * hessian.trace()
        move = np.linalg.solve(hessian, gradient)
        # Halve the step until the loss falls enough.  Short steps need no test, and would fail it:
        # near the minimum the fall is smaller than the rounding of the loss.
        reach, length = float(np.abs(slopes @ move).max()), 1.0
        if reach > SAFE_MOVE:
            now, slope = value(point), 1e-4 * float(gradient @ move)
            while (
                length * reach > SAFE_MOVE and value(point - length * move) > now - length * slope
            ):
                length /= 2
        point = point - length * move
    raise SolverDidNotConverge(
        f"the soft part still has gradient {norm:.1e} after {MAX_STEPS} Newton steps, wanted "
        f"{tolerance:.0e}. Some tied tokens have almost the same embedding: merge them, or choose "
        "embeddings that are farther apart."
    )
