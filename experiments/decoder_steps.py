"""From tied to trained in steps: which tokens does attention follow between two heads?

*Held*: the head stands still at (1 − α)·5·I + α·Y, where Y was trained from zero while attention
stood still; then attention learns.  *Freed*: head and attention learn together, the head from a
multiple of the identity, at `ratio` times the rate of attention.  A token's *vote* is what the head
gives the right word above its average, averaged over the places where the token stands; the best
voter for a label is the token of its sequences with the highest vote.  Rate 2 of attention, 1,000
steps each unless said otherwise, "Clue or copy" at ρ = 0.25.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.scansnap import clue_or_copy_dataset
from nta_beyond.scansnap.clue_or_copy import GROUPS, NAMES, QUERY, TIED
from nta_beyond.scansnap.gradient import (
    Batch,
    Layer,
    Momentum,
    attention_shares,
    descend,
    make_batch,
)
from nta_core.boundary import Floats, Ints

STEPS, RATE, RHO, K = 1000, 2.0, 0.25, len(NAMES)
ALPHAS = [round(0.1 * k, 1) for k in range(11)]
KINDS = {token: kind for kind, tokens in GROUPS.items() for token in tokens}
SEEDS = 10
CELLS = (
    *grid(kind=["held"], cyclic=(False, True), seeds=[SEEDS], alphas=[ALPHAS]),
    *grid(
        kind=["freed"],
        cyclic=(False, True),
        seeds=[SEEDS],
        start=(1.0, 5.0),
        ratio=(0.01, 0.1, 1.0, 10.0),
    ),
    *grid(
        kind=["freed"], cyclic=(False, True), seeds=[4], start=[5.0], ratio=[1.0], steps=[10_000]
    ),
    {"kind": "held", "cyclic": False, "seeds": 2, "alphas": [0.5]},
    {"kind": "freed", "cyclic": True, "seeds": 2, "start": 5.0, "ratio": 1.0},
)


def measure(
    kind: str,
    cyclic: bool,
    seeds: int,
    alphas: Sequence[float] = (),
    start: float = 0.0,
    ratio: float = 0.0,
    steps: int = STEPS,
) -> dict[str, object]:
    """What attention follows, by seed: one row per α of a held head, one row for a freed one."""
    datasets = [clue_or_copy_dataset(RHO, cyclic=cyclic, seed=seed) for seed in range(seeds)]
    counts = np.stack([data.counts for data in datasets]).astype(np.float64)
    counts[..., QUERY] = 0  # the query is no key of its own
    targets = np.stack([data.targets for data in datasets])
    n = targets.shape[1]
    batch = make_batch(counts, np.zeros_like(targets), targets, np.full(n, 1 / n), Q=1, C=K)
    if kind == "freed":
        head = np.broadcast_to(start * np.eye(K), (seeds, K, K))
        return looked(*trained(batch, head, RATE, ratio * RATE, steps), batch, targets)
    learned = trained(batch, np.zeros((seeds, K, K)), 0.0, RATE)[0].Y
    mixed = [(1 - alpha) * TIED * np.eye(K) + alpha * learned for alpha in alphas]
    rows = [looked(*trained(batch, head, RATE, 0.0), batch, targets) for head in mixed]
    turns = [turning(*one) for one in zip(learned, counts, targets, strict=True)]
    return {**{key: [row[key] for row in rows] for key in rows[0]}, "turns_at": turns}


def looked(layer: Layer, losses: Floats, batch: Batch, targets: Ints) -> dict[str, object]:
    """Attention on label tokens, the loss, and favourites and best voters of label A then B."""
    attention = attention_shares(layer.Z, batch.counts, batch.queries)
    labels = attention[..., list(GROUPS["label"])].sum(-1).mean(-1)
    found = [
        pair
        for one in zip(attention, layer.Y, targets, batch.counts, strict=True)
        for pair in ranked(*one)
    ]
    return {
        "labels": labels.round(6).tolist(),
        "loss": float(losses.mean()),
        "favourites": [favourite for favourite, _ in found],
        "voters": [voter for _, voter in found],
    }


def trained(
    batch: Batch, Y: Floats, rate: float, head_rate: float, steps: int = STEPS
) -> tuple[Layer, Floats]:
    """The layer after the last step, attention from zero and the head from `Y`; its losses."""
    layer = Layer(np.zeros((len(Y), 1, K)), Y, np.ones(K))
    training = descend(layer, lambda: batch, (Momentum(rate), Momentum(head_rate)))
    for _step in range(steps):
        next(training)
    return layer, next(training).loss


def votes(Y: Floats, counts: Floats, targets: Ints) -> Floats:
    """A token's vote for the right word, averaged over the places where it stands; shape (K,)."""
    above = Y - Y.mean(axis=-1, keepdims=True)
    places = counts.sum(axis=0)
    right = (counts * above[:, targets].T).sum(axis=0)
    return np.asarray(np.where(places > 0, right, -np.inf) / np.maximum(places, 1.0))


def turning(learned: Floats, counts: Floats, targets: Ints) -> list[float]:
    """For labels A and B the α at which another token's vote overtakes those of label tokens."""
    copies, learns = (votes(Y, counts, targets) for Y in (TIED * np.eye(K), learned))
    label_tokens, turns = np.isin(np.arange(K), GROUPS["label"]), []
    for label in GROUPS["label"]:
        seen = counts[targets == label].sum(axis=0) > 0
        own, others = np.flatnonzero(seen & label_tokens), np.flatnonzero(seen & ~label_tokens)
        ahead = copies[own][:, None] - copies[others]  # a copying head votes with label tokens
        behind = learns[others] - learns[own][:, None]
        overtakes = np.where(behind > 0, ahead / np.maximum(ahead + behind, ahead), np.inf)
        turns.append(float(overtakes.max(axis=0).min()))
    return turns


def ranked(attention: Floats, Y: Floats, targets: Ints, counts: Floats) -> Iterator[list[str]]:
    """For each label the kind of token that is attended to most, and that of the best voter."""
    vote = votes(Y, counts, targets)
    for label in (0, 1):
        own = targets == label
        seen = counts[own].sum(axis=0) > 0
        first = int(attention[own].mean(axis=0).argmax())
        yield [KINDS[first], KINDS[int(np.where(seen, vote, -np.inf).argmax())]]


EXPERIMENT = Experiment(
    "From tied to trained", 20, CELLS, measure, spot=(len(CELLS) - 2, len(CELLS) - 1),
    tolerance=1e-5,
)  # fmt: skip
