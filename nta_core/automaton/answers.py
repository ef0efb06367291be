"""One answer of the automaton, its reasons, and what the data left open.

A `Prediction` is the answer; a `Silence` says what no race has decided.
"""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from nta_core.data.tables import html_table
from nta_core.graphs import TokenPriorityGraph
from nta_core.graphs.graph import as_set, unbeaten


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


def decides(graph: TokenPriorityGraph, tokens: frozenset[int]) -> bool:
    """Whether the data alone says which of these tokens come first.

    If all are known and only one league is unbeaten, that league beats all others, because above
    every beaten league there is an unbeaten one.
    """
    return len(tokens) == 1 or (tokens <= graph.home.keys() and len(unbeaten(graph, tokens)) == 1)


def silences(
    graph: TokenPriorityGraph, tokens: frozenset[int], retrieved: frozenset[int]
) -> Iterator[Silence]:
    """Yield what the data does not say about a context and the tokens retrieved from it."""
    if decides(graph, tokens):
        return
    names, asks = graph.names, graph.names[graph.last]
    unseen, top = tokens - graph.home.keys(), graph.top(tokens)
    if not graph.nodes:
        words = f"{asks} was never a last token, so it has no league table."
        yield Silence("unseen last token", frozenset({graph.last}), words)
    elif unseen:
        words = f"{listed(unseen, names)} never occurred in a sequence that ends with {asks}, so "
        words += f"no race ranks {'it' if len(unseen) == 1 else 'them'}."
        yield Silence("unseen tokens", unseen, words)
    if len(top) > 1:
        *sets, final = (as_set(league, names) for league in top)
        words = f"after {asks}, the leagues {', '.join(sets)} and {final} were never compared, not "
        words += "even through other tokens."
        yield Silence("incomparable leagues", tokens & frozenset().union(*top), words)
    if len({graph.home.get(token, token) for token in retrieved}) > 1:
        words = f"{listed(retrieved, names)} have exactly equal scores; in a trained layer finite "
        words += "leftovers, such as its start W(0), break the tie."
        yield Silence("exact tie", retrieved, words)


@dataclass(frozen=True, repr=False)
class Prediction:
    """What the automaton says comes next.

    Attributes
    ----------
    context : tuple of int
        The tokens it was asked about; the last one is the query.
    probabilities : dict from int to float
        Probability of every token of the context, by id; 0 for those not retrieved.
    retrieved : frozenset of int
        What hard retrieval keeps.
    league : frozenset of int or None
        The league of the retrieved tokens; None if they have no common one.
    undetermined : tuple of Silence
        Why the data does not determine the answer; empty when it does.
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 8. Paper: Sec. 1 and 3.
    """

    context: tuple[int, ...]
    probabilities: dict[int, float]
    retrieved: frozenset[int]
    league: frozenset[int] | None
    undetermined: tuple[Silence, ...]
    names: tuple[str, ...]

    @property
    def determined(self) -> bool:
        """Whether the data alone decides, for every choice of independent embeddings."""
        return not self.undetermined

    @property
    def ranking(self) -> tuple[tuple[int, float], ...]:
        """The retrieved tokens with their probabilities, most likely first."""
        kept = [(token, self.probabilities[token]) for token in self.retrieved]
        return tuple(sorted(kept, key=lambda pair: (-round(pair[1], 12), pair[0])))

    def in_words(self) -> str:
        """Say how the answer comes about, one sentence per line.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> from nta_core.automaton import Automaton
        >>> print(Automaton.from_dataset(FIG3).compose([2, 3, 0]).in_words())
        The context is e3 e4 e1; its last token e1 asks.
        Retrieve: league {e4} has priority over the rest of the context, so e4 stays.
        The data determines this answer.
        """
        sequence = " ".join(self.names[token] for token in self.context)
        asks = self.names[self.context[-1]]
        lines = [f"The context is {sequence}; its last token {asks} asks.", self._retrieval()]
        if len(self.retrieved) > 1:
            lines.append(self._composition())
        if self.determined:
            return "\n".join([*lines, "The data determines this answer."])
        lines.append("The data does not determine this answer; the shortest W guesses it:")
        return "\n".join(lines + [f"- {reason.words}" for reason in self.undetermined])

    def _retrieval(self) -> str:
        kept = listed(self.retrieved, self.names)
        stay = f"{kept} stay{'s' * (len(self.retrieved) == 1)}"
        if len(self.probabilities) == 1:
            return f"Retrieve: {kept} is the only token there is."
        if not self.determined:
            return f"Retrieve: by the largest score of the shortest W, {stay}."
        league = as_set(self.league or (), self.names)
        if len(self.retrieved) == len(self.probabilities):
            return f"Retrieve: all tokens present are in league {league}, so {stay}."
        return f"Retrieve: league {league} has priority over the rest of the context, so {stay}."

    def _composition(self) -> str:
        tickets = Counter(self.context)
        shares = [
            f"{self.names[token]} {p:.1%}" + f" ({tickets[token]} times)" * (tickets[token] > 1)
            for token, p in self.ranking
        ]
        split = f"{', '.join(shares[:-1])} and {shares[-1]}"
        return f"Compose: strength × occurrences gives {split}."

    def __repr__(self) -> str:
        odds = ", ".join(f"{self.names[token]} {p:.1%}" for token, p in self.ranking)
        return f"Prediction({odds}{'' if self.determined else '; undetermined'})"

    def _repr_html_(self) -> str:
        rows = [(self.names[token], f"{p:.1%}") for token, p in self.ranking]
        titles, asked = ("next token", "probability"), [self.names[t] for t in self.context]
        table = html_table("prediction", rows, head=titles, caption=f"after {' '.join(asked)}")
        reasons = "".join(f"<li>{html.escape(reason.words)}</li>" for reason in self.undetermined)
        return table + f"<p>Not determined by the data:</p><ul>{reasons}</ul>" * bool(reasons)


def listed(tokens: Iterable[int], names: tuple[str, ...]) -> str:
    """Tokens as a list in a sentence, by id."""
    words = [names[token] for token in sorted(tokens)]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
