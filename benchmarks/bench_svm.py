"""Graph-SVM: ours against the same problem typed into cvxpy row by row and solved with SCS.

Both sides get the same graphs and embeddings, in the same run, on one thread; time is CPU time,
the least of several runs.  `python -m benchmarks svm` prints the table.
"""

import resource
import time
import tracemalloc

import numpy as np

from benchmarks.measure import Row, least_time
from nta_core import Dataset, embeddings, random_dataset, token_priority_graphs
from nta_core.boundary import Floats
from nta_core.graphs import TokenPriorityGraphs
from nta_core.svm import solve_graph_svm


def run() -> list[Row]:
    """Measure every size; a few minutes."""
    return [
        _against_cvxpy(6, 4, 6, 8, runs=40, target="≥ 20×"),
        _against_cvxpy(16, 4, 16, 16, runs=7),
        _against_cvxpy(64, 4, 64, 64, runs=3),
        _against_cvxpy(128, 8, 32, 32, runs=3, target="≥ 100×"),
        _alone("K=64 n=256 T=8 d=64", *_random(256, 8, 64, 64), most=(10, 500)),
        _alone("K=128 n=512 T=8 d=128", *_random(512, 8, 128, 128)),
        _alone("K=256 n=1024 T=8 d=64 (K > d)", *_planted(1024, 8, 256, 64)),
        _alone("K=10000 n=16 T=64 d=128, one track", *_random(16, 64, 10_000, 128, same_last=True)),
        _track_by_track(),
    ]


def row_by_row(graphs: TokenPriorityGraphs, E: Floats) -> Floats:
    """The direct way to type the problem: every constraint its own expression, SCS as it comes."""
    import cvxpy as cp

    W = cp.Variable((E.shape[1], E.shape[1]))
    rules = []
    for last, graph in graphs.items():
        rules += [(E[i] - E[j]) @ W @ E[last] >= 1 for i, j in graph.strict]
        rules += [(E[i] - E[j]) @ W @ E[last] == 0 for i, j in graph.ties]
    cp.Problem(cp.Minimize(cp.norm(W, "fro")), rules).solve(solver=cp.SCS)
    return np.asarray(W.value)


def _random(
    n: int, T: int, K: int, d: int, *, same_last: bool = False
) -> tuple[TokenPriorityGraphs, Floats]:
    data = random_dataset(n, T, K, same_last=same_last, seed=3)
    return token_priority_graphs(data), embeddings(K, d, seed=4)


def _planted(n: int, T: int, K: int, d: int) -> tuple[TokenPriorityGraphs, Floats]:
    """K > d, and feasible because a hidden W decides every race."""
    E = embeddings(K, d, seed=4)
    tokens = np.array(random_dataset(n, T, K, seed=3).sequences)
    scores = E @ np.random.default_rng(5).standard_normal((d, d)) @ E.T
    winners = scores[tokens, tokens[:, -1:]].argmax(axis=1)
    return token_priority_graphs(Dataset(tokens, tokens[np.arange(n), winners], K=K)), E


def _against_cvxpy(n: int, T: int, K: int, d: int, *, runs: int, target: str = "") -> Row:
    graphs, E = _random(n, T, K, d)
    ours, svm = least_time(lambda: solve_graph_svm(graphs, E), 2 * runs)
    theirs, W = least_time(lambda: row_by_row(graphs, E), runs)
    apart = float(np.linalg.norm(W - svm.W))
    note = f"{len(svm.margins)} pairs; gap {svm.gap:.0e}; SCS is {apart:.0e} away"
    return Row(f"Graph-SVM K={K} n={n} T={T} d={d}", ours, theirs, target=target, note=note)


def _track_by_track() -> Row:
    """Many tracks with orthogonal last tokens, in a process whose peak of memory is theirs."""
    n, T, K, d = 100_000, 8, 2000, 2000
    graphs = token_priority_graphs(random_dataset(n, T, K, seed=3))
    E = embeddings(K, d, kind="orthonormal", seed=4)
    start = time.process_time()
    svm = solve_graph_svm(graphs, E)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    dense = 2 * 8 * len(graphs.reduced_array) * d / 1e9
    return Row(
        f"Graph-SVM K={K} n={n} T={T} d={d}, orthonormal",
        seconds,
        target="≤ 10 minutes, ≤ 4 GB",
        kept=seconds <= 600 and peak <= 4,
        note=f"{len(svm.margins)} pairs; gap {svm.gap:.0e}; peak {peak:.1f} GB, written-out rows "
        f"alone would be {dense / peak:.0f} times as much",
    )


def _alone(
    what: str, graphs: TokenPriorityGraphs, E: Floats, *, most: tuple[float, float] | None = None
) -> Row:
    """One line for a size without a rival; `most` are the seconds and MB it may take."""
    ours, svm = least_time(lambda: solve_graph_svm(graphs, E), 3)
    tracemalloc.start()
    solve_graph_svm(graphs, E)
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    note = f"{len(svm.margins)} pairs; gap {svm.gap:.0e}; peak {peak:.0f} MB"
    kept = ours < most[0] and peak < most[1] if most else None
    target = f"< {most[0]:g} s, < {most[1]:g} MB" if most else ""
    return Row(f"Graph-SVM {what}", ours, target=target, note=note, kept=kept)
