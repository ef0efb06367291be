"""Stochastic descent with momentum, and Adam, as torch.optim has them."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from nta_core.data import Floats
from nta_core.errors import OptionError

OPTIMIZERS = ("sgd", "adam")
BETAS, EPSILON = (0.9, 0.999), 1e-8


class Optimizer(Protocol):
    """Something that turns gradients into steps and remembers what it needs."""

    def step(self, parameter: Floats, gradient: Floats) -> None: ...


class Momentum:
    """v ← μ v + ∇, p ← p − η v, in place; μ = 0 is plain descent."""

    def __init__(self, rate: float, momentum: float) -> None:
        self.rate, self.momentum = rate, momentum
        self.velocity: Floats | None = None

    def step(self, parameter: Floats, gradient: Floats) -> None:
        if self.velocity is None or not self.momentum:
            self.velocity = gradient.copy()
        else:
            self.velocity *= self.momentum
            self.velocity += gradient
        parameter -= self.rate * self.velocity


class Adam:
    """Adam with torch's defaults, in place."""

    def __init__(self, rate: float) -> None:
        self.rate, self.steps = rate, 0
        self.mean: Floats | float = 0.0
        self.square: Floats | float = 0.0

    def step(self, parameter: Floats, gradient: Floats) -> None:
        self.steps += 1
        self.mean = BETAS[0] * self.mean + (1 - BETAS[0]) * gradient
        self.square = BETAS[1] * self.square + (1 - BETAS[1]) * gradient**2
        scale = np.sqrt(self.square / (1 - BETAS[1] ** self.steps)) + EPSILON
        parameter -= self.rate / (1 - BETAS[0] ** self.steps) * self.mean / scale


def make_optimizer(name: str, rate: float, momentum: float) -> Optimizer:
    """The optimizer of that name; momentum belongs to "sgd"."""
    if name not in OPTIMIZERS:
        raise OptionError(f"optimizer={name!r}: one of {', '.join(OPTIMIZERS)}")
    if not 0 <= momentum < 1:
        raise OptionError(f"momentum={momentum!r}: from 0 to below 1")
    return Momentum(rate, momentum) if name == "sgd" else Adam(rate)


def check_rates(eta_y: float, eta_z: float) -> None:
    """Raise `OptionError` unless both learning rates are finite and not negative."""
    for name, value in (("eta_y", eta_y), ("eta_z", eta_z)):
        if not (np.isfinite(value) and value >= 0):
            raise OptionError(f"{name}={value!r}: a learning rate is a finite number, 0 or more")
