"""Checkers of chapter 5: the Graph-SVM by hand, its kin, and data that no W satisfies."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nta_book.exercises.verdict import Hints, checker, close
from nta_core import FIG3, Dataset, InfeasibleGraphSVM, solve_graph_svm, token_priority_graphs

LINE = np.array([[1.0], [2.0], [3.0]])  # three tokens on a line, for `infeasible`


@checker
def three_tokens(scores: ArrayLike, squared_length: Any) -> Hints:
    """Scores of (e1, e2, e3) where e2 and e3 both beat e1, and the squared length of the column.

    >>> three_tokens([-1, 0, 0], 1)
    hint: your scores add up to -1: subtract their mean, no margin changes and the column is shorter
    """
    column = np.asarray(scores, dtype=float)
    if column.shape != (3,):
        yield "give three scores, for e1, e2 and e3 in this order"
    for token in (1, 2):
        margin = column[token] - column[0]
        if not margin >= 1 - 1e-3:
            yield f"e{token + 1} beat e1, so it must be at least 1 above; you have {margin:g}"
    if abs(column.sum()) > 5e-3:
        total = f"your scores add up to {column.sum():g}"
        yield f"{total}: subtract their mean, no margin changes and the column is shorter"
    if not close(column, [-2 / 3, 1 / 3, 1 / 3]):
        length = f"a squared length of {column @ column:.4g}"
        yield f"allowed, but not the shortest: {length}. Which gap is wider than it must be?"
    if not close(squared_length, 2 / 3):
        yield "the scores are right; the squared length is the sum of their squares"
    return "a star turned upside down: the same length, all signs reversed."


@checker
def textbook(answers: Iterable[str]) -> Hints:
    """Which statements hold for the Graph-SVM but not for a textbook hard-margin SVM.

    >>> textbook("abc")
    hint: (c) holds for both: a textbook SVM also minimises a norm under linear constraints
    """
    chosen = {str(letter).lower() for letter in answers if str(letter).strip("(), ")}
    shared = {
        "c": "a textbook SVM also minimises a norm under linear constraints",
        "d": "a constraint that is stated twice is still one constraint",
        "f": "that is where the name support vector comes from",
    }
    missing = {
        "a": "A textbook SVM looks for one vector w",
        "b": "Where does the Graph-SVM put the ties?",
        "e": "A textbook point carries a sign ±1; what carries a sign here?",
    }
    if not chosen <= set(shared) | set(missing):
        yield "answer with letters from (a) to (f), for example 'ab'"
    for letter in sorted(chosen & set(shared)):
        yield f"({letter}) holds for both: {shared[letter]}"
    for letter in sorted(set(missing) - chosen):
        yield f"one is missing. {missing[letter]}"
    return "a matrix, comparisons per track, and equalities: what is left is the same geometry."


@checker
def infeasible(race: tuple[Sequence[int], int], conflict: Iterable[tuple[int, int, int]]) -> Hints:
    """One race over three tokens at 1, 2, 3 on a line that no W can win, and what the error names.

    >>> infeasible(([0, 1, 2], 2), set())
    hint: the number W = 0.333 wins this race; which token can never be on top of a line?
    """
    sequence, label = race
    if label not in list(sequence):
        yield f"the winner {label} must run in its race {list(sequence)}"
    graphs = token_priority_graphs(Dataset([sequence], [label], K=3))
    try:
        winning = f"the number W = {solve_graph_svm(graphs, LINE).W[0, 0]:.3g} wins this race"
        yield f"{winning}; which token can never be on top of a line?"
    except InfeasibleGraphSVM as error:
        if {tuple(map(int, pair)) for pair in conflict} != set(error.conflict):
            now = "Now catch the InfeasibleGraphSVM and hand over its `conflict`"
            yield f"no W wins this race. {now}: triples (last, winner, loser)"
    return "a token between two others is never on top: a score along a line has no hill."


@checker
def same_weights(sequence: Sequence[int], label: int) -> Hints:
    """A race that gives FIG3 a new edge and leaves its W_svm as it is.

    >>> same_weights([2, 1, 0], 2)
    hint: this race adds no new edge: FIG3 knows it all
    """
    if label not in list(sequence):
        yield f"the winner {label} must run in its race {list(sequence)}"
    before = token_priority_graphs(FIG3)
    longer = Dataset([*FIG3.sequences, tuple(sequence)], [*FIG3.labels, label], K=FIG3.K)
    after = token_priority_graphs(longer)
    if all(k in before and set(after[k].edges) == set(before[k].edges) for k in after):
        yield "this race adds no new edge: FIG3 knows it all"
    change = solve_graph_svm(after, np.eye(4)).W - solve_graph_svm(before, np.eye(4)).W
    token, last = np.unravel_index(np.abs(change).argmax(), change.shape)
    if abs(change[token, last]) > 1e-9:
        moves = f"the score of e{token + 1} on track e{last + 1} moves by {change[token, last]:.3g}"
        yield f"{moves}. Which comparison does FIG3 imply without stating it?"
    return "W_svm sees what follows from the data, not how it was said: it forgets edges too."
