"""Scan and Snap: counts against sequences, and what a reader or a slider has to wait for.

``python -m benchmarks scansnap``

Both sides of a comparison train the same layer on the same number of fresh sequences, in the same
run, on one thread; time is CPU time.  Where there is no rival, the baseline is the budget.
"""

from collections.abc import Callable

import numpy as np
import torch

from benchmarks.measure import Row, least_time
from nta_beyond.scansnap import (
    SequenceClasses,
    clue_or_copy_contests,
    contexts_of,
    population_flow,
    syn_medium,
    syn_small,
    train_on_contexts,
    train_population,
    train_sampled,
    train_sampled_batch,
)
from nta_core import Dataset

STEPS, BATCH, T = 100, 128, 128


def run() -> list[Row]:
    """Measure everything; about a minute."""
    torch.set_num_threads(1)
    small = syn_small()
    return [
        against_sequences(small, "Syn-Small"),
        against_sequences(syn_medium(10), "Syn-Medium, 10 queries"),
        within("Syn-Small, one seed, 100 iterations", 0.2, lambda: train_sampled(small, seed=0)),
        side_by_side(),
        within("flow of Syn-Small to 200 K ln M/η_Y", 0.1, lambda: population_flow(small)),
        within("100 population steps with momentum", 0.05, lambda: train_population(small)),
        within("Clue or copy, both layers, one seed", 1.0, one_contest),
        text_layer(),
    ]


def sequences_by_autograd(classes: SequenceClasses, steps: int) -> float:
    """Train as one writes it in torch: token by token, backward(), SGD with momentum."""
    rng = torch.Generator().manual_seed(0)
    P = torch.tensor(classes.P)
    queries = torch.tensor(classes.queries) + classes.L
    M = classes.M
    Z = torch.zeros((M, M), dtype=torch.float64, requires_grad=True)
    Y = torch.zeros((M, M), dtype=torch.float64, requires_grad=True)
    optimizers = [torch.optim.SGD([p], lr=1.0, momentum=0.9) for p in (Z, Y)]
    loss = torch.zeros(())
    for _ in range(steps):
        n = torch.randint(classes.K, (BATCH,), generator=rng)
        tokens = torch.multinomial(P[n], T - 1, replacement=True, generator=rng)
        b = torch.softmax(Z[queries[n]].gather(1, tokens), dim=1)
        a = torch.zeros((BATCH, M), dtype=torch.float64).scatter_add(1, tokens, b)
        logits = a / a.norm(dim=1, keepdim=True) @ Y
        loss = torch.nn.functional.cross_entropy(logits, n + classes.L + classes.Q)
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
    return float(loss.detach())


def against_sequences(classes: SequenceClasses, name: str) -> Row:
    ours, mine = least_time(lambda: train_sampled(classes, seed=0, record=[STEPS]), runs=5)
    theirs, loss = least_time(lambda: sequences_by_autograd(classes, STEPS), runs=3)
    what = f"{name}: counts against sequences by torch autograd, 100 iterations"
    note = f"final batch loss {mine.losses[-1]:.1e} against {loss:.1e}"
    return Row(what, ours, theirs, target="≥ 2×", note=note)


def within(what: str, budget: float, call: Callable[[], object]) -> Row:
    """One line for a thing that has a budget in seconds."""
    ours, _ = least_time(call, runs=5)
    return Row(what, ours, budget, target="≥ 1×", note="baseline: the budget")


def side_by_side() -> Row:
    seeds = range(20)
    ours, _ = least_time(lambda: train_sampled_batch(syn_small(), seeds=seeds), runs=1)
    alone, _ = least_time(lambda: [train_sampled(syn_small(), seed=s) for s in seeds], runs=1)
    what = "Syn-Small: 20 seeds side by side against one by one"
    return Row(what, ours, alone, note=f"{ours / 20:.3f} s per seed")


def one_contest() -> object:
    return clue_or_copy_contests(0.25, cyclic=False, seeds=[0])


def text_layer() -> Row:
    """A vocabulary of 2,000 with frequencies ∝ 1/rank, windows of 16 tokens."""
    M, n, steps = 2000, 20_000, 50
    rng = np.random.default_rng(0)
    weights = 1 / np.arange(1, M + 1)
    tokens = rng.choice(M, size=(n, 18), p=weights / weights.sum())
    contexts = contexts_of(Dataset(tokens[:, :17], tokens[:, 17], K=M))
    ours, _ = least_time(
        lambda: train_on_contexts(contexts, seed=0, steps=steps, record=[steps]), runs=2
    )
    what = f"a layer on text: {steps} minibatches of 64 windows of 16, M=2,000"
    return Row(what, ours, note=f"{1000 * ours / steps:.1f} ms per step")
