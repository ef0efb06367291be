"""The layer of Scan and Snap, its exact gradient from counts, and its way down.

Without positions the context enters through its counts N_l alone: attention gives token l the
share a_l ∝ N_l exp(z_l), the layer normalizes f = a / ‖a‖₂, and the decoder answers
softmax(Yᵀ f).  Per sequence the ascent directions are (Lemma 1, for one-hot tokens)

    dY = f (e_n − α)ᵀ,    dz = f ⊙ (g − f (f·g)),    g = Y (e_n − α).

Leading axes are independent problems (seeds), trained side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np

from nta_beyond.errors import still_finite
from nta_beyond.optimizers import Adam
from nta_beyond.scansnap.classes import SequenceClasses
from nta_core.boundary import Floats, Ints

RATE = 1e50  # the largest learning rate: its products with all else here fit a float64
SAFE_SPREAD = 600.0  # exp of a difference of logits below this is a normal number


@dataclass(frozen=True, eq=False)
class Batch:
    """Sequences as counts; `...` are leading axes of independent problems."""

    counts: Floats  # (..., B, L): how often each context token occurs, or any positive multiple
    queries: Ints  # (..., B)
    answers: Floats  # (..., B, C), one-hot: the output column of the next token
    shares: Floats  # (..., Q, B): weight of b in the mean, in the row of its query; elsewhere 0


@dataclass(frozen=True, eq=False)
class Slope:
    """Mean loss of a batch, shape (...), and its gradient in Z (..., Q, L) and Y (..., L, C)."""

    loss: Floats
    Z: Floats
    Y: Floats


def make_batch(
    counts: Floats, queries: Ints, answers: Ints, weights: Floats, *, Q: int, C: int
) -> Batch:
    """A batch from query and output column of each sequence, shapes (..., B)."""
    hot = (answers[..., None] == np.arange(C)).astype(np.float64)
    shares = (queries[..., None, :] == np.arange(Q)[:, None]) * weights[..., None, :]
    return Batch(counts, queries, hot, shares)


def whole_population(classes: SequenceClasses, C: int) -> Batch:
    """All classes at infinite length: the frequencies are the counts, the priors the weights."""
    numbers = np.arange(classes.K)
    return make_batch(classes.P, classes.queries, numbers, classes.priors, Q=classes.Q, C=C)


def attention_shares(Z: Floats, counts: Floats | Ints, queries: Ints) -> Floats:
    """Attention of each sequence summed by token, a_l ∝ N_l exp(z_l), shape (..., B, L)."""
    if np.ptp(Z) < SAFE_SPREAD:
        strength = np.exp(Z - Z.max(axis=-1, keepdims=True))
        shares = counts * _rows(strength, queries)
    else:  # the strongest token of a query may be absent from a context
        logits = np.where(counts > 0, _rows(Z, queries), -np.inf)
        shares = counts * np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def _rows(Z: Floats, queries: Ints) -> Floats:
    """Row of Z for each query; queries are the same for all problems, or one set for each."""
    if queries.ndim == 1:
        return np.asarray(Z[..., queries, :])
    return np.take_along_axis(Z, queries[..., None], axis=-2)


def output_shares(Y: Floats, features: Floats, multiplicity: Floats) -> Floats:
    """Probability of each output column, copies of a column taken together, (..., B, C)."""
    logits = features @ Y
    logits -= logits.max(axis=-1, keepdims=True)
    shares = np.exp(logits, out=logits)
    shares *= multiplicity
    shares /= shares.sum(axis=-1, keepdims=True)
    return shares


def slope(Z: Floats, Y: Floats, batch: Batch, multiplicity: Floats, *, norm: bool = True) -> Slope:
    """Cross-entropy and its gradient.

    `multiplicity`, shape (C,): column k of Y stands for that many equal columns, so that the
    M − K tokens that are never an answer cost one column.  `norm=False` leaves out ‖·‖₂.
    """
    a = attention_shares(Z, batch.counts, batch.queries)
    f = a / np.sqrt(np.vecdot(a, a))[..., None] if norm else a
    alpha = output_shares(Y, f, multiplicity)
    weights = batch.shares.sum(axis=-2)
    # of equal columns, an answer names the first one only; its own share is α / multiplicity
    own = (batch.answers * alpha / multiplicity).sum(axis=-1)
    logs = np.log(own) if own.all() else _log_shares(Y, f, batch.answers, multiplicity)
    loss = -(weights * logs).sum(axis=-1)
    residual = batch.answers - alpha
    g = residual @ np.swapaxes(Y, -1, -2)
    inner = np.vecdot(f, g)[..., None]
    g -= f * inner if norm else inner
    g *= f
    error = batch.answers - alpha / multiplicity
    error *= weights[..., None]
    return Slope(loss, -(batch.shares @ g), -(np.swapaxes(f, -1, -2) @ error))


def _log_shares(Y: Floats, features: Floats, answers: Floats, multiplicity: Floats) -> Floats:
    """Log-probability of each answer, where a probability is too small for a float64."""
    logits = features @ Y
    logits -= logits.max(axis=-1, keepdims=True)
    purse = np.log((multiplicity * np.exp(logits)).sum(axis=-1))
    return np.asarray((answers * logits).sum(axis=-1) - purse)


class Momentum:
    """v ← μ v + ∇, step η v, as torch.optim.SGD has it; μ = 0 is plain descent."""

    def __init__(self, rate: float, momentum: float = 0.0) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity: Floats | float = 0.0

    def step(self, gradient: Floats) -> Floats:
        self.velocity = self.momentum * self.velocity + gradient
        return self.rate * self.velocity


Optimizers = tuple[Momentum | Adam, Momentum | Adam]  # of Z and of Y


@dataclass(eq=False)
class Layer:
    """Parameters of one layer per seed: Z (S, Q, L) and Y (S, L, C); see `slope`."""

    Z: Floats
    Y: Floats
    multiplicity: Floats  # (C,)


def descend(
    layer: Layer, next_batch: Callable[[], Batch], optimizers: Optimizers, *, norm: bool = True
) -> Iterator[Slope]:
    """Train without end; yields loss and gradient before every step of Z and Y, in this order."""
    for step in count():
        with np.errstate(all="ignore"):  # what leaves float64 is found, and named, below
            now = slope(layer.Z, layer.Y, next_batch(), layer.multiplicity, norm=norm)
        still_finite(step, now.loss, now.Z, now.Y)
        yield now
        with np.errstate(all="ignore"):
            layer.Z = layer.Z - optimizers[0].step(now.Z)
            layer.Y = layer.Y - optimizers[1].step(now.Y)
