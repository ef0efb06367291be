"""The regularization path: what minimises the log-loss in a ball, as the ball grows.

The minimiser of L(W) + λ/2 ‖W‖² is the minimiser of L on the ball of its own radius, because L is
convex.  So the path is followed in log λ, by Newton with the tangent as predictor, and a radius is
one equation in log λ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, check_embeddings
from nta_core.data.tables import html_table
from nta_core.errors import OptionError
from nta_core.training.paths.follow import Follower, Point
from nta_core.training.paths.split import split_loss

LAMBDAS = tuple(10.0**-k for k in (2, 4, 8, 16, 32, 64, 128, 256))


@dataclass(frozen=True, eq=False, repr=False)
class WeightPath:
    """Weights along a regularization path.

    Attributes
    ----------
    W : float64 array of shape (r, d, d)
        The minimisers.
    log_lambdas : float64 array of shape (r,)
        Natural logarithm of the multiplier λ of each; −∞ where the ball holds the unconstrained
        minimum.  (λ itself leaves the range of floating point from ‖W‖ ≈ 1000 on.)
    losses : float64 array of shape (r,)
        Log-loss of each.

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """

    W: Floats
    log_lambdas: Floats
    losses: Floats

    @property
    def norms(self) -> Floats:
        """Frobenius norms of the minimisers, shape (r,)."""
        sizes: Floats = np.linalg.norm(self.W, axis=(1, 2))
        return sizes

    def __repr__(self) -> str:
        if not len(self.W):
            return "WeightPath(0 points)"
        norms = self.norms
        return f"WeightPath({len(self.W)} points, ‖W‖ {norms.min():.3g} … {norms.max():.3g})"

    def _repr_html_(self) -> str:
        columns = self.norms, self.losses, self.log_lambdas / np.log(10)
        return html_table(
            "path",
            [[f"{value:.4g}" for value in row] for row in zip(*columns, strict=True)],
            head=("‖W‖", "log-loss", "log₁₀ λ"),
            caption="Regularization path",
        )


def regularization_path(dataset: Dataset, E: ArrayLike, radii: Iterable[float]) -> WeightPath:
    """Return the minimisers of the log-loss on the balls ‖W‖ ≤ R, exactly.

    Parameters
    ----------
    dataset : Dataset
        Races; any data, feasible or not.
    E : array of shape (K, d)
        Token embeddings.
    radii : iterable of float
        R ≥ 0, in any order.  As long as the loss has no minimum inside, ‖W‖ = R to 1e-8.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3, token_priority_graphs
    >>> from nta_core.svm import solve_graph_svm
    >>> path = regularization_path(FIG3, np.eye(4), [1, 10, 100])
    >>> path.norms.round(8)
    array([  1.,  10., 100.])
    >>> W = solve_graph_svm(token_priority_graphs(FIG3), np.eye(4)).W
    >>> (np.vecdot(path.W.reshape(3, -1), W.ravel()) / path.norms / np.linalg.norm(W)).round(4)
    array([0.9138, 0.9955, 0.9999])

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """
    wanted = np.array(list(radii), dtype=np.float64)
    if not (np.isfinite(wanted).all() and (wanted >= 0).all()):
        raise OptionError(f"radii must be finite numbers, 0 or more, got {wanted.tolist()}")
    return _path(dataset, E, wanted, Follower.at_radius)


def log_domain_path(
    dataset: Dataset, E: ArrayLike, *, lambdas: Iterable[float] = LAMBDAS
) -> WeightPath:
    """Return the minimisers of L(W) + λ/2 ‖W‖² for ever smaller λ.

    Everything beyond the ties is computed in logarithms, so that λ = 1e-256 is as exact as 0.01:
    the shortest way to the direction that descent only creeps towards.

    Parameters
    ----------
    lambdas : iterable of float
        λ > 0, in any order.
    dataset, E
        As in `regularization_path`.

    Examples
    --------
    >>> import numpy as np
    >>> from nta_core import FIG3
    >>> log_domain_path(FIG3, np.eye(4), lambdas=[1e-2, 1e-256])
    WeightPath(2 points, ‖W‖ 4.4 … 1.39e+03)

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """
    wanted = np.array(list(lambdas), dtype=np.float64)
    if not (np.isfinite(wanted).all() and (wanted > 0).all()):
        raise OptionError(f"lambdas must be finite and positive, got {wanted.tolist()}")
    return _path(dataset, E, -np.log(wanted), lambda follower, x: follower.at_lambda(-x))


def _path(
    dataset: Dataset, E: ArrayLike, wanted: Floats, at: Callable[[Follower, float], Point]
) -> WeightPath:
    """Follow the path outwards, and return the points in the order they were asked for."""
    loss = split_loss(dataset, check_embeddings(E, dataset.K))
    follower = Follower(loss)
    order = np.argsort(wanted, kind="stable")
    points = [at(follower, value) for value in wanted[order].tolist()]
    asked = [points[place] for place in np.argsort(order)]
    f = np.array([point.f for point in asked]).reshape(len(asked), loss.soft.shape[1])
    h = np.array([point.h for point in asked]).reshape(len(asked), loss.hard.shape[1])
    return WeightPath(
        W=loss.matrix(f, h),
        log_lambdas=np.array([point.log_lambda for point in asked]),
        losses=np.array([loss.risk(*pair) for pair in zip(f, h, strict=True)]),
    )
