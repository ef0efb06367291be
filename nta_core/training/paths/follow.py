"""Following the regularization path: Newton in log λ, with the tangent as predictor.

Small λ are where the path matters and where λ itself, e^(−margin) and the gradient all leave the
range of floating point.  So the stationarity condition ∇L + λ W = 0 is divided by λ inside the
exponentials, where its terms are of order one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from nta_core.data import Floats
from nta_core.errors import SolverDidNotConverge
from nta_core.training.paths.split import SplitLoss

NEWTON_STEPS = 100
TOLERANCE = 1e-12  # of the stationarity condition, relative to ‖W‖
ROUNDING = 1e-9  # where it may stay when rounding keeps Newton from gaining
EPSILON = 16 * float(np.finfo(float).eps)
CEILING = 690.0  # e^690 is still finite, and so are sums of a few


@dataclass(frozen=True, eq=False)
class Point:
    """A minimiser of L + λ/2 ‖W‖²: its coordinates at log λ, and how they move with log λ."""

    log_lambda: float
    f: Floats
    h: Floats
    df: Floats
    dh: Floats

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
        self.zero = Point(np.inf, zero_f, zero_h, zero_f, zero_h)
        self._last: Point | None = None

    def at_lambda(self, log_lambda: float) -> Point:
        """The minimiser at λ; λ must not grow from call to call."""
        if self._last is None:
            self._last = self._begin(max(log_lambda, self._log_steepness))
        while self._last.log_lambda > log_lambda:
            nearest = self._last.log_lambda - _leash(self._last)
            self._last = self._corrected(self._last.moved(max(log_lambda, nearest)))
        return self._last

    def at_radius(self, radius: float) -> Point:
        """The minimiser on the ball; radii must not shrink from call to call."""
        if radius == 0.0 or self._log_steepness == -np.inf:
            return self.zero
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
            target = point.log_lambda + max(missing / point.growth, -_leash(point))
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
            size = float(np.linalg.norm(residual)) / max(1.0, float(np.linalg.norm(h)))
            # Scores of size ‖W‖ round at size ‖W‖, and pulls that nearly balance each other
            # amplify it: below that level stop where Newton stops gaining.
            rounding = max(ROUNDING, EPSILON * self._steepest**2 * float(pulls.sum()))
            if size <= TOLERANCE or (size < rounding and size > 0.5 * best):
                toward = solve(inner, ridge * f)
                dh = -solve(hessian, h - coupling @ toward)
                df = -toward - solve(inner, ridge * (coupling.T @ dh))
                return Point(log_lambda, f, h, df, dh)
            best = min(best, size)
            move = -solve(hessian, residual)
            f, h = self._step(guess, (f, h), move, float(residual @ move))
        raise SolverDidNotConverge(
            f"regularization path at log λ = {log_lambda:.4g}: stationary only to "
            f"{size:.1e} of ‖W‖ after {NEWTON_STEPS} Newton steps"
        )

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


def _leash(point: Point) -> float:
    """How far the tangent may be trusted: far out the path is almost straight in log λ."""
    return max(2.0, abs(point.log_lambda))


def solve(matrix: Floats, right: Floats) -> Floats:
    """Solve a linear system in float64."""
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
