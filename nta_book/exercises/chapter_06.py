"""Checkers of chapter 6: strengths, tickets, and the one upset that keeps them finite."""

import math
from collections.abc import Callable, Collection, Mapping, Sequence

from nta_book.exercises.verdict import Hints, checker
from nta_core import Dataset, token_priority_graphs

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
def two_tokens(log_odds: Callable[[int, int], float]) -> Hints:
    """A function from the wins of two tokens that always meet to their log-odds.

    >>> two_tokens(lambda n_a, n_b: n_a / n_b)
    hint: 3 wins each should give log-odds 0, you give 1: odds of 1 have logarithm 0
    """
    even = float(log_odds(3, 3))
    if abs(even) > 1e-6:
        yield f"3 wins each should give log-odds 0, you give {even:g}: odds of 1 have logarithm 0"
    for n_a, n_b in ((2, 1), (1, 4), (30, 10)):
        if abs(float(log_odds(n_a, n_b)) - math.log(n_a / n_b)) > 1e-3:
            expects = f"a ticket of strength s expects s/(s + 1) of the {n_a + n_b} races"
            then = f"set that equal to {n_a} and take the logarithm of s"
            yield f"{n_a} wins to {n_b}: {expects}; {then}"
    return "log-odds are the logarithm of the ratio of wins, finite as long as both won once."


@checker
def tickets(shares: Callable[[dict[str, float], list[str]], Mapping[str, float]]) -> Hints:
    """A function from strengths and a context to the probability that each token wins.

    >>> tickets(lambda strengths, context: {t: 1 / len(context) for t in context})
    hint: in a b with strengths 1 and 3, b should win with probability 0.75, you give 0.5
    """
    for strengths, context in CONTEXTS:
        given = shares(dict(strengths), list(context))
        total = sum(strengths[token] for token in context)
        worths = " and ".join(f"{s:g}" for s in strengths.values())
        race = f"in {' '.join(context)}"
        for token in sorted(set(context), reverse=True):
            expected = context.count(token) * strengths[token] / total
            if token not in given:
                yield f"{race} the token {token} runs too: give its share"
            if abs(float(given[token]) - expected) > 1e-6:
                wins = f"{token} should win with probability {expected:.3g}"
                yield f"{race} with strengths {worths}, {wins}, you give {float(given[token]):.3g}"
    return "every occurrence is a ticket, and a ticket is worth its token's strength."


@checker
def runaway(group: Collection[str], upset: Sequence[str]) -> Hints:
    """The group that never loses to the rest, and a race that ties all four runners.

    >>> runaway({"a", "b"}, ("a", "c"))
    hint: the group is right. With a beating c, {a, b} still never loses to the rest
    """
    named = {str(token).strip() for token in group}
    if not named or not named < set("abcd"):
        yield "a group is some, not all, of the runners a, b, c, d"
    for race in TWO_LEAGUES:  # only {a, b} never loses
        first, second, _, _, won = race.split()
        if won not in named and {first, second} & named:
            yield f"the group {{{', '.join(sorted(named))}}} loses to the rest: {race}"
    winner, loser = (str(token).strip() for token in upset)
    if {winner, loser} - set("abcd") or winner == loser:
        yield "the further race needs two different runners among a, b, c, d"
    races = [*TWO_LEAGUES, f"{winner} {loser} t -> {winner}"]
    data = Dataset.from_text("\n".join(["tokens: a b c d t", *races]))
    if len(token_priority_graphs(data)[4].component_of(0)) < 4:
        with_it = f"With {winner} beating {loser}"
        yield f"the group is right. {with_it}, {{a, b}} still never loses to the rest"
    return "one upset against the group that never loses makes every strength finite."


@checker
def one_upset(row: int) -> Hints:
    """The row of `RECORD` whose removal lets a strength run away.

    >>> one_upset(0)
    hint: without row 0 (a b t -> a) each of a, b, c still reaches the others: all stay finite
    """
    if isinstance(row, bool) or int(row) != row or not 0 <= row < RECORD.n:
        yield f"rows are numbered 0…{RECORD.n - 1}"
    kept = RECORD.subset([i for i in range(RECORD.n) if i != row])
    if len(token_priority_graphs(kept)[3].component_of(0)) == 3:
        race = RECORD.subset([int(row)]).to_text().splitlines()[-1]
        still = "each of a, b, c still reaches the others: all stay finite"
        yield f"without row {row} ({race}) {still}"
    return "that was a's only defeat; without it a never loses, and its strength runs away."
