"""Training in steps: on drawn sequences, or on the whole population with the same optimizers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from nta_beyond.errors import seeds_of
from nta_beyond.optimizers import Adam
from nta_beyond.progress import patiently
from nta_beyond.recording import watched
from nta_beyond.scansnap.classes import SequenceClasses
from nta_beyond.scansnap.gradient import (
    RATE,
    Batch,
    Layer,
    Momentum,
    Optimizers,
    descend,
    make_batch,
    output_shares,
    whole_population,
)
from nta_beyond.scansnap.measures import class_attention, class_features
from nta_beyond.scansnap.run import ScanSnapRun, steps_to_record
from nta_core.boundary import Floats, Ints, a, number, one_of, room_for, whole

OPTIMIZERS = ("sgd", "adam")
STARTS = ("zero", "linear")
MOST_DRAWN = 2**31 - 1  # tokens of a sequence: what numpy's multinomial counts on every machine


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
    positions nothing else of a context matters.  Equal seeds draw equal starts and sequences; all
    other options are those of `train_sampled_batch`.  On Ctrl-C, `Interrupted` carries the run
    until the last whole step.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> run = train_sampled(syn_small(), seed=0, steps=100)
    >>> run.losses[[0, 4, 8]].round(2), bool(run.common_mass[-1] < 0.42)
    (array([3.53, 0.73, 0.04]), True)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 4 to 6.
    """
    (run,) = train_sampled_batch(
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
    )
    return run


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

    On Ctrl-C, `Interrupted` carries the runs until the last whole step.

    Parameters
    ----------
    seeds : sequence of int
        One run per seed.
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
    >>> runs = train_sampled_batch(syn_small(), seeds=range(3), steps=10)
    >>> [len(run.times) for run in runs]
    [11, 11, 11]

    Explained in: chapter 13. Paper: Scan and Snap, Fig. 6.
    """
    a(SequenceClasses, classes, "classes")
    one_of(start, "start", STARTS)
    whole(batch_size, "batch_size", least=1)
    whole(T, "T", least=2, most=MOST_DRAWN)
    seeds = seeds_of(seeds)
    columns = classes.K + 1 if start == "zero" else classes.M
    room_for(
        8 * len(seeds) * (6 * classes.L * columns + 6 * batch_size * (classes.L + columns)),
        f"{len(seeds)} layers of {classes.L:,} tokens and batches of {batch_size:,}",
        instead="take fewer seeds, classes or sequences, or a start from zero",
    )
    draw = Sampler(classes, seeds, batch_size=batch_size, T=T)
    layer = _start(classes, start, draw.generators)
    optimizers, words = _optimizers(optimizer, eta_y, eta_z, momentum)
    size = len(seeds) * _record_size(classes)
    recording = (steps_to_record(record, steps, size), f"{words}, T={T}")
    return _train(classes, layer, lambda: draw(layer.Y.shape[-1]), optimizers, recording)


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

    Nothing is drawn, and the start is zero; all options are those of `train_sampled_batch`.  On
    Ctrl-C, `Interrupted` carries the run until the last whole step.

    Examples
    --------
    >>> from nta_beyond.scansnap import syn_small
    >>> train_population(syn_small(), eta_y=10).entropy[-1].round(3)
    np.float64(2.099)

    Explained in: chapter 13. Paper: Scan and Snap, Lemma 2.
    """
    a(SequenceClasses, classes, "classes")
    layer = _start(classes, "zero", [np.random.default_rng(0)])
    population = whole_population(classes, layer.Y.shape[-1])
    optimizers, words = _optimizers(optimizer, eta_y, eta_z, momentum)
    recording = (steps_to_record(record, steps, _record_size(classes)), f"population, {words}")
    return _train(classes, layer, lambda: population, optimizers, recording)[0]


def _record_size(classes: SequenceClasses) -> float:
    """Bytes of one record: logits, loss and outputs."""
    return 8.0 * (classes.Q * classes.L + 1 + classes.K**2)


def _start(
    classes: SequenceClasses, start: str, generators: Sequence[np.random.Generator]
) -> Layer:
    K, L, Q, M = classes.K, classes.L, classes.Q, classes.M
    S = len(generators)
    if start == "zero":  # columns that are never an answer stay equal: one stands for all
        return Layer(np.zeros((S, Q, L)), np.zeros((S, L, K + 1)), np.r_[np.ones(K), M - K])
    bound = 1 / np.sqrt(M)
    Y = np.stack([rng.uniform(-bound, bound, (L, M)) for rng in generators])
    Z = np.stack([rng.uniform(-bound, bound, (Q, L)) for rng in generators])
    return Layer(Z, Y, np.ones(M))


def _optimizers(name: str, eta_y: float, eta_z: float, momentum: float) -> tuple[Optimizers, str]:
    """One for Z and one for Y, and what to call them; momentum belongs to "sgd"."""
    eta_y = number(eta_y, "eta_y", least=0, most=RATE)
    eta_z = number(eta_z, "eta_z", least=0, most=RATE)
    one_of(name, "optimizer", OPTIMIZERS)
    momentum = number(momentum, "momentum", least=0, below=1)
    rates = f"η_Y={eta_y:g}, η_Z={eta_z:g}"
    if name == "adam":
        return (Adam(eta_z), Adam(eta_y)), f"Adam, {rates}"
    pair = Momentum(eta_z, momentum), Momentum(eta_y, momentum)
    return pair, f"SGD, momentum {momentum:g}, {rates}"


def _train(
    classes: SequenceClasses,
    layer: Layer,
    next_batch: Callable[[], Batch],
    optimizers: Optimizers,
    recording: tuple[Ints, str],
) -> list[ScanSnapRun]:
    """Train until the last recorded step; one run per seed."""
    chosen, method = recording
    descent = descend(layer, next_batch, optimizers)
    training = patiently(((layer.Z, layer.Y, now.loss) for now in descent), steps=int(chosen[-1]))
    last_Y = layer.Y

    def look(state: tuple[Floats, Floats, Floats]) -> tuple[Floats, Floats, Floats]:
        nonlocal last_Y
        Z, last_Y, loss = state
        f = class_features(class_attention(classes, Z))
        return Z, loss, output_shares(last_Y, f, layer.multiplicity)[..., : classes.K]

    def make(steps: Ints, seen: list[tuple[Floats, Floats, Floats]]) -> list[ScanSnapRun]:
        by_seed = zip(*(np.stack(part, axis=1) for part in zip(*seen, strict=True)), strict=True)
        times = steps.astype(np.float64)
        return [
            ScanSnapRun(classes, times, Z_path, method, losses=losses, outputs=outputs, Y=Y)
            for (Z_path, losses, outputs), Y in zip(by_seed, last_Y, strict=True)
        ]

    return watched(training, chosen, look, make)


class Sampler:
    """Draws the next batch of every seed, each from a generator of its own."""

    def __init__(
        self, classes: SequenceClasses, seeds: Sequence[int], *, batch_size: int, T: int
    ) -> None:
        self.classes, self.batch_size, self.T = classes, batch_size, T
        self.generators = [np.random.default_rng(seed) for seed in seeds]
        self.weights = np.full(batch_size, 1 / batch_size)
        # Tokens of each class in front of which absent ones are padded: the binomials that make
        # up a multinomial leave what rounding loses to the last token, which must be a real one.
        width = int((classes.P > 0).sum(axis=1).max())
        self.tokens = np.argsort(classes.P > 0, axis=1, kind="stable")[:, -width:]
        self.P = np.take_along_axis(classes.P, self.tokens, axis=1)

    def __call__(self, C: int) -> Batch:
        edges = np.cumsum(self.classes.priors)
        points = np.stack([rng.random(self.batch_size) for rng in self.generators])
        numbers = np.searchsorted(edges / edges[-1], points, "right")
        counts = np.zeros((*numbers.shape, self.classes.L))
        drawn = [
            rng.multinomial(self.T - 1, self.P[n])
            for rng, n in zip(self.generators, numbers, strict=True)
        ]
        np.put_along_axis(counts, self.tokens[numbers], np.stack(drawn), axis=-1)
        queries = self.classes.queries[numbers]
        return make_batch(counts, queries, numbers, self.weights, Q=self.classes.Q, C=C)
