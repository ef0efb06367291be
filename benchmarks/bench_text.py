"""Reading text: streaming against all windows in memory, and tokens per second.

``python -m benchmarks.bench_text``
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.measure import Row
from nta_beyond.text import (
    Corpus,
    LeagueTables,
    TokenEdges,
    Vocabulary,
    grammar_text,
    read_edges,
    text_windows,
)
from nta_core import token_priority_graphs

TOKENS = 1_000_000


def streaming(corpus: Corpus, words: Vocabulary) -> int:
    """Edges while the text streams by."""
    return len(read_edges(corpus, words).keys)


def in_memory(corpus: Corpus, words: Vocabulary) -> int:
    """Edges from a dataset of all windows."""
    data = text_windows(corpus, words).races().dataset(words.names)
    return token_priority_graphs(data).n_edges


def one(way: str, path: str) -> dict[str, float]:
    """CPU seconds, peak memory in MB and edges of one way, in this process."""
    corpus = Corpus.open(path)
    begin = time.process_time()
    words = Vocabulary.of(corpus)
    counted = time.process_time()
    edges = {"streaming": streaming, "in_memory": in_memory}[way](corpus, words)
    seconds = time.process_time() - counted
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10
    return {"count_s": counted - begin, "seconds": seconds, "MB": peak, "edges": edges}


def in_a_fresh_process(way: str, path: Path) -> dict[str, float]:
    """Run `one` in its own process, so that the peak memory is its own."""
    command = [sys.executable, "-m", "benchmarks.bench_text", way, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def decisions(path: Path) -> float:
    """CPU seconds to ask the league tables about every window of a text."""
    corpus = Corpus.open(path)
    words = Vocabulary.of(corpus)
    found: TokenEdges = read_edges(corpus, words)
    asked = text_windows(corpus, words, limit=100_000)
    begin = time.process_time()
    LeagueTables(found).decide(asked)
    return time.process_time() - begin


def run() -> list[Row]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grammar.txt"
        path.write_text(grammar_text(TOKENS, seed=0), encoding="utf-8")
        stream = in_a_fresh_process("streaming", path)
        memory = in_a_fresh_process("in_memory", path)
        asked = decisions(path)
    assert stream["edges"] == memory["edges"]
    both = stream["count_s"] + stream["seconds"]
    return [
        {
            "what": f"edges of {TOKENS:,} tokens of text, streaming against all in memory",
            "ours_s": stream["seconds"],
            "baseline_s": memory["seconds"],
            "ratio": memory["seconds"] / stream["seconds"],
            "target": "",
            "note": f"peak {stream['MB']:.0f} MB against {memory['MB']:.0f} MB: "
            f"{memory['MB'] / stream['MB']:.1f}x less",
        },
        {
            "what": "counting words and collecting edges, together",
            "ours_s": both,
            "baseline_s": None,
            "ratio": None,
            "target": "",
            "note": f"{TOKENS / both:,.0f} tokens per second of one core",
        },
        {
            "what": "which of 100,000 windows the league tables decide",
            "ours_s": asked,
            "baseline_s": None,
            "ratio": None,
            "target": "",
            "note": f"{asked * 10:.1f} µs per window",
        },
    ]


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(one(sys.argv[1], sys.argv[2])))
    else:
        for row in run():
            print(row)
