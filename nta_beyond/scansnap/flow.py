"""Gradient flow on the whole population: time is continuous, nothing is drawn."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import solve_ivp

from nta_beyond.scansnap.checks import check_numbers
from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import output_shares, slope, whole_population
from nta_beyond.scansnap.measures import class_attention, class_features
from nta_beyond.scansnap.run import ScanSnapRun
from nta_core.data import Floats
from nta_core.errors import DataError, OptionError, SolverDidNotConverge

TOLERANCE = 1e-6  # relative, per step of the integrator; logits come out right to 1e-7
RECORDS = 200


def population_flow(
    classes: SequenceClasses,
    *,
    eta_y: float = 1.0,
    eta_z: float = 0.5,
    until: float | None = None,
    record: int | ArrayLike = RECORDS,
    Z0: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
) -> ScanSnapRun:
    """Follow the exact gradient flow of attention and decoder.

    The M − K output columns that are never an answer stay equal from a zero start, so K + 1
    columns are enough, whatever M is.

    Parameters
    ----------
    eta_y, eta_z : float
        Speeds of the decoder Y and of the attention logits Z.
    until : float, optional
        End; by default 200 K ln M / η_Y.
    record : int or array of float
        How many times to record, log-spaced, with 0 in front; or exactly which times.
    Z0 : array of shape (Q, L), optional
        Attention logits at the start; zero by default.  The decoder starts from zero.
    tolerance : float
        Relative error per step of the adaptive integrator (Dormand and Prince).

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> flow = population_flow(syn_small())
    >>> flow.common_mass[[0, -1]].round(2), flow.times[-1].round(0)
    (array([0.65, 0.48]), np.float64(1411.0))

    Explained in: chapter 13. Paper: Scan and Snap, Eqs. 7 and 10.
    """
    check_numbers(eta_y=eta_y, eta_z=eta_z)
    times = flow_times(record, until, snap_scale(classes, eta_y))
    population = whole_population(classes, classes.K + 1)
    multiplicity = np.r_[np.ones(classes.K), classes.M - classes.K]

    def rate(_: float, Z: Floats, Y: Floats) -> tuple[Floats, ...]:
        now = slope(Z, Y, population, multiplicity)
        return -eta_z * now.Z, -eta_y * now.Y

    start = check_logits(Z0, classes), np.zeros((classes.L, classes.K + 1))
    Z_path, Y_path = integrate(rate, start, times, tolerance)
    f = class_features(class_attention(classes, Z_path))
    outputs = output_shares(Y_path, f, multiplicity)[..., : classes.K]
    own = np.diagonal(outputs, axis1=1, axis2=2)
    return ScanSnapRun(
        classes,
        times,
        Z_path,
        f"population flow, η_Y={eta_y:g}, η_Z={eta_z:g}",
        losses=np.asarray(-np.log(own) @ classes.priors),
        outputs=outputs,
        Y=Y_path[-1],
    )


def snap_scale(classes: SequenceClasses, eta_y: float) -> float:
    """Return K ln M / η_Y, the time t0′ by which the decoder has learnt its classes.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> round(snap_scale(syn_small(), 1.0), 3)
    7.053

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    check_numbers(positive=True, eta_y=eta_y)  # a decoder that learns
    return classes.K * float(np.log(classes.M)) / eta_y


def flow_times(record: int | ArrayLike, until: float | None, scale: float) -> Floats:
    """Increasing times with 0 in front; log-spaced from a hundredth of `scale` when counted."""
    end = 200 * scale if until is None else until
    check_numbers(positive=True, until=end)
    if isinstance(record, (int, np.integer)):
        if record < 2:
            raise OptionError(f"record={record}: at least 2 (the start and the end), or times")
        spaced = np.geomspace(end, min(scale, end) / 100, int(record) - 1)  # from the end back
        return np.concatenate([[0.0], spaced[::-1]])
    times = np.unique(np.asarray(record, dtype=np.float64))
    if not len(times) or not np.isfinite(times).all() or times[0] < 0:
        raise OptionError("record: times are finite numbers, 0 or more, at least one")
    return times


def check_logits(Z0: ArrayLike | None, classes: SequenceClasses) -> Floats:
    """Attention logits to start from, zero by default, shape (Q, L)."""
    shape = (classes.Q, classes.L)
    Z = np.zeros(shape) if Z0 is None else np.asarray(Z0, dtype=np.float64)
    if Z.shape != shape or not np.isfinite(Z).all():
        raise DataError(f"Z0 must be finite with shape (Q, L) = {shape}, got shape {Z.shape}")
    return Z


def integrate(
    rate: Callable[..., Sequence[Floats]],
    start: Sequence[Floats],
    times: Floats,
    tolerance: float,
) -> list[Floats]:
    """Follow arrays from `start` at time 0 by ``rate(t, *arrays)``; paths of shapes (r, ...)."""
    if not 0 < tolerance < 1:
        raise OptionError(f"tolerance={tolerance!r}: between 0 and 1")
    cuts = np.cumsum([part.size for part in start])[:-1]

    def apart(states: Floats) -> list[Floats]:
        pieces = zip(np.split(states, cuts, axis=-1), start, strict=True)
        return [piece.reshape((*states.shape[:-1], *part.shape)) for piece, part in pieces]

    def joined(parts: Sequence[Floats]) -> Floats:
        return np.concatenate([part.ravel() for part in parts])

    done = solve_ivp(
        lambda t, state: joined(rate(t, *apart(state))),
        (0.0, max(float(times[-1]), np.finfo(float).tiny)),
        joined(start),
        method="DOP853",
        t_eval=times,
        rtol=tolerance,
        atol=tolerance / 100,
    )
    if not done.success:
        raise SolverDidNotConverge(f"the flow stopped at time {done.t[-1:]}: {done.message}")
    return apart(done.y.T)
