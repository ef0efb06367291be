"""The least loss in a ball when the loss need not be convex: descent and Newton, many starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.boundary import Floats, check_weights, generator, in_float64, number
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import OptionError
from nta_core.graphs import token_priority_graphs
from nta_core.model import Readout
from nta_core.soft import active_subspace
from nta_core.training.descent import Landscape, check_inputs, landscape_of, listed
from nta_core.training.races import races_of

RESTARTS = 8
STATIONARY = 1e-9  # tangential part of the gradient, relative to the gradient, that counts as zero


@dataclass(frozen=True, eq=False, repr=False)
class ConstrainedMinimum:
    """The best of several descents in a ball.

    Attributes
    ----------
    W : float64 array of shape (d, d)
        Where the risk is least.
    value : float
        The risk there.
    radius : float
        Of the ball.
    values : float64 array, one entry per start
        The risk each start ended with: whether they agree says how safe the minimum is.
    stationarity : float
        Length of the gradient along the ball at W, relative to the whole gradient.

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """

    W: Floats
    value: float
    radius: float
    values: Floats
    stationarity: float

    def __repr__(self) -> str:
        return (
            f"ConstrainedMinimum(risk {self.value:.6g} at ‖W‖ = {np.linalg.norm(self.W):.4g} "
            f"≤ {self.radius:g}, best of {len(self.values)} starts)"
        )

    def _repr_html_(self) -> str:
        titles = ("radius", "‖W‖", "least risk", "of the worst start")
        risks = f"{self.value:.6g}", f"{self.values.max():.6g}"
        cells = f"{self.radius:g}", f"{np.linalg.norm(self.W):.4g}", *risks
        return html_table("path", [cells], head=titles)


def constrained_minimum(
    dataset: Dataset,
    E: ArrayLike,
    radius: float,
    *,
    loss: str | Readout = "squared",
    W0s: Sequence[ArrayLike] | None = None,
    seed: int | None = 0,
) -> ConstrainedMinimum:
    """Return the least risk found in the ball ‖W‖ ≤ radius, for any loss and head.

    Each start is followed by projected gradient descent and then by Newton steps along the
    sphere; the best end wins.  For the log-loss `regularization_path` is exact and faster.

    Parameters
    ----------
    dataset, E
        As in `regularization_path`.
    radius : float
        R > 0.  Beyond ‖W‖ ≈ 25 the remaining loss drowns in rounding.
    loss : str or Readout
        The name of a loss, or a loss with its head and temperature.
    W0s : sequence of arrays of shape (d, d), optional
        Starts; by default 8 random directions.
    seed : int
        For the default starts.

    Examples
    --------
    >>> from nta_core import Dataset
    >>> constrained_minimum(Dataset([[0, 1]], [0]), np.eye(2), 2.0).W.round(4) + 0.0
    array([[ 0.    ,  1.4142],
           [ 0.    , -1.4142]])

    Explained in: chapter 9. Paper: Algo-RP, Theorem 3.
    """
    radius, readout = number(radius, "radius", above=0), Readout.of(loss)
    checked, origin = check_inputs(dataset, E, None)
    basis = active_subspace(token_priority_graphs(dataset), checked).flat
    landscape = landscape_of(races_of(dataset), checked, origin, readout, reduced=False)
    ball, starts = _Ball(landscape, basis, radius), _starts(W0s, basis, seed)
    with in_float64("the minimum", instead="choose a radius nearer to 1, or scale E"):
        ends = [ball.newton(ball.descend(ball.project(start))) for start in starts]
        values = np.array([ball.value(c) for c in ends])
        best = ends[int(values.argmin())]
        return ConstrainedMinimum(
            W=(best @ basis).reshape(origin.shape),
            value=float(values.min()),
            radius=radius,
            values=values,
            stationarity=ball.stationarity(best),
        )


def _starts(W0s: Sequence[ArrayLike] | None, basis: Floats, seed: int | None) -> Floats:
    """Starts in coordinates of the basis, shape (starts, dim)."""
    if W0s is None:
        return generator(seed).standard_normal((RESTARTS, len(basis)))
    given = listed(W0s, "W0s")
    if not given:
        raise OptionError("W0s: give at least one start")
    d = round(basis.shape[1] ** 0.5)
    return np.array([basis @ check_weights(W, d).ravel() for W in given])


class _Ball:
    """A risk on a ball, in coordinates of S_active (the risk depends on nothing else)."""

    def __init__(self, landscape: Landscape, basis: Floats, radius: float) -> None:
        self.landscape, self.basis, self.radius = landscape, basis, radius

    def value(self, c: Floats) -> float:
        return float(self.landscape.loss(c @ self.basis))

    def gradient(self, c: Floats) -> Floats:
        slope: Floats = self.basis @ self.landscape.gradient(c @ self.basis)
        return slope

    def project(self, c: Floats) -> Floats:
        norm = float(np.linalg.norm(c))
        return c * (self.radius / norm) if norm > self.radius else c

    def stationarity(self, c: Floats) -> float:
        g = self.gradient(c)
        return float(np.linalg.norm(self._tangent(c).T @ g)) / max(float(np.linalg.norm(g)), 1e-300)

    def descend(self, c: Floats, rounds: int = 300) -> Floats:
        """Projected gradient descent, with steps that double on success and halve on failure."""
        value, step = self.value(c), self.radius
        for _ in range(rounds):
            g = self.gradient(c)
            length = float(np.linalg.norm(g))
            if length == 0.0 or step < 1e-12 * self.radius:
                break
            trial = self.project(c - step / length * g)
            lower = self.value(trial)
            if lower < value:
                c, value, step = trial, lower, 2.0 * step
            else:
                step *= 0.25
        return c

    def newton(self, c: Floats, rounds: int = 60) -> Floats:
        """Newton along the sphere (or inside the ball), never uphill."""
        for _ in range(rounds):
            g, tangent = self.gradient(c), self._tangent(c)
            along = tangent.T @ g
            if np.linalg.norm(along) <= STATIONARY * np.linalg.norm(g):
                break
            bend = -float(g @ c) / self.radius**2 if tangent.shape[1] < len(c) else 0.0
            curvature = tangent.T @ self._hessian(c) @ tangent + bend * np.eye(tangent.shape[1])
            sizes, axes = np.linalg.eigh(0.5 * (curvature + curvature.T))
            # |size| turns saddles into descent; the floor keeps flat directions in bounds
            sizes = np.maximum(np.abs(sizes), 1e-14 * np.abs(sizes).max(initial=1e-300))
            move = -tangent @ (axes @ ((axes.T @ along) / sizes))
            move *= min(1.0, 0.5 * self.radius / float(np.linalg.norm(move)))
            moved = self._no_worse(c, move, tangent.shape[1] < len(c))
            if moved is None:
                break
            c = moved
        return c

    def _no_worse(self, c: Floats, move: Floats, on_sphere: bool) -> Floats | None:
        """The longest of the halved moves that does not raise the risk beyond rounding."""
        limit = self.value(c)
        limit += 4.0 * np.finfo(float).eps * abs(limit)
        for halvings in range(40):
            trial = c + 0.5**halvings * move
            if on_sphere:
                trial *= self.radius / float(np.linalg.norm(trial))
            trial = self.project(trial)
            if self.value(trial) <= limit:
                return trial
        return None

    def _tangent(self, c: Floats) -> Floats:
        """Orthonormal directions along the sphere, as columns; all directions inside the ball."""
        outward = float(self.gradient(c) @ c) < 0
        if np.linalg.norm(c) < (1 - 1e-9) * self.radius or not outward:
            return np.eye(len(c))
        return np.linalg.qr(np.column_stack([c, np.eye(len(c))]))[0][:, 1:]

    def _hessian(self, c: Floats) -> Floats:
        """Central differences of the exact gradient: good to 1e-8, enough for Newton."""
        width = 1e-4
        columns = [
            (self.gradient(c + width * axis) - self.gradient(c - width * axis)) / (2 * width)
            for axis in np.eye(len(c))
        ]
        return np.array(columns)
