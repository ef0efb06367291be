"""Training: closed-form gradients on token counts against a batched torch autograd loop.

Both sides train the same data from the same start, in the same run, on one thread; time is CPU
time, the least of several runs.  `python -m benchmarks training` prints the table.
"""

import resource
import time
from collections.abc import Callable

import numpy as np
import torch

from benchmarks.measure import Row, in_a_fresh_process, least_time
from nta_beyond.paths import log_domain_path, regularization_path, split_descent
from nta_core import (
    Automaton,
    Dataset,
    Readout,
    TokenPriorityGraphs,
    TooLarge,
    cosine,
    embeddings,
    finite_part,
    luce_strengths,
    pseudo_graphs,
    random_dataset,
    token_priority_graphs,
)
from nta_core.boundary import Floats
from nta_core.svm import solve_graph_svm
from nta_core.training import Objective, gradient_descent, gradient_descent_batch, random_start

STEPS = 4000
# What is asked of 100,000 sequences with K = d = 2,000, and the most seconds it may take.
LARGE: dict[str, tuple[float, Callable[[Dataset, TokenPriorityGraphs, Floats], object]]] = {
    "10 normalized steps": (
        120,
        lambda data, _, E: gradient_descent(data, E, steps=10, step_size=1.0, record=2),
    ),
    "Luce's strengths": (60, lambda data, graphs, _: luce_strengths(data, graphs)),
    "the graph an untrained model believes": (
        120,
        lambda data, _, E: pseudo_graphs(data, E, random_start(2000, seed=1)),
    ),
    "refusal of the coupled Graph-SVM": (60, lambda _, graphs, E: solve_graph_svm(graphs, E)),
    "refusal of its automaton": (60, lambda data, _, E: Automaton.from_dataset(data, E)),
    "refusal of the finite part": (10, lambda data, graphs, E: finite_part(data, graphs, E)),
    "refusal of the path": (10, lambda data, _, E: regularization_path(data, E, [1.0])),
    "refusal of split descent": (
        10,
        lambda data, _, E: split_descent(data, E, steps=1, step_size=1.0),
    ),
}


def run() -> list[Row]:
    """Measure everything; about four minutes."""
    torch.set_num_threads(1)
    return [
        against_autograd(),
        four_thousand_steps(),
        hundred_at_once(Readout("log")),
        hundred_at_once(Readout("cross-entropy", "general"), steps=500),
        *[many_rows(n) for n in (1_000, 10_000, 100_000)],
        ten_thousand_tokens(),
        *[in_a_fresh_process(at_two_thousand_tokens, what) for what in LARGE],
        regularization(),
        close_to_svm(
            "ridge path in logarithms down to λ = 1e-128",
            lambda data, E: log_domain_path(data, E, lambdas=[1e-128]).W[0],
        ),
        close_to_svm(
            "split normalized descent, 2,000 steps of 1",
            lambda data, E: split_descent(data, E, steps=2000, step_size=1.0, record=[]).W,
        ),
    ]


def autograd_loop(data: Dataset, E: Floats, W0: Floats, steps: int, step_size: float) -> Floats:
    """Normalized descent as one writes it in torch: all sequences in one batch, backward()."""
    X = torch.tensor(E)[torch.tensor(np.array(data.sequences))]  # (n, T, d)
    own = torch.tensor(np.array(data.sequences) == np.array(data.labels)[:, None])
    W = torch.tensor(W0, requires_grad=True)
    for _ in range(steps):
        scores = (X @ (X[:, -1] @ W.T)[:, :, None])[..., 0]
        loss = -torch.log((torch.softmax(scores, dim=1) * own).sum(dim=1)).mean()
        (slope,) = torch.autograd.grad(loss, W)
        with torch.no_grad():
            W -= step_size * slope / (slope.norm() + 2.2e-16)
    return W.detach().numpy()


def against_autograd() -> Row:
    data, E = random_dataset(6, 4, 6, kind="cyclic", seed=1), embeddings(6, 8, seed=1)
    W0 = random_start(8, seed=1)
    ours, mine = least_time(
        lambda: gradient_descent(data, E, steps=STEPS, step_size=0.01, W0=W0).W, runs=5
    )
    theirs, _ = least_time(lambda: autograd_loop(data, E, W0, 500, 0.01), runs=3)
    theirs *= STEPS / 500
    early = gradient_descent(data, E, steps=200, step_size=0.01, W0=W0).W
    error = float(np.abs(early - autograd_loop(data, E, W0, 200, 0.01)).max())
    what = "4,000 normalized steps, n=6 T=4 K=6 d=8, against torch autograd"
    speed = f"{STEPS / ours:,.0f} steps/s against {STEPS / theirs:,.0f}"
    note = f"{speed}; after 200 steps the two differ by {error:.0e}; ‖W‖ {np.linalg.norm(mine):.1f}"
    return Row(what, ours, theirs, target="≥ 10×", note=note)


def four_thousand_steps() -> Row:
    data, E = random_dataset(24, 4, 6, kind="cyclic", seed=2), embeddings(6, 8, seed=2)
    ours, _ = least_time(lambda: gradient_descent(data, E, steps=STEPS, step_size=0.01), runs=5)
    note = "with 64 recorded weights, their losses and gradient norms"
    what, kept = "4,000 normalized steps, n=24 T=4 K=6 d=8", ours <= 0.25
    return Row(what, ours, target="≤ 0.25 s", note=note, kept=kept)


def hundred_at_once(loss: Readout, *, steps: int = STEPS) -> Row:
    datasets = [random_dataset(6, 4, 6, kind="cyclic", seed=s) for s in range(100)]
    Es = [embeddings(6, 8, seed=s) for s in range(100)]
    options = {"steps": steps, "step_size": 0.01, "loss": loss}
    ours, runs = least_time(lambda: gradient_descent_batch(datasets, Es, **options), runs=3)
    ten = list(zip(datasets[:10], Es, strict=False))
    one, single = least_time(lambda: [gradient_descent(*d, **options) for d in ten], runs=3)
    pairs = zip(runs, single, strict=False)
    error = max(float(np.abs(a.path[:30] - b.path[:30]).max()) for a, b in pairs)
    name = f"{steps:,} steps, {loss.loss}/{loss.head}"
    what = f"100 instances × {name}, batched against one after another"
    note = f"{ours / 100 * 1e3:.1f} ms per instance; early weights differ by {error:.0e}"
    return Row(what, ours, 10 * one, target="≥ 10×", note=note)


def many_rows(n: int) -> Row:
    data, E = random_dataset(n, 16, 64, seed=3), embeddings(64, 64, seed=3)
    W = random_start(64, seed=3)
    preparation, risk = least_time(lambda: Objective(data, E), runs=1)
    ours, mine = least_time(lambda: risk.gradient(W), runs=9)
    base, theirs = least_time(lambda: W - autograd_loop(data, E, W, 1, 1.0), runs=3)
    error = float(np.abs(mine / np.linalg.norm(mine) - theirs).max())
    what = f"one gradient, n={n:,} T=16 K=64 d=64, against torch autograd"
    note = f"preparation {preparation:.2f} s; directions differ by {error:.0e}"
    return Row(what, ours, base, note=note)


def ten_thousand_tokens() -> Row:
    """The size of the paper's Figs. 9 and 10: one common last token."""
    rng = np.random.default_rng(0)
    sequences = rng.integers(10_000, size=(16, 64))
    sequences[:, -1] = 0
    labels = sequences[np.arange(16), rng.integers(64, size=16)]
    data, E = Dataset(sequences, labels, K=10_000), embeddings(10_000, 128, seed=0)
    svm = solve_graph_svm(token_priority_graphs(data), E).W
    ours, mine = least_time(
        lambda: gradient_descent(data, E, steps=8000, step_size=0.01, record=[1000, 8000]), runs=1
    )
    cosines = ", ".join(f"{cosine(W, svm):.3f}" for W in mine.path)
    note = f"cosine to the Graph-SVM after 1,000 and 8,000 steps: {cosines}"
    return Row("8,000 normalized steps, n=16 T=64 K=10,000 d=128", ours, note=note)


def at_two_thousand_tokens(what: str) -> Row:
    """One answer, or one refusal, in a process whose peak of memory is its own."""
    limit, call = LARGE[what]
    data, E = random_dataset(100_000, 16, 2000, seed=1), embeddings(2000, 2000, seed=1)
    graphs = token_priority_graphs(data)
    start, refused = time.process_time(), False
    try:
        answer = repr(call(data, graphs, E))
    except TooLarge as reason:
        answer, refused = f"TooLarge: {reason}", True
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    return Row(
        f"{what}, n=100,000 T=16 K=d=2,000",
        seconds,
        target=f"≤ {limit:g} s, ≤ 4 GB",
        note=f"peak {peak:.1f} GB; {answer}",
        kept=seconds <= limit and peak <= 4 and refused == what.startswith("refusal"),
    )


def regularization() -> Row:
    radii = [1.0, 10.0, 100.0, 1000.0]

    def measure(data: Dataset, E: Floats, svm: Floats) -> tuple[float, float]:
        path = regularization_path(data, E, radii)
        return float(np.abs(path.norms - radii).max()), cosine(path.W[-1], svm)

    seconds, results = _over_instances(measure)
    what = "exact regularization path, 4 radii up to 1,000, n=6 T=4 K=6 d=8"
    missed, least = results[:, 0].max(), results[:, 1].min()
    note = f"radius missed by at most {missed:.0e}; least cosine at R=1,000 {least:.5f}"
    return Row(what, seconds, target="‖W‖ = R to 1e-8", note=note, kept=bool(missed <= 1e-8))


def close_to_svm(what: str, train: Callable[[Dataset, Floats], Floats]) -> Row:
    """One line for a way of training whose end has the direction of the Graph-SVM."""
    seconds, results = _over_instances(lambda data, E, svm: (cosine(train(data, E), svm),))
    note = f"cosine least {results.min():.6f}, median {np.median(results):.6f}"
    kept = bool(results.min() > 0.9999)
    what += ", n=6 T=4 K=6 d=8"
    return Row(what, seconds, target="cosine > 0.9999", note=note, kept=kept)


def _over_instances(
    measure: Callable[[Dataset, Floats, Floats], tuple[float, ...]],
) -> tuple[float, Floats]:
    """CPU seconds per instance and results over 30 instances with some strict order."""
    results, spent = [], 0.0
    for seed in range(40):
        data, E = random_dataset(6, 4, 6, kind="cyclic", seed=seed), embeddings(6, 8, seed=seed)
        svm = solve_graph_svm(token_priority_graphs(data), E).W
        if len(results) < 30 and np.linalg.norm(svm) > 0:
            start = time.process_time()
            results.append(measure(data, E, svm))
            spent += time.process_time() - start
    return spent / len(results), np.array(results)
