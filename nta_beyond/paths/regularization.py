"""The regularization path: what minimises the log-loss in a ball, as the ball grows.

The minimiser of L(W) + λ/2 ‖W‖² is the minimiser of L on the ball of its own radius, because L is
convex.  So the path is followed in log λ, by Newton with the tangent as predictor, and a radius is
one equation in log λ.

Small λ are where the path matters and where λ itself, e^(−margin) and the gradient all leave the
range of floating point.  So the stationarity condition ∇L + λ W = 0 is divided by λ inside the
exponentials, where its terms are of order one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.paths.split import SplitLoss, split_loss
from nta_core.boundary import Floats, entries, in_float64, number
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import OptionError, SolverDidNotConverge

NEWTON_STEPS = 100
TOLERANCE = 1e-12  # of the stationarity condition, relative to ‖W‖
ROUNDING = 1e-9  # where it may stay when rounding keeps Newton from gaining
EPSILON = 16 * float(np.finfo(float).eps)
CEILING = 690.0  # e^690 is still finite, and so are sums of a few
LARGEST = 2e6  # radius times `SplitLoss.size`: beyond it rounding of the scores moves ‖W‖
OVERTAKING = 10.0  # how far the tangent may lift a duel's log pull above that of the leader
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
        rows = [[f"{value:.4g}" for value in row] for row in zip(*columns, strict=True)]
        titles = ("‖W‖", "log-loss", "log₁₀ λ")
        return html_table("path", rows, head=titles, caption="Regularization path")


def regularization_path(dataset: Dataset, E: ArrayLike, radii: Iterable[float]) -> WeightPath:
    """Return the minimisers of the log-loss on the balls ‖W‖ ≤ R, exactly.

    Parameters
    ----------
    dataset : Dataset
        Races; any data, feasible or not.
    E : array of shape (K, d)
        Token embeddings.
    radii : iterable of float
        R ≥ 0, in any order, and R max‖e_k‖² ≤ 5e5.  As long as the loss has no minimum inside,
        ‖W‖ = R to 1e-8.

    Examples
    --------
    >>> from nta_core import FIG3, cosine, solve_graph_svm, token_priority_graphs
    >>> path = regularization_path(FIG3, np.eye(4), [1, 10, 100])
    >>> path.norms.round(8)
    array([  1.,  10., 100.])
    >>> W = solve_graph_svm(token_priority_graphs(FIG3), np.eye(4)).W
    >>> [round(cosine(W_R, W), 4) for W_R in path.W]
    [0.9138, 0.9955, 0.9999]

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """
    wanted = [number(R, "radii", least=0) for R in entries(radii, "radii")]
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
    >>> from nta_core import FIG3
    >>> log_domain_path(FIG3, np.eye(4), lambdas=[1e-2, 1e-256])
    WeightPath(2 points, ‖W‖ 4.4 … 1.39e+03)

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """
    wanted = [-math.log(number(x, "lambdas", above=0)) for x in entries(lambdas, "lambdas")]
    return _path(dataset, E, wanted, lambda follower, x: follower.at_lambda(-x))


def _path(
    dataset: Dataset, E: ArrayLike, wanted: list[float], at: Callable[[Follower, float], Point]
) -> WeightPath:
    """Follow the path outwards, and return the points in the order they were asked for."""
    loss = split_loss(dataset, E)
    with in_float64("the path", instead="choose embeddings that are farther apart"):
        follower = Follower(loss)
        found = {value: at(follower, value) for value in sorted(wanted)}
    asked = [found[value] for value in wanted]
    f = np.array([point.f for point in asked]).reshape(len(asked), loss.soft.shape[1])
    h = np.array([point.h for point in asked]).reshape(len(asked), loss.hard.shape[1])
    return WeightPath(
        W=loss.matrix(f, h),
        log_lambdas=np.array([point.log_lambda for point in asked]) + 2 * math.log(loss.size),
        losses=np.array([loss.risk(*pair) for pair in zip(f, h, strict=True)]),
    )


@dataclass(frozen=True, eq=False)
class Point:
    """A minimiser of L + λ/2 ‖W‖²: its coordinates at log λ, and how they move with log λ."""

    log_lambda: float
    f: Floats
    h: Floats
    df: Floats
    dh: Floats
    leash: float  # how far the tangent may be trusted

    @property
    def norm(self) -> float:
        return float(np.hypot(np.linalg.norm(self.f), np.linalg.norm(self.h)))

    @property
    def growth(self) -> float:
        """Derivative of the norm in log λ; negative."""
        return float(self.f @ self.df + self.h @ self.dh) / self.norm

    def moved(self, log_lambda: float) -> Point:
        """The tangent's guess at another λ."""
        by = log_lambda - self.log_lambda
        return replace(
            self, log_lambda=log_lambda, f=self.f + by * self.df, h=self.h + by * self.dh
        )


class Follower:
    """Follows the path of one dataset from large λ to small."""

    def __init__(self, loss: SplitLoss) -> None:
        self.loss = loss
        zero_f, zero_h = np.zeros(loss.soft.shape[1]), np.zeros(loss.hard.shape[1])
        shares = np.exp(loss.log_shares(zero_f, zero_h) + self.loss.log_weights)
        slope = np.concatenate([shares @ loss.soft, shares @ loss.hard])
        with np.errstate(divide="ignore"):
            self._log_steepness = float(np.log(np.linalg.norm(slope)))  # −∞ if 0 is the minimum
        self._steepest = float(np.linalg.norm(loss.hard, axis=1).max(initial=0.0))
        self.zero = Point(np.inf, zero_f, zero_h, zero_f, zero_h, 2.0)
        self._last: Point | None = None

    def at_lambda(self, log_lambda: float) -> Point:
        """The minimiser at λ; λ must not grow from call to call."""
        log_lambda -= 2 * math.log(self.loss.size)
        if log_lambda > CEILING:
            raise OptionError("lambdas: one is so large that W is 0 to all digits; leave it out")
        if self._last is None:
            self._last = self._begin(max(log_lambda, self._log_steepness))
        while self._last.log_lambda > log_lambda:
            nearest = self._last.log_lambda - self._last.leash
            self._last = self._corrected(self._last.moved(max(log_lambda, nearest)))
        return self._last

    def at_radius(self, radius: float) -> Point:
        """The minimiser on the ball; radii must not shrink from call to call."""
        radius *= self.loss.size
        if radius == 0.0 or self._log_steepness == -np.inf:
            return self.zero
        if not np.exp(-CEILING / 2) <= radius <= LARGEST:
            reach = "the path is exact for R max‖e_k‖² from 1e-149 to 5e5"
            raise OptionError(f"radii={radius / self.loss.size:.4g}: {reach}; leave it out")
        if not len(self.zero.h):
            finite = self.loss.soft_minimum(None, 0.0, self.zero.f)
            if radius >= np.linalg.norm(finite):
                return replace(self.zero, f=finite, log_lambda=-np.inf)
        # Strong convexity gives ‖W_λ‖ ≤ ‖∇L(0)‖ / λ: this start lies inside the ball.
        begin = self._log_steepness - float(np.log(radius))
        point = self._begin(begin) if self._last is None else self._last
        rounding = max(TOLERANCE * radius, EPSILON * radius**2)
        low, high = -np.inf, np.inf  # log λ of a point that is too long, too short
        for _ in range(NEWTON_STEPS):
            missing = radius - point.norm
            if abs(missing) <= max(1e-9 * min(radius, 1.0), rounding):
                self._last = point
                return point
            low, high = (low, point.log_lambda) if missing > 0 else (point.log_lambda, high)
            target = point.log_lambda + max(missing / point.growth, -point.leash)
            if not low < target < high:
                target = 0.5 * (low + high)
            point = self._corrected(point.moved(target))
        raise SolverDidNotConverge(
            f"regularization_path: ‖W‖ = {point.norm:.12g} instead of {radius:g} after "
            f"{NEWTON_STEPS} Newton steps in log λ"
        )

    def _begin(self, log_lambda: float) -> Point:
        return self._corrected(replace(self.zero, log_lambda=log_lambda))

    def _corrected(self, guess: Point) -> Point:
        """Newton on the hard coordinates, the soft ones being minimised out at every step."""
        log_lambda, h, ridge = guess.log_lambda, guess.h, float(np.exp(guess.log_lambda))
        f, best = self.loss.soft_minimum(h, ridge, guess.f), np.inf
        for _ in range(NEWTON_STEPS):
            shares, pulls, residual = self._stationarity(log_lambda, f, h)
            hessian, inner, coupling = self._hessian(shares, pulls, ridge)
            scale = min(1.0, self._steepest * float(pulls.sum()))  # small for huge λ
            scale = max(scale, float(np.linalg.norm(h)), np.finfo(float).tiny)
            size = float(np.linalg.norm(residual)) / scale
            # Scores of size ‖W‖ round at size ‖W‖, and pulls that nearly balance each other
            # amplify it: below that level stop where Newton stops gaining.
            rounding = max(ROUNDING, EPSILON * self._steepest**2 * float(pulls.sum()))
            if size <= TOLERANCE or (size < rounding and size > 0.5 * best):
                toward = solve(inner, ridge * f)
                dh = -solve(hessian, h - coupling @ toward)
                df = -toward - solve(inner, ridge * (coupling.T @ dh))
                return Point(log_lambda, f, h, df, dh, self._leash(log_lambda, f, h, df, dh))
            best = min(best, size)
            move = -solve(hessian, residual)
            f, h = self._step(guess, (f, h), move, float(residual @ move))
        raise SolverDidNotConverge(
            f"regularization path at log λ = {log_lambda:.4g}: stationary only to "
            f"{size:.1e} of ‖W‖ after {NEWTON_STEPS} Newton steps"
        )

    def _leash(self, log_lambda: float, f: Floats, h: Floats, df: Floats, dh: Floats) -> float:
        """Far out the path is almost straight in log λ, until a duel joins those that decide."""
        loss = self.loss
        logs = (loss.log_shares(f, h) + loss.log_weights)[loss.strict]
        rise = 1.0 - (loss.soft @ df + loss.hard @ dh)[loss.strict]
        until = (logs.max(initial=-np.inf) + OVERTAKING - logs)[rise > 0] / rise[rise > 0]
        return max(0.5, min(max(2.0, abs(log_lambda)), float(until.min(initial=np.inf))))

    def _stationarity(
        self, log_lambda: float, f: Floats, h: Floats
    ) -> tuple[Floats, Floats, Floats]:
        """Attention of every duel, its pull divided by λ, and h + Σ pulls · slopes (0 at the end).

        Divided by λ inside the exponential: pulls are of order 1 however small λ is.
        """
        log_shares = self.loss.log_shares(f, h)
        exponents = np.minimum(log_shares + self.loss.log_weights - log_lambda, CEILING)
        pulls = np.where(self.loss.strict, np.exp(exponents), 0.0)
        return np.exp(log_shares), pulls, h + pulls @ self.loss.hard

    def _hessian(
        self, shares: Floats, pulls: Floats, ridge: float
    ) -> tuple[Floats, Floats, Floats]:
        """Derivative of the stationarity in h (f minimised out), in f alone, and the mixed one."""
        loss = self.loss
        pulled = loss.hard * pulls[:, None]
        inner = loss.soft_hessian(shares, ridge)
        coupling: Floats = pulled.T @ loss.around_mean(loss.soft, shares)
        outer: Floats = pulled.T @ loss.around_mean(loss.hard, shares)
        outer -= coupling @ solve(inner, ridge * coupling.T)
        return outer + np.eye(len(outer)), inner, coupling

    def _step(
        self, guess: Point, at: tuple[Floats, Floats], move: Floats, slope: float
    ) -> tuple[Floats, Floats]:
        """Go along `move`, halving until the convex function does not rise steeply there."""
        ridge, t = float(np.exp(guess.log_lambda)), 1.0
        while True:
            h = at[1] + t * move
            f = self.loss.soft_minimum(h, ridge, at[0])
            residual = self._stationarity(guess.log_lambda, f, h)[2]
            if residual @ move <= 0.5 * abs(slope) or t < 1e-12:
                return f, h
            t *= 0.5


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve a linear system in float64."""
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
