"""The decoder alone, exactly: two numbers describe it when classes are alike.

For K classes with equal overlaps s = f_n·f_n′ and attention held still, Y = Σ f_n v_nᵀ with
v_n = A on n, −b on the other classes, −c on tokens that are never an answer,
A = (K−1)b + (M−K)c.  The attention of a class is then driven by the probability its decoder
still leaks to classes that share tokens with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_beyond.scansnap.flow import RECORDS, TOLERANCE, flow_times, integrate
from nta_core.data import Floats
from nta_core.errors import OptionError


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

    Parameters
    ----------
    K, M : int
        Number of classes, at least 2; size of the vocabulary, at least K.
    overlap : float
        s = f_n·f_n′, from 0 to below 1.
    eta_y : float
        Speed of the decoder.
    until, record
        As in `population_flow`.

    Examples
    --------
    >>> exact_decoder(2, 34, overlap=0.722)
    DecoderPath(until 1410.54: own probability 0.0294 → 0.997, drive peaks at 17.3)

    Explained in: chapter 13. Paper: Scan and Snap, Theorem 1.
    """
    if K < 2 or M < K or not 0 <= overlap < 1 or not (np.isfinite(eta_y) and eta_y > 0):
        raise OptionError(
            f"K={K}, M={M}, overlap={overlap}, eta_y={eta_y}: two classes at least, M ≥ K, an "
            "overlap from 0 to below 1, a positive rate"
        )
    times = flow_times(record, until, K * float(np.log(M)) / eta_y)

    def rate(_: float, b: Floats, c: Floats) -> list[Floats]:
        return list(_shares(b, c, K, M, overlap)[1:] * eta_y / K)

    b, c = integrate(rate, [np.zeros(()), np.zeros(())], times, TOLERANCE / 100)
    own, competitor, unused = _shares(b, c, K, M, overlap)
    A = (K - 1) * b + (M - K) * c
    drive = b * (1 - own) + (A - (K - 2) * b) * competitor - c * (M - K) * unused
    xi = (K - 1) * overlap * drive
    return DecoderPath(times, b, c, own, competitor, unused, drive, xi)


def _shares(b: Floats, c: Floats, K: int, M: int, s: float) -> Floats:
    """Probability of the own answer, of each competitor, of each unused token; stacked."""
    A = (K - 1) * b + (M - K) * c
    logits = np.stack([A - s * (K - 1) * b, -b + s * (A - (K - 2) * b), -c * (1 + s * (K - 1))])
    weights = np.exp(logits - logits.max(axis=0))
    copies = np.array([1, K - 1, M - K]).reshape(-1, *[1] * (logits.ndim - 1))
    return np.asarray(weights / (copies * weights).sum(axis=0))
