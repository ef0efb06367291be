"""Gradient flows: time is continuous, nothing is drawn.

`population_flow` moves attention and decoder by their exact gradient.  `theory_flow` moves
attention alone, as Lemma 4 does.  `exact_decoder` moves the decoder alone: for K classes with equal
overlaps s = f_n·f_n′ and attention held still, two numbers describe it.  Then Y = Σ f_n v_nᵀ with
v_n = A on n, −b on the other classes, −c on tokens that are never an answer,
A = (K−1)b + (M−K)c, and the attention of a class is driven by the probability its decoder still
leaks to classes that share tokens with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import DOP853

from nta_beyond.progress import patiently
from nta_beyond.recording import watched
from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import RATE, output_shares, slope, whole_population
from nta_beyond.scansnap.measures import class_attention, class_features
from nta_beyond.scansnap.run import AttentionPath, ScanSnapRun
from nta_beyond.scansnap.theory import MANY, TheoryCurves, class_overlaps, overlaps
from nta_core.boundary import Floats, Ints, a, is_integer, number, reals, room_for, whole
from nta_core.errors import DataError, OptionError, SolverDidNotConverge

Path = TypeVar("Path")
TOLERANCE = 1e-6  # relative, per step of the integrator; logits come out right to 1e-7
RECORDS = 200
EVALUATIONS = 30_000  # of the gradient in one flow; 10⁸ times the default end takes 1,000


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
    columns are enough, whatever M is.  On Ctrl-C, `Interrupted` carries the run until then; its
    `steps` counts recorded times.

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
    a(SequenceClasses, classes, "classes")
    eta_y = number(eta_y, "eta_y", least=1 / RATE, most=RATE)
    eta_z = number(eta_z, "eta_z", least=0, most=RATE)
    population = whole_population(classes, classes.K + 1)
    multiplicity = np.r_[np.ones(classes.K), classes.M - classes.K]

    def rate(_: float, Z: Floats, Y: Floats) -> tuple[Floats, ...]:
        now = slope(Z, Y, population, multiplicity)
        return -eta_z * now.Z, -eta_y * now.Y

    size = classes.L * (classes.Q + classes.K + 1)
    times = flow_times(record, until, snap_scale(classes, eta_y), size)
    start = _start(classes, Z0), np.zeros((classes.L, classes.K + 1))

    def make(at: Floats, Z_path: Floats, Y_path: Floats) -> ScanSnapRun:
        f = class_features(class_attention(classes, Z_path))
        outputs = output_shares(Y_path, f, multiplicity)[..., : classes.K]
        losses = np.asarray(-np.log(np.diagonal(outputs, axis1=1, axis2=2)) @ classes.priors)
        method = f"population flow, η_Y={eta_y:g}, η_Z={eta_z:g}"
        rest = {"losses": losses, "outputs": outputs, "Y": Y_path[-1]}
        return ScanSnapRun(classes, at, Z_path, method, **rest)

    return follow(rate, start, times, tolerance, make)


@dataclass(frozen=True, eq=False, repr=False)
class TheoryFlow(AttentionPath):
    """Attention as Lemma 4 moves it: no decoder, only its drive γ(t) in closed form.

    Attributes
    ----------
    gamma : float64 array of shape (r,)
        Drive of attention.
    B : float64 array of shape (r, K)
        B_n = η_Z π_n ∫ ξ_n, the growth bound of Theorem 3.

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 4.
    """

    gamma: Floats = field(kw_only=True)
    B: Floats = field(kw_only=True)


def theory_flow(
    classes: SequenceClasses,
    *,
    eta_y: float = 1.0,
    eta_z: float = 0.5,
    until: float | None = None,
    record: int | ArrayLike = RECORDS,
    Z0: ArrayLike | None = None,
    tolerance: float = TOLERANCE,
) -> TheoryFlow:
    """Follow Lemma 4: attention driven by γ(t) and the overlaps of the moment.

    ż_m = η_Z γ Σ_{ψ(n)=m} π_n f_n ⊙ Σ_{n′} β_nn′ (f_n (f_n·f_n′) − f_n′).  The class weight π_n,
    left out in the paper's formula, is there, so that the curve can stand beside a training.
    All options are those of `population_flow`, and so is what Ctrl-C does.

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes
    >>> path = theory_flow(make_classes(2, common=1, unused=100), eta_y=1, eta_z=0.1)
    >>> path.common_mass[[0, -1]].round(3), path.B[-1].round(3)
    (array([0.154, 0.118]), array([0.17, 0.17]))

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 4.
    """
    class_overlaps(a(SequenceClasses, classes, "classes").P)  # or it says that two are alike
    eta_y = number(eta_y, "eta_y", least=1 / RATE, most=RATE)
    eta_z = number(eta_z, "eta_z", least=0, most=RATE)
    curves = TheoryCurves(classes.K, classes.M, eta_y=eta_y, eta_z=max(eta_z, 1e-300))
    weight = (classes.queries == np.arange(classes.Q)[:, None]) * classes.priors

    def rate(t: float, Z: Floats, _: Floats) -> tuple[Floats, ...]:
        f = class_features(class_attention(classes, Z))
        gram, _, beta = overlaps(f)
        xi = (beta * gram).sum(axis=1)
        push = weight @ (f * (xi[:, None] * f - beta @ f))
        drive = eta_z * float(curves.gamma(t))
        return drive * push, drive * classes.priors * xi

    times = flow_times(record, until, snap_scale(classes, eta_y), classes.L * classes.Q)
    start = _start(classes, Z0), np.zeros(classes.K)

    def make(at: Floats, Z_path: Floats, B: Floats) -> TheoryFlow:
        method = f"Lemma 4, η_Y={eta_y:g}, η_Z={eta_z:g}"
        return TheoryFlow(classes, at, Z_path, method, gamma=curves.gamma(at), B=B)

    return follow(rate, start, times, tolerance, make)


@dataclass(frozen=True, eq=False, repr=False)
class DecoderPath:
    """A decoder that learns while attention stands still.

    Attributes
    ----------
    times : float64 array of shape (r,)
    b, c : float64 arrays of shape (r,)
        The two numbers.
    own, competitor, unused : float64 arrays of shape (r,)
        Probability of the right answer, of each other class, of each token never an answer.
    drive : float64 array of shape (r,)
        γβ: how strongly another class pushes attention; the true counterpart of Theorem 1's.
    xi : float64 array of shape (r,)
        ξ = (K−1) s γβ, the growth rate of distinct tokens over η_Z f².

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1 (for the modified decoder).
    """

    times: Floats
    b: Floats
    c: Floats
    own: Floats
    competitor: Floats
    unused: Floats
    drive: Floats
    xi: Floats

    def __repr__(self) -> str:
        peak = self.times[self.drive.argmax()]
        return (
            f"DecoderPath(until {self.times[-1]:g}: own probability {self.own[0]:.3g} → "
            f"{self.own[-1]:.3g}, drive peaks at {peak:.3g})"
        )


def exact_decoder(
    K: int,
    M: int,
    *,
    overlap: float,
    eta_y: float = 1.0,
    until: float | None = None,
    record: int | ArrayLike = RECORDS,
) -> DecoderPath:
    """Follow the true gradient of the decoder for K alike classes and frozen attention.

    On Ctrl-C, `Interrupted` carries the path until then.

    Parameters
    ----------
    K, M : int
        Number of classes, at least 2; size of the vocabulary, at least K.
    overlap : float
        s = f_n·f_n′, from 0 to below 1.
    eta_y, until, record
        As in `population_flow`.

    Examples
    --------
    >>> exact_decoder(2, 34, overlap=0.722)
    DecoderPath(until 1410.54: own probability 0.0294 → 0.997, drive peaks at 17.3)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    whole(K, "K", least=2, most=MANY)
    whole(M, "M", least=K, most=MANY)
    overlap = number(overlap, "overlap", least=0, below=1)
    eta_y = number(eta_y, "eta_y", least=1 / RATE, most=RATE)
    times = flow_times(record, until, K * float(np.log(M)) / eta_y, 8)

    def rate(_: float, b: Floats, c: Floats) -> list[Floats]:
        return list(_decoder_shares(b, c, K, M, overlap)[1:] * eta_y / K)

    def make(at: Floats, b: Floats, c: Floats) -> DecoderPath:
        own, competitor, unused = _decoder_shares(b, c, K, M, overlap)
        A = (K - 1) * b + (M - K) * c
        drive = b * (1 - own) + (A - (K - 2) * b) * competitor - c * (M - K) * unused
        return DecoderPath(at, b, c, own, competitor, unused, drive, (K - 1) * overlap * drive)

    return follow(rate, [np.zeros(()), np.zeros(())], times, TOLERANCE / 100, make)


def _decoder_shares(b: Floats, c: Floats, K: int, M: int, s: float) -> Floats:
    """Probability of the own answer, of each competitor, of each unused token; stacked."""
    A = (K - 1) * b + (M - K) * c
    logits = np.stack([A - s * (K - 1) * b, -b + s * (A - (K - 2) * b), -c * (1 + s * (K - 1))])
    weights = np.exp(logits - logits.max(axis=0))
    copies = np.array([1, K - 1, M - K]).reshape(-1, *[1] * (logits.ndim - 1))
    return np.asarray(weights / (copies * weights).sum(axis=0))


def snap_scale(classes: SequenceClasses, eta_y: float) -> float:
    """Return K ln M / η_Y, the time t0′ by which the decoder has learnt its classes.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> round(snap_scale(syn_small(), 1.0), 3)
    7.053

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    eta_y = number(eta_y, "eta_y", least=1 / RATE, most=RATE)  # a decoder that learns
    return a(SequenceClasses, classes, "classes").K * float(np.log(classes.M)) / eta_y


def flow_times(record: int | ArrayLike, until: float | None, scale: float, size: int) -> Floats:
    """Increasing times with 0 in front; log-spaced from a hundredth of `scale` when counted.

    `size` is how many numbers a record takes.
    """
    end = 200 * scale if until is None else number(until, "until", least=1e-100, most=RATE**2)
    if is_integer(record):
        records = whole(record, "record", least=2)  # the start and the end
        room_for(24.0 * size * records, f"{records:,} records", instead="record fewer times")
        spaced = np.geomspace(end, min(scale, end) / 100, records - 1)  # from the end back
        return np.concatenate([[0.0], spaced[::-1]])
    times = np.unique(reals(record, "record", error=OptionError))
    if not len(times) or times[0] < 0 or times[-1] > RATE**2:
        raise OptionError(f"record: a count, or times from 0 to {RATE**2:g}, at least one")
    return times


def _start(classes: SequenceClasses, Z0: ArrayLike | None) -> Floats:
    """Attention logits at the start; zero by default."""
    shape = (classes.Q, classes.L)
    Z = np.zeros(shape) if Z0 is None else reals(Z0, "Z0", error=DataError)
    if Z.shape != shape or np.abs(Z).max() > RATE:
        raise DataError(f"Z0 must have shape (Q, L) = {shape}, entries up to {RATE:g}: {Z.shape}")
    return Z


def follow(
    rate: Callable[..., Sequence[Floats]],
    start: Sequence[Floats],
    times: Floats,
    tolerance: float,
    make: Callable[..., Path],
) -> Path:
    """Follow arrays from `start` by ``rate(t, *arrays)``; ``make(times, *paths)`` the result."""
    tolerance = number(tolerance, "tolerance", least=1e-12, below=1)
    flow = patiently(integrate(rate, start, times, tolerance), steps=len(times) - 1)

    def made(at: Ints, seen: list[list[Floats]]) -> list[Path]:
        return [make(times[at], *map(np.stack, zip(*seen, strict=True)))]

    return watched(flow, np.arange(len(times)), lambda arrays: arrays, made)[0]


def integrate(
    rate: Callable[..., Sequence[Floats]], start: Sequence[Floats], times: Floats, tolerance: float
) -> Iterator[list[Floats]]:
    """Follow arrays from `start` at time 0 by ``rate(t, *arrays)``; yields them at each time."""
    cuts = np.cumsum([part.size for part in start])[:-1]

    def apart(state: Floats) -> list[Floats]:
        pieces = zip(np.split(state, cuts), start, strict=True)
        return [piece.reshape(part.shape) for piece, part in pieces]

    def joined(parts: Sequence[Floats]) -> Floats:
        return np.concatenate([part.ravel() for part in parts])

    asked = count(1)

    def moving(t: float, state: Floats) -> Floats:
        if next(asked) > EVALUATIONS:
            raise SolverDidNotConverge(
                f"the flow has come to time {t:.3g} after {EVALUATIONS:,} looks at its gradient: "
                "end it there, or take smaller rates or a larger tolerance"
            )
        return joined(rate(t, *apart(state)))

    @contextmanager
    def named() -> Iterator[None]:
        """Let what leaves float64 pass, to be found below; whatever else stops a flow says so."""
        try:
            with np.errstate(all="ignore"):
                yield
        except (np.linalg.LinAlgError, DataError) as error:
            raise SolverDidNotConverge(f"the flow stopped: {error}") from None

    end = max(float(times[-1]), np.finfo(float).tiny)
    with named():
        solver = DOP853(moving, 0.0, joined(start), end, rtol=tolerance, atol=tolerance / 100)
    found = 0
    while found < len(times):
        with named():
            problem = solver.step()
            if solver.status != "failed" and solver.t >= times[found]:
                between = solver.dense_output()
        if solver.status == "failed" or not np.isfinite(solver.y).all():
            raise SolverDidNotConverge(f"the flow stopped at time {solver.t:.3g}: {problem}")
        while found < len(times) and times[found] <= solver.t:
            yield apart(between(times[found]))
            found += 1
