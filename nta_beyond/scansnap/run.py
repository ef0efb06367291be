"""What a Scan-and-Snap training leaves behind: attention along the way.

Scan and snap are read off it: when attention moves most, and how tokens outgrow others.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.measures import (
    class_attention,
    class_features,
    common_mass,
    distinct_entropy,
)
from nta_core.boundary import Floats, Ints, a, is_integer, number, room_for, whole
from nta_core.data.tables import html_table
from nta_core.errors import OptionError, SolverDidNotConverge
from nta_core.training.run import record_steps


@dataclass(frozen=True, eq=False, repr=False)
class AttentionPath:
    """Attention logits along a training, and what follows from them.

    Attributes
    ----------
    classes : SequenceClasses
        Where the sequences come from.
    times : float64 array of shape (r,)
        Recorded times; step numbers when the training was made of steps.
    Z_path : float64 array of shape (r, Q, L)
        Attention logits at these times.
    method : str
        How the path was made, in words.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small, train_population
    >>> run = train_population(syn_small(), eta_y=1, eta_z=1)
    >>> run.attention.shape, run.entropy[[0, -1]].round(3), run.common_mass[[0, -1]].round(3)
    ((101, 2, 30), array([2.151, 1.979]), array([0.645, 0.403]))

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    classes: SequenceClasses
    times: Floats
    Z_path: Floats
    method: str

    @property
    def Z(self) -> Floats:
        """Attention logits at the end, shape (Q, L)."""
        return np.asarray(self.Z_path[-1])

    @cached_property
    def z(self) -> Floats:
        """Logits that each class sees, those of its query, shape (r, K, L)."""
        return np.asarray(self.Z_path[:, self.classes.queries])

    @cached_property
    def attention(self) -> Floats:
        """Attention c_{l|n} of every class at infinite length, shape (r, K, L)."""
        return class_attention(self.classes, self.Z_path)

    @cached_property
    def features(self) -> Floats:
        """Normalized attention f_n = c_n / ‖c_n‖₂, shape (r, K, L)."""
        return class_features(self.attention)

    @cached_property
    def entropy(self) -> Floats:
        """Entropy on the distinct tokens, in nats, mean over classes, shape (r,)."""
        return np.asarray(distinct_entropy(self.attention, self.classes).mean(axis=-1))

    @cached_property
    def common_mass(self) -> Floats:
        """Attention on common tokens, mean over classes, shape (r,)."""
        return np.asarray(common_mass(self.attention, self.classes).mean(axis=-1))

    @cached_property
    def moves(self) -> Floats:
        """How far attention moved between records, Σ_l |Δc_{l|n}|, mean over classes, (r−1,)."""
        return np.asarray(np.abs(np.diff(self.attention, axis=0)).sum(axis=-1).mean(axis=-1))

    @cached_property
    def speed(self) -> Floats:
        """Speed of attention between records: its moves per unit of time, shape (r−1,)."""
        return np.asarray(self.moves / np.diff(self.times))

    @cached_property
    def speed_times(self) -> Floats:
        """Times the speeds belong to, halfway between records, shape (r−1,)."""
        return np.asarray((self.times[1:] + self.times[:-1]) / 2)

    @cached_property
    def path_length(self) -> Floats:
        """Length of the way attention has come so far, shape (r,)."""
        return np.concatenate([[0.0], np.cumsum(self.moves)])

    def at(self, time: float) -> int:
        """Number of the record nearest to a time."""
        return int(np.abs(self.times - number(time, "time")).argmin())

    @property
    def _has_entropy(self) -> bool:
        """Whether every class has a distinct token that it attends to."""
        return bool(((self.attention * self.classes.distinct).sum(axis=-1) > 0).all())

    def _ends(self) -> str:
        ends = [("entropy", self.entropy)] if self._has_entropy else []
        return ", ".join(
            f"{name} {values[0]:.3f} → {values[-1]:.3f}"
            for name, values in [*ends, ("common mass", self.common_mass)]
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.method}, until {self.times[-1]:g}: {self._ends()})"

    def _columns(self) -> dict[str, Floats]:
        return {
            "time": self.times,
            **({"entropy on distinct tokens": self.entropy} if self._has_entropy else {}),
            "common mass": self.common_mass,
            "way so far": self.path_length,
        }

    def _repr_html_(self) -> str:
        count, columns = len(self.times), self._columns()
        shown = sorted({i * (count - 1) // 5 for i in range(6)})
        rows = ([f"{values[i]:.4g}" for values in columns.values()] for i in shown)
        return html_table("scansnap", rows, head=columns, caption=self.method)


@dataclass(frozen=True, eq=False, repr=False)
class ScanSnapRun(AttentionPath):
    """A training of attention and decoder.

    Attributes
    ----------
    losses : float64 array of shape (r,)
        Cross-entropy: of the batch seen next when sequences are drawn, of the population else.
    outputs : float64 array of shape (r, K, K)
        α_{n'|n}: probability of next token n' for class n at infinite length.  What a row lacks
        to 1 goes to tokens that are never an answer.
    Y : float64 array of shape (L, C)
        Decoder at the end.  Columns 0…K−1 belong to the next tokens; from a zero start C = K + 1
        and the last column is that of every other token.

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    losses: Floats = field(kw_only=True)
    outputs: Floats = field(kw_only=True)
    Y: Floats = field(kw_only=True)

    @cached_property
    def own_probability(self) -> Floats:
        """Probability α_{n|n} of the right answer, mean over classes, shape (r,)."""
        return np.asarray(np.diagonal(self.outputs, axis1=1, axis2=2).mean(axis=1))

    @cached_property
    def leaked_probability(self) -> Floats:
        """Probability left to the other classes' answers, mean over classes, shape (r,)."""
        return np.asarray(self.outputs.sum(axis=2).mean(axis=1) - self.own_probability)

    def _ends(self) -> str:
        return f"loss {self.losses[0]:.3g} → {self.losses[-1]:.3g}, {super()._ends()}"

    def _columns(self) -> dict[str, Floats]:
        return {**super()._columns(), "loss": self.losses}


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
    _moving(path)
    speed, times = path.speed, path.times[:-1]
    top = int(speed.argmax())
    loud = np.flatnonzero(speed >= speed[top] / 10)
    quiet = float(times[loud[-1] + 1]) if loud[-1] + 1 < len(times) else float("inf")
    tail = speed[-max(1, len(speed) // 10) :].mean() / speed[top]
    return Snap(float(times[top]), quiet, round(float(tail), 6))


def _moving(path: object) -> AttentionPath:
    """A path with three records at least, on which attention moved."""
    found = a(AttentionPath, path, "path")
    if len(found.times) < 3:
        raise OptionError("a snap is read from three records or more: record more of the run")
    if not found.moves.any():
        raise OptionError("attention never moved on this path: train it with eta_z above 0")
    return found


def path_share(path: AttentionPath, time: float) -> float:
    """Return which share of its recorded way attention had come by some time.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small, train_population
    >>> round(path_share(train_population(syn_small()), 30), 2)
    0.91

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 6.
    """
    way = _moving(path).path_length
    return float(np.interp(number(time, "time"), path.times, way) / way[-1])


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
    peak = float(_moving(path).speed_times[path.speed.argmax()])
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
    whole(n, "n", most=a(AttentionPath, path, "path").classes.K - 1)
    leader = int(path.classes.top[n])
    own = np.flatnonzero(path.classes.distinct[n])
    rivals = own[path.classes.P[n, own] < path.classes.P[n, leader]]
    P, z = path.classes.P[n], path.z[:, n]
    logs = np.log(P[leader] / P[rivals]) + z[:, [leader]] - z[:, rivals]
    with np.errstate(all="ignore"):
        ratio = np.expm1(2 * logs)
        chi = np.exp(2 * (z[:, leader] - z[0, leader]))
        deviation = ratio / (ratio[0] * chi[:, None]) - 1
    fits = np.isfinite(deviation).all(axis=1) & np.isfinite(chi)
    if not fits.all():
        raise SolverDidNotConverge(
            f"at time {path.times[fits.argmin()]:g} the growth leaves float64: end the path before"
        )
    return TokenGrowth(leader, tuple(rivals.tolist()), ratio, chi, deviation)


def steps_to_record(record: int | Iterable[int] | None, steps: int, size: float) -> Ints:
    """As `record_steps` has it, at least one; `size` is what a record takes, in bytes."""
    if record is None or is_integer(record):
        count = whole(steps, "steps") + 1 if record is None else whole(record, "record", least=2)
        room_for(2 * size * count, f"{count:,} records", instead="record fewer steps")
    chosen = record_steps(record, steps)
    if not len(chosen):
        raise OptionError("record: name at least one step")
    return chosen
