"""Retrieve the top league, compose by strength, append, repeat."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from nta_core.automaton.answers import Prediction, decides, silences
from nta_core.automaton.scores import EmbeddedScores, OneHotScores
from nta_core.boundary import check_context, generator, room_for, whole
from nta_core.data import Dataset
from nta_core.data.tables import html_table
from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs, token_priority_graphs
from nta_core.graphs.graph import as_set, unbeaten

TIE = 1e-6  # hard scores closer than this are equal; scores the data orders differ by 1 or more
SHOWN = 12  # tracks in the table


@dataclass(frozen=True, eq=False, repr=False)
class Automaton:
    """A rule that predicts the trained layer: hard retrieval, then soft composition.

    Attributes
    ----------
    graphs : TokenPriorityGraphs
        The league tables, one per last token.
    scores : EmbeddedScores or OneHotScores
        Hard and soft scores, used where the league tables leave a choice.

    Examples
    --------
    >>> from nta_core import FIG8
    >>> automaton = Automaton.from_dataset(FIG8)
    >>> automaton.compose([3, 0, 1])
    Prediction(e2 58.6%, e1 41.4%)

    Explained in: chapter 8. Paper: Sec. 1 and 3.
    """

    graphs: TokenPriorityGraphs
    scores: EmbeddedScores | OneHotScores

    @classmethod
    def from_dataset(cls, dataset: Dataset, E: ArrayLike | None = None) -> Automaton:
        """Build the automaton that training on the dataset converges to.

        Parameters
        ----------
        dataset : Dataset
            The training data.
        E : array of shape (K, d), optional
            Token embeddings; orthonormal ones if not given.  They matter only in contexts that
            the data leaves undetermined (and for the odds, if they are linearly dependent).

        Raises what `solve_graph_svm` raises (with orthonormal embeddings, nothing).

        Examples
        --------
        >>> from nta_core import FIG3
        >>> Automaton.from_dataset(FIG3)
        Automaton(2 last tokens, 6 leagues, K=4)
        """
        graphs = token_priority_graphs(dataset)
        if E is None:
            return cls(graphs, OneHotScores(dataset, graphs))
        return cls(graphs, EmbeddedScores(dataset, graphs, E))

    def retrieve(self, context: ArrayLike) -> frozenset[int]:
        """Return the tokens of the context that hard retrieval keeps.

        These are the tokens of the highest-priority league present; where the data does not say
        which league that is, those with the largest score e_jᵀ W_svm e_last.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> sorted(Automaton.from_dataset(FIG3).retrieve([2, 0, 1]))
        [0, 1, 2]
        """
        tokens = self._check(context)
        return self._retrieve(self._graph(tokens[-1]), frozenset(tokens))

    def _retrieve(self, graph: TokenPriorityGraph, present: frozenset[int]) -> frozenset[int]:
        if decides(graph, present):
            return (unbeaten(graph, present) or (present,))[0] & present
        ordered = sorted(present)
        hard = self.scores.hard(graph.last)[ordered]
        return frozenset(np.array(ordered)[hard > hard.max() - TIE].tolist())

    def compose(self, context: ArrayLike) -> Prediction:
        """Return the probability of every token of the context to come next.

        Among the retrieved tokens the odds are strength times number of occurrences.

        Examples
        --------
        >>> from nta_core import FIG8
        >>> automaton = Automaton.from_dataset(FIG8)
        >>> {t: round(p, 3) for t, p in automaton.compose([0, 0, 2, 3, 1]).probabilities.items()}
        {0: 0.453, 1: 0.32, 2: 0.227, 3: 0.0}
        """
        tokens = self._check(context)
        graph, tickets = self._graph(tokens[-1]), Counter(tokens)
        retrieved = self._retrieve(graph, frozenset(tokens))
        kept = sorted(retrieved)
        soft = self.scores.soft(tokens[-1])[kept]
        weights = np.array([tickets[token] for token in kept]) * np.exp(soft - soft.max())
        share = dict(zip(kept, (weights / weights.sum()).tolist(), strict=True))
        return Prediction(
            context=tokens,
            probabilities={token: share.get(token, 0.0) for token in sorted(tickets)},
            retrieved=retrieved,
            league=next((league for league in graph.components if retrieved <= league), None),
            undetermined=tuple(silences(graph, frozenset(tokens), retrieved)),
            names=self.graphs.names,
        )

    def determined(self, context: ArrayLike) -> bool:
        """Whether the data alone decides the answer, whatever the (independent) embeddings.

        It does when every token of the context was seen with this last token and one league
        present beats all others present, directly or through a chain of wins; and when only one
        token is there to choose.  Otherwise the shortest W guesses.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> automaton = Automaton.from_dataset(FIG3)
        >>> automaton.determined([3, 2, 0, 1]), automaton.determined([0, 1, 2])
        (True, False)
        """
        tokens = self._check(context)
        return decides(self._graph(tokens[-1]), frozenset(tokens))

    def sample(self, context: ArrayLike, *, seed: int | np.random.Generator) -> int:
        """Draw the next token.

        Examples
        --------
        >>> from nta_core import FIG3
        >>> Automaton.from_dataset(FIG3).sample([2, 3, 0], seed=0)
        3
        """
        rng, probabilities = generator(seed), self.compose(context).probabilities
        return int(rng.choice(list(probabilities), p=list(probabilities.values())))

    def generate(
        self, context: ArrayLike, steps: int, *, seed: int | np.random.Generator
    ) -> tuple[int, ...]:
        """Return the context followed by `steps` tokens, each drawn and appended in turn.

        Every new token is the next query.  Only tokens of the context can ever appear.

        Examples
        --------
        >>> from nta_core import FIG8
        >>> Automaton.from_dataset(FIG8).generate([0, 1], 6, seed=0)
        (0, 1, 1, 1, 0, 1, 1, 1)
        """
        tokens, rng = list(self._check(context)), generator(seed)
        room_for(40.0 * whole(steps, "steps"), f"{steps} tokens", instead="generate fewer")
        for _ in range(steps):
            tokens.append(self.sample(tokens, seed=rng))
        return tuple(tokens)

    def explain(self, context: ArrayLike) -> str:
        """Say in words what the automaton does with a context, and what the data leaves open.

        Examples
        --------
        >>> from nta_core import FIG8
        >>> print(Automaton.from_dataset(FIG8).explain([0, 3, 0, 1]))
        The context is e1 e4 e1 e2; its last token e2 asks.
        Retrieve: league {e1, e2, e3} has priority over the rest of the context, so e1 and e2 stay.
        Compose: strength × occurrences gives e1 58.6% (2 times) and e2 41.4%.
        The data determines this answer.
        """
        return self.compose(context).in_words()

    def _graph(self, last: int) -> TokenPriorityGraph:
        """The graph of a last token; an empty one if it never was one."""
        if last in self.graphs:
            return self.graphs[last]
        return TokenPriorityGraph(last, (), (), (), (), (), self.graphs.names, {})

    def _check(self, context: ArrayLike) -> tuple[int, ...]:
        return tuple(check_context(context, self.graphs.K, self.graphs.names).tolist())

    def __repr__(self) -> str:
        leagues = self.graphs.n_components
        return f"Automaton({len(self.graphs)} last tokens, {leagues} leagues, K={self.graphs.K})"

    def _repr_html_(self) -> str:
        names, rows = self.graphs.names, []
        for last in list(self.graphs)[:SHOWN]:
            leagues = self.graphs[last].components
            rows.append((names[last], " · ".join(as_set(league, names) for league in leagues)))
        titles, hidden = ("last token", "leagues, strongest first"), len(self.graphs) - len(rows)
        caption = "Keep the top league present, split by strength"
        return html_table("automaton", rows, head=titles, caption=caption, hidden=hidden)
