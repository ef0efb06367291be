"""The same edges on several processes, or on a cluster: a map over pieces and a distinct.

Pieces of text are tallied where they are read, and tallies are merged in a tree, eight at a time,
so no machine ever holds more than its own pieces and a few merged ones.  Every task can be
repeated: when a worker is lost, Dask computes again what was lost with it.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from nta_beyond.text.corpus import CHUNK, Chunk, Corpus
from nta_beyond.text.edges import Gathering, Tally, TokenEdges, as_edges, merge, tally
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import WIDEST, WINDOW, windows_of
from nta_core.boundary import needs, shown, whole
from nta_core.data import Dataset, warn_unrealizable
from nta_core.errors import OptionError
from nta_core.graphs.build import edge_keys
from nta_core.indices import as_index

if TYPE_CHECKING:
    from distributed import Client, Future

FAN_IN = 8  # tallies merged at a time
ROWS = 1 << 18  # sequences of a dataset in one task


def token_edges(
    source: Corpus | Dataset,
    *,
    window: int = WINDOW,
    vocabulary: Vocabulary | int | None = None,
    client: Client | None = None,
    chunk: int = CHUNK,
) -> TokenEdges:
    """Collect the edges of a corpus, or of a dataset, on several processes or machines.

    The result equals what `read_edges` finds alone.

    Raises `MissingPackage` when Dask is not installed, `TextFileError` as in `read_edges`,
    whichever worker comes across it.

    Parameters
    ----------
    source : Corpus or Dataset
        Text files that all workers can open under the same path; or sequences, which are sent.
    window : int
        Tokens per window; a dataset has its own.
    vocabulary : Vocabulary or int, optional
        The vocabulary, or how many of the most frequent words to keep; all by default.  Words are
        counted on the workers, too.
    client : dask.distributed.Client, optional
        A connection to a cluster.  Without one, a process per core is started on this machine, and
        stopped at the end; a script then needs the usual ``if __name__ == "__main__":``.
    chunk : int
        Bytes of text per task, which may hold many small documents.

    Examples
    --------
    >>> from nta_beyond.text import Corpus, grammar_text
    >>> corpus = Corpus.from_text(grammar_text(500, seed=0))
    >>> token_edges(corpus, window=8)  # doctest: +SKIP
    TokenEdges(494 windows, 34% hold their next token, 762 edges, K=102)

    Explained in: chapter 16, and "Beyond one machine".
    """
    whole(window, "window", least=1, most=WIDEST)
    whole(chunk, "chunk", least=1)
    if not isinstance(source, Corpus | Dataset):
        raise OptionError(f"source must be a Corpus or a Dataset, got {shown(source)}")
    if not (vocabulary is None or isinstance(vocabulary, Vocabulary)):
        whole(vocabulary, "vocabulary", least=1)
    if not (client is None or callable(getattr(client, "submit", None))):
        raise OptionError(f"client must be a dask.distributed.Client, got {shown(client)}")
    with _cluster(client) as workers:
        if isinstance(source, Dataset):
            warn_unrealizable(source)
            total = _combined(workers, _tally_rows, _slices(source), merge)
            return TokenEdges(**vars(total.result()), names=source.names)
        shares = [(share,) for share in _shares(source, chunk)]
        words = _vocabulary(workers, shares, vocabulary, source)
        # a task is run where its data lies: without a copy on each, one worker would do nearly all;
        # a matter of speed alone, so a client that can only submit will do
        if hasattr(workers, "replicate"):
            workers.replicate([words])
        tasks = [(*share, words, window) for share in shares]
        total = _combined(workers, _tally_chunks, tasks, merge)
        return as_edges(total.result(), source, words.result(), window)


@contextmanager
def _cluster(client: Client | None) -> Iterator[Client]:
    """The given cluster, or processes of this machine for as long as they are needed."""
    if client is not None:
        yield client
        return
    dask = needs("distributed", wanted_for="token_edges", extra="dask")
    cluster = dask.LocalCluster(
        n_workers=os.cpu_count(),
        threads_per_worker=1,
        dashboard_address=":0",  # any free port: several may run
        silence_logs=logging.ERROR,
    )
    with cluster, dask.Client(cluster) as own:
        yield own


def _combined(
    workers: Client,
    call: Callable[..., Any],
    tasks: Sequence[tuple[Any, ...]],
    combine: Callable[[list[Any]], Any],
) -> Future[Any]:
    """Call on every task; results are combined eight at a time until one is left."""
    parts = [workers.submit(call, *task, pure=False) for task in tasks]
    while len(parts) > 1:
        groups = [parts[k : k + FAN_IN] for k in range(0, len(parts), FAN_IN)]
        parts = [workers.submit(combine, group, pure=False) for group in groups]
    return parts[0]


def _vocabulary(
    workers: Client,
    shares: Sequence[tuple[list[Chunk]]],
    wanted: Vocabulary | int | None,
    source: Corpus,
) -> Future[Any]:
    """The vocabulary as a task, so that it, too, can be computed again when a worker is lost."""
    if isinstance(wanted, Vocabulary):
        return workers.submit(lambda: wanted, pure=False)
    counts = _combined(workers, _count_words, shares, _sum_counts)
    told = {"source": source.name, "gaps": source.tokenizer.gaps}
    return workers.submit(Vocabulary.from_counts, counts, wanted, **told, pure=False)


def _shares(corpus: Corpus, size: int) -> Iterator[list[Chunk]]:
    """The pieces of a corpus in groups of at least `size` bytes, but the last."""
    share: list[Chunk] = []
    for chunk in corpus.chunks(size):
        share.append(chunk)
        if sum(each.end - each.begin for each in share) >= size:
            yield share
            share = []
    if share:
        yield share


def _count_words(chunks: list[Chunk]) -> Counter[str]:
    return _sum_counts(chunk.tokens() for chunk in chunks)


def _sum_counts(parts: Iterable[Iterable[str]]) -> Counter[str]:
    """The sum of counts, or the counts of lists of words; what was given stays as it is."""
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return total


def _tally_chunks(chunks: list[Chunk], vocabulary: Vocabulary, window: int) -> Tally:
    """Tally the windows whose next token lies in a piece; their tokens may lie before it."""
    gathering = Gathering()
    for chunk in chunks:
        ids = vocabulary.encode([*chunk.lead(window), *chunk.tokens()])
        gathering.add(tally(windows_of(ids, window), vocabulary.K))
    total = gathering.total()
    assert total is not None, "a share has at least one piece"
    return total


def _slices(dataset: Dataset) -> list[tuple[Any, ...]]:
    """Rows of a dataset as plain arrays: sequences of one length as a matrix, others as a list."""
    lengths = np.diff(dataset.offsets)
    pieces = []
    for begin in range(0, dataset.n, ROWS):
        end = min(begin + ROWS, dataset.n)
        flat = dataset.tokens[dataset.offsets[begin] : dataset.offsets[end]]
        if (lengths[begin:end] == lengths[begin]).all():
            rows: Any = flat.reshape(end - begin, -1)
        else:
            rows = np.split(flat, np.cumsum(lengths[begin : end - 1]))
        pieces.append((rows, dataset.targets[begin:end], dataset.K))
    return pieces


def _tally_rows(rows: Any, labels: Any, K: int) -> Tally:
    dataset = Dataset(rows, labels, K=K)
    windows = np.bincount(as_index(dataset.lasts), minlength=K)
    races = np.bincount(as_index(dataset.lasts[dataset.realizable_rows]), minlength=K)
    return Tally(edge_keys(dataset), windows, races)
