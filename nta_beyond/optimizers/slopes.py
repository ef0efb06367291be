"""Gradients of the log-loss far out, where they are too small for float64 but still point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from nta_core.boundary import Floats
from nta_core.training.descent import Landscape
from nta_core.training.logloss import ActiveLogLoss

FAR = -30.0  # below it log(1 + e^x) is e^x to the last digit


class Slope(NamedTuple):
    """Loss and gradient, both divided by e^shift."""

    loss: float
    gradient: Floats
    shift: float


def scaled_slope(landscape: ActiveLogLoss | Landscape, c: Floats) -> Slope:
    """Return loss and gradient at c, divided by the largest share that a loser still holds.

    Large data, whose landscape is of another form, are not scaled.
    """
    if not isinstance(landscape, ActiveLogLoss):
        return Slope(float(landscape.loss(c)), landscape.gradient(c), 0.0)
    z = (landscape.design @ c).reshape(landscape.offset.shape) + landscape.offset
    losers = np.logaddexp.reduce(z, axis=0)  # log of the odds against the label, row by row
    weights = np.log(landscape.weights)
    shares = z - np.logaddexp(0.0, losers) + weights
    shift = float(shares.max(initial=-np.inf))
    if shift == -np.inf:  # no race has a loser
        return Slope(0.0, np.zeros_like(c), 0.0)
    gradient: Floats = np.exp(shares - shift).ravel() @ landscape.design
    near = losers > FAR
    loss = np.exp(losers[~near] + weights[~near] - shift).sum()
    if near.any():  # then the shift is not far below 0 either
        loss += landscape.weights[near] @ np.logaddexp(0.0, losers[near]) * np.exp(-shift)
    return Slope(float(loss), gradient, shift)


def unit(G: Floats) -> Floats:
    """G/‖G‖, for any G but 0; squares of its entries may be too small or too large for float64."""
    top = float(np.abs(G).max(initial=0.0))
    if top == 0.0:
        return np.zeros_like(G)
    scaled = G / top
    direction: Floats = scaled / float(np.linalg.norm(scaled))
    return direction


class Memory:
    """The mean of past gradients, newer ones counting more: B ← momentum · B + G.

    With `nesterov` the newest gradient counts once more: G + momentum · B.
    """

    def __init__(self, momentum: float, nesterov: bool = False) -> None:
        self.momentum, self.nesterov = momentum, nesterov
        self.buffer: Floats | float = 0.0
        self.shift = -np.inf

    def mean(self, slope: Slope) -> Floats:
        """Take a gradient in; returns the direction to follow, in a scale of its own."""
        if not self.momentum:
            return slope.gradient
        faded = self.shift + float(np.log(self.momentum))
        self.shift = max(faded, slope.shift)
        old, new = float(np.exp(faded - self.shift)), float(np.exp(slope.shift - self.shift))
        self.buffer = old * self.buffer + new * slope.gradient
        if self.nesterov:
            return self.momentum * self.buffer + new * slope.gradient
        return self.buffer
