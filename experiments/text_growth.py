"""What do the edges of a text cost, in time and memory, as the text grows to millions of tokens?

The text is random, its words as frequent as those of a language (Zipf's law, 50,000 words): the
grammar's 335 words would soon have met in every way they can.
"""

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from experiments.experiment import Experiment
from nta_beyond.text import Corpus, TokenEdges, Vocabulary, read_edges
from nta_beyond.text.edges import tally
from nta_beyond.text.windows import window_blocks

WORDS, WINDOW, SEED = 50_000, 16, 0
PIECE = 250_000  # tokens written at a time

CELLS = (
    *({"tokens": n, "measured": "counts"} for n in (16_000, 64_000, 250_000, 1_000_000)),
    *({"tokens": n, "measured": "cost"} for n in (16_000, 64_000, 250_000, 1_000_000, 4_000_000)),
)


def measure(tokens: int, measured: str) -> dict[str, object]:
    """Counts are the same on every machine; costs are those of the machine that ran them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "zipf.txt"
        write_zipf(path, tokens)
        if measured == "counts":
            return counts(path)
        # a process of its own: its peak of memory is that of this one text
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            return pool.submit(cost, path).result()


def write_zipf(path: Path, tokens: int) -> None:
    """Words drawn independently, the word of rank r with frequency ∝ 1/r."""
    rng = np.random.default_rng(SEED)
    steps = np.cumsum(1 / np.arange(1, WORDS + 1))
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, tokens, PIECE):
            draws = rng.random(min(PIECE, tokens - begin)) * steps[-1]
            ranks = np.searchsorted(steps, draws)
            file.write(" ".join(f"w{rank}" for rank in ranks.tolist()) + "\n")


def counts(path: Path) -> dict[str, object]:
    """Edges of the whole text, and of its pieces: what the pieces would send over a network."""
    corpus = Corpus.open(path)
    words = Vocabulary.of(corpus)
    found = read_edges(corpus, words, window=WINDOW)
    pieces = [tally(block, words.K) for block in window_blocks(corpus, words, window=WINDOW)]
    return {
        "words": words.K,
        "windows": found.n,
        "label_share": found.label_share,
        "edges": len(found.keys),
        "sent": sum(len(piece.keys) for piece in pieces),
        "leagues": found.condensation.count,
    }


def cost(path: Path) -> dict[str, object]:
    """Seconds of the processor and megabytes of every stage, in this process."""
    tiny = Corpus.from_text("one two one two")  # what has to be loaded is loaded here
    read_edges(tiny, Vocabulary.of(tiny), window=2).condensation  # noqa: B018
    before = _peak()
    corpus = Corpus.open(path)
    times = [time.process_time()]
    words = Vocabulary.of(corpus)
    times.append(time.process_time())
    found: TokenEdges = read_edges(corpus, words, window=WINDOW)
    times.append(time.process_time())
    reading = _peak()
    leagues = found.condensation.count
    times.append(time.process_time())
    seconds = dict(zip(("count_s", "edges_s", "leagues_s"), np.diff(times).tolist(), strict=True))
    return {
        "bytes": corpus.size,
        "edges": len(found.keys),
        "leagues": leagues,
        **seconds,
        "start_mb": before,
        "reading_mb": reading,
        "peak_mb": _peak(),
    }


def _peak() -> float:
    """Peak memory of this process in megabytes.

    Linux keeps it under this name; the portable ``ru_maxrss`` would count the parent's peak, too.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


EXPERIMENT = Experiment(
    "What the edges of a growing text cost", 16, CELLS, measure, spot=(0, 1), tolerance=1e-9
)
