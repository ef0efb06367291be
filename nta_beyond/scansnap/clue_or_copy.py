"""Clue or copy: one dataset on which the two theories of attention name different winners.

One query q, two labels A and B.  Clues a1…a3 and b1…b3 occur with one label only, junk g1…g3
with both, and the label tokens themselves stand in the context.  A layer that copies should look
at A and B; a layer with a decoder of its own should look at whatever tells A from B.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from nta_beyond.errors import seeds_of
from nta_beyond.progress import patiently
from nta_beyond.recording import keeping, watched
from nta_beyond.scansnap.gradient import (
    RATE,
    Layer,
    Momentum,
    attention_shares,
    descend,
    make_batch,
)
from nta_core.boundary import (
    Floats,
    Ints,
    a,
    entries,
    flag,
    generator,
    number,
    one_of,
    room_for,
    whole,
)
from nta_core.data import Dataset
from nta_core.errors import DataError
from nta_core.training import Objective
from nta_core.training.run import record_steps

NAMES = ("A", "B", "a1", "a2", "a3", "b1", "b2", "b3", "g1", "g2", "g3", "q")
GROUPS = {"label": (0, 1), "clue": (2, 3, 4, 5, 6, 7), "junk": (8, 9, 10), "query": (11,)}
QUERY = NAMES.index("q")
_CLUES, _JUNK, _LABEL = (1.0, 2.0, 3.0), 3.0, 3.0  # weights of a context token

TIED = 5.0  # decoder that copies: this times the identity
COPYING_STEPS, FIRST_STEP, SHRINK = 1200, 0.5, 0.994
TINY = float(np.finfo(float).eps)  # what the authors add to ‖∇L‖ before they divide by it
RECORDS = 60
MOST_CONTESTS = 200  # at once; one takes about a second
# (decoder, loss) of the layers between the copying one, first, and that of Scan and Snap.
INGREDIENTS = (
    ("tied", "log-loss"),
    ("tied", "cross-entropy, ℓ2 norm"),
    ("tied", "cross-entropy"),
    ("trained", "cross-entropy, ℓ2 norm"),
    ("trained", "cross-entropy"),
)


def clue_or_copy_dataset(
    rho: float, *, cyclic: bool, seed: int, n: int = 200, T: int = 40, share_of_a: float = 0.5
) -> Dataset:
    """Draw the dataset of the experiment.

    Contexts of T − 1 tokens are drawn with weights 1, 2, 3 for the clues of the label, 3 for
    each junk token and 3ρ for a label token, which moreover occurs at least once; q is last.  The
    vocabulary are the twelve tokens of `NAMES`.

    Parameters
    ----------
    rho : float
        How frequent the label token is; at 0 it stands in each context exactly once.
    cyclic : bool
        Whether both A and B stand in every context (then each beats the other: one league) or
        only the right one (then the label beats everything).
    seed : int
        Equal seeds draw equal data.
    n, T : int
        Sequences, and tokens in each, the query included.
    share_of_a : float
        How probable label A is.

    Examples
    --------
    >>> data = clue_or_copy_dataset(0.25, cyclic=False, seed=0, n=3, T=8)
    >>> print(data.to_text().splitlines()[1])
    g1 g3 g3 B g2 g1 B q -> B

    Explained in: chapter 14.
    """
    labels_in = 2 if flag(cyclic, "cyclic") else 1
    rho = number(rho, "rho", least=0, most=RATE)
    share_of_a = number(share_of_a, "share_of_a", above=0, below=1)
    whole(n, "n", least=1)
    whole(T, "T", least=labels_in + 2)
    room_for(n * T * 3 * len(NAMES), f"drawing {n:,} sequences", instead="draw fewer")
    rng = generator(seed)
    labels = (rng.random(n) >= share_of_a).astype(np.int64)
    edges = np.cumsum(_weights(rho, cyclic), axis=1)
    points = rng.random((n, T - 1 - labels_in)) * edges[labels, -1:]
    drawn = (points[..., None] >= edges[labels][:, None, :]).sum(axis=2)
    present = [labels, 1 - labels][:labels_in]
    context = rng.permuted(np.column_stack([*present, drawn]), axis=1)
    rows = np.column_stack([context, np.full(n, QUERY)])
    return Dataset(rows, labels, K=len(NAMES), names=NAMES)


def _weights(rho: float, cyclic: bool) -> Floats:
    """Weight of each token in a context of label A and of label B, shape (2, 12)."""
    weights = np.zeros((2, len(NAMES)))
    weights[0, 2:5] = weights[1, 5:8] = _CLUES
    weights[:, list(GROUPS["junk"])] = _JUNK
    weights[:, :2] = _LABEL * rho if cyclic else _LABEL * rho * np.eye(2)
    return weights


@dataclass(frozen=True, eq=False, repr=False)
class ContestSide:
    """One layer's training on the dataset.

    Attributes
    ----------
    times : int64 array of shape (r,)
        Recorded steps.
    logits : float64 array of shape (r, 12)
        Attention logits of the query for every token.
    masses : dict of float64 arrays of shape (r,)
        Mean attention on "label", "clue", "junk" and "query" tokens.
    losses : float64 array of shape (r,)
        The layer's own loss.
    favourites : tuple of str
        The token that sequences of label A, and of label B, attend to most at the end.

    Explained in: chapter 14.
    """

    times: Ints
    logits: Floats
    masses: dict[str, Floats]
    losses: Floats
    favourites: tuple[str, ...]

    def __repr__(self) -> str:
        ends = ", ".join(
            f"{group} {values[0]:.3f} → {values[-1]:.3f}"
            for group, values in self.masses.items()
            if group != "query"
        )
        return f"ContestSide({ends}, loss {self.losses[-1]:.3g}, favourite {self.favourites[0]})"


def make_side(
    dataset: Dataset, counts: Ints, times: Ints, logits: Floats, losses: Floats
) -> ContestSide:
    """A side from what was recorded, and the counts (n, 12) that the layer attends to."""
    attention = attention_shares(logits[:, None], counts, np.zeros(len(counts), dtype=np.int64))
    mean = attention.mean(axis=1)
    masses = {group: mean[:, list(tokens)].sum(axis=1) for group, tokens in GROUPS.items()}
    ends = [attention[-1, dataset.targets == label] for label in np.unique(dataset.targets)]
    favourites = tuple(NAMES[int(end.mean(axis=0).argmax())] for end in ends)
    return ContestSide(times, logits, masses, losses, favourites)


@dataclass(frozen=True, eq=False)
class Contest:
    """The same sequences, two layers.

    Attributes
    ----------
    dataset : Dataset
        The sequences.
    copies : ContestSide
        The layer of the token-priority graph: tied head, log-loss.
    scans : ContestSide
        The layer of Scan and Snap: trained decoder, cross-entropy.

    Explained in: chapter 14.
    """

    dataset: Dataset
    copies: ContestSide
    scans: ContestSide


def clue_or_copy_contest(
    rho: float, *, cyclic: bool, seed: int, share_of_a: float = 0.5
) -> Contest:
    """Train both layers on one dataset of "Clue or copy".

    The copying layer by 1,200 steps of normalized descent, with a step that shrinks; the scanning
    layer by 1,000 plain full-batch steps with η_Y = η_Z = 2.  All options are those of
    `clue_or_copy_dataset`; Ctrl-C as in `clue_or_copy_contests`.

    Examples
    --------
    >>> clue_or_copy_contest(0.25, cyclic=False, seed=0).scans.favourites
    ('a3', 'b3')

    Explained in: chapter 14.
    """
    return clue_or_copy_contests(rho, cyclic=cyclic, seeds=[seed], share_of_a=share_of_a)[0]


def clue_or_copy_contests(
    rho: float, *, cyclic: bool, seeds: Sequence[int], share_of_a: float = 0.5
) -> list[Contest]:
    """Train both layers on one dataset per seed, side by side.

    On Ctrl-C, `runs` of `Interrupted` are the sides until then: the copying ones, then the others.

    Examples
    --------
    >>> [c.copies.favourites[0] for c in clue_or_copy_contests(0.25, cyclic=False, seeds=[0, 1])]
    ['A', 'A']

    Explained in: chapter 14.
    """
    given = seeds_of(seeds, most=MOST_CONTESTS)
    datasets = [
        clue_or_copy_dataset(rho, cyclic=cyclic, seed=s, share_of_a=share_of_a) for s in given
    ]
    copies = train_copying(datasets)
    with keeping(copies):
        scans = train_scanning(datasets)
    return [Contest(*part) for part in zip(datasets, copies, scans, strict=True)]


def train_copying(datasets: Sequence[Dataset]) -> list[ContestSide]:
    """Train the layer of the token-priority graph on datasets of "Clue or copy".

    Normalized descent whose step shrinks by 0.6 % each time, from 0.5: long enough to
    tell the leagues apart, and short in the end, so that the logits inside a league settle.  On
    Ctrl-C, `Interrupted` carries the sides until the last whole step.

    Examples
    --------
    >>> train_copying([clue_or_copy_dataset(4, cyclic=True, seed=0)])[0].losses[-1].round(2)
    np.float64(0.71)

    Explained in: chapter 14.
    """
    sides: list[ContestSide] = []
    for dataset in _contestants(datasets):
        with keeping(sides):
            sides += _train_copying(dataset)
    return sides


def _contestants(datasets: Sequence[Dataset]) -> list[Dataset]:
    """Datasets over the twelve tokens, of one size."""
    found = [a(Dataset, one, "each of the datasets") for one in entries(datasets, "datasets")]
    sizes = {one.n for one in found}
    if len(sizes) != 1 or any(one.names != NAMES for one in found):
        raise DataError("datasets: one or more of equal size, made by clue_or_copy_dataset")
    if any((one.lasts != QUERY).any() or not one.realizable for one in found):
        raise DataError("datasets: every sequence ends in q and holds its label")
    return found


def _train_copying(dataset: Dataset) -> list[ContestSide]:
    risk = Objective(dataset, np.eye(len(NAMES)))

    def training() -> Iterator[Floats]:
        W = np.zeros((len(NAMES),) * 2)
        for step in count():
            yield W
            gradient = risk.gradient(W)
            W = W - FIRST_STEP * SHRINK**step * gradient / (np.linalg.norm(gradient) + TINY)

    def make(steps: Ints, seen: list[tuple[Floats, float]]) -> list[ContestSide]:
        logits, losses = map(np.array, zip(*seen, strict=True))
        return [make_side(dataset, dataset.counts, steps, logits, losses)]

    chosen = record_steps(RECORDS, COPYING_STEPS)
    return watched(training(), chosen, lambda W: (W[:, QUERY], risk.value(W)), make)


def train_scanning(
    datasets: Sequence[Dataset],
    *,
    decoder: str = "trained",
    norm: bool = True,
    rate: float = 2.0,
    steps: int = 1000,
) -> list[ContestSide]:
    """Train the layer of Scan and Snap, or a variant of it, on datasets of "Clue or copy".

    On Ctrl-C, `Interrupted` carries the sides until the last whole step.

    Parameters
    ----------
    datasets : sequence of Dataset
        All with equally many sequences.
    decoder : str
        "trained" from zero, or "tied": 5 times the identity, held fixed.
    norm : bool
        Whether attention is divided by its Euclidean length.
    rate : float
        η_Y = η_Z.
    steps : int
        Full-batch steps.

    Examples
    --------
    >>> train_scanning([clue_or_copy_dataset(4, cyclic=True, seed=0)])[0].favourites
    ('a3', 'b3')

    Explained in: chapter 14. Paper: Scan and Snap, Sec. 3.
    """
    one_of(decoder, "decoder", ("trained", "tied"))
    flag(norm, "norm")
    rate = number(rate, "rate", least=0, most=RATE)
    datasets = _contestants(datasets)
    contexts = np.stack([dataset.counts for dataset in datasets])
    contexts[..., QUERY] = 0  # the query is no key of its own
    K, n = len(NAMES), contexts.shape[1]
    targets = np.stack([dataset.targets for dataset in datasets])
    batch = make_batch(
        contexts.astype(np.float64), np.zeros_like(targets), targets, np.full(n, 1 / n), Q=1, C=K
    )
    Y = np.zeros((len(datasets), K, K)) + (TIED * np.eye(K) if decoder == "tied" else 0.0)
    layer = Layer(np.zeros((len(datasets), 1, K)), Y, np.ones(K))
    optimizers = Momentum(rate), Momentum(rate if decoder == "trained" else 0.0)
    chosen = record_steps(RECORDS, steps)
    descent = descend(layer, lambda: batch, optimizers, norm=norm)
    training = patiently(((layer.Z[:, 0], now.loss) for now in descent), steps=int(chosen[-1]))

    def make(at: Ints, seen: list[tuple[Floats, Floats]]) -> list[ContestSide]:
        parts = (np.stack(part, axis=1) for part in zip(*seen, strict=True))
        each = zip(datasets, contexts, *parts, strict=True)
        return [make_side(data, counts, at, *recorded) for data, counts, *recorded in each]

    return watched(training, chosen, lambda now: now, make)


def ingredient_masses(
    *, rho: float = 0.25, cyclic: bool, seeds: Sequence[int]
) -> dict[tuple[str, str], float]:
    """Return the final attention on label tokens for every mix of decoder and loss.

    Keys are those of `INGREDIENTS`: decoder tied or trained, and the loss.  On Ctrl-C, `runs` of
    `Interrupted` are the sides of all mixes until then, in this order.

    Examples
    --------
    >>> masses = ingredient_masses(cyclic=False, seeds=[0])
    >>> {decoder: min(m for (d, _), m in masses.items() if d == decoder) > 0.9
    ...  for decoder in ("tied", "trained")}
    {'tied': True, 'trained': False}

    Explained in: chapter 14.
    """
    given = seeds_of(seeds, most=MOST_CONTESTS)
    datasets = [clue_or_copy_dataset(rho, cyclic=cyclic, seed=seed) for seed in given]
    masses, done = {}, list[ContestSide]()
    for decoder, loss in INGREDIENTS:
        with keeping(done):
            if loss == "log-loss":
                sides = train_copying(datasets)
            else:
                sides = train_scanning(datasets, decoder=decoder, norm="norm" in loss)
        masses[decoder, loss] = float(np.mean([side.masses["label"][-1] for side in sides]))
        done += sides
    return masses
