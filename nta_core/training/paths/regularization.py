"""The regularization path: what minimises the log-loss in a ball, as the ball grows.

The minimiser of L(W) + λ/2 ‖W‖² is the minimiser of L on the ball of its own radius, because L is
convex.  So the path is followed in log λ, by Newton with the tangent as predictor, and a radius is
one equation in log λ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.data import Dataset, Floats, Ints, check_embeddings
from nta_core.errors import OptionError
from nta_core.training.paths.follow import Follower, Point
from nta_core.training.paths.split import SplitLoss, split_loss

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
        rows = "".join(
            f"<tr><td>{norm:.4g}</td><td>{loss:.4g}</td><td>{exponent:.4g}</td></tr>"
            for norm, loss, exponent in zip(
                self.norms, self.losses, self.log_lambdas / np.log(10), strict=True
            )
        )
        titles = "<tr><th>‖W‖</th><th>log-loss</th><th>log₁₀ λ</th></tr>"
        return (
            f'<table class="nta-path"><caption>Regularization path</caption>{titles}{rows}</table>'
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
    loss = split_loss(dataset, check_embeddings(E, dataset.K))
    follower = Follower(loss)
    order = np.argsort(wanted, kind="stable")
    points = [follower.at_radius(radius) for radius in wanted[order].tolist()]
    return _path(loss, points, order)


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
    loss = split_loss(dataset, check_embeddings(E, dataset.K))
    follower = Follower(loss)
    order = np.argsort(-wanted, kind="stable")
    points = [follower.at_lambda(exponent) for exponent in np.log(wanted[order]).tolist()]
    return _path(loss, points, order)


def _path(loss: SplitLoss, points: list[Point], order: Ints) -> WeightPath:
    """Collect points that were computed in `order`, back in the order they were asked for."""
    asked = [points[place] for place in np.argsort(order)]
    f = np.array([point.f for point in asked]).reshape(len(asked), loss.soft.shape[1])
    h = np.array([point.h for point in asked]).reshape(len(asked), loss.hard.shape[1])
    return WeightPath(
        W=loss.matrix(f, h),
        log_lambdas=np.array([point.log_lambda for point in asked]),
        losses=np.array([loss.risk(*pair) for pair in zip(f, h, strict=True)]),
    )
