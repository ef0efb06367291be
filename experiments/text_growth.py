"""What do the edges of a text cost, in time and memory, as the text grows to millions of tokens?

Random text has words as frequent as those of a language (Zipf's law, 50,000 words), and there is as
much of it as one likes.  Real text is WikiText-2, in words and in pieces of words; it grows by
whole articles, drawn at random.
"""

import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from experiments.experiment import Experiment
from experiments.instances import grid
from nta_beyond.text import Corpus, TokenEdges, Vocabulary, WordPieces, named_corpus, read_edges
from nta_beyond.text.edges import merge, tally
from nta_beyond.text.windows import window_blocks

WORDS, PIECES, WINDOW = 50_000, 4_000, 16
WRITTEN = 250_000  # tokens written at a time
TEXTS = ("words", "pieces")  # two readings of WikiText-2

ZIPF = tuple(4_000 * 2**k for k in range(11))  # tokens
LONGER = (2 * ZIPF[-1], 4 * ZIPF[-1])  # for memory alone
ARTICLES = (3, 6, 15, 30, 60, 120)  # of WikiText-2
CELLS = (
    *grid(text=["zipf"], size=ZIPF, draw=range(3), measured=["counts"]),
    *grid(text=TEXTS, size=ARTICLES[:-1], draw=range(5), measured=["counts"]),
    *grid(text=TEXTS, size=ARTICLES[-1:], draw=[0], measured=["counts"]),  # there is but one
    *grid(text=["zipf"], size=ZIPF[4:], draw=range(3), measured=["cost"]),
    *grid(text=TEXTS, size=ARTICLES, draw=range(3), measured=["cost"]),
    *grid(text=["zipf"], size=LONGER, draw=range(3), measured=["memory"]),
)


def measure(text: str, size: int, draw: int, measured: str) -> dict[str, object]:
    """Counts are the same on every machine; costs are those of the machine that ran them.

    Memory is a cost without its seconds, which are compared only with others of the same day.
    """
    with tempfile.TemporaryDirectory() as folder:
        corpus = zipf(Path(folder), size, draw) if text == "zipf" else articles(text, size, draw)
        if measured == "counts":
            return counts(corpus)
        # a process of its own: its peak of memory is that of this one text
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            spent = pool.submit(cost, corpus).result()
    if measured == "memory":
        return {key: value for key, value in spent.items() if not key.endswith("_s")}
    return spent


def zipf(folder: Path, tokens: int, draw: int) -> Corpus:
    """Words drawn independently, the word of rank r with frequency ∝ 1/r; every size anew."""
    rng = np.random.default_rng([draw, tokens])
    steps = np.cumsum(1 / np.arange(1, WORDS + 1))
    path = folder / "zipf.txt"
    with path.open("w", encoding="utf-8") as file:
        for begin in range(0, tokens, WRITTEN):
            draws = rng.random(min(WRITTEN, tokens - begin)) * steps[-1]
            ranks = np.searchsorted(steps, draws)
            file.write(" ".join(f"w{rank}" for rank in ranks.tolist()) + "\n")
    return Corpus.open(path)


def articles(text: str, count: int, draw: int) -> Corpus:
    """Some articles of WikiText-2, drawn without repetition."""
    corpus = named_corpus("wikitext-2").corpus()
    order = np.random.default_rng([draw, count]).permutation(len(corpus.documents))
    chosen = corpus.pick(order[:count].tolist())
    return chosen.cut_by(pieces()) if text == "pieces" else chosen


@cache
def pieces() -> WordPieces:
    """Pieces trained on all of WikiText-2."""
    return WordPieces.trained(named_corpus("wikitext-2").corpus(), PIECES)


def counts(corpus: Corpus) -> dict[str, object]:
    """Edges of the whole text, and of its pieces: what the pieces would send over a network."""
    words = Vocabulary.of(corpus)
    parts = [tally(block, words.K) for block in window_blocks(corpus, words, window=WINDOW)]
    found = merge(parts)
    return {
        "tokens": words.total,
        "words": words.K,
        "windows": found.windows.sum(),
        "label_share": found.races.sum() / found.windows.sum(),
        "edges": len(found.keys),
        "sent": sum(len(part.keys) for part in parts),
    }


def cost(corpus: Corpus) -> dict[str, object]:
    """Seconds of the processor and megabytes of every stage, in this process."""
    tiny = Corpus.from_text("one two one two").cut_by(corpus.tokenizer)
    read_edges(tiny, Vocabulary.of(tiny), window=2).condensation  # noqa: B018  # loads what it needs
    before = peak_mb()
    times = [time.process_time()]
    words = Vocabulary.of(corpus)
    times.append(time.process_time())
    found: TokenEdges = read_edges(corpus, words, window=WINDOW)
    times.append(time.process_time())
    reading = peak_mb()
    leagues = found.condensation.count
    times.append(time.process_time())
    seconds = dict(zip(("count_s", "edges_s", "leagues_s"), np.diff(times).tolist(), strict=True))
    return {
        "tokens": words.total,
        "bytes": corpus.size,
        "edges": len(found.keys),
        "leagues": leagues,
        **seconds,
        "start_mb": before,
        "reading_mb": reading,
        "peak_mb": peak_mb(),
    }


def peak_mb() -> float:
    """Peak memory of this process in megabytes.

    Linux keeps it under this name; the portable ``ru_maxrss`` would count the parent's peak, too.
    """
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024


EXPERIMENT = Experiment(
    "What the edges of a growing text cost",
    16,
    CELLS,
    measure,
    spot=(0, 33, 58),  # random words, words, pieces
    tolerance=1e-9,
    corpora=("wikitext-2",),
)
