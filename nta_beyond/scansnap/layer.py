"""A Scan-and-Snap layer trained on any contexts, such as windows of a text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from nta_beyond.errors import check_numbers
from nta_beyond.progress import progress_bar
from nta_beyond.scansnap.contexts import Contexts
from nta_beyond.scansnap.run import steps_to_record
from nta_core.data import Floats, Ints
from nta_core.errors import OptionError
from nta_core.model.ragged import RaggedRows
from nta_core.training.run import recorded

EVALUATED = 512  # contexts on which the loss is measured, spread evenly over the data


@dataclass(frozen=True, eq=False, repr=False)
class LayerRun:
    """A layer trained on contexts.

    Attributes
    ----------
    steps : int64 array of shape (r,)
        Recorded steps.
    entropies : float64 array of shape (r,)
        Entropy of attention over the positions of a context, in nats, mean over all contexts.
    losses : float64 array of shape (r,)
        Cross-entropy, mean over 512 contexts spread over the data (all, when there are fewer).
    moves : float64 array of shape (r,)
        Mean change of attention by token, Σ_l |Δa_l|, since the record before; 0 at the first.
    Z, Y : float64 arrays of shape (M, M)
        Attention logits (row = query) and decoder at the end.

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 7 and 10.
    """

    steps: Ints
    entropies: Floats
    losses: Floats
    moves: Floats
    Z: Floats
    Y: Floats

    def __repr__(self) -> str:
        return (
            f"LayerRun({self.steps[-1]} steps, M={len(self.Z)}: loss {self.losses[0]:.3g} → "
            f"{self.losses[-1]:.3g}, entropy {self.entropies[0]:.3f} → {self.entropies[-1]:.3f})"
        )


def train_on_contexts(
    contexts: Contexts,
    *,
    seed: int,
    steps: int,
    eta_y: float = 1.0,
    eta_z: float = 1.0,
    batch_size: int = 64,
    record: int | Iterable[int] = 20,
    quiet: bool = True,
) -> LayerRun:
    """Train attention and decoder from zero by stochastic descent on minibatches.

    A step touches only the rows of Y whose tokens occur in its minibatch.

    Parameters
    ----------
    contexts : Contexts
        The data.
    seed : int
        Equal seeds draw equal minibatches.
    steps, batch_size : int
        How many minibatches, and how many contexts in each.
    eta_y, eta_z : float
        Learning rates of decoder and attention; the loss of a batch is its mean.
    record : int or iterable of int
        How many steps to record, log-spaced with both ends, or exactly which.
    quiet : bool
        Whether to keep the progress bar off.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> from nta_beyond.scansnap import contexts_of
    >>> train_on_contexts(contexts_of(FIG3), seed=0, steps=100, batch_size=7)
    LayerRun(100 steps, M=4: loss 1.39 → 0.727, entropy 0.693 → 0.564)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 7 and 10.
    """
    check_numbers(eta_y=eta_y, eta_z=eta_z)
    if not 1 <= batch_size <= contexts.n:
        raise OptionError(f"batch_size={batch_size}: from 1 to the {contexts.n} contexts")
    chosen = steps_to_record(record, steps)
    layer = _Layer(contexts)
    rng = np.random.default_rng(seed)

    def training() -> Iterator[None]:
        while True:
            yield
            layer.step(rng.integers(contexts.n, size=batch_size), eta_y, eta_z)

    states: Iterable[None] = training()
    if not quiet:
        states = progress_bar("training", iterable=states, total=int(chosen[-1]), unit=" steps")
    records = [layer.measure() for _ in recorded(states, chosen)]
    entropies, losses, moves = np.array(records).T
    return LayerRun(chosen, entropies, losses, moves, layer.Z, layer.Y)


class _Layer:
    """Z and Y of a layer on some contexts; trained in place."""

    def __init__(self, contexts: Contexts) -> None:
        self.contexts = contexts
        self.Z, self.Y = np.zeros((contexts.M,) * 2), np.zeros((contexts.M,) * 2)
        size = min(contexts.n, EVALUATED)
        self.sample = np.linspace(0, contexts.n - 1, size).astype(np.int64)
        self.before: Floats | None = None  # attention at the last record

    def attend(self, counts: csr_array, queries: Ints) -> tuple[Floats, Ints]:
        """Attention by token for every entry of `counts`, and the row of the entry."""
        rows = RaggedRows.of(counts.indptr)
        scores = self.Z[queries[rows.row], counts.indices] + np.log(counts.data)
        return rows.softmax(scores)[1], rows.row

    def outputs(self, rows: Ints) -> tuple[csr_array, Ints, Floats]:
        """Features of some contexts, the row of each of their entries, and answers' shares."""
        counts, queries = self.contexts.counts[rows], self.contexts.queries[rows]
        a, at = self.attend(counts, queries)
        length = np.sqrt(np.add.reduceat(a * a, counts.indptr[:-1]))
        f = csr_array((a / length[at], counts.indices, counts.indptr), shape=counts.shape)
        logits = f @ self.Y
        logits -= logits.max(axis=1, keepdims=True)
        alpha = np.exp(logits, out=logits)
        alpha /= alpha.sum(axis=1, keepdims=True)
        return f, at, alpha

    def step(self, rows: Ints, eta_y: float, eta_z: float) -> None:
        f, at, alpha = self.outputs(rows)
        queries = self.contexts.queries[rows]
        residual = -alpha
        residual[np.arange(len(rows)), self.contexts.answers[rows]] += 1
        bounds = f.indptr.tolist()
        # row by row: a few rows of Y at a time stay in the cache
        g = np.concatenate(
            [
                self.Y[f.indices[i:j]] @ r
                for i, j, r in zip(bounds[:-1], bounds[1:], residual, strict=True)
            ]
        )
        inner = np.add.reduceat(f.data * g, f.indptr[:-1])[at]
        push = f.data * (g - f.data * inner)
        np.add.at(self.Z, (queries[at], f.indices), eta_z / len(rows) * push)
        tokens, place = np.unique(f.indices, return_inverse=True)
        narrow = csr_array((f.data, place, f.indptr), shape=(len(rows), len(tokens)))
        self.Y[tokens] += eta_y / len(rows) * (narrow.T @ residual)

    def measure(self) -> tuple[float, float, float]:
        """Entropy over positions, loss, and how far attention moved since the last measure."""
        counts = self.contexts.counts
        a, _ = self.attend(counts, self.contexts.queries)
        logs = np.log(a / counts.data, out=np.zeros_like(a), where=a > 0)
        moved = 0.0 if self.before is None else float(np.abs(a - self.before).sum())
        self.before = a
        alpha = self.outputs(self.sample)[2]
        own = alpha[np.arange(len(self.sample)), self.contexts.answers[self.sample]]
        n = self.contexts.n
        return float(-(a @ logs) / n), float(-np.log(own).mean()), moved / n
