"""Checkers of chapter 6: strengths, tickets, and the one upset that keeps them finite."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from nta_book.exercises.verdict import Verdict, checker, hint, ok
from nta_core.data import Dataset
from nta_core.graphs import token_priority_graphs

RECORD = Dataset.from_text(
    "tokens: a b c t\n"
    "a b t -> a\nb c t -> b\na c t -> a\nb c t -> c\na c t -> c\na b t -> a\nb c t -> b"
)
TWO_LEAGUES = ("a b t -> a", "a b t -> b", "c d t -> c", "c d t -> d", "b c t -> b")
CONTEXTS: tuple[tuple[dict[str, float], list[str]], ...] = (
    ({"a": 1.0, "b": 3.0}, ["a", "b"]),
    ({"a": 1.0, "b": 3.0}, ["a", "b", "a"]),
    ({"a": 2.0, "b": 0.5, "c": 1.0}, ["c", "a", "c", "c"]),
    ({"a": 2.0}, ["a", "a"]),
)


@checker
def two_tokens(log_odds: Callable[[int, int], float]) -> Verdict:
    """A function from the wins of two tokens that always meet to their log-odds.

    Examples
    --------
    >>> two_tokens(lambda n_a, n_b: n_a / n_b)
    hint: 3 wins each should give log-odds 0, you give 1: odds of 1 have logarithm 0

    Explained in: chapter 6. Paper: App. A.
    """
    even = float(log_odds(3, 3))
    if abs(even) > 1e-6:
        return hint(
            f"3 wins each should give log-odds 0, you give {even:g}: odds of 1 have logarithm 0"
        )
    for n_a, n_b in ((2, 1), (1, 4), (30, 10)):
        if abs(float(log_odds(n_a, n_b)) - math.log(n_a / n_b)) > 1e-3:
            return hint(
                f"{n_a} wins to {n_b}: a ticket of strength s expects s/(s + 1) of the "
                f"{n_a + n_b} races; set that equal to {n_a} and take the logarithm of s"
            )
    return ok("log-odds are the logarithm of the ratio of wins, finite as long as both won once.")


@checker
def tickets(
    shares: Callable[[dict[str, float], list[str]], Mapping[str, float]],
) -> Verdict:
    """A function from strengths and a context to the probability that each token wins.

    Examples
    --------
    >>> tickets(lambda strengths, context: {t: 1 / len(context) for t in context})
    hint: in a b with strengths 1 and 3, b should win with probability 0.75, you give 0.5

    Explained in: chapter 6. Paper: Sec. 3 (the soft component).
    """
    for strengths, context in CONTEXTS:
        given = shares(dict(strengths), list(context))
        total = sum(strengths[token] for token in context)
        worths = " and ".join(f"{s:g}" for s in strengths.values())
        for token in sorted(set(context), reverse=True):
            expected = context.count(token) * strengths[token] / total
            if token not in given:
                return hint(f"in {' '.join(context)} the token {token} runs too: give its share")
            if abs(float(given[token]) - expected) > 1e-6:
                return hint(
                    f"in {' '.join(context)} with strengths {worths}, {token} should win with "
                    f"probability {expected:.3g}, you give {float(given[token]):.3g}"
                )
    return ok("every occurrence is a ticket, and a ticket is worth its token's strength.")


@checker
def runaway(group: Collection[str], upset: Sequence[str]) -> Verdict:
    """The group that never loses to the rest, and a race that ties all four runners.

    Examples
    --------
    >>> runaway({"a", "b"}, ("a", "c"))
    hint: the group is right. With a beating c, {a, b} still never loses to the rest

    Explained in: chapter 6. Paper: Lemma 14.
    """
    named = {str(token).strip() for token in group}
    if named != {"a", "b"}:
        return hint(_why_not(named))
    winner, loser = (str(token).strip() for token in upset)
    if {winner, loser} - set("abcd") or winner == loser:
        return hint("the further race needs two different runners among a, b, c, d")
    races = [*TWO_LEAGUES, f"{winner} {loser} t -> {winner}"]
    data = Dataset.from_text("\n".join(["tokens: a b c d t", *races]))
    if len(token_priority_graphs(data)[4].component_of(0)) < 4:
        return hint(
            f"the group is right. With {winner} beating {loser}, {{a, b}} still never loses to "
            "the rest"
        )
    return ok("one upset against the group that never loses makes every strength finite.")


@checker
def one_upset(row: int) -> Verdict:
    """The row of `RECORD` whose removal lets a strength run away.

    Examples
    --------
    >>> one_upset(0)
    hint: without row 0 (a b t -> a) each of a, b, c still reaches the others: all stay finite

    Explained in: chapter 6. Paper: Lemma 14.
    """
    if isinstance(row, bool) or int(row) != row or not 0 <= row < RECORD.n:
        return hint(f"rows are numbered 0…{RECORD.n - 1}")
    kept = RECORD.subset([i for i in range(RECORD.n) if i != row])
    if len(token_priority_graphs(kept)[3].component_of(0)) == 3:
        line = RECORD.subset([int(row)]).to_text().splitlines()[-1]
        return hint(
            f"without row {row} ({line}) each of a, b, c still reaches the others: all stay finite"
        )
    return ok("that was a's only defeat; without it a never loses, and its strength runs away.")


def _why_not(group: set[str]) -> str:
    """The first thing wrong with a group that should be {a, b}."""
    if not group or not group < set("abcd"):
        return "a group is some, not all, of the runners a, b, c, d"
    for race in TWO_LEAGUES:
        runners, winner = race.removesuffix(f" -> {race[-1]}").split()[:2], race[-1]
        loser = next(token for token in runners if token != winner)
        if loser in group and winner not in group:
            return f"the group {{{', '.join(sorted(group))}}} loses to the rest: {race}"
    raise AssertionError("only {a, b} never loses")
