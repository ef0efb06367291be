"""What the league table of one last token says about a context, and where it is silent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs
from nta_core.graphs.graph import League, as_set


class Silence(NamedTuple):
    """One reason why the data does not determine an answer.

    Attributes
    ----------
    kind : str
        ``"unseen last token"``, ``"unseen tokens"``, ``"incomparable leagues"`` or
        ``"exact tie"``.
    tokens : frozenset of int
        The tokens it is about.
    words : str
        The reason as a sentence.

    Explained in: chapter 8.
    """

    kind: str
    tokens: frozenset[int]
    words: str


class Standings:
    """The league table of one last token, prepared for many questions.

    Examples
    --------
    >>> from nta_core import FIG3, token_priority_graphs
    >>> standings = Standings(token_priority_graphs(FIG3), 1)
    >>> standings.top({0, 2, 3}), standings.decides({0, 2, 3})
    ((frozenset({3}),), True)

    Explained in: chapter 8. Paper: Sec. 2.1.
    """

    def __init__(self, graphs: TokenPriorityGraphs, last: int) -> None:
        self.last, self.names = last, graphs.names
        never = TokenPriorityGraph(last, (), (), (), (), (), graphs.names, {})
        self._graph = graphs.get(last, never)
        self.home = self._graph.home

    def top(self, tokens: Iterable[int]) -> tuple[League, ...]:
        """Return the leagues of these tokens that no other of them beats, directly or by a chain.

        Tokens that the league table does not hold are passed over.
        """
        present = {self.home[token] for token in tokens if token in self.home}
        beaten = {loser for league in present for loser in present & self._graph.below(league)}
        return tuple(sorted(present - beaten, key=min))

    def decides(self, tokens: frozenset[int]) -> bool:
        """Whether the data alone says which of these tokens come first.

        If all are known and only one league is unbeaten, that league beats all others, because
        above every beaten league there is an unbeaten one.
        """
        return len(tokens) == 1 or (tokens <= self.home.keys() and len(self.top(tokens)) == 1)

    def common_league(self, tokens: Iterable[int]) -> League | None:
        """Return the league of all these tokens, or None if they do not share one."""
        leagues = {self.home.get(token) for token in tokens}
        return leagues.pop() if len(leagues) == 1 else None

    def silences(self, tokens: frozenset[int], retrieved: frozenset[int]) -> Iterator[Silence]:
        """Yield what the data does not say about a context and the tokens retrieved from it."""
        if self.decides(tokens):
            return
        name = self.names[self.last]
        if not self.home:
            words = f"{name} was never a last token, so it has no league table."
            yield Silence("unseen last token", frozenset({self.last}), words)
        else:
            yield from self._unranked(tokens)
        if len(retrieved) > 1 and self.common_league(retrieved) is None:
            words = f"{listed(retrieved, self.names)} have exactly equal scores; in a trained "
            words += "layer finite leftovers, such as its start W(0), break the tie."
            yield Silence("exact tie", retrieved, words)

    def _unranked(self, tokens: frozenset[int]) -> Iterator[Silence]:
        name = self.names[self.last]
        unseen = tokens - self.home.keys()
        if unseen:
            words = f"{listed(unseen, self.names)} never occurred in a sequence that ends with "
            words += f"{name}, so no race ranks {'it' if len(unseen) == 1 else 'them'}."
            yield Silence("unseen tokens", unseen, words)
        top = self.top(tokens)
        if len(top) > 1:
            sets = [as_set(league, self.names) for league in top]
            words = f"after {name}, the leagues {', '.join(sets[:-1])} and {sets[-1]} were never "
            words += "compared, not even through other tokens."
            yield Silence("incomparable leagues", tokens & frozenset().union(*top), words)


def listed(tokens: Iterable[int], names: tuple[str, ...]) -> str:
    """Tokens as a list in a sentence, by id."""
    words = [names[token] for token in sorted(tokens)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
