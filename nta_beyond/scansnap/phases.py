"""Reading scan and snap off a path: when attention moves most, and how tokens outgrow others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_beyond.scansnap.run import AttentionPath
from nta_core.data import Floats
from nta_core.errors import OptionError


@dataclass(frozen=True)
class Snap:
    """When attention stops moving.

    Attributes
    ----------
    peak : float
        Time at which attention moves fastest.
    quiet : float
        First time after it from which the speed stays below a tenth of its peak; inf when the
        path ends before.
    last_speed : float
        Mean speed over the last tenth of the records, as a share of the peak.

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 4.
    """

    peak: float
    quiet: float
    last_speed: float


def find_snap(path: AttentionPath) -> Snap:
    """Return when attention moved fastest and from when on it hardly moved.

    Times are those of the step, or the beginning of the interval, that moved attention.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small, train_population
    >>> find_snap(train_population(syn_small()))
    Snap(peak=8.0, quiet=33.0, last_speed=0.000429)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 4.
    """
    if len(path.times) < 3:
        raise OptionError("a snap is read from three records or more: record more of the run")
    speed, times = path.speed, path.times[:-1]
    top = int(speed.argmax())
    loud = np.flatnonzero(speed >= speed[top] / 10)
    quiet = float(times[loud[-1] + 1]) if loud[-1] + 1 < len(times) else float("inf")
    tail = speed[-max(1, len(speed) // 10) :].mean() / speed[top]
    return Snap(float(times[top]), quiet, round(float(tail), 6))


def path_share(path: AttentionPath, time: float) -> float:
    """Return which share of its recorded way attention had come by some time.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small, train_population
    >>> round(path_share(train_population(syn_small()), 30), 2)
    0.91

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 6.
    """
    return float(np.interp(time, path.times, path.path_length) / path.path_length[-1])


def speed_slopes(path: AttentionPath) -> tuple[float, float]:
    """Return the log-log slopes of the speed of attention well before and well after its peak.

    Before: from a hundredth to a tenth of the time of the peak; after: from 5 to 50 times it.

    Examples
    --------
    >>> from nta_beyond.scansnap import population_flow, syn_small
    >>> early, late = speed_slopes(population_flow(syn_small()))
    >>> bool(0.85 < early < 1.4), bool(-1.45 < late < -0.75)
    (True, True)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    peak = float(path.speed_times[path.speed.argmax()])
    return _slope(path, peak / 100, peak / 10), _slope(path, 5 * peak, 50 * peak)


def _slope(path: AttentionPath, first: float, last: float) -> float:
    inside = (path.speed_times >= first) & (path.speed_times <= last) & (path.speed > 0)
    if inside.sum() < 3:
        raise OptionError(f"fewer than three records between {first:.3g} and {last:.3g}")
    x, y = np.log(path.speed_times[inside]), np.log(path.speed[inside])
    return float(np.polyfit(x, y, 1)[0])


@dataclass(frozen=True, eq=False)
class TokenGrowth:
    """How the leading distinct token of a class outgrows the others.

    Attributes
    ----------
    leader : int
        The most frequent distinct token.
    rivals : tuple of int
        The other distinct tokens of the class.
    ratio : float64 array of shape (r, rivals)
        r(t) = (c_leader / c_rival)² − 1.
    chi : float64 array of shape (r,)
        χ(t) = exp(2 (z(t) − z(0))) of the leader.
    deviation : float64 array of shape (r, rivals)
        r(t) / (r(0) χ(t)) − 1; zero where Theorem 3 holds.

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 3.
    """

    leader: int
    rivals: tuple[int, ...]
    ratio: Floats
    chi: Floats
    deviation: Floats


def token_growth(path: AttentionPath, n: int = 0) -> TokenGrowth:
    """Return Theorem 3's two sides for class n: r(t) and r(0) χ(t).

    Examples
    --------
    >>> from nta_beyond.scansnap import population_flow, syn_small
    >>> g = token_growth(population_flow(syn_small(), eta_y=1, eta_z=0.01))
    >>> bool(abs(g.deviation).max() < 0.003)
    True

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 3.
    """
    if not 0 <= n < path.classes.K:
        raise OptionError(f"n={n}: classes are 0…{path.classes.K - 1}")
    leader = int(path.classes.top[n])
    own = np.flatnonzero(path.classes.distinct[n])
    rivals = own[path.classes.P[n, own] < path.classes.P[n, leader]]
    P, z = path.classes.P[n], path.z[:, n]
    logs = np.log(P[leader] / P[rivals]) + z[:, [leader]] - z[:, rivals]
    ratio = np.expm1(2 * logs)
    chi = np.exp(2 * (z[:, leader] - z[0, leader]))
    deviation = ratio / (ratio[0] * chi[:, None]) - 1
    return TokenGrowth(leader, tuple(rivals.tolist()), ratio, chi, deviation)
