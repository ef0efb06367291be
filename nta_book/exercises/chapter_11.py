"""Checkers of chapter 11: pseudo-graphs by hand and in code, and starts that end apart."""

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from nta_book.exercises.verdict import Hints, checker
from nta_core import FIG8, gradient_descent, pseudo_graphs, solve_graph_svm
from nta_core.boundary import Floats, check_weights

Edges = set[tuple[int, int]]
# sequence, attention per token id, threshold
CASES: tuple[tuple[tuple[int, ...], list[float], float], ...] = (
    ((0, 1, 2), [0.6, 0.395, 0.005], 0.01),
    ((1, 2), [0.0, 0.98, 0.02], 0.05),
    ((1, 2), [0.0, 0.98, 0.02], 0.01),
    ((3, 0, 3, 1), [0.5, 0.01, 0.0, 0.49], 0.01),
)
VALLEYS = [1, 1, 1, 2, 2, 2, 2]


@checker
def by_hand(
    at_one_percent: Iterable[Iterable[str]], at_five_percent: Iterable[Iterable[str]]
) -> Hints:
    """Leagues of a pseudo-graph at two thresholds, strongest first.

    >>> by_hand([{"a", "b"}, {"c"}], [{"a", "b"}, {"c"}])
    hint: at 0.01, c is selected in the second sequence (0.02): which arrows start at c then?
    """
    low, high = (
        [frozenset(league) for league in order] for order in (at_one_percent, at_five_percent)
    )
    if low != [frozenset("abc")]:
        yield "at 0.01, c is selected in the second sequence (0.02): which arrows start at c then?"
    if high == [frozenset("c"), frozenset("ab")]:
        yield "at 0.05 the strongest league comes first: c is never selected, so it loses"
    if high != [frozenset("ab"), frozenset("c")]:
        yield "at 0.05 the first sequence selects a and b, the second b alone: who ties?"
    return "two percent of attention tie three tokens; a higher threshold cuts them apart."


@checker
def edges(believed_edges: Callable[[Sequence[int], Floats, float], Edges]) -> Hints:
    """A function that returns the edges a sequence adds to a pseudo-graph.

    >>> edges(lambda sequence, mass, threshold: set())
    hint: 0 1 2 with attention [0.6, 0.395, 0.005], threshold 0.01: the edge (0, 1) is missing
    """
    for sequence, mass, threshold in CASES:
        given = {(int(i), int(j)) for i, j in believed_edges(sequence, np.array(mass), threshold)}
        selected = [j for j in set(sequence) if mass[j] > threshold]
        wanted = {(i, j) for i in selected for j in sequence if i != j}
        case = f"{' '.join(map(str, sequence))} with attention {mass}, threshold {threshold:g}"
        if any(i == j for i, j in given):
            yield f"{case}: leave out edges from a token to itself"
        if wanted - given:
            yield f"{case}: the edge {min(wanted - given)} is missing"
        if given - wanted:
            yield f"{case}: the edge {min(given - wanted)} is too much"
    return "every selected token beats every token of its sequence; selected ones tie."


@checker
def two_starts(first: ArrayLike, second: ArrayLike) -> Hints:
    """Two starts from which the code's squared loss ends with two graphs on track e2 of FIG8.

    >>> favour = np.outer([1, 0, 0, 0], [0, 1, 0, 0])  # e1 leads on track e2
    >>> two_starts(favour, 2 * favour)
    hint: both starts end with e1 and e2 on top. Fig. 8 treats e1 and e3 alike: favour one ...
    """
    ends = [_trained(check_weights(start, 4)) for start in (first, second)]
    leagues = [pseudo_graphs(FIG8, np.eye(4), W)[1].components for W in ends]
    if leagues[0] == leagues[1]:
        both = f"both starts end with {_top(leagues[0])} on top. Fig. 8 treats e1 and e3 alike"
        yield f"{both}: favour one of them in each start, on track e2"
    asked = [solve_graph_svm(pseudo_graphs(FIG8, np.eye(4), W), np.eye(4)).W for W in ends]
    if np.abs(asked[0] - asked[1]).max() < 1e-6:
        yield "the two graphs ask for the same W, so they are one local solution"
    tops = f"{_top(leagues[0])} on top, and {_top(leagues[1])} on top"
    return f"{tops}: one dataset, two local solutions."


@checker
def valleys(counts: Sequence[int]) -> Hints:
    """Local minima of the cost of a two-token tie, for vocabularies of 2 to 8 words.

    >>> valleys([1, 1, 1, 1, 1, 1, 1])
    hint: at K = 5 the curve is lowest at both ends: count the ends
    """
    given = [int(count) for count in counts]
    if len(given) != len(VALLEYS):
        yield f"seven numbers, one for each K from 2 to 8; yours are {len(given)}"
    for K, (count, wanted) in enumerate(zip(given, VALLEYS, strict=True), start=2):
        if count != wanted and wanted == 2:
            yield f"at K = {K} the curve is lowest at both ends: count the ends"
        if count != wanted:
            yield f"at K = {K} equal shares are the only minimum; the ends are maxima"
    return "one valley up to four words, two from five on: the vocabulary decides."


def _trained(start: Floats) -> Floats:
    return gradient_descent(
        FIG8, np.eye(4), steps=1000, step_size=0.1, loss="squared-softmax", W0=start, record=[1000]
    ).W


def _top(leagues: Sequence[frozenset[int]]) -> str:
    return " and ".join(FIG8.names[token] for token in sorted(leagues[0]))
