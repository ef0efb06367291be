"""Graph-SVM of a large problem, matrix-free: conjugate gradients that never leave x ≥ 0.

Dostál's MPRGP (*modified proportioning with reduced gradient projections*) on the dual of the
least-distance problem,

    minimise ½ ‖Σ_c x_c z_c‖² + ½ σ (1 − Σ_c h_c x_c)²   over x ≥ 0 on strict rows, free on ties

with unit rows z and their demands h.  It is bounded whether or not the Graph-SVM is feasible, so
one method answers both cases: with τ = σ (1 − h·x) the multipliers are x/τ, and τ → 0 means that x
is a proof of infeasibility.  An iteration costs one product with the rows, or two when it meets
the boundary; there is never a Gram matrix of all of them.
"""

from __future__ import annotations

import numpy as np

from nta_core.boundary import Floats
from nta_core.svm.rows import Rows

CHECK_EVERY = 32  # iterations between fresh gradients (and looks at the certificate)


class ProjectedCG:
    """The iteration's state; `advance` runs it to a tolerance and may be called again.

    Attributes
    ----------
    x : array of shape (strict + ties,)
        The point so far.
    iterations : int
        How many steps were taken in all.
    """

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.x = np.zeros(len(rows))
        self.iterations = 0
        self._norm = _largest_eigenvalue(rows)
        # σ: the two terms of the objective get the same largest curvature
        self._weight = self._norm / float(rows.demands @ rows.demands)
        self._step = 0.95 / self._norm  # just below 2/‖·‖ of the sum of both terms
        self._gradient = -self._weight * rows.demands
        self._direction: Floats | None = None
        self._image = self._gradient

    @property
    def scale(self) -> float:
        """τ = σ (1 − h·x), by which x is larger than the multipliers."""
        return self._weight * (1.0 - float(self.rows.demands @ self.x))

    @property
    def multipliers(self) -> Floats:
        """What x says about the multipliers so far, shape (strict + ties,)."""
        return self.x / self.scale if self.scale > 0 else self.x

    @property
    def cancellation(self) -> float:
        """How far x is from a proof of infeasibility: ‖Σ x z‖ / Σ x, which is then 0."""
        total = float(self.x[: self.rows.strict].sum())
        return float(np.linalg.norm(self.rows.combine(self.x))) / total if total > 0 else np.inf

    def advance(self, tolerance: float, *, limit: int, suspect: float) -> bool:
        """Step until margins are right to `tolerance` (True), or give up (False).

        Gives up at `limit` iterations in all, once the cancellation falls below `suspect`, or
        when rounding leaves no direction to go.
        """
        aim = (tolerance * float(np.linalg.norm(self.rows.demands))) ** 2
        while self.iterations < limit:
            face, chopped = self._split()
            done = float(face @ face + chopped @ chopped) <= aim * self.scale**2
            if done or self.iterations % CHECK_EVERY == CHECK_EVERY - 1:
                if self.cancellation < suspect:
                    return False
                if done:
                    return True
                self._gradient = self._apply(self.x) - self._weight * self.rows.demands
            self.iterations += 1
            if not self._move(face, chopped):
                return False
        return False

    def _apply(self, x: Floats) -> Floats:
        pull = self._weight * float(self.rows.demands @ x)
        return self.rows.gram_times(x) + pull * self.rows.demands

    def _split(self) -> tuple[Floats, Floats]:
        """The gradient on the coordinates that may move, and the part that asks others to rise."""
        movable = self.x > 0
        movable[self.rows.strict :] = True
        face = self._gradient * movable
        chopped = np.minimum(self._gradient - face, 0.0)
        return face, chopped

    def _move(self, face: Floats, chopped: Floats) -> bool:
        """Take one step; False when rounding leaves no direction to go."""
        strict = self.rows.strict
        allowed = np.minimum(self.x / self._step, face)  # what a projected step would really move
        allowed[strict:] = face[strict:]
        if float(chopped @ chopped) <= float(allowed @ face):
            return self._conjugate_step(face)
        # proportioning: the coordinates at zero matter more, so let them rise
        image = self._apply(chopped)
        length = float(self._gradient @ chopped) / float(chopped @ image)
        self._go(length, chopped, image)
        self._direction = None
        return True

    def _go(self, length: float, direction: Floats, image: Floats) -> None:
        self.x = self.x - length * direction
        self._gradient = self._gradient - length * image

    def _conjugate_step(self, face: Floats) -> bool:
        direction = face
        if self._direction is not None:
            curvature = float(self._direction @ self._image)
            direction = face - (float(face @ self._image) / curvature) * self._direction
        image = self._apply(direction)
        curvature = float(direction @ image)
        flat = curvature <= 1e-15 * self._norm * float(direction @ direction)
        wanted = np.inf if flat else float(self._gradient @ direction) / curvature
        reach = self._reach(direction)
        if not np.isfinite(min(wanted, reach)):
            return False
        overshoot = self.x - wanted * direction if wanted < np.inf else None
        self._go(min(wanted, reach), direction, image)
        if wanted <= reach:
            self._direction, self._image = direction, image
        else:
            self._direction = None
            if overshoot is None or not self._leap(overshoot):
                self._expand()
        return True

    def _leap(self, target: Floats) -> bool:
        """Project the full step instead of stopping at the boundary, if that gains more."""
        strict = self.rows.strict
        np.maximum(target[:strict], 0.0, out=target[:strict])
        gradient = self._apply(target) - self._weight * self.rows.demands
        if self._value(target, gradient) >= self._value(self.x, self._gradient):
            return False
        self.x, self._gradient = target, gradient
        return True

    def _value(self, x: Floats, gradient: Floats) -> float:
        """The objective, up to a constant."""
        return 0.5 * float(x @ gradient - self._weight * (self.rows.demands @ x))

    def _reach(self, direction: Floats) -> float:
        """How far x can go against the direction before a strict coordinate falls below zero."""
        strict = self.rows.strict
        steepest = float((direction[:strict] / (self.x[:strict] + 1e-300)).max())
        return 1.0 / steepest if steepest > 0 else np.inf

    def _expand(self) -> None:
        """One projected gradient step, which may bring many coordinates to zero at once."""
        strict = self.rows.strict
        np.maximum(self.x[:strict], 0.0, out=self.x[:strict])
        self.x = self.x - self._step * self._split()[0]
        np.maximum(self.x[:strict], 0.0, out=self.x[:strict])
        self._gradient = self._apply(self.x) - self._weight * self.rows.demands
        self._direction = None


def _largest_eigenvalue(rows: Rows) -> float:
    """Norm of the Gram operator, by the power method from a fixed start."""
    vector = np.random.default_rng(0).random(len(rows))
    for _ in range(12):
        vector = rows.gram_times(vector)
        size = float(np.linalg.norm(vector))
        vector = vector / size
    return size
