"""Reading text: streaming against all windows in memory, and tokens per second.

``python -m benchmarks text``
"""

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.measure import Row, in_a_fresh_process
from nta_beyond.text import Corpus, LeagueTables, Vocabulary, grammar_text, read_edges, text_windows
from nta_core import token_priority_graphs

TOKENS = 1_000_000


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grammar.txt"
        path.write_text(grammar_text(TOKENS, seed=0), encoding="utf-8")
        # a process each, so that the peak of memory is its own
        stream, memory = (in_a_fresh_process(collect, way, path) for way in (streaming, in_memory))
        asked = decisions(path)
    assert stream["edges"] == memory["edges"]
    both = stream["count_s"] + stream["seconds"]
    less = memory["MB"] / stream["MB"]
    peaks = f"peak {stream['MB']:.0f} MB against {memory['MB']:.0f} MB: {less:.1f}x less"
    speed = f"{TOKENS / both:,.0f} tokens per second of one core"
    what = f"edges of {TOKENS:,} tokens of text, streaming against all in memory"
    each = f"{asked * 10:.1f} µs per window"
    return [
        Row(what, stream["seconds"], memory["seconds"], note=peaks),
        Row("counting words and collecting edges, together", both, note=speed),
        Row("which of 100,000 windows the league tables decide", asked, note=each),
    ]


def streaming(corpus: Corpus, words: Vocabulary) -> int:
    """Edges while the text streams by."""
    return len(read_edges(corpus, words).keys)


def in_memory(corpus: Corpus, words: Vocabulary) -> int:
    """Edges from a dataset of all windows."""
    data = text_windows(corpus, words).races().dataset(words.names)
    return token_priority_graphs(data).n_edges


def collect(way: Callable[[Corpus, Vocabulary], int], path: Path) -> dict[str, float]:
    """CPU seconds, peak memory in MB and edges of one way, in this process."""
    corpus = Corpus.open(path)
    begin = time.process_time()
    words = Vocabulary.of(corpus)
    counted = time.process_time()
    edges = way(corpus, words)
    seconds = time.process_time() - counted
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return {"count_s": counted - begin, "seconds": seconds, "MB": peak, "edges": edges}


def decisions(path: Path) -> float:
    """CPU seconds to ask the league tables about every window of a text."""
    corpus = Corpus.open(path)
    words = Vocabulary.of(corpus)
    found = read_edges(corpus, words)
    asked = text_windows(corpus, words, limit=100_000)
    begin = time.process_time()
    LeagueTables(found).decide(asked)
    return time.process_time() - begin
