"""Which contexts the league tables decide, for many windows at once.

The same rule as `Automaton.determined`, in arrays: every token was seen on this track, and one
league present stands above all others present.  Leagues are numbered so that an edge never leads
to a larger number, hence only the largest number present can be that league.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nta_beyond.text.edges import TokenEdges, look_up
from nta_beyond.text.windows import Windows
from nta_core.boundary import Ints, a
from nta_core.graphs.keys import by_track, sorted_unique
from nta_core.graphs.reach import reachable

UNSEEN = -1  # a token that never ran on this track
GAP = -2  # no token here at all


@dataclass(frozen=True, eq=False, repr=False)
class Decisions:
    """What the league tables say about some windows.

    Attributes
    ----------
    decided : bool array of shape (n,)
        Whether the data alone determines the top league.
    retrieved : bool array of shape (n, T)
        The places whose token is in the top league present; all places with a token where the
        tables do not decide.
    size : int64 array of shape (n,)
        Tokens of the deciding league in its table, in the window or not; 0 where the tables do
        not decide, or where a single token leaves nothing to decide.
    left : int64 array of shape (n,)
        Different tokens among the retrieved: one, or a tie of so many.

    Explained in: chapters 8 and 16.
    """

    decided: NDArray[np.bool_]
    retrieved: NDArray[np.bool_]
    size: Ints
    left: Ints

    @property
    def share(self) -> float:
        """Share of the windows that are decided."""
        return float(self.decided.mean()) if len(self.decided) else 0.0

    @property
    def untied(self) -> NDArray[np.bool_]:
        """Windows of several tokens in which the tables leave one alone, shape (n,)."""
        return np.asarray((self.size > 0) & (self.left == 1))

    @property
    def league_size(self) -> float:
        """Tokens of the deciding league in the mean, 0 where no league decides.

        A league of few tokens singles some out; where nearly all tokens tie in one league, it
        decides nearly every window, and says little.
        """
        return float(self.size.sum()) / max(int(np.count_nonzero(self.size)), 1)

    def __repr__(self) -> str:
        said = f"{self.share:.1%} of {len(self.decided):,} windows decided"
        size = f"mean league {self.league_size:.1f} tokens"
        return f"Decisions({said}, {size}, {self.untied.sum():,} without a tie)"


class LeagueTables:
    """The league tables of a corpus, prepared for many questions.

    Examples
    --------
    >>> from nta_beyond.text import Corpus, Vocabulary, grammar_text, read_edges, text_windows
    >>> corpus = Corpus.from_text(grammar_text(20_000, seed=0))
    >>> words = Vocabulary.of(corpus)
    >>> tables = LeagueTables(read_edges(corpus, words))
    >>> new = text_windows(Corpus.from_text(grammar_text(1_000, seed=1)), words)
    >>> tables.decide(new)
    Decisions(48.8% of 990 windows decided, mean league 61.3 tokens, 116 without a tie)

    Explained in: chapters 8 and 16.
    """

    def __init__(self, found: TokenEdges) -> None:
        self._parts = a(TokenEdges, found, "found").condensation
        upper, self._lower = self._parts.league_edges
        self._begins = np.searchsorted(upper, np.arange(self._parts.count + 1))
        self._sizes = np.bincount(self._parts.component, minlength=self._parts.count)
        self._below: dict[int, Ints] = {}

    def leagues(self, windows: Windows) -> Ints:
        """League number of every token of every window, UNSEEN or GAP; shape (n, T)."""
        wanted = a(Windows, windows, "windows").nodes(self._parts.K)
        league = look_up(self._parts.nodes, self._parts.component, wanted, UNSEEN).astype(np.int64)
        league[windows.tokens < 0] = GAP
        return league

    def decide(self, windows: Windows) -> Decisions:
        """Return which windows the tables decide, and what they retrieve."""
        league = self.leagues(windows)
        top = league.max(axis=1)
        decided = ~(league == UNSEEN).any(axis=1) & self._stands_above(league, top)
        # with a single token there is nothing to decide, seen or not
        alone = ((windows.tokens == windows.lasts[:, None]) | (windows.tokens < 0)).all(axis=1)
        decided |= alone
        kept = np.where((decided & ~alone)[:, None], league == top[:, None], windows.tokens >= 0)
        size = np.zeros(windows.n, dtype=np.int64)
        size[decided & ~alone] = self._sizes[top[decided & ~alone]]
        return Decisions(decided, kept, size, _distinct(windows.tokens, kept))

    def _stands_above(self, league: Ints, top: Ints) -> NDArray[np.bool_]:
        """Whether the top league of each window stands above all others of the window."""
        others = (league >= 0) & (league != top[:, None])
        row, column = np.nonzero(others)
        asked = top[row] * self._parts.count + league[row, column]
        pairs = sorted_unique(asked)
        silent = np.zeros(len(pairs), dtype=bool)
        upper, lower = np.divmod(pairs, max(self._parts.count, 1))
        for league_above, same in by_track(upper):
            silent[same] = ~np.isin(lower[same], self._all_below(league_above))
        good = np.ones(len(league), dtype=bool)
        good[row[silent[np.searchsorted(pairs, asked)]]] = False
        return good

    def _all_below(self, league: int) -> Ints:
        """All leagues under one; found once."""
        if league not in self._below:
            self._below[league] = np.array([*reachable(self._beaten_by, league)], np.int64)
        return self._below[league]

    def _beaten_by(self, league: int) -> list[int]:
        return [*self._lower[self._begins[league] : self._begins[league + 1]].tolist()]


def _distinct(tokens: Ints, kept: NDArray[np.bool_]) -> Ints:
    """How many different tokens stand in the kept places of each row, shape (n,)."""
    ordered = np.sort(np.where(kept, tokens, GAP), axis=1)
    new = np.diff(ordered, axis=1, prepend=GAP) != 0
    return np.asarray(new.sum(axis=1), dtype=np.int64)
