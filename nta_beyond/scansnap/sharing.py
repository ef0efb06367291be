"""How much classes share, and the flow of attention that Theorem 1 derives from it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.scansnap.checks import check_numbers
from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.flow import (
    RECORDS,
    TOLERANCE,
    check_logits,
    flow_times,
    integrate,
    snap_scale,
)
from nta_beyond.scansnap.measures import class_attention, class_features
from nta_beyond.scansnap.run import AttentionPath
from nta_beyond.scansnap.theory import TheoryCurves
from nta_core.data import Floats


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

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes, syn_small
    >>> o = class_overlaps(syn_small().P)
    >>> o.largest.round(3), o.weak
    (np.float64(0.722), False)
    >>> class_overlaps(make_classes(2, common=1).P).weak
    True

    Explained in: chapter 13. Paper: Scan and Snap, Assumption 2 and Theorem 1.
    """

    E: Floats
    beta: Floats
    iota: Floats
    largest: np.float64
    weak: bool


def class_overlaps(attention: ArrayLike) -> ClassOverlaps:
    """Return the overlaps of classes that attend like this, shape (K, L); at the start it is P.

    Raises numpy's LinAlgError when two classes attend alike, so that I + E has no inverse.

    Examples
    --------
    >>> o = class_overlaps([[0.6, 0.8, 0.0], [0.6, 0.0, 0.8]])
    >>> o.E.round(3), o.beta.round(3)
    (array([[0.  , 0.36],
           [0.36, 0.  ]]), array([[0.   , 0.414],
           [0.414, 0.   ]]))

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    gram, inverse, beta = _overlaps(class_features(np.asarray(attention, dtype=np.float64)))
    E = gram - np.diag(np.diag(gram))
    largest = np.float64(np.abs(np.linalg.eigvalsh(E)).max())
    return ClassOverlaps(E, beta, np.diag(inverse).copy(), largest, bool(largest < 1 / len(E)))


def _overlaps(f: Floats) -> tuple[Floats, Floats, Floats]:
    """FᵀF, its inverse and β."""
    gram = f @ f.T
    inverse = np.asarray(np.linalg.inv(gram), dtype=np.float64)
    return gram, inverse, np.diag(np.diag(inverse)) - inverse


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

    Parameters
    ----------
    classes, eta_y, eta_z, until, record, Z0, tolerance
        As in `population_flow`.

    Examples
    --------
    >>> from nta_beyond.scansnap import make_classes
    >>> path = theory_flow(make_classes(2, common=1, unused=100), eta_y=1, eta_z=0.1)
    >>> path.common_mass[[0, -1]].round(3), path.B[-1].round(3)
    (array([0.154, 0.118]), array([0.17, 0.17]))

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 4.
    """
    check_numbers(eta_y=eta_y, eta_z=eta_z)
    times = flow_times(record, until, snap_scale(classes, eta_y))
    curves = TheoryCurves(classes.K, classes.M, eta_y=eta_y, eta_z=max(eta_z, 1e-300))
    weight = (classes.queries == np.arange(classes.Q)[:, None]) * classes.priors

    def rate(t: float, Z: Floats, _: Floats) -> tuple[Floats, ...]:
        f = class_features(class_attention(classes, Z))
        gram, _, beta = _overlaps(f)
        xi = (beta * gram).sum(axis=1)
        push = weight @ (f * (xi[:, None] * f - beta @ f))
        drive = eta_z * float(curves.gamma(t))
        return drive * push, drive * classes.priors * xi

    start = check_logits(Z0, classes), np.zeros(classes.K)
    Z_path, B = integrate(rate, start, times, tolerance)
    method = f"Lemma 4, η_Y={eta_y:g}, η_Z={eta_z:g}"
    return TheoryFlow(classes, times, Z_path, method, gamma=curves.gamma(times), B=B)
