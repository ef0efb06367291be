"""Token-priority graphs of a Zipf corpus: against networkx, and at ten million sequences.

``python -m benchmarks graphs``
"""

import resource
import time

import networkx as nx
import numpy as np

from benchmarks.measure import Row, in_a_fresh_process
from nta_core import Automaton, Dataset, token_priority_graphs


def zipf_corpus(n: int, T: int, K: int, seed: int = 0) -> Dataset:
    """Races whose tokens are drawn with frequency ∝ 1/rank and whose label is one of them."""
    rng = np.random.default_rng(seed)
    cumulative = np.cumsum(1 / np.arange(1, K + 1))
    tokens = np.searchsorted(cumulative / cumulative[-1], rng.random((n, T), dtype=np.float32))
    np.minimum(tokens, K - 1, out=tokens)
    return Dataset(tokens, tokens[np.arange(n), rng.integers(T, size=n)], K=K)


def ours(n: int, T: int, K: int) -> dict[str, float]:
    """Seconds, peak memory (corpus included) and sizes of one run."""
    data = zipf_corpus(n, T, K)
    begin = time.perf_counter()
    graphs = token_priority_graphs(data)
    leagues = graphs.n_components
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "GB": peak, "edges": graphs.n_edges, "leagues": leagues}


def machine(n: int, T: int, K: int) -> dict[str, float]:
    """CPU seconds and peak memory of graphs and automaton, and of a hundred answers."""
    data = zipf_corpus(n, T, K)
    begin = time.process_time()
    automaton = Automaton.from_dataset(data)
    built = time.process_time()
    for context in np.random.default_rng(1).integers(K, size=(100, 8)):
        automaton.compose(context)
    answered = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": built - begin, "answers": answered - built, "GB": peak}


def networkx_seconds(n: int, T: int, K: int) -> float:
    """The same graphs and components by networkx, one DiGraph per last token."""
    data = zipf_corpus(n, T, K)
    begin = time.perf_counter()
    graphs: dict[int, nx.DiGraph] = {}
    for sequence, label in zip(data.sequences, data.labels, strict=True):
        graph = graphs.setdefault(sequence[-1], nx.DiGraph())
        graph.add_edges_from((label, token) for token in sequence)
    for graph in graphs.values():
        list(nx.strongly_connected_components(graph))
    return time.perf_counter() - begin


def run() -> list[Row]:
    """Measure every size; about three minutes."""
    size = 100_000, 16, 1_000
    small, baseline = in_a_fresh_process(ours, *size), networkx_seconds(*size)
    what = "graphs, 100 thousand sequences, K=1,000, against networkx"
    first = Row(what, small["seconds"], baseline, note=f"{small['edges']:,.0f} edges")
    return [first, *map(growing, (100_000, 1_000_000, 10_000_000)), of_words()]


def of_words() -> Row:
    """The automaton of a large vocabulary: nothing of size n × K or K × K is built."""
    found = in_a_fresh_process(machine, 100_000, 16, 2_000)
    note = f"100 answers in {found['answers']:.1f} s, peak {found['GB']:.1f} GB with the corpus"
    what = "automaton, 100,000 sequences of 16 tokens, K=2,000"
    kept = found["seconds"] < 60 and found["GB"] < 4
    return Row(what, found["seconds"], target="< 1 minute, < 4 GB", note=note, kept=kept)


def growing(n: int) -> Row:
    """One size, in a process of its own, so that the peak memory is its own."""
    found = in_a_fresh_process(ours, n, 16, 50_000)
    seconds, edges = found["seconds"], found["edges"]
    what = f"graphs, {n:,} sequences of 16 tokens, K=50,000"
    speed = f"{edges:,.0f} edges, {seconds / edges * 1e6:.2f} µs per edge"
    note = f"{speed}, peak {found['GB']:.1f} GB with the corpus"
    kept = seconds < 90 and found["GB"] < 6 if n == 10_000_000 else None
    target = "" if kept is None else "about a minute (< 90 s), < 6 GB"
    return Row(what, seconds, target=target, note=note, kept=kept)
