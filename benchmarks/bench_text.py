"""Reading text: streaming against all windows in memory, words and pieces, one process and two.

The text is WikiText-2 where it is here (NTA_CORPORA), else generated; every row says which.

``python -m benchmarks text``
"""

import logging
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Row, in_a_fresh_process
from experiments.text_growth import peak_mb, zipf
from nta_beyond.errors import MissingCorpus
from nta_beyond.text import (
    Corpus,
    LeagueTables,
    Vocabulary,
    WordPieces,
    grammar_text,
    named_corpus,
    read_edges,
    text_windows,
    token_edges,
)
from nta_beyond.text.corpus import Document
from nta_core import token_priority_graphs

GENERATED, FILES = 1_000_000, 64  # tokens, where no corpus is here
PIECES = 4_000
PARTS = (16, 4)  # the whole is compared with these parts of it
LONG = 2_000_000  # random words: what two processes are for
ASKED = 100_000  # windows


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        name, words = text(Path(folder))
        pieces = words.cut_by(WordPieces.trained(words, PIECES))
        # a process each, so that the peak of memory is its own
        stream, memory = (in_a_fresh_process(collect, way, words) for way in (streaming, in_memory))
        rows = [
            against_memory(name, stream, memory),
            *costs(f"{name}, words", words),
            *costs(f"{name}, {PIECES:,} pieces", pieces),
            *costs(f"{LONG:,} random words", random_words(Path(folder))),
        ]
        asked = decisions(words)
    each = f"{asked / ASKED * 1e6:.1f} µs per window"
    what = f"which of {ASKED:,} windows of {name} the league tables decide"
    return [*rows, Row(what, asked, note=each)]


def text(folder: Path) -> tuple[str, Corpus]:
    """What is read, and what it is called."""
    try:
        return "WikiText-2", named_corpus("wikitext-2").corpus()
    except MissingCorpus:
        for k in range(FILES):
            written = grammar_text(GENERATED // FILES, seed=k)
            (folder / f"{k:02}.txt").write_text(written, encoding="utf-8")
        return "generated text", Corpus.open(folder)


def random_words(folder: Path) -> Corpus:
    """A longer text: words as frequent as those of a language, in as many files as parts."""
    documents: list[Document] = []
    for k in range(max(PARTS)):
        (folder / f"random {k}").mkdir()
        documents += zipf(folder / f"random {k}", LONG // max(PARTS), k).documents
    return Corpus(tuple(documents))


def against_memory(name: str, stream: dict[str, float], memory: dict[str, float]) -> Row:
    """The same edges with and without all windows in memory."""
    assert stream["edges"] == memory["edges"]
    less = memory["MB"] / stream["MB"]
    peaks = f"peak {stream['MB']:.0f} MB against {memory['MB']:.0f} MB: {less:.1f}x less"
    what = f"edges of {name}, {stream['tokens']:,.0f} words, streaming against all in memory"
    return Row(what, stream["edges_s"], memory["edges_s"], note=peaks)


def costs(name: str, corpus: Corpus) -> list[Row]:
    """Vocabulary and edges on one process and on two, and how the cost grows with the text."""
    count = len(corpus.documents)
    whole = in_a_fresh_process(collect, streaming, corpus)
    speed = (
        f"{whole['tokens'] / whole['seconds']:,.0f} tokens per second, peak {whole['MB']:.0f} MB"
    )
    rows = [Row(f"{name}: vocabulary and edges, one process", whole["seconds"], note=speed)]
    for part in PARTS:
        few = in_a_fresh_process(collect, streaming, corpus.pick(slice(count // part)))
        more = {key: whole[key] / few[key] for key in ("tokens", "seconds", "edges", "MB")}
        grows = "{tokens:.0f}x the tokens: {edges:.1f}x the edges, {MB:.1f}x the memory".format(
            **more
        )
        rows.append(
            Row(f"  from 1/{part} of it to all", f"{more['seconds']:.1f}x the time", note=grows)
        )
    two = two_processes(corpus)
    assert two["edges"] == whole["edges"]
    speed = (
        f"{whole['tokens'] / two['wall_s']:,.0f} tokens per second, peak {two['MB']:.0f} MB each"
    )
    what = "  two processes (Dask) against one, by the clock"
    rows.append(Row(what, two["wall_s"], whole["wall_s"], note=speed))
    # other programs take from the clock, and little from the processor time
    shared = f"the other one {two['other_s']:.2f} s"
    what = "  CPU of the busier of the two against that of one alone"
    return [*rows, Row(what, two["seconds"], whole["seconds"], note=shared)]


def streaming(corpus: Corpus, words: Vocabulary) -> int:
    """Edges while the text streams by."""
    return len(read_edges(corpus, words).keys)


def in_memory(corpus: Corpus, words: Vocabulary) -> int:
    """Edges from a dataset of all windows."""
    data = text_windows(corpus, words).races().dataset(words.names)
    return token_priority_graphs(data).n_edges


def collect(way: Callable[[Corpus, Vocabulary], int], corpus: Corpus) -> dict[str, float]:
    """Seconds of CPU and by the clock, peak memory in MB and edges of one way, in this process."""
    begin, clock = time.process_time(), time.perf_counter()
    words = Vocabulary.of(corpus)
    counted = time.process_time()
    edges = way(corpus, words)
    end = time.process_time()
    return {
        "tokens": words.total,
        "edges": edges,
        "edges_s": end - counted,
        "seconds": end - begin,
        "wall_s": time.perf_counter() - clock,
        "MB": peak_mb(),
    }


def two_processes(corpus: Corpus) -> dict[str, float]:
    """The same by Dask; its processes are there before the clock starts."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.ERROR
    )
    with cluster, Client(cluster) as client:
        tiny = Corpus.from_text("one two one two").cut_by(corpus.tokenizer)
        token_edges(tiny, window=2, client=client)  # loads what it needs
        before, clock = client.run(time.process_time), time.perf_counter()
        # a share of the text for each process, twice: one that is done early does not wait long
        found = token_edges(corpus, client=client, chunk=corpus.size // 4)
        wall = time.perf_counter() - clock
        after, largest = client.run(time.process_time), max(client.run(peak_mb).values())
    other, busier = sorted(after[worker] - before[worker] for worker in before)
    times = {"wall_s": wall, "seconds": busier, "other_s": other}
    return {"edges": len(found.keys), "MB": largest, **times}


def decisions(corpus: Corpus) -> float:
    """CPU seconds to ask the league tables about many windows of a text."""
    words = Vocabulary.of(corpus)
    found = read_edges(corpus, words)
    asked = text_windows(corpus, words, limit=ASKED)
    begin = time.process_time()
    LeagueTables(found).decide(asked)
    return time.process_time() - begin
