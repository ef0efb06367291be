"""Theorems 1 to 4 as curves: what the paper's formulas say, free of any simulation.

Under the paper's assumptions one number per class runs the decoder: h, with
exp(Mh) + (M−1)Mh = Mη_Y t/K + 1.  Everything else follows from it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import lambertw, wrightomega

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import RATE
from nta_beyond.scansnap.measures import class_features
from nta_core.boundary import Floats, a, number, reals, whole
from nta_core.errors import DataError, OptionError

MANY = 10**12  # classes or tokens: their squares, times and over rates, fit a float64


@dataclass(frozen=True)
class TheoryCurves:
    """The closed forms of the paper for K classes and a vocabulary of M.

    Parameters
    ----------
    K, M : int
        Number of classes; size of the vocabulary.
    eta_y, eta_z : float
        Learning rates.  The paper sums over classes where a training takes a mean: against a
        training, read `eta_z` as η_Z times the prior of a class (`theory_of` does).
    C0 : float
        Constant of Theorem 4; the paper states no value for its figures.

    Examples
    --------
    >>> theory = TheoryCurves(K=10, M=1000, eta_y=0.5, eta_z=0.5)
    >>> theory.t0_prime.round(1), theory.t_gamma.round(1), theory.t0().round(1)
    (np.float64(138.2), np.float64(112.8), np.float64(276.3))
    >>> theory.B([0, 100, 700]).round(3)
    array([0.   , 1.541, 1.906])

    Explained in: chapter 13. Paper: Scan and Snap, Theorems 1 and 4, Lemma 6.
    """

    K: int
    M: int
    eta_y: float
    eta_z: float
    C0: float = 1.0

    def __post_init__(self) -> None:
        whole(self.K, "K", least=1, most=MANY)
        whole(self.M, "M", least=3, most=MANY)
        for name in ("eta_y", "eta_z", "C0"):
            least = 1e-300 if name == "eta_z" else 1 / RATE
            value = number(getattr(self, name), name, least=least, most=RATE)
            object.__setattr__(self, name, value)

    def h(self, t: ArrayLike) -> Floats:
        """Height of the decoder, by Wright's ω; shape of `t`."""
        visits = self.M * self.eta_y * _times(t) / self.K + 1
        A = visits / (self.M - 1)
        u = A - wrightomega(A - np.log(self.M - 1))
        # beyond, nothing is left of the difference, but e^u = visits − (M−1)u is nearly visits
        late = np.log(visits - np.minimum((self.M - 1) * np.log(visits), visits / 2))
        u = np.where(A > 1e9, late, u)
        # where A is large, u is a small difference of large numbers: one Newton step mends it
        u -= (np.exp(u) + (self.M - 1) * u - visits) / (np.exp(u) + self.M - 1)
        return np.asarray(u / self.M)

    def gamma(self, t: ArrayLike) -> Floats:
        """Drive γ of attention (Theorem 1): rises like t, falls like ln t / t."""
        h = self.h(t)
        return np.asarray((self.M - 1) ** 2 * h / (self.M - 1 + np.exp(self.M * h)))

    def Gamma(self, t: ArrayLike) -> Floats:
        """Γ = η_Z ∫ γ, in closed form."""
        scale = self.eta_z * self.K * (self.M - 1) ** 2 / (2 * self.eta_y)
        return np.asarray(scale * self.h(t) ** 2)

    def B(self, t: ArrayLike) -> Floats:
        """Bound B_n = η_Z ∫ ξ_n of Theorem 4 with its constant of integration: B(0) = 0."""
        return np.asarray(0.25 * np.log1p(4 * self.Gamma(t) / self.C0))

    def B_printed(self, t: ArrayLike) -> Floats:
        """B_n as printed, ¼ ln(C0 + 4Γ): off by ¼ ln C0, which is B(0) there."""
        return np.asarray(0.25 * np.log(self.C0 + 4 * self.Gamma(t)))

    def B_regimes(self, t: ArrayLike) -> Floats:
        """The two limits printed in Theorem 4: before t0′ and from t0 on; nan in between."""
        times = _times(t)
        square = ((self.M - 1) / self.M) ** 2
        early = 2 * self.eta_y * self.eta_z * times**2 / self.K * square
        clock = np.log(np.maximum(self.M * self.eta_y * times / self.K, 1.0))
        late = 2 * self.K * self.eta_z / self.eta_y * square * clock**2
        inner = np.where(times < self.t0_prime, early, np.where(times >= self.t0(), late, np.nan))
        return np.asarray(0.25 * np.log(self.C0 + inner))

    def common_logit(self, t: ArrayLike) -> Floats:
        """Logit of the single common token, −¼ ln(1 + 4Γ/C0)."""
        return -self.B(t)

    def chi_bounds(self, t: ArrayLike, f0: float) -> tuple[Floats, Floats]:
        """Bounds of Theorem 3 on χ of the leading token, given its feature f(0) at the start."""
        f0 = number(f0, "f0", least=0, most=1)
        B = self.B(t)
        return np.exp(2 * f0**2 * B), np.exp(2 * B)

    @property
    def t_gamma(self) -> np.float64:
        """Time of the largest drive γ: the snap line."""
        u = 1 + lambertw((self.M - 1) / np.e).real
        visits = np.exp(u) + (self.M - 1) * u - 1
        return np.float64(self.K / (self.M * self.eta_y) * visits)

    @property
    def t0_prime(self) -> np.float64:
        """End of scanning, K ln M / η_Y."""
        return np.float64(self.K * np.log(self.M) / self.eta_y)

    def t0(self, delta: float = 0.0) -> np.float64:
        """Beginning of snapping, 2(1 + δ) K ln M / η_Y; δ vanishes like ln ln M / ln M."""
        return np.float64(2 * (1 + number(delta, "delta", least=0, most=RATE)) * self.t0_prime)


def _times(t: ArrayLike) -> Floats:
    times = reals(t, "t", error=OptionError)
    if (times < 0).any() or (times > RATE**2).any():
        raise OptionError(f"t: times are numbers from 0 to {RATE**2:g}")
    return times


def theory_of(classes: SequenceClasses, *, eta_y: float, eta_z: float) -> TheoryCurves:
    """Return the paper's curves for some classes, with the constants of a training.

    C0 = 1 / ((K−1) s²) with the mean overlap s = f_n·f_n′ of the classes at the start; for one
    common token this is ρ0⁴/(K−1), the paper's constant without its K ≈ K − 1.  η_Z is
    multiplied by the mean prior 1/K, because a training takes the mean over classes.
    That makes the curves those of classes with a query each; under one query for all, K classes
    push the common tokens, which fall K times as fast.

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes
    >>> theory = theory_of(make_classes(4, common=1, unused=200), eta_y=1, eta_z=0.4)
    >>> theory.M, theory.eta_z, round(theory.C0, 2)
    (246, 0.1, 7.84)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 4.
    """
    K = a(SequenceClasses, classes, "classes").K
    eta_z = number(eta_z, "eta_z", above=0)
    if K < 2:
        raise OptionError("one class has nobody to share a token with: the theory needs two")
    f = class_features(classes.P)
    overlap = float(((f @ f.T).sum() - K) / (K * (K - 1)))
    if overlap <= 0:
        raise OptionError("classes without a common token: there is nothing to scan")
    return TheoryCurves(K, classes.M, eta_y=eta_y, eta_z=eta_z / K, C0=1 / ((K - 1) * overlap**2))


@dataclass(frozen=True, eq=False)
class ClassOverlaps:
    """What the classes share, and Theorem 1's coefficients.

    Attributes
    ----------
    E : float64 array of shape (K, K)
        Overlaps f_n·f_n′ off the diagonal, FᵀF = I + E.
    beta : float64 array of shape (K, K)
        β = off-diagonal part of I − (I + E)⁻¹: how strongly n′ pushes the attention of n.
    iota : float64 array of shape (K,)
        ι = diagonal of (I + E)⁻¹.
    largest : float
        Largest |eigenvalue| of E; Assumption 2 wants it below 1/K.
    weak : bool
        Whether it is.

    Explained in: chapter 13. Paper: Scan and Snap, Assumption 2 and Theorem 1.
    """

    E: Floats
    beta: Floats
    iota: Floats
    largest: np.float64
    weak: bool


def class_overlaps(attention: ArrayLike) -> ClassOverlaps:
    """Return the overlaps of classes that attend like this, shape (K, L); at the start it is P.

    Raises `DataError` when two classes attend alike, so that I + E has no inverse.

    Examples
    --------
    >>> o = class_overlaps([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    >>> o.E[0].round(3), o.beta[0].round(3), o.largest.round(3), o.weak
    (array([0.  , 0.36]), array([0.   , 0.414]), np.float64(0.36), True)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    f = class_features(reals(attention, "attention", error=DataError))
    if f.ndim != 2 or not f.size:
        raise DataError(f"attention must have shape (K, L), got {f.shape}")
    if len(f) > f.shape[1] or np.linalg.svd(f, compute_uv=False)[-1] < 1e-7:
        raise DataError("two classes (or sums of them) attend alike: I + E has no inverse")
    gram, inverse, beta = overlaps(f)
    E = gram - np.diag(np.diag(gram))
    largest = np.float64(np.abs(np.linalg.eigvalsh(E)).max())
    return ClassOverlaps(E, beta, np.diag(inverse).copy(), largest, bool(largest < 1 / len(E)))


def overlaps(f: Floats) -> tuple[Floats, Floats, Floats]:
    """FᵀF, its inverse and β."""
    gram = f @ f.T
    inverse = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    return gram, inverse, np.diag(np.diag(inverse)) - inverse
