"""Checkers for chapter 14: two papers, one layer."""

import numpy as np

from nta_book.exercises.verdict import Hints, checker
from nta_core import Dataset, token_priority_graphs

_FLIP = 99 / 117  # 1 + 38·3ρ/(15 + 3ρ) = 38·3/(15 + 3ρ)


@checker
def favourites(copying: str, scanning: str) -> Hints:
    """Check who is favoured by the league table (label x) and by the scan (label y).

    >>> favourites("x", "y")
    hint: y stands once in each of its sequences: which token of label y alone is more frequent?
    """
    if copying != "x":
        yield "the winner of a race stands above all its losers: who won the races of x?"
    if scanning == "m":
        yield "m occurs with both labels: to the scan it is a common token"
    if scanning == "y":
        yield (
            "y stands once in each of its sequences: which token of label y alone is more frequent?"
        )
    if scanning != "v":
        yield "look at the sequences of label y only, and count"
    return "the graph asks who won, the scan asks who is frequent and loyal"


@checker
def flip(rho: float) -> Hints:
    """Check the ρ at which the label token becomes the scanning layer's favourite.

    >>> flip(1.0)
    hint: close: each context holds one label token for certain, before any is drawn
    """
    if not np.isfinite(rho) or rho < 0:
        yield "ρ is a number, 0 or more"
    if abs(rho - _FLIP) > 0.1:
        if abs(rho - 1) <= 0.05:
            yield "close: each context holds one label token for certain, before any is drawn"
        side = "A is already more frequent than a3" if rho > _FLIP else "a3 is still more frequent"
        yield f"at ρ = {rho:g} {side}"
    return "99/117: a frequency decides, as Scan and Snap says, and not a victory"


@checker
def agreement(text: str) -> Hints:
    """Check a dataset on which both rules name the same token for every label.

    >>> agreement("x u u q -> x\\ny v v q -> y")
    hint: give at least four sequences
    """
    data = Dataset.from_text(text)
    if data.n < 4:
        yield "give at least four sequences"
    labels = np.unique(data.targets)
    if len(labels) != 2 or len(np.unique(data.lasts)) != 1:
        yield "two labels, and one last token for all sequences"
    for row, (counts, own) in enumerate(zip(data.counts, data.targets, strict=True), start=1):
        if counts[own] != 1:
            yield f"sequence {row}: its label stands there {counts[own]} times, not once"
        if counts.max() < 2:
            yield f"sequence {row}: some other token must stand there twice"
    graph = token_priority_graphs(data)[int(data.lasts[0])]
    for label in labels:
        name = data.names[label]
        if graph.level(int(label)) != max(map(graph.level, graph.nodes)):
            yield f"{name} is not on top of the table: some race beats it"
        bet = _most_frequent_distinct(data, int(label))
        if bet != label:
            who = "no token" if bet is None else data.names[bet]
            yield f"for label {name} the scan bets on {who}: what would make it common?"
    return "a rare answer wins the scan too, once everything more frequent is common"


def _most_frequent_distinct(data: Dataset, label: int) -> int | None:
    """Return the most frequent token that occurs with this label only; None at a tie or without."""
    own, others = (
        data.counts[rows].sum(axis=0) for rows in (data.targets == label, data.targets != label)
    )
    loyal = np.where(others == 0, own, 0)
    best = np.flatnonzero(loyal == loyal.max())
    return int(best[0]) if loyal.max() > 0 and len(best) == 1 else None
