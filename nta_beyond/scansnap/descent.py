"""One layer, or one per seed, and its way down: plain steps, momentum, Adam."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nta_beyond.scansnap.gradient import Batch, Slope, slope
from nta_core.data import Floats
from nta_core.errors import OptionError

OPTIMIZERS = ("sgd", "adam")
BETAS, EPSILON = (0.9, 0.999), 1e-8


class Optimizer(Protocol):
    """Something that turns gradients into steps and remembers what it needs."""

    def step(self, gradient: Floats) -> Floats:
        """Return what to subtract from the parameter."""
        ...


class Momentum:
    """v ← μ v + ∇, step η v, as torch.optim.SGD has it; μ = 0 is plain descent."""

    def __init__(self, rate: float, momentum: float = 0.0) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity: Floats | float = 0.0

    def step(self, gradient: Floats) -> Floats:
        self.velocity = self.momentum * self.velocity + gradient
        return self.rate * self.velocity


class Adam:
    """Adam with torch's defaults."""

    def __init__(self, rate: float) -> None:
        self.rate, self.steps = rate, 0
        self.mean: Floats | float = 0.0
        self.square: Floats | float = 0.0

    def step(self, gradient: Floats) -> Floats:
        self.steps += 1
        self.mean = BETAS[0] * self.mean + (1 - BETAS[0]) * gradient
        self.square = BETAS[1] * self.square + (1 - BETAS[1]) * gradient**2
        scale = np.sqrt(self.square / (1 - BETAS[1] ** self.steps)) + EPSILON
        return self.rate / (1 - BETAS[0] ** self.steps) * self.mean / scale


def make_optimizer(name: str, rate: float, momentum: float) -> Optimizer:
    """The optimizer of that name; momentum belongs to "sgd"."""
    if name not in OPTIMIZERS:
        raise OptionError(f"optimizer={name!r}: one of {', '.join(OPTIMIZERS)}")
    if not 0 <= momentum < 1:
        raise OptionError(f"momentum={momentum!r}: from 0 to below 1")
    return Momentum(rate, momentum) if name == "sgd" else Adam(rate)


@dataclass(eq=False)
class Layer:
    """Parameters of one layer per seed: Z (S, Q, L) and Y (S, L, C); see `slope`."""

    Z: Floats
    Y: Floats
    multiplicity: Floats  # (C,)


def descend(
    layer: Layer,
    next_batch: Callable[[], Batch],
    optimizers: tuple[Optimizer, Optimizer],
    *,
    norm: bool = True,
) -> Iterator[Slope]:
    """Train without end; yields loss and gradient before every step of Z and Y, in this order."""
    while True:
        now = slope(layer.Z, layer.Y, next_batch(), layer.multiplicity, norm=norm)
        yield now
        layer.Z = layer.Z - optimizers[0].step(now.Z)
        layer.Y = layer.Y - optimizers[1].step(now.Y)
