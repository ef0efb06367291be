"""Training one variant for many seeds at once, and asking it the questions of its exams."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from nta_beyond.errors import seeds_of, still_finite
from nta_beyond.openlab.exam import Exam, exams, league_agreement
from nta_beyond.openlab.network import OpenNetwork
from nta_beyond.openlab.variant import Variant
from nta_beyond.progress import patiently
from nta_beyond.recording import watched
from nta_core.boundary import Floats, Ints, a, entries, integers, number, whole
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.errors import DataError

MOST_STEPS = 10_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Trial:
    """One variant, trained on one dataset per seed.

    Attributes
    ----------
    variant : Variant
    network : OpenNetwork
        The trained networks, one per seed.
    steps : int64 array of shape (t,)
        When agreement was measured.
    losses : float64 array of shape (seeds, t)
        Mean log-loss on the training data.
    seen, unseen : float64 arrays of shape (seeds, t)
        League agreement on training contexts, and on unseen contexts that the data determines.
    rollout : float64 array of shape (seeds,)
        The same for the attention alone, on unseen contexts, at the end.

    Explained in: chapter 15.
    """

    variant: Variant
    steps: Ints
    losses: Floats
    seen: Floats
    unseen: Floats
    rollout: Floats
    network: OpenNetwork = field(compare=False)

    def answers(self, contexts: ArrayLike, *, run: int) -> Floats:
        """Return the next-token probabilities of one trained network, shape (m, K).

        Asked are contexts of shape (m, T); `run` says which network: its place among the seeds.
        """
        whole(run, "run", most=len(self.seen) - 1)
        asked = torch.tensor(integers(contexts, "contexts"))
        if asked.dim() != 2:
            raise DataError(f"contexts: token ids of shape (m, T), got {tuple(asked.shape)}")
        with torch.no_grad():
            return np.asarray(self.network(asked.expand(len(self.seen), -1, -1))[run])

    def __repr__(self) -> str:
        ends = [f"{values[:, -1].mean():.2f}" for values in (self.seen, self.unseen)]
        return (
            f"Trial({self.variant.name}, {len(self.seen)} seeds: agreement {ends[0]} on training "
            f"contexts, {ends[1]} on unseen ones)"
        )

    def _repr_html_(self) -> str:
        ends = {
            "training contexts": self.seen[:, -1],
            "unseen contexts": self.unseen[:, -1],
            "unseen, attention alone": self.rollout,
        }
        rows = ((name, f"{end.mean():.3f}", f"{end.min():.3f}") for name, end in ends.items())
        head = ("league agreement on", "mean", "lowest")
        caption = f"{self.variant.name}, {len(self.seen)} seeds"
        return html_table("trial", rows, head=head, caption=caption)


def train_variant(
    variant: Variant,
    datasets: Sequence[Dataset],
    *,
    seeds: Sequence[int],
    steps: int = 400,
    step_size: float = 0.05,
    d: int = 12,
    records: int = 8,
) -> Trial:
    """Train one network per dataset and seed, all at once, and measure agreement on the way.

    Adam on the full data with the log-loss -log p(label); the step falls linearly to 0, so that
    every variant comes to rest.  The networks do not influence each other.  On Ctrl-C,
    `Interrupted` carries the trial until then, with the networks as they stand.

    Parameters
    ----------
    variant : Variant
        Which parts the networks have.
    datasets : sequence of Dataset
        One per seed, of one size (n, T, K).
    seeds : sequence of int
        Starts of the networks, and orders of the unseen contexts.
    steps, step_size
        Length and first step of the training.
    d : int
        Dimension of the embeddings.
    records : int
        How often agreement is measured, at logarithmic distances; also before the first step.

    Examples
    --------
    >>> from nta_core import random_dataset
    >>> data = [random_dataset(24, 4, 6, kind="acyclic", seed=s) for s in (0, 1)]
    >>> trial = train_variant(Variant(), data, seeds=[0, 1], steps=100)
    >>> trial
    Trial(the paper's layer, 2 seeds: agreement 0.92 on training contexts, 0.93 on unseen ones)
    >>> trial.answers([[3, 2, 1, 0], [1, 2, 4, 0]], run=0).argmax(axis=1)
    array([2, 2])

    Explained in: chapter 15. Paper: Sec. 7.
    """
    datasets, seeds = entries(datasets, "datasets"), seeds_of(seeds)
    whole(steps, "steps", least=1, most=MOST_STEPS)
    whole(records, "records", least=1, most=MOST_STEPS)
    step_size = number(step_size, "step_size", above=0, most=1e50)
    contexts, labels = _stacked(datasets, seeds)
    network = OpenNetwork(variant, datasets[0].K, contexts.shape[-1], d=d, seeds=seeds)
    pairs = [exams(data, seed=seed) for data, seed in zip(datasets, seeds, strict=True)]
    seen, unseen = ([pair[k] for pair in pairs] for k in (0, 1))
    at = np.unique([0, *np.geomspace(1, steps, records).round()]).astype(np.int64)

    def loss_of_each() -> Any:
        return -network(contexts).gather(-1, labels).log().mean(dim=(1, 2))

    def look(step: int) -> list[Floats]:
        with torch.no_grad():
            loss = loss_of_each().numpy()
        still_finite(step, loss)
        return [loss, _marks(network, seen), _marks(network, unseen)]

    def make(when: Ints, marks: list[list[Floats]]) -> list[Trial]:
        rollout = _marks(network, unseen, of=network.rollout)
        losses, on_seen, on_unseen = np.moveaxis(np.array(marks), 0, -1)
        return [Trial(variant, when, losses, on_seen, on_unseen, rollout, network)]

    with _one_thread():
        descent = _descent(network, loss_of_each, steps, step_size)
        return watched(patiently(descent, steps=steps), at, look, make)[0]


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let torch use one thread: with arrays this small, more of them mostly wait."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _stacked(datasets: Sequence[Dataset], seeds: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Contexts (seeds, n, T) and labels (seeds, n, 1)."""
    if len(datasets) != len(seeds) or not len(seeds):
        raise DataError(f"{len(datasets)} datasets and {len(seeds)} seeds: one seed per dataset")
    for data in datasets:
        a(Dataset, data, "each of the datasets", error=DataError)
    shapes = {(data.n, data.K, *map(len, data.sequences[:1])) for data in datasets}
    lengths = {len(x) for data in datasets for x in data.sequences}
    if len(shapes) != 1 or len(lengths) != 1 or not all(data.realizable for data in datasets):
        raise DataError("datasets of one size (n, T, K), every label in its sequence")
    contexts = torch.tensor(np.array([data.sequences for data in datasets]))
    return contexts, torch.tensor(np.array([data.targets for data in datasets]))[..., None]


def _descent(
    network: OpenNetwork, loss_of_each: Callable[[], Any], steps: int, step_size: float
) -> Iterator[int]:
    """Train; yields the number of each step before it, and that of the last one after it."""
    optimizer = torch.optim.Adam([p for p in network.parameters() if p.requires_grad])
    for step in range(steps):
        yield step
        loss = loss_of_each()
        still_finite(step, loss.detach().numpy())
        for group in optimizer.param_groups:
            group["lr"] = step_size * (1 - step / steps)
        optimizer.zero_grad()
        loss.sum().backward()
        optimizer.step()
    yield steps


def _marks(
    network: OpenNetwork, papers: Sequence[Exam], of: Callable[[Tensor], Tensor] | None = None
) -> Floats:
    """League agreement of every seed on its own exam; shorter exams are padded and cut again."""
    most = max(map(len, papers))
    asked = [np.pad(paper.contexts, ((0, most - len(paper)), (0, 0))) for paper in papers]
    with torch.no_grad():
        answers = (of or network)(torch.tensor(np.array(asked))).numpy()
    return np.array(
        [league_agreement(a[: len(p)], p) for a, p in zip(answers, papers, strict=True)]
    )
