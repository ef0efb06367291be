"""One answer of the automaton, with its reasons and with what the data left open."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass

from nta_core.automaton.standings import Silence, listed
from nta_core.data.tables import html_table
from nta_core.graphs.graph import as_set


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
            lines.append("The data determines this answer.")
        else:
            lines.append("The data does not determine this answer; the shortest W guesses it:")
            lines.extend(f"- {reason.words}" for reason in self.undetermined)
        return "\n".join(lines)

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
