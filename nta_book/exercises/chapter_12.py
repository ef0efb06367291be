"""Checkers of chapter 12: the floor, absent labels, turned weights, and a test for local runs."""

from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from nta_book.exercises.verdict import Hints, checker, close
from nta_core import Automaton, Readout, Run, cosine, gradient_descent, solve_graph_svm, token_mass
from nta_core.boundary import Floats, check_weights
from nta_core.data import FIG8, Dataset, embeddings, random_dataset
from nta_core.graphs import token_priority_graphs

#: Three votes for a, one for b, and a race that c wins.
VOTES = Dataset.from_text("a b -> a\na b -> a\na b -> a\na b -> b\nc a -> c")
Case = tuple[Dataset, Floats, Run]


@checker
def floor(value: float) -> Hints:
    """The lowest log-loss that any W can approach on VOTES.

    >>> floor(0.5623)
    hint: that is the mean over the four tied races; the risk divides by all five
    """
    inside = 0.75 * np.log(4 / 3) + 0.25 * np.log(4)
    if close(value, 0.0):
        yield "a and b beat each other on track b: no W gives both of them everything"
    if close(value, inside):
        yield "that is the mean over the four tied races; the risk divides by all five"
    if close(value, np.log(2)) or close(value, 0.8 * np.log(2)):
        yield "a coin toss is not the best split: a won three of the four races"
    if not close(value, 0.8 * inside):
        yield "the strict race can cost 0; in the four others give a its 3/4 and b its 1/4"
    return "0.45: four fifths of the entropy of (3/4, 1/4). Below it no training gets."


@checker
def out_of_sight(row: int) -> Hints:
    """The race of FIG8 whose absent label drops e3 out of its league.

    >>> out_of_sight(4)
    hint: without row 4 the league on track e2 is still {e1, e2, e3}
    """
    if isinstance(row, bool) or int(row) != row or not 0 <= row < FIG8.n:
        yield f"a row of FIG8, a whole number from 0 to {FIG8.n - 1}"
    if FIG8.lasts[row] != 1:
        yield f"row {row} runs on track e1; the league with e3 is on track e2"
    rest = FIG8.subset([r for r in range(FIG8.n) if r != row])
    league = token_priority_graphs(rest)[1].component_of(1)
    if 2 in league:
        names = ", ".join(FIG8.names[token] for token in sorted(league))
        yield f"without row {row} the league on track e2 is still {{{names}}}"
    return "e3 has no other win. A tie became a strict order, and nothing in the loss says so."


@checker
def same_answers(W: ArrayLike) -> Hints:
    """Weights for FIG8 (one-hot) far from W_svm that still answer as the automaton does.

    >>> same_answers(40 * solve_graph_svm(token_priority_graphs(FIG8), np.eye(4)).W)
    hint: its cosine with W_svm is 1.00; bring it below 0.5
    """
    weights = check_weights(W, 4)
    target = solve_graph_svm(token_priority_graphs(FIG8), np.eye(4)).W
    if not weights.any():
        yield "W = 0 has no direction, and attention that follows the counts alone"
    angle = cosine(weights, target)
    if angle >= 0.5:
        yield f"its cosine with W_svm is {angle:.2f}; bring it below 0.5"
    rule = Automaton.from_dataset(FIG8)
    for context in (*product(range(4), repeat=2), *product(range(4), repeat=3)):
        if rule.determined(context):
            mass = token_mass(weights, np.eye(4), context)
            shares = rule.compose(context).probabilities
            off = max(abs(mass[token] - share) for token, share in shares.items())
            if off > 0.01:
                names = " ".join(FIG8.names[token] for token in context)
                yield f"in the context {names} a probability is {100 * off:.0f} points off"
    return f"cosine {angle:.2f}, and every determined answer in place: direction is not all."


@checker
def local_or_slow(test: Callable[[Dataset, Floats, Run], str]) -> Hints:
    """A function that tells a local solution from a run that needs more steps.

    >>> local_or_slow(lambda data, E, run: "local")
    hint: a log-loss run with few steps is "not converged", your test says 'local'
    """
    for (data, E, run), truth, what in _cases():
        answer = test(data, E, run)
        if answer not in ("local", "not converged"):
            yield f'answer "local" or "not converged", not {answer!r}'
        if answer != truth:
            yield f'{what} is "{truth}", your test says {answer!r}'
    return "more steps cure a slow run and harden a local one: that is the whole test."


@cache
def _cases() -> tuple[tuple[Case, str, str], ...]:
    """Six runs with what they are; squared losses alone do not make a run local."""
    found = []
    for seed in (1, 2):
        cyclic, E = random_dataset(6, 4, 6, kind="cyclic", seed=seed), embeddings(6, 8, seed=seed)
        strict = random_dataset(4, 4, 6, kind="acyclic", seed=seed)
        short = gradient_descent(cyclic, E, steps=150, step_size=0.02, record=2)
        squared = gradient_descent(strict, E, steps=150, step_size=0.02, loss="squared", record=2)
        general = Readout("squared-softmax", "general")
        stuck = gradient_descent(cyclic, E, steps=2000, step_size=0.1, loss=general, record=2)
        slow = "not converged"
        found += [
            ((cyclic, E, short), slow, "a log-loss run with few steps"),
            ((strict, E, squared), slow, "a squared-loss run with few steps on acyclic data"),
            ((cyclic, E, stuck), "local", "a long run that picks one token of a tie"),
        ]
    return tuple(found)
