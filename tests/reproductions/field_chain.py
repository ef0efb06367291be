"""Generation as a chain: what two papers' abstracts state of one layer that writes."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np

from nta_beyond.chain import TokenChain, fit_odds, simulate
from nta_core import (
    FIG3,
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
        lambda: f"{len(_changes())} contexts",
    ),
    says="the topic changes only where tokens of lower priority outnumber the higher ones",
)
def jia_outnumber() -> float:
    """Fig. 3 after 50 steps: contexts of 16 tokens on track e1 whose likeliest next token is not
    the highest present; in each of them it outnumbers every higher one

    Chosen: The data, and the number of steps.
    """
    changed = _changes()
    return float(np.mean([_outnumbers(context, likeliest) for context, likeliest in changed]))


@cache
def _changes() -> list[tuple[tuple[int, ...], int]]:
    """Contexts in which a lower token has become the likeliest next one, and that token."""
    E = np.eye(4)
    W = gradient_descent(FIG3, E, steps=STEPS, step_size=1.0, normalized=False).W
    changes = []
    # the order of the tokens before the last one does not matter
    for context in combinations_with_replacement(range(4), 15):
        whole = (*context, 0)
        likeliest = int(token_mass(W, E, whole).argmax())
        if _level(likeliest) < max(map(_level, whole)):
            changes.append((whole, likeliest))
    return changes


@cache
def _level(token: int) -> int:
    return token_priority_graphs(FIG3)[0].level(token)


def _outnumbers(context: tuple[int, ...], token: int) -> bool:
    higher = {other for other in context if _level(other) > _level(token)}
    return all(context.count(token) > context.count(other) for other in higher)
