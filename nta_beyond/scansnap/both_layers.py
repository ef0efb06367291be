"""Both layers trained on the same sequences, and the ingredient that makes them differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from nta_beyond.scansnap.clue_or_copy import (
    NAMES,
    QUERY,
    ContestSide,
    clue_or_copy_dataset,
    make_side,
)
from nta_beyond.scansnap.descent import Layer, Momentum, descend
from nta_beyond.scansnap.gradient import make_batch
from nta_beyond.scansnap.run import recorded, recorded_steps
from nta_core.data import Dataset
from nta_core.errors import OptionError
from nta_core.training import Objective

TIED = 5.0  # decoder that copies: this times the identity
COPYING_STEPS, FIRST_STEP, SHRINK = 1200, 0.5, 0.994
TINY = float(np.finfo(float).eps)  # what the authors add to ‖∇L‖ before they divide by it
RECORDS = 60
# (decoder, loss) of the layers between the copying one, first, and that of Scan and Snap.
INGREDIENTS = (
    ("tied", "log-loss"),
    ("tied", "cross-entropy, ℓ2 norm"),
    ("tied", "cross-entropy"),
    ("trained", "cross-entropy, ℓ2 norm"),
    ("trained", "cross-entropy"),
)


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
    layer by 1,000 plain full-batch steps with η_Y = η_Z = 2.

    Parameters
    ----------
    rho, cyclic, seed, share_of_a
        As in `clue_or_copy_dataset`.

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

    Examples
    --------
    >>> [c.copies.favourites[0] for c in clue_or_copy_contests(0.25, cyclic=False, seeds=[0, 1])]
    ['A', 'A']

    Explained in: chapter 14.
    """
    datasets = [
        clue_or_copy_dataset(rho, cyclic=cyclic, seed=s, share_of_a=share_of_a) for s in seeds
    ]
    copies = train_copying(datasets)
    scans = train_scanning(datasets)
    return [Contest(*parts) for parts in zip(datasets, copies, scans, strict=True)]


def train_copying(datasets: Sequence[Dataset]) -> list[ContestSide]:
    """Train the layer of the token-priority graph on datasets of "Clue or copy".

    Normalized descent whose step shrinks by 0.6 % each time, from 0.5: long enough to
    tell the leagues apart, and short in the end, so that the logits inside a league settle.

    Examples
    --------
    >>> train_copying([clue_or_copy_dataset(4, cyclic=True, seed=0)])[0].losses[-1].round(2)
    np.float64(0.71)

    Explained in: chapter 14.
    """
    return [_train_copying(dataset) for dataset in datasets]


def _train_copying(dataset: Dataset) -> ContestSide:
    risk = Objective(dataset, np.eye(len(NAMES)))
    W = np.zeros((len(NAMES),) * 2)

    def training() -> Iterator[None]:
        for step in count():
            yield
            gradient = risk.gradient(W)
            W[:] -= FIRST_STEP * SHRINK**step * gradient / (np.linalg.norm(gradient) + TINY)

    chosen = recorded_steps(RECORDS, COPYING_STEPS)
    records = [(W[:, QUERY].copy(), risk.value(W)) for _ in recorded(training(), chosen)]
    logits, losses = map(np.array, zip(*records, strict=True))
    return make_side(dataset, dataset.counts, chosen, logits, losses)


def train_scanning(
    datasets: Sequence[Dataset],
    *,
    decoder: str = "trained",
    norm: bool = True,
    rate: float = 2.0,
    steps: int = 1000,
) -> list[ContestSide]:
    """Train the layer of Scan and Snap, or a variant of it, on datasets of "Clue or copy".

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
    if decoder not in ("trained", "tied"):
        raise OptionError(f"decoder={decoder!r}: 'trained' or 'tied'")
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
    chosen = recorded_steps(RECORDS, steps)
    training = recorded(descend(layer, lambda: batch, optimizers, norm=norm), chosen)
    logits, losses = zip(*((layer.Z[:, 0], now.loss) for now in training), strict=True)
    return [
        make_side(dataset, contexts[s], chosen, np.stack(logits)[:, s], np.stack(losses)[:, s])
        for s, dataset in enumerate(datasets)
    ]


def ingredient_masses(
    *, rho: float = 0.25, cyclic: bool, seeds: Sequence[int]
) -> dict[tuple[str, str], float]:
    """Return the final attention on label tokens for every mix of decoder and loss.

    Keys are those of `INGREDIENTS`: decoder tied or trained, and the loss.

    Examples
    --------
    >>> masses = ingredient_masses(cyclic=False, seeds=[0])
    >>> {decoder: min(m for (d, _), m in masses.items() if d == decoder) > 0.9
    ...  for decoder in ("tied", "trained")}
    {'tied': True, 'trained': False}

    Explained in: chapter 14.
    """
    datasets = [clue_or_copy_dataset(rho, cyclic=cyclic, seed=seed) for seed in seeds]
    masses = {}
    for decoder, loss in INGREDIENTS:
        if loss == "log-loss":
            sides = train_copying(datasets)
        else:
            sides = train_scanning(datasets, decoder=decoder, norm="norm" in loss)
        masses[decoder, loss] = float(np.mean([side.masses["label"][-1] for side in sides]))
    return masses
