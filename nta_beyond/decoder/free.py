"""Contexts that are free to move: the head and the vectors of the contexts learn together.

The *unconstrained features model*: whatever comes before the head is taken to be rich enough to
give every context any vector, and a ridge λ holds both from growing for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nta_beyond.decoder.language import Language
from nta_beyond.decoder.loss import errors_of
from nta_core.boundary import Floats, a, entries, generator, number, room_for, whole
from nta_core.errors import OptionError, SolverDidNotConverge

LARGEST = 1e6
LEAST = 1e-8
ITERATIONS, MEMORY = 20_000, 40
SLOPE = 1e-5  # a gradient that is this small, in units of the ridge, is none
ENOUGH = 1e-2  # the same, beside the largest entry: what rounding leaves may be more than SLOPE


@dataclass(frozen=True, eq=False, repr=False)
class FreeContexts:
    """A head and the contexts that were trained with it.

    Attributes
    ----------
    W : float64 array of shape (V, d)
        The head.
    contexts : float64 array of shape (m, d)
        The vectors of the contexts.
    ridge : float
        λ of the penalty λ/2 (‖W‖² + ‖H‖²).
    loss : float
        Cross-entropy without the penalty.

    Explained in: chapter 20. Paper: Zhao et al. 2024.
    """

    W: Floats
    contexts: Floats
    ridge: float
    loss: float

    @property
    def logits(self) -> Floats:
        """What the head says after each context, shape (m, V)."""
        return np.asarray(self.contexts @ self.W.T)

    @property
    def cosines(self) -> Floats:
        """Cosines between the contexts, shape (m, m); 0 where a context is 0."""
        lengths = np.linalg.norm(self.contexts, axis=1, keepdims=True)
        unit = self.contexts / np.where(lengths > 0, lengths, 1.0)
        return np.asarray(unit @ unit.T)

    def __repr__(self) -> str:
        (m, d), V = self.contexts.shape, len(self.W)
        size = f"{m} contexts and {V} words in {d} dimensions"
        return f"FreeContexts({size}, λ = {self.ridge:g}, loss {self.loss:.4g})"


def free_contexts(
    language: Language, *, ridges: Sequence[float], d: int | None = None, seed: int | None = 0
) -> list[FreeContexts]:
    """Train head and contexts together for one ridge after another, each from the last one's end.

    Of the language only its supports, odds and shares count; the contexts begin at random.

    Parameters
    ----------
    language : Language
    ridges : sequence of float
        λ, largest first: as λ falls, the vectors grow.
    d : int, optional
        Dimensions; as many as there are words, unless given.
    seed : int
        Of the random start.

    Examples
    --------
    >>> talk = Language(np.eye(3), [[0.75, 0.25, 0], [0.5, 0.5, 0], [0, 0, 1]])
    >>> loose, tight = free_contexts(talk, ridges=[1e-2, 1e-5])
    >>> bool(loose.cosines[0, 1] < tight.cosines[0, 1])  # two contexts with one support
    True

    Explained in: chapter 20. Paper: Zhao et al. 2024.
    """
    from scipy.optimize import minimize

    P, shares = a(Language, language, "language").odds, language.shares
    m, V = P.shape
    d = V if d is None else whole(d, "d", least=1, most=10**6)
    sizes = [number(r, "ridges", least=LEAST, most=LARGEST) for r in entries(ridges, "ridges")]
    if not sizes or sizes != sorted(sizes, reverse=True):
        raise OptionError("ridges: one or more, the largest first")
    room_for(16.0 * MEMORY * (V + m) * d, "free contexts", instead="use fewer dimensions")
    x = 0.1 * generator(seed).standard_normal((V + m) * d)
    found = []
    for ridge in sizes:

        def risk(x: Floats, ridge: float = ridge) -> tuple[float, Floats]:
            W, H = x[: V * d].reshape(V, d), x[V * d :].reshape(m, d)
            loss, errors = errors_of(H @ W.T, P, shares)
            slopes = np.concatenate([(errors.T @ H).ravel(), (errors @ W).ravel()])
            return loss + 0.5 * ridge * float(x @ x), slopes + ridge * x

        options: dict[str, float] = {
            "maxiter": ITERATIONS,
            "maxfun": 2 * ITERATIONS,
            "maxcor": MEMORY,
        }
        options |= {"ftol": 1e-16, "gtol": SLOPE * ridge}
        end = minimize(risk, x, jac=True, method="L-BFGS-B", options=options)
        if not np.isfinite(end.fun):
            raise SolverDidNotConverge(f"free contexts leave float64 at ridge {ridge:g}")
        x = end.x
        if np.abs(end.jac).max() > ENOUGH * ridge * max(1.0, np.abs(x).max()):
            raise SolverDidNotConverge(
                f"free contexts: no minimum found at ridge {ridge:g}: take larger ridges, or come "
                "to it by more steps from a larger one"
            )
        W, H = x[: V * d].reshape(V, d), x[V * d :].reshape(m, d)
        loss, _ = errors_of(H @ W.T, P, shares)
        found.append(FreeContexts(W, H, ridge, loss))
    return found
