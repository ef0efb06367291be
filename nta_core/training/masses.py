"""Any loss and head: the risk as a function of the attention mass per token.

Slower and plainer than the duels of the log-loss: masses of all K tokens for all rows, then the
formulas of `nta_core.model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.data import Floats, Ints
from nta_core.model import Readout
from nta_core.training.races import Races


@dataclass(frozen=True, eq=False)
class MassRisk:
    """Risk of a loss and head in W, flat: shape (..., d·d).  Leading axes are batches.

    Attributes
    ----------
    E : array of shape (..., K, d)
    queries : array of shape (..., n, d)
        Embedding of the last token of each row.
    log_counts : array of shape (..., n, K)
        Log of the token counts, up to a constant per row; −∞ for absent tokens.
    weights : array of shape (..., n)
    readout : Readout
        The loss and the head.
    origin : array of shape (d, d), one per problem of a batch
        Where training starts.
    """

    E: Floats
    queries: Floats
    log_counts: Floats
    weights: Floats
    readout: Readout
    origin: tuple[Floats, ...]

    @property
    def start(self) -> Floats:
        """W0 flat and padded, shape (..., d·d)."""
        d = self.E.shape[-1]
        table = np.zeros((len(self.origin), d, d))
        for padded, W0 in zip(table, self.origin, strict=True):
            padded[: len(W0), : len(W0)] = W0
        return table.reshape(*self.E.shape[:-2], d * d)

    def masses(self, w: Floats) -> Floats:
        """Attention mass per row and token, shape (..., n, K)."""
        d = self.E.shape[-1]
        W = w.reshape(*w.shape[:-1], d, d)
        z = (self.queries @ np.swapaxes(W, -1, -2)) @ np.swapaxes(self.E, -1, -2)
        z += self.log_counts
        tickets: Floats = np.exp(z - z.max(axis=-1, keepdims=True))
        tickets /= tickets.sum(axis=-1, keepdims=True)
        return tickets

    def loss(self, w: Floats) -> Floats:
        """Risk at w, shape (...)."""
        risk: Floats = np.vecdot(self.readout.value(self.masses(w)), self.weights)
        return risk

    def gradient(self, w: Floats, weights: Floats | None = None) -> Floats:
        """Gradient in w, flat; `weights` replace those of the rows."""
        rows = self.weights if weights is None else weights
        mass = self.masses(w)
        pull = through_softmax(mass, self.readout.slope(mass)) * rows[..., None]
        slope: Floats = (np.swapaxes(pull @ self.E, -1, -2) @ self.queries).reshape(w.shape)
        return slope

    def matrices(self, w: Floats) -> list[Floats]:
        """Weights W of recorded points (..., d·d): one (..., d, d) array per problem."""
        d = self.E.shape[-1]
        parts = [w] if self.E.ndim == 2 else [w[..., b, :] for b in range(len(self.origin))]
        return [
            part.reshape(*part.shape[:-1], d, d)[..., : len(W0), : len(W0)]
            for part, W0 in zip(parts, self.origin, strict=True)
        ]


def through_softmax(mass: Floats, slope: Floats) -> Floats:
    """Derivative in the scores from the derivative in the masses, shape (..., n, K).

    P_j (g_j − Σ P g) loses all digits of the leading token once its mass rounds to 1.  With slopes
    relative to the leader's, the sum holds small terms only and nothing cancels.
    """
    leader = np.eye(mass.shape[-1])[mass.argmax(axis=-1)]
    relative = slope - np.vecdot(slope, leader)[..., None]
    pull: Floats = mass * (relative - np.vecdot(mass, relative)[..., None])
    return pull


def mass_risk(
    races: Races, E: Floats, W0: Floats, *, loss: str, head: str, temperature: float = 1.0
) -> MassRisk:
    """Build the risk of one dataset."""
    readout = Readout(E, races.labels, loss=loss, head=head, temperature=temperature)
    return MassRisk(E, E[races.lasts], races.log_counts(), races.weights, readout, (W0,))


def mass_risk_batch(
    instances: list[tuple[Races, Floats, Floats]], *, loss: str, head: str, temperature: float
) -> MassRisk:
    """One batch of several (races, E, W0); missing rows, tokens and dimensions are padded."""
    B = len(instances)
    n = max(races.n for races, _, _ in instances)
    K, d = (max(E.shape[axis] for _, E, _ in instances) for axis in (0, 1))
    table, queries = np.zeros((B, K, d)), np.zeros((B, n, d))
    # A padded row is one token of weight 0.
    log_counts = np.full((B, n, K), -np.inf)
    log_counts[..., 0] = 0.0
    weights, labels = np.zeros((B, n)), np.zeros((B, n), dtype=np.int64)
    vocabulary = np.zeros((B, K), dtype=bool)
    for b, (races, E, _) in enumerate(instances):
        own, size, width = races.n, *E.shape
        table[b, :size, :width] = E
        queries[b, :own, :width] = E[races.lasts]
        log_counts[b, :own, :size] = races.log_counts()
        weights[b, :own], labels[b, :own] = races.weights, races.labels
        vocabulary[b, :size] = True
    readout = _readout(table, labels, vocabulary, (loss, head, temperature))
    origins = tuple(W0 for _, _, W0 in instances)
    return MassRisk(table, queries, log_counts, weights, readout, origins)


def _readout(
    E: Floats, labels: Ints, vocabulary: np.ndarray, formula: tuple[str, str, float]
) -> Readout:
    loss, head, temperature = formula
    return Readout(E, labels, loss=loss, head=head, temperature=temperature, vocabulary=vocabulary)
