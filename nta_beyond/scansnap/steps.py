"""Training in steps: on drawn sequences, or on the whole population with the same optimizers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import Batch, output_shares, slope, whole_population
from nta_beyond.scansnap.measures import class_attention, class_features
from nta_beyond.scansnap.optimizers import Optimizer, check_rates, make_optimizer
from nta_beyond.scansnap.run import ScanSnapRun, recorded_steps
from nta_beyond.scansnap.sampling import Sampler
from nta_core.data import Floats, Ints
from nta_core.errors import OptionError

STARTS = ("zero", "linear")


def train_sampled(
    classes: SequenceClasses,
    *,
    seed: int,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    steps: int = 100,
    optimizer: str = "sgd",
    momentum: float = 0.9,
    batch_size: int = 128,
    T: int = 128,
    start: str = "zero",
    record: int | Iterable[int] | None = None,
) -> ScanSnapRun:
    """Train attention and decoder on sequences drawn anew for every step.

    Exactly the authors' training; contexts are drawn as counts (multinomial), because without
    positions nothing else of a context matters.

    Parameters
    ----------
    seed : int
        Equal seeds draw equal starts and equal sequences.
    eta_y, eta_z : float
        Learning rates of the decoder Y and of the attention logits Z.
    steps, batch_size : int
        How many batches, and how many sequences in each.
    optimizer, momentum
        "sgd" with this momentum, or "adam" with torch's defaults.
    T : int
        Length of a sequence: T − 1 context tokens and the query.
    start : str
        "zero", or "linear": entries uniform in ±1/√M, as torch draws a linear layer.
    record : int or iterable of int, optional
        How many steps to record, log-spaced with both ends, or exactly which; all by default.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> run = train_sampled(syn_small(), seed=0, steps=100)
    >>> run.losses[[0, 4, 8]].round(2), bool(run.common_mass[-1] < 0.42)
    (array([3.53, 0.73, 0.04]), True)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 4 to 6.
    """
    return train_sampled_batch(
        classes,
        seeds=[seed],
        eta_y=eta_y,
        eta_z=eta_z,
        steps=steps,
        optimizer=optimizer,
        momentum=momentum,
        batch_size=batch_size,
        T=T,
        start=start,
        record=record,
    )[0]


def train_sampled_batch(
    classes: SequenceClasses,
    *,
    seeds: Sequence[int],
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    steps: int = 100,
    optimizer: str = "sgd",
    momentum: float = 0.9,
    batch_size: int = 128,
    T: int = 128,
    start: str = "zero",
    record: int | Iterable[int] | None = None,
) -> list[ScanSnapRun]:
    """Train once per seed, all side by side; the same as `train_sampled` one after another.

    Parameters
    ----------
    seeds : sequence of int
        One run per seed.
    classes, eta_y, eta_z, steps, optimizer, momentum, batch_size, T, start, record
        As in `train_sampled`.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> runs = train_sampled_batch(syn_small(), seeds=range(3), steps=10)
    >>> [len(run.times) for run in runs]
    [11, 11, 11]

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 6.
    """
    if batch_size < 1 or T < 2:
        raise OptionError(f"batch_size={batch_size}, T={T}: at least one sequence of two tokens")
    if not len(seeds):
        raise OptionError("seeds: name at least one")
    draw = Sampler(classes, seeds, batch_size=batch_size, T=T)
    layer = _start(classes, start, draw.generators)
    optimizers = _optimizers(optimizer, eta_y, eta_z, momentum)
    method = f"{_words(optimizer, momentum)}, η_Y={eta_y:g}, η_Z={eta_z:g}, T={T}"
    return _train(
        classes, layer, lambda: draw(layer.C), optimizers, (recorded_steps(record, steps), method)
    )


def train_population(
    classes: SequenceClasses,
    *,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    steps: int = 100,
    optimizer: str = "sgd",
    momentum: float = 0.9,
    record: int | Iterable[int] | None = None,
) -> ScanSnapRun:
    """Train in steps on the whole population: all classes at once, sequences of infinite length.

    Parameters
    ----------
    classes, eta_y, eta_z, steps, optimizer, momentum, record
        As in `train_sampled`; nothing is drawn, and the start is zero.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> train_population(syn_small(), eta_y=10).entropy[-1].round(3)
    np.float64(2.099)

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 2.
    """
    layer = _start(classes, "zero", [np.random.default_rng(0)])
    population = whole_population(classes, layer.C)
    optimizers = _optimizers(optimizer, eta_y, eta_z, momentum)
    method = f"population, {_words(optimizer, momentum)}, η_Y={eta_y:g}, η_Z={eta_z:g}"
    return _train(
        classes, layer, lambda: population, optimizers, (recorded_steps(record, steps), method)
    )[0]


@dataclass(frozen=True, eq=False)
class _Layer:
    """Parameters of one layer per seed: Z (S, Q, L) and Y (S, L, C), trained in place."""

    Z: Floats
    Y: Floats
    multiplicity: Floats  # (C,)

    @property
    def C(self) -> int:
        return len(self.multiplicity)


def _start(
    classes: SequenceClasses, start: str, generators: Sequence[np.random.Generator]
) -> _Layer:
    K, L, Q, M = classes.K, classes.L, classes.Q, classes.M
    S = len(generators)
    if start == "zero":  # columns that are never an answer stay equal: one stands for all
        return _Layer(np.zeros((S, Q, L)), np.zeros((S, L, K + 1)), np.r_[np.ones(K), M - K])
    if start != "linear":
        raise OptionError(f"start={start!r}: one of {', '.join(STARTS)}")
    bound = 1 / np.sqrt(M)
    Y = np.stack([rng.uniform(-bound, bound, (L, M)) for rng in generators])
    Z = np.stack([rng.uniform(-bound, bound, (Q, L)) for rng in generators])
    return _Layer(Z, Y, np.ones(M))


def _optimizers(
    name: str, eta_y: float, eta_z: float, momentum: float
) -> tuple[Optimizer, Optimizer]:
    """One for Z and one for Y."""
    check_rates(eta_y, eta_z)
    return make_optimizer(name, eta_z, momentum), make_optimizer(name, eta_y, momentum)


def _words(optimizer: str, momentum: float) -> str:
    return "Adam" if optimizer == "adam" else f"SGD, momentum {momentum:g}"


def _train(
    classes: SequenceClasses,
    layer: _Layer,
    next_batch: Callable[[], Batch],
    optimizers: tuple[Optimizer, Optimizer],
    recording: tuple[Ints, str],
) -> list[ScanSnapRun]:
    """Train until the last recorded step; one run per seed."""
    chosen, method = recording
    wanted = {step: place for place, step in enumerate(chosen.tolist())}
    S, K = len(layer.Z), classes.K
    Z_path = np.empty((len(chosen), *layer.Z.shape))
    outputs, losses = np.empty((len(chosen), S, K, K)), np.empty((len(chosen), S))
    for step in range(int(chosen[-1]) + 1):
        now = slope(layer.Z, layer.Y, next_batch(), layer.multiplicity)
        if step in wanted:
            place = wanted[step]
            Z_path[place], losses[place] = layer.Z, now.loss
            f = class_features(class_attention(classes, layer.Z))
            outputs[place] = output_shares(layer.Y, f, layer.multiplicity)[..., :K]
        if step < chosen[-1]:
            optimizers[0].step(layer.Z, now.Z)
            optimizers[1].step(layer.Y, now.Y)
    times = chosen.astype(np.float64)
    return [
        ScanSnapRun(
            classes, times, Z_path[:, s], method,
            losses=losses[:, s], outputs=outputs[:, s], Y=layer.Y[s],
        )
        for s in range(S)
    ]  # fmt: skip
