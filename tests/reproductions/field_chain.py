"""Generation as a chain: what two papers' abstracts state of one layer that writes."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

from nta_beyond.chain import TokenChain, fit_odds, simulate
from nta_core import (
    TokenPriorityGraph,
    embeddings,
    gradient_descent,
    random_dataset,
    token_mass,
    token_priority_graphs,
)
from tests.reproductions.entry import IDENTITY, ORDER, TREND, Lines

ENTRIES = line = Lines("field", chapter=18)
STEPS = 50


@line(
    *("ildiz-chain", "Ildiz et al., abstract", 0.0, "stated", IDENTITY, "10 layers"),
    digits=6,
)
def ildiz_chain() -> float:
    """a layer's next token is drawn from a context-conditioned Markov chain: the largest
    difference of probabilities, all contexts of up to four of five tokens, random embeddings"""
    differences = [0.0]
    for seed in range(10):
        data, E = random_dataset(12, 4, 5, seed=seed), embeddings(5, 7, seed=seed)
        W = gradient_descent(data, E, steps=100, step_size=1.0, normalized=False).W
        chain = TokenChain.from_layer(W, E)
        for length in range(1, 5):
            for context in product(range(5), repeat=length):
                gap = chain.probabilities(context) - token_mass(W, E, context)
                differences.append(float(np.abs(gap).max()))
    return max(differences)


@line(
    *("ildiz-coverage", "Ildiz et al., abstract", 1.0, "stated", TREND, "40 draws"),
    says="independent prompts that cover the tokens: the strengths are found",
)
def ildiz_coverage() -> float:
    """strengths of 8 tokens after one last token, from prompts of 4 different ones: the error with
    3,200 prompts is below that with 200, in each draw"""
    return float(np.mean([_error(3200, seed) < _error(200, seed) for seed in range(40)]))


@line(
    *("ildiz-rate", "Ildiz et al., sample complexity", 16.0, "K²/n", ORDER, "40 draws"),
    digits=1,
)
def ildiz_rate() -> float:
    """the same prompts: by which factor the mean squared error falls from 200 to 3,200 of them

    Chosen: 8 tokens, log-strengths uniform from −1 to 1.
    """
    few, many = (np.mean([_error(n, seed) for seed in range(40)]) for n in (200, 3200))
    return float(few / many)


def _error(n: int, seed: int) -> float:
    """Squared error of fitted log-strengths, by Gumbel's way to draw by strength."""
    rng = np.random.default_rng([n, seed])
    theta = np.random.default_rng(seed).uniform(-1, 1, size=8)
    counts = rng.permuted(np.tile(np.repeat([1, 0], 4), (n, 1)), axis=1)
    drawn = np.where(counts, theta + rng.gumbel(size=(n, 8)), -np.inf).argmax(axis=1)
    return float(np.mean((fit_odds(counts, drawn).theta - theta + theta.mean()) ** 2))


@line(
    *("ildiz-winner", "Ildiz et al., abstract", 1.0, "stated", TREND, "200 texts"),
    says="one text: winner tokens come to dominate the context",
)
def ildiz_winner() -> float:
    """three tokens of strengths 3, 1, 1, the same after every token; the strongest has more than
    nine tenths of a text of 10,000

    Chosen: The abstract names no table of strengths.
    """
    chain = TokenChain([3.0, 1.0, 1.0])
    counts = simulate(chain, [0, 1, 2], runs=200, record=[10_000], seed=0)[:, -1]
    return float(np.mean(counts[:, 0] > 0.9 * counts.sum(axis=1)))


@line(
    *(
        "jia-outnumber",
        "Jia and Diaz-Rodriguez, abstract",
        1.0,
        "stated",
        TREND,
        lambda: f"{len(_changes(STEPS))} contexts",
    ),
    says="the topic changes only where tokens of lower priority outnumber the higher ones",
)
def jia_outnumber() -> float:
    """20 acyclic datasets after 50 steps, all contexts of 8 tokens whose likeliest next token
    stands below another one present: it outnumbers each that stands above it, as it must once
    scores follow the graph; after a single step they do not yet, and 8 datasets have exceptions

    Chosen: Our topic is the highest token present, theirs a set of graphs; n = 6, T = 4, K = 6,
    d = 8, plain steps of 1.
    """
    early = {seed for seed, outnumbers in _changes(1) if not outnumbers}
    assert len(early) == 8
    return float(np.mean([outnumbers for _, outnumbers in _changes(STEPS)]))


@cache
def _changes(steps: int) -> list[tuple[int, bool]]:
    """Where a lower token is the likeliest: the dataset, and whether it outnumbers all above it."""
    changes = []
    for seed in range(20):
        data, E = random_dataset(6, 4, 6, kind="acyclic", seed=seed), embeddings(6, 8, seed=seed)
        W = gradient_descent(data, E, steps=steps, step_size=1.0, normalized=False).W
        for last, graph in token_priority_graphs(data).items():
            above = {token: _above(graph, token) for token in graph.nodes}
            # the order of the tokens before the last one does not matter
            for others in combinations_with_replacement(graph.nodes, 7):
                counts = np.bincount([*others, last], minlength=6)
                likeliest = int((counts * np.exp(E @ W @ E[last])).argmax())
                higher = counts[above[likeliest]]
                if higher.any():
                    changes.append((seed, bool(counts[likeliest] > higher.max())))
    return changes


def _above(graph: TokenPriorityGraph, token: int) -> list[int]:
    """All tokens that stand above this one, directly or by a chain of wins."""
    home = graph.home[token]
    return [other for other in graph.nodes if home in graph.below(graph.home[other])]
