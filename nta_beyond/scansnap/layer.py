"""A Scan-and-Snap layer trained on any contexts, such as windows of a text, as sparse counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, sparray, spmatrix
from scipy.special import logsumexp

from nta_beyond.errors import still_finite
from nta_beyond.progress import progress_bar
from nta_beyond.recording import watched
from nta_beyond.scansnap.gradient import RATE, output_shares
from nta_beyond.scansnap.run import steps_to_record
from nta_core.boundary import (
    MAX_K,
    Floats,
    Ints,
    a,
    flag,
    generator,
    integers,
    number,
    reals,
    room_for,
    whole,
)
from nta_core.data import Dataset
from nta_core.errors import DataError
from nta_core.model.ragged import RaggedRows

EVALUATED = 512  # contexts on which the loss is measured, spread evenly over the data


@dataclass(frozen=True, eq=False, repr=False)
class Contexts:
    """Contexts, queries and next tokens.

    Attributes
    ----------
    counts : scipy csr_array of shape (n, M)
        How often each token occurs in each context; no row is empty.
    queries, answers : int64 arrays of shape (n,)
        Query and next token of each context.

    Explained in: chapter 13. Paper: Scan and Snap, Sec. 3.
    """

    counts: csr_array
    queries: Ints
    answers: Ints

    @property
    def n(self) -> int:
        """Number of contexts."""
        return len(self.queries)

    @property
    def M(self) -> int:
        """Size of the vocabulary."""
        return int(self.counts.shape[1])

    def __repr__(self) -> str:
        return f"Contexts({self.n} contexts, M={self.M})"


def contexts_from_counts(
    counts: ArrayLike | sparray, queries: ArrayLike, answers: ArrayLike
) -> Contexts:
    """Return contexts from counts (n, M), dense or sparse, queries (n,) and next tokens (n,).

    Examples
    --------
    >>> contexts_from_counts([[2, 1, 0], [0, 0, 3]], [0, 1], [2, 2])
    Contexts(2 contexts, M=3)

    Explained in: chapter 13.
    """
    if not isinstance(counts, sparray | spmatrix):
        counts = reals(counts, "counts", error=DataError)
    if counts.ndim != 2 or counts.dtype.kind not in "buif":
        raise DataError("counts: real numbers of shape (n, M), one row per context")
    table = csr_array(counts, dtype=np.float64)
    table.sum_duplicates()
    table.eliminate_zeros()
    n, M = table.shape
    if not n or not ((table.data >= 0) & (table.data <= RATE)).all():
        raise DataError(f"counts: at least one context; numbers from 0 to {RATE:g}")
    empty = np.flatnonzero(np.diff(table.indptr) == 0)
    if len(empty):
        raise DataError(f"context {empty[0]} is empty: drop it", row=int(empty[0]))
    return Contexts(table, _ids(queries, n, M, "queries"), _ids(answers, n, M, "answers"))


def contexts_of(dataset: Dataset) -> Contexts:
    """Return each sequence as a query, its last token, and a context, all tokens before it.

    Examples
    --------
    >>> from nta_core import FIG3
    >>> contexts_of(FIG3)
    Contexts(7 contexts, M=4)

    Explained in: chapter 13.
    """
    short = np.flatnonzero(np.diff(a(Dataset, dataset, "dataset").offsets) < 2)
    if len(short):
        raise DataError(
            f"row {short[0]} has one token, which is its query: a context needs another",
            row=int(short[0]),
        )
    inside = np.ones(len(dataset.tokens), dtype=bool)
    inside[dataset.offsets[1:] - 1] = False
    counts = _counted(dataset.rows[inside], dataset.tokens[inside], (dataset.n, dataset.K))
    return contexts_from_counts(counts, dataset.lasts, dataset.targets)


def contexts_from_windows(tokens: ArrayLike, answers: ArrayLike, *, M: int) -> Contexts:
    """Return windows of a text, shape (n, T), as contexts: the last column holds the queries.

    −1 in the context marks a gap, a word outside the vocabulary of M.  Windows with nothing but
    gaps before their query are left out.  The answers, shape (n,), came next.

    Examples
    --------
    >>> contexts_from_windows([[0, 1, 0], [-1, 2, 1], [-1, -1, 2]], [1, 2, 0], M=3)
    Contexts(2 contexts, M=3)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 7 and 10.
    """
    windows, following = integers(tokens, "tokens"), integers(answers, "answers")
    whole(M, "M", least=1, most=MAX_K)
    if windows.ndim != 2 or windows.shape[1] < 2:
        raise DataError(f"windows: token ids of shape (n, T), T ≥ 2, got shape {windows.shape}")
    if following.shape != windows.shape[:1]:
        raise DataError(f"{len(windows)} windows need as many next tokens, got {following.shape}")
    context = windows[:, :-1]
    if context.size and (context.min() < -1 or context.max() >= M):
        raise DataError(f"windows hold token ids from 0 to {M - 1}, and −1 for a gap")
    kept = (context >= 0).any(axis=1)
    rows, columns = np.nonzero(context[kept] >= 0)
    counts = _counted(rows, context[kept][rows, columns], (int(kept.sum()), M))
    return contexts_from_counts(counts, windows[kept, -1], following[kept])


def _counted(rows: Ints, tokens: Ints, shape: tuple[int, int]) -> csr_array:
    return csr_array((np.ones(len(rows)), (rows, tokens)), shape=shape)


def _ids(values: ArrayLike, n: int, M: int, name: str) -> Ints:
    array = integers(values, name)
    if array.shape != (n,):
        raise DataError(f"{name}: one token id per context, shape ({n},), got {array.shape}")
    wrong = np.flatnonzero((array < 0) | (array >= M))
    if len(wrong):
        raise DataError(
            f"{name}: context {wrong[0]} has token {array[wrong[0]]}, outside 0…{M - 1}",
            row=int(wrong[0]),
        )
    return array


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

    A step touches only the rows of Y whose tokens occur in its minibatch.  On Ctrl-C,
    `Interrupted` carries the run until then.

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
    >>> train_on_contexts(contexts_of(FIG3), seed=0, steps=100, batch_size=7)
    LayerRun(100 steps, M=4: loss 1.39 → 0.727, entropy 0.693 → 0.564)

    Explained in: chapter 13. Paper: Scan and Snap, Figs. 7 and 10.
    """
    a(Contexts, contexts, "contexts")
    flag(quiet, "quiet")
    eta_y = number(eta_y, "eta_y", least=0, most=RATE)
    eta_z = number(eta_z, "eta_z", least=0, most=RATE)
    whole(batch_size, "batch_size", least=1, most=contexts.n)
    chosen = steps_to_record(record, steps, 24)
    M = contexts.M
    room_for(
        8 * M * (2 * M + 3 * batch_size + 3 * EVALUATED),
        f"Z and Y for {M:,} tokens",
        instead="keep fewer words (a smaller vocabulary)",
    )
    layer = _Layer(contexts)
    rng = generator(seed)

    def training() -> Iterator[None]:
        for step in count(1):
            yield
            with np.errstate(all="ignore"):  # what leaves float64 is found, and named
                rows = layer.step(rng.integers(contexts.n, size=batch_size), eta_y, eta_z)
            still_finite(step, *rows)

    states: Iterable[None] = training()
    if not quiet:
        states = progress_bar("training", iterable=states, total=int(chosen[-1]), unit=" steps")

    def make(at: Ints, seen: list[tuple[float, float, float]]) -> list[LayerRun]:
        entropies, losses, moves = np.array(seen).T
        return [LayerRun(at, entropies, losses, moves, layer.Z, layer.Y)]

    return watched(states, chosen, lambda _: layer.measure(), make)[0]


class _Layer:
    """Z and Y of a layer on some contexts; trained in place."""

    def __init__(self, contexts: Contexts) -> None:
        self.contexts = contexts
        self.Z, self.Y = np.zeros((contexts.M,) * 2), np.zeros((contexts.M,) * 2)
        self.sample = np.linspace(0, contexts.n - 1, min(contexts.n, EVALUATED)).astype(int)
        self.before: Floats | None = None  # attention at the last record

    def attend(self, counts: csr_array, queries: Ints) -> tuple[Floats, RaggedRows]:
        """Attention by token for every entry of `counts`, and the rows of the entries."""
        entries = RaggedRows.of(counts.indptr)
        scores = self.Z[queries[entries.row], counts.indices] + np.log(counts.data)
        return entries.softmax(scores)[1], entries

    def outputs(self, rows: Ints) -> tuple[csr_array, RaggedRows, Floats]:
        """Features of some contexts, the rows of their entries, and the answers' shares."""
        counts, queries = self.contexts.counts[rows], self.contexts.queries[rows]
        a, entries = self.attend(counts, queries)
        length = np.sqrt(entries.sum(a * a))[entries.row]
        f = csr_array((a / length, counts.indices, counts.indptr), shape=counts.shape)
        return f, entries, output_shares(self.Y, f, np.ones(1))

    def step(self, rows: Ints, eta_y: float, eta_z: float) -> tuple[Floats, Floats]:
        """One step; returns what moved Z and Y."""
        f, entries, alpha = self.outputs(rows)
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
        push = f.data * (g - f.data * entries.sum(f.data * g)[entries.row])
        tokens, place = np.unique(f.indices, return_inverse=True)
        narrow = csr_array((f.data, place, f.indptr), shape=(len(rows), len(tokens)))
        change = eta_y / len(rows) * (narrow.T @ residual)
        # both last: whoever interrupts the work above finds Z and Y after a whole step
        np.add.at(self.Z, (queries[entries.row], f.indices), eta_z / len(rows) * push)
        self.Y[tokens] += change
        return push, residual

    def measure(self) -> tuple[float, float, float]:
        """Entropy over positions, loss, and how far attention moved since the last measure."""
        counts = self.contexts.counts
        a, _ = self.attend(counts, self.contexts.queries)
        logs = np.log(a / counts.data, out=np.zeros_like(a), where=a > 0)
        moved = 0.0 if self.before is None else float(np.abs(a - self.before).sum())
        f, _, alpha = self.outputs(self.sample)
        rows, n = np.arange(len(self.sample)), self.contexts.n
        own = alpha[rows, self.contexts.answers[self.sample]]
        if own.all():
            own_logs = np.log(own)
        else:  # too small for a float64, not for its logarithm
            logits = f @ self.Y
            own_logs = logits[rows, self.contexts.answers[self.sample]] - logsumexp(logits, axis=1)
        self.before = a  # last: an interrupted measure can be repeated
        return float(-(a @ logs) / n), float(-own_logs.mean()), moved / n
