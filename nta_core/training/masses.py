"""Any loss and head: the risk as a function of the attention mass per token.

Slower and plainer than the duels of the log-loss: masses of all K tokens for all rows, then the
formulas of `nta_core.model`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from nta_core.boundary import Floats
from nta_core.model import Readout
from nta_core.model.readout import RowLosses
from nta_core.model.weights import masses_of_counts
from nta_core.training.races import Races, padded


@dataclass(frozen=True, eq=False)
class MassRisk:
    """Risk of a loss and head in W, flat: shape (..., d·d).  Leading axes are batches."""

    E: Floats  # (..., K, d)
    queries: Floats  # (..., n, d) last token of each row, embedded
    log_counts: Floats  # (..., n, K) of the tokens, up to a constant per row; −∞ for absent ones
    weights: Floats  # (..., n) of each row in the mean
    losses: RowLosses  # the loss and the head
    origin: tuple[Floats, ...]  # (d, d), one per problem of a batch: W0

    @property
    def start(self) -> Floats:
        """W0 flat and padded, shape (..., d·d)."""
        return padded(self.origin).reshape(*self.E.shape[:-2], -1)

    def masses(self, w: Floats) -> Floats:
        """Attention mass per row and token, shape (..., n, K)."""
        d = self.E.shape[-1]
        W = w.reshape(*w.shape[:-1], d, d)
        return masses_of_counts(W, self.E, self.queries, self.log_counts)

    def loss(self, w: Floats) -> Floats:
        """Risk at w, shape (...)."""
        risk: Floats = np.vecdot(self.losses.value(self.masses(w)), self.weights)
        return risk

    def gradient(self, w: Floats, weights: Floats | None = None) -> Floats:
        """Gradient in w, flat; `weights` replace those of the rows."""
        rows = self.weights if weights is None else weights
        mass = self.masses(w)
        pull = through_softmax(mass, self.losses.slope(mass)) * rows[..., None]
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


def mass_risk(races: Races, E: Floats, W0: Floats, readout: Readout) -> MassRisk:
    """Build the risk of one dataset."""
    log_counts = races.log_counts()  # first: it asks whether there is room
    losses = RowLosses(E, races.labels, readout)
    return MassRisk(E, E[races.lasts], log_counts, races.weights, losses, (W0,))


def mass_risk_batch(problems: list[tuple[Races, Floats, Floats]], readout: Readout) -> MassRisk:
    """One batch of several (races, E, W0); missing rows, tokens and dimensions are padded."""
    races, Es, origins = zip(*problems, strict=True)
    E = padded(Es)
    log_counts = padded([race.log_counts() for race in races], -np.inf)
    # A padded row is one token of weight 0.
    log_counts[np.isneginf(log_counts).all(axis=-1), 0] = 0.0
    vocabulary = padded([np.ones(len(table), dtype=bool) for table in Es])
    losses = RowLosses(E, padded([race.labels for race in races]), readout, vocabulary)
    queries = padded([table[race.lasts] for race, table in zip(races, Es, strict=True)])
    weights = padded([race.weights for race in races])
    return MassRisk(E, queries, log_counts, weights, losses, origins)
