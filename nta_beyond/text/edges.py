"""Who beat whom in a corpus: distinct edges, collected while the text streams by.

A *tally* is what a piece of text contributes: its distinct edges and two counts per last token.
Tallies of two pieces merge into the tally of both, in any order; that is all that processes and
machines need to know of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_beyond.text.corpus import Advance, Corpus
from nta_beyond.text.vocabulary import Vocabulary
from nta_beyond.text.windows import WINDOW, Windows, no_window, window_blocks
from nta_core.boundary import Ints, a, check_names, entries, token_id, whole
from nta_core.data.tables import html_table
from nta_core.errors import UnknownToken
from nta_core.graphs import TokenPriorityGraph, TokenPriorityGraphs
from nta_core.graphs.condensation import Condensation, condense
from nta_core.graphs.keys import places, sorted_unique
from nta_core.indices import as_index

Value = TypeVar("Value", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Tally:
    """What some windows contribute to the graphs.

    Attributes
    ----------
    keys : int64 array of shape (edges,)
        Sorted, distinct keys (last·K + winner)·K + loser.
    windows, races : int64 arrays of shape (K,)
        Windows of each last token, and those among them that hold their next token.
    """

    keys: Ints
    windows: Ints
    races: Ints


def tally(found: Windows, K: int) -> Tally:
    """Collect the edges of some windows."""
    races = found.within(K).races()
    keys = (races.lasts * K + races.labels)[:, None] * K + races.tokens
    return Tally(
        sorted_unique(keys[races.tokens >= 0]),
        np.bincount(as_index(found.lasts), minlength=K),
        np.bincount(as_index(races.lasts), minlength=K),
    )


def merge(tallies: Sequence[Tally]) -> Tally:
    """Return the tally of all pieces together."""
    if len(tallies) == 1:
        return tallies[0]
    return Tally(
        sorted_unique(np.concatenate([part.keys for part in tallies])),
        reduce(np.add, [part.windows for part in tallies]),
        reduce(np.add, [part.races for part in tallies]),
    )


def look_up(ordered: Ints, values: NDArray[Value], wanted: Ints, missing: int) -> NDArray[Value]:
    """Value of each wanted key, or `missing` where the sorted keys do not have it."""
    place, known = places(ordered, wanted)
    found = np.full(wanted.shape, missing, dtype=values.dtype)
    found[known] = values[place[known]]
    return found


class Gathering:
    """Tallies merged as they come; memory holds about twice the distinct edges.

    Fresh tallies wait until together they outweigh what is held, so a key is sorted O(log) times.
    """

    def __init__(self) -> None:
        self._parts: list[Tally] = []  # the first is what is held, the others wait

    def add(self, part: Tally) -> None:
        """Take one more tally."""
        self._parts.append(part)
        if sum(len(one.keys) for one in self._parts[1:]) > len(self._parts[0].keys):
            self.total()

    def total(self) -> Tally | None:
        """Return the tally of all that was added."""
        self._parts = [merge(self._parts)] if self._parts else []
        return self._parts[0] if self._parts else None


@dataclass(frozen=True, eq=False, repr=False)
class TokenEdges(Tally):
    """The distinct edges of all token-priority graphs of a corpus, and what they were read from.

    A tally whose tokens have names; a winner's edge to itself makes it a node.

    Attributes
    ----------
    keys, windows, races
        As in `Tally`.
    names : tuple of str
        What people call the tokens.

    Explained in: chapter 16. Paper: Sec. 2.1.
    """

    names: tuple[str, ...]

    @property
    def K(self) -> int:
        """Vocabulary size."""
        return len(self.names)

    @property
    def n(self) -> int:
        """Number of windows."""
        return int(self.windows.sum())

    @property
    def label_share(self) -> float:
        """Share of windows that hold their next token: Assumption 2, as text keeps it."""
        return float(self.races.sum()) / self.n if self.n else 0.0

    @cached_property
    def condensation(self) -> Condensation:
        """The leagues of all graphs, as arrays."""
        return condense(self.keys, self.K)

    @cached_property
    def graphs(self) -> TokenPriorityGraphs:
        """The token-priority graphs, one per last token."""
        return TokenPriorityGraphs(self.condensation, self.names)

    def after(self, name: str | int) -> TokenPriorityGraph:
        """Return the graph of the last token called `name`, for example "the", or its id."""
        token = token_id(name, self.K, self.names, what="last token")
        if token not in self.graphs:
            raise UnknownToken(
                f"no window that ends with {self.names[token]!r} holds its next token, so it has "
                "no graph"
            )
        return self.graphs[token]

    def __repr__(self) -> str:
        return (
            f"TokenEdges({self.n:,} windows, {self.label_share:.0%} hold their next token, "
            f"{len(self.keys):,} edges, K={self.K:,})"
        )

    def _repr_html_(self) -> str:
        lines = (
            ("windows", f"{self.n:,}"),
            ("the next token is among them", f"{self.label_share:.1%}"),
            ("distinct edges", f"{len(self.keys):,}"),
            ("last tokens", f"{np.count_nonzero(self.races):,} of {self.K:,}"),
            ("leagues", f"{self.condensation.count:,}"),
        )
        return html_table("edges", lines)


def read_edges(
    corpus: Corpus, vocabulary: Vocabulary, *, window: int = WINDOW, advance: Advance | None = None
) -> TokenEdges:
    """Collect the edges of a corpus in this process, piece by piece.

    Memory follows the number of distinct edges, not the length of the text.  `token_edges` does
    the same on several processes or machines.

    Examples
    --------
    >>> corpus = Corpus.from_text("the cat saw the dog and the dog saw the cat")
    >>> found = read_edges(corpus, Vocabulary.of(corpus), window=4)
    >>> found
    TokenEdges(7 windows, 43% hold their next token, 11 edges, K=5)
    >>> found.after("the").components
    (frozenset({2}), frozenset({0}), frozenset({4}))

    Explained in: chapter 16. Paper: Sec. 2.1.
    """
    gathering = Gathering()
    for block in window_blocks(corpus, vocabulary, window=window, advance=advance):
        gathering.add(tally(block, vocabulary.K))
    return as_edges(gathering.total(), corpus, vocabulary, window)


def window_edges(windows: Windows, names: Sequence[str]) -> TokenEdges:
    """Collect the edges of windows that are in memory.

    Examples
    --------
    >>> window_edges(Windows(np.array([[0, 1], [0, 1]]), np.array([0, 2])), ["a", "b", "c"])
    TokenEdges(2 windows, 50% hold their next token, 2 edges, K=3)

    Explained in: chapter 16. Paper: Sec. 2.1.
    """
    called = check_names(names)
    total = tally(a(Windows, windows, "windows"), len(called))
    return TokenEdges(**vars(total), names=called)


def as_edges(
    total: Tally | None, corpus: Corpus, vocabulary: Vocabulary, window: int
) -> TokenEdges:
    """Name the tokens of a tally, or say why there is nothing to name."""
    if total is None or not total.windows.sum():
        raise no_window(corpus, vocabulary, window)
    return TokenEdges(**vars(total), names=vocabulary.names)


def growing_edges(
    corpus: Corpus, vocabulary: Vocabulary, sizes: Sequence[int], *, window: int = WINDOW
) -> Iterator[TokenEdges]:
    """Yield the edges of the first n windows for every n of `sizes` that the corpus reaches.

    Examples
    --------
    >>> corpus = Corpus.from_text("the cat saw the dog and the dog saw the cat")
    >>> [len(part.keys) for part in growing_edges(corpus, Vocabulary.of(corpus), [2, 6], window=4)]
    [0, 11]

    Explained in: chapter 16. Paper: App. D, Fig. 11.
    """
    wanted = sorted({whole(size, "a size", least=1) for size in entries(sizes, "sizes")})
    gathering, read = Gathering(), 0
    for block in window_blocks(corpus, vocabulary, window=window):
        start = 0
        while wanted and wanted[0] <= read + block.n:
            stop = wanted.pop(0) - read
            gathering.add(tally(block.pick(slice(start, stop)), vocabulary.K))
            yield as_edges(gathering.total(), corpus, vocabulary, window)
            start = stop
        gathering.add(tally(block.pick(slice(start, None)), vocabulary.K))
        read += block.n
