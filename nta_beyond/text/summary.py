"""The league tables of a corpus in numbers, last token by last token, all at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nta_beyond.text.edges import TokenEdges
from nta_core.boundary import Floats, Ints, a, shown, whole
from nta_core.data.tables import html_table
from nta_core.errors import UnknownToken
from nta_core.graphs.condensation import Condensation

SHOWN = 12


@dataclass(frozen=True, eq=False, repr=False)
class Tracks:
    """What the graph of every last token looks like; all arrays have shape (tracks,).

    Attributes
    ----------
    lasts : int64 array
        The last tokens that have a graph.
    windows, races : int64 arrays
        Windows that end with it, and those that hold their next token.
    tokens, leagues, largest : int64 arrays
        Nodes of the graph, its leagues, and the tokens in its largest league.
    above, below, beside : int64 arrays
        The other tokens: those with priority over the largest league, those under it, and those
        that no chain of wins connects with it.
    edges, strict : int64 arrays
        Edges without self edges, and those between leagues.
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 16. Paper: Sec. 2.1.
    """

    lasts: Ints
    windows: Ints
    races: Ints
    tokens: Ints
    leagues: Ints
    largest: Ints
    above: Ints
    below: Ints
    beside: Ints
    edges: Ints
    strict: Ints
    names: tuple[str, ...]

    COLUMNS = (
        *("windows", "races", "tokens", "leagues", "largest"),
        *("above", "below", "beside", "edges", "strict"),
    )

    @property
    def largest_share(self) -> Floats:
        """Share of a graph's tokens that are in its largest league."""
        return self.largest / self.tokens

    def row(self, name: str) -> dict[str, int]:
        """Return the numbers of one last token, or raise `UnknownToken` when it has no graph."""
        lasts = self.lasts.tolist() if isinstance(name, str) else []
        place = [k for k, last in enumerate(lasts) if self.names[last] == name]
        if not place:
            raise UnknownToken(
                f"{shown(name)} has no graph: no window after it holds its next token"
            )
        return {column: int(getattr(self, column)[place[0]]) for column in self.COLUMNS}

    def busiest(self, count: int) -> list[str]:
        """Return the last tokens with the most races, by name."""
        order = np.argsort(-self.races, kind="stable")[: whole(count, "count")]
        return [self.names[last] for last in self.lasts[order].tolist()]

    def table(self, count: int = SHOWN, more: Mapping[str, Mapping[str, str]] | None = None) -> str:
        """Return the busiest tracks as an aligned table.

        `more` adds columns: under each title, what to print for each last token.

        Examples
        --------
        >>> from nta_beyond.text import Corpus, Vocabulary, read_edges
        >>> corpus = Corpus.from_text("the cat saw the dog and the dog saw the cat")
        >>> print(tracks(read_edges(corpus, Vocabulary.of(corpus), window=4)).table(1))
        last token  windows  races  tokens  leagues  largest  share  strict edges
        the               3      1       3        3        1    33%             2
        """
        columns = {} if more is None else a(Mapping, more, "more")  # type: ignore[type-abstract]
        for title, column in columns.items():
            a(Mapping, column, f"more[{shown(title)}]")  # type: ignore[type-abstract]
        lines = self._lines(count, columns)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
            for line in lines
        )

    def _lines(self, count: int, more: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
        """The cells of a table, its head first."""
        lines = [["last token", *self.COLUMNS[:5], "share", "strict edges", *map(str, more)]]
        for name in self.busiest(count):
            row = self.row(name)
            share = f"{row['largest'] / row['tokens']:.0%}"
            numbers = [f"{row[column]:,}" for column in self.COLUMNS[:5]]
            added = (str(column.get(name, "")) for column in more.values())
            lines.append([name, *numbers, share, f"{row['strict']:,}", *added])
        return lines

    def __repr__(self) -> str:
        return f"Tracks({len(self.lasts):,} last tokens, {self.leagues.sum():,} leagues)"

    def _repr_html_(self) -> str:
        head, *body = self._lines(SHOWN, {})
        return html_table("tracks", body, head=head)


def tracks(found: TokenEdges) -> Tracks:
    """Return the numbers of all league tables of a corpus.

    Examples
    --------
    >>> from nta_beyond.text import Corpus, Vocabulary, grammar_text, read_edges
    >>> corpus = Corpus.from_text(grammar_text(5000, seed=0))
    >>> found = tracks(read_edges(corpus, Vocabulary.of(corpus)))
    >>> found, found.busiest(2)
    (Tracks(254 last tokens, 8,861 leagues), ['.', 'the'])
    >>> [found.row("the")[column] for column in ("tokens", "leagues", "largest", "below")]
    [274, 190, 85, 183]

    Explained in: chapter 16. Paper: Sec. 2.1.
    """
    parts = a(TokenEdges, found, "found").condensation
    last, size, _ = leagues_of(parts)
    lasts, place = np.unique(last, return_inverse=True)
    order = np.lexsort((-size, place))
    giant = order[np.searchsorted(place[order], np.arange(len(lasts)))]
    upper, lower = parts.league_edges

    def per_track(track: Ints, weights: Ints | None = None) -> Ints:
        return np.bincount(track, weights, minlength=len(lasts)).astype(np.int64)

    def tokens_in(chosen: NDArray[np.bool_]) -> Ints:
        return per_track(place[chosen], size[chosen])

    tokens = per_track(place, size)
    above = tokens_in(_flood(lower, upper, giant, parts.count))
    below = tokens_in(_flood(upper, lower, giant, parts.count))
    tails = np.repeat(np.arange(len(parts.nodes)), np.diff(parts.begins))
    track = place[parts.component[tails]]
    return Tracks(
        lasts=lasts,
        windows=found.windows[lasts],
        races=found.races[lasts],
        tokens=tokens,
        leagues=per_track(place),
        largest=size[giant],
        above=above,
        below=below,
        beside=tokens - above - below - size[giant],
        edges=per_track(track[tails != parts.heads]),
        strict=per_track(track[parts.component[tails] != parts.component[parts.heads]]),
        names=found.names,
    )


def leagues_of(parts: Condensation) -> tuple[Ints, Ints, Ints]:
    """Return last token, size and rank of every league, in the order of the condensation.

    The rank counts from 0, the strongest of its track; equal levels stand in order of their
    smallest token, as in `TokenPriorityGraph.components`.
    """
    last, token = np.divmod(parts.nodes, parts.K)
    track, smallest = (np.full(parts.count, parts.K, dtype=np.int64) for _ in range(2))
    np.minimum.at(track, parts.component, last)
    np.minimum.at(smallest, parts.component, token)
    order = np.lexsort((smallest, -parts.levels, track))
    begins = np.searchsorted(track[order], track[order])
    rank = np.empty(parts.count, dtype=np.int64)
    rank[order] = np.arange(parts.count) - begins
    return track, np.bincount(parts.component, minlength=parts.count), rank


def _flood(source: Ints, target: Ints, start: Ints, count: int) -> NDArray[np.bool_]:
    """Leagues that edges source → target lead to from `start`."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    edges = csr_array((np.ones(len(source)), (source, target)), shape=(count, count))
    steps = dijkstra(edges, indices=start, unweighted=True, min_only=True)
    return np.asarray(np.isfinite(steps) & (steps > 0))
