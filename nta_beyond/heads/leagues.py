"""The leagues a head believes in, and how firmly.

Chapter 11 calls a token *selected* when it gets more than a threshold of the attention, and draws
edges from the selected tokens to all others.  `believed_graphs` does so in the windows of a text.
Without any text, let every two tokens stand side by side, once each: the loser of such a duel is
selected too, and the two are tied, when their scores differ by less than ln((1 − p)/p), p being the
threshold.  The leagues of all duels are therefore chains: sort the scores, cut at every larger gap.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nta_beyond.heads.head import Head, score_blocks
from nta_beyond.text import Windows
from nta_core.boundary import Floats, Ints, a, generator, number, token_id, whole
from nta_core.data.tables import html_table
from nta_core.graphs import TokenPriorityGraphs
from nta_core.graphs.condensation import condense
from nta_core.graphs.keys import sorted_unique
from nta_core.indices import as_index
from nta_core.model.weights import softmax

THRESHOLD = 0.01  # the mass above which a token is selected, as in the paper's experiments
SHOWN = 8  # leagues and tokens of a table


def gap_of(threshold: float) -> float:
    """The lead from which on the loser of a duel gets at most the threshold."""
    mass = number(threshold, "threshold", above=0, below=0.5)
    return math.log1p(-mass) - math.log(mass)


@dataclass(frozen=True, eq=False, repr=False)
class HeadLeagues:
    """The leagues of all tokens after one last token.

    Attributes
    ----------
    last : int
        The last token.
    threshold, gap : float
        Mass at which the loser of a duel counts as selected, and the lead that this means.
    order : int64 array of shape (K,)
        Tokens, highest score first.
    scores : float64 array of shape (K,)
        Their scores, in this order.
    ends : int64 array of shape (leagues,)
        League i holds ``order[ends[i - 1]:ends[i]]``.
    names : tuple of str
        What people call the tokens.

    Explained in: chapters 11 and 17.
    """

    last: int
    threshold: float
    gap: float
    order: Ints
    scores: Floats
    ends: Ints
    names: tuple[str, ...]

    @cached_property
    def leagues(self) -> tuple[frozenset[int], ...]:
        """The leagues as sets of tokens, strongest first."""
        return tuple(frozenset(part.tolist()) for part in np.split(self.order, self.ends[:-1]))

    @property
    def sizes(self) -> Ints:
        """Tokens of each league, strongest first."""
        return np.diff(self.ends, prepend=0)

    @property
    def plateau(self) -> tuple[float, float]:
        """The thresholds between which these leagues stay as they are; 0 or ½ if for ever."""
        return tuple(map(float, _plateau(-np.diff(self.scores), self.gap)))  # type: ignore[return-value]

    def rank(self, token: int | str) -> int:
        """Return the place of a token's league, 0 being the strongest."""
        place = np.flatnonzero(self.order == token_id(token, len(self.names), self.names))
        return int(np.searchsorted(self.ends, place[0], side="right"))

    def __repr__(self) -> str:
        low, high = self.plateau
        return (
            f"HeadLeagues({len(self.ends):,} after {self.names[self.last]}, at any threshold from "
            f"{low:.2g} to {high:.2g})"
        )

    def _repr_html_(self) -> str:
        rows = []
        for rank, league in enumerate(np.split(self.order, self.ends[:-1])[:SHOWN]):
            more = f" … {len(league):,} tokens" * (len(league) > SHOWN)
            shown = ", ".join(self.names[token] for token in league[:SHOWN].tolist())
            rows.append((str(rank), f"{shown}{more}"))
        caption = f"Leagues of a head after {self.names[self.last]}, strongest first"
        hidden = len(self.ends) - len(rows)
        return html_table("leagues", rows, head=("rank", "tokens"), caption=caption, hidden=hidden)


def head_leagues(head: Head, last: int | str, *, threshold: float = THRESHOLD) -> HeadLeagues:
    """Return the leagues that a head believes in after a last token.

    Two tokens are neighbours when, standing side by side once each, both get more than the
    threshold of their common attention; a league is a chain of neighbours.

    Parameters
    ----------
    head : Head
        The head.
    last : int or str
        The last token, by id or name.
    threshold : float
        Mass between 0 and ½, as in `nta_core.pseudo_graphs`.

    Examples
    --------
    >>> head = Head.from_arrays(np.eye(4), np.diag([0.0, 1, 9, 30]), np.ones((4, 4)) - np.eye(4))
    >>> head_leagues(head, 0).leagues
    (frozenset({0, 1, 2}), frozenset({3}))

    Explained in: chapters 11 and 17.
    """
    gap, scores = gap_of(threshold), a(Head, head, "head").scores(last)
    order = np.argsort(-scores, kind="stable")
    cuts = np.flatnonzero(-np.diff(scores[order]) >= gap) + 1
    ends = np.append(cuts, head.K)
    return HeadLeagues(
        head.token(last), float(threshold), gap, order, scores[order], ends, head.names
    )


def _plateau(gaps: Floats, gap: float) -> Floats:
    """Thresholds below and above which the cuts of sorted scores change."""
    within, between = gaps[gaps < gap], gaps[gaps >= gap]
    # a wider gap is a smaller threshold
    low = 1 / (1 + math.exp(min(between.min(), 700.0))) if len(between) else 0.0
    high = 1 / (1 + math.exp(within.max())) if len(within) else 0.5
    return np.array([low, high])


@dataclass(frozen=True, eq=False, repr=False)
class Stability:
    """How firmly a head's leagues stand; arrays have one entry per last token.

    Attributes
    ----------
    lasts : int64 array
        The last tokens.
    threshold, precision : float
        At which the leagues are read, and the relative size of the noise.
    leagues, largest : int64 arrays
        How many leagues there are, and the tokens of the largest.
    low, high : float64 arrays
        Thresholds between which nothing changes.
    same : float64 array
        Share of the noisy heads with exactly the same leagues.
    rand : float64 array
        Share of the pairs of tokens that stay together, or apart, in a noisy head (Rand's index).

    Explained in: chapters 11 and 17.
    """

    lasts: Ints
    threshold: float
    precision: float
    leagues: Ints
    largest: Ints
    low: Floats
    high: Floats
    same: Floats
    rand: Floats

    def __repr__(self) -> str:
        return (
            f"Stability({len(self.lasts):,} last tokens, {self.leagues.mean():.1f} leagues on "
            f"average, {self.same.mean():.0%} unchanged under noise of {self.precision:.1g})"
        )


def league_stability(
    head: Head,
    lasts: Sequence[int | str] | None = None,
    *,
    threshold: float = THRESHOLD,
    draws: int = 10,
    seed: int = 0,
    precision: float | None = None,
) -> Stability:
    """Ask how a head's leagues change with the threshold, and with the rounding of its weights.

    Parameters
    ----------
    head : Head
        The head.
    lasts : sequence of tokens, optional
        Last tokens to ask; all by default.
    threshold : float
        As in `head_leagues`.
    draws, seed : int
        How many noisy heads, and where their noise comes from.
    precision : float, optional
        Relative noise of a weight; by default that of the numbers in which it was stored.

    Examples
    --------
    >>> head = Head.from_arrays(np.eye(4), np.diag([0.0, 1, 9, 30]), np.ones((4, 4)) - np.eye(4))
    >>> league_stability(head, precision=0.001)
    Stability(4 last tokens, 1.8 leagues on average, 100% unchanged under noise of 0.001)

    Explained in: chapters 11 and 17.
    """
    everything = np.arange(a(Head, head, "head").K)
    asked = everything if lasts is None else head.tokens(lasts)
    rng, count = generator(seed), whole(draws, "draws", least=1, most=1000)
    gap = gap_of(threshold)
    home, plateaus = _labels(head, asked, gap)
    same, rand = np.zeros(len(asked)), np.zeros(len(asked))
    size = head.precision if precision is None else precision
    for _ in range(count):
        noisy, _ = _labels(head.rounded(rng, precision=size), asked, gap)
        alike = np.array([_rand(one, other) for one, other in zip(home, noisy, strict=True)])
        rand += alike
        same += alike == 1.0
    sizes = [np.bincount(as_index(labels)) for labels in home]
    return Stability(
        lasts=asked,
        threshold=float(threshold),
        precision=float(size),
        leagues=np.array([len(size) for size in sizes], dtype=np.int64),
        largest=np.array([size.max() for size in sizes], dtype=np.int64),
        low=plateaus[:, 0],
        high=plateaus[:, 1],
        same=same / count,
        rand=rand / count,
    )


def _labels(head: Head, lasts: Ints, gap: float) -> tuple[list[Ints], Floats]:
    """League of every token after each last token, and the plateau of each."""
    labels: list[Ints] = []
    plateaus = np.zeros((len(lasts), 2))
    for _, rows in score_blocks(head, lasts):
        for scores in rows:
            order = np.argsort(-scores, kind="stable")
            gaps = -np.diff(scores[order])
            league = np.empty(head.K, dtype=np.int64)
            league[order] = np.concatenate([[0], np.cumsum(gaps >= gap)])
            plateaus[len(labels)] = _plateau(gaps, gap)
            labels.append(league)
    return labels, plateaus


def _rand(one: Ints, other: Ints) -> float:
    """Rand's index of two partitions: the share of pairs on which they agree."""
    n = len(one)
    if n < 2:
        return 1.0

    def together(labels: Ints) -> int:
        sizes = np.unique(labels, return_counts=True)[1].astype(object)  # squares of any size
        return int((sizes * (sizes - 1)).sum())

    both = together(one * (other.max() + 1) + other)
    pairs = n * (n - 1)
    return (pairs - together(one) - together(other) + 2 * both) / pairs


def believed_graphs(
    head: Head, windows: Windows, *, threshold: float = THRESHOLD
) -> TokenPriorityGraphs:
    """Return the token-priority graphs that a head believes in, whatever came next in the text.

    In every window the tokens with an attention mass above the threshold are selected; each of them
    gets an edge to every token of the window: `nta_core.pseudo_graphs`, for text.

    Parameters
    ----------
    head : Head
        The head.
    windows : Windows
        Contexts; their next tokens are not read.
    threshold : float
        Mass, in [0, 1), above which a token counts as selected.

    Examples
    --------
    >>> windows = Windows(np.array([[0, 1, 2], [2, 1, 2]]), np.array([0, 1]))
    >>> head = Head.from_arrays(np.eye(3), 9 * np.diag([1.0, 1, 0]), np.ones((3, 3)))
    >>> believed_graphs(head, windows)[2].components
    (frozenset({0, 1, 2}),)

    Explained in: chapters 11 and 17. Paper: Sec. 5.
    """
    mass = number(threshold, "threshold", least=0, below=1)
    scores, K = a(Head, head, "head").window_scores(windows), head.K
    tokens, lasts = windows.tokens, windows.lasts
    keys = [np.empty(0, dtype=np.int64)]
    if windows.n:
        share = softmax(scores)
        same = tokens[:, :, None] == tokens[:, None, :]
        selected = (same * share[:, None, :]).sum(axis=2) > mass
        row, column = np.nonzero(selected & (tokens >= 0))
        winners = (lasts[row] * K + tokens[row, column])[:, None] * K
        pairs = (winners + tokens[row])[tokens[row] >= 0]
        # a token that is never selected is a node all the same: its edge to itself says so
        every = tokens >= 0
        nodes = np.broadcast_to(lasts[:, None], tokens.shape)[every] * K + tokens[every]
        keys += [sorted_unique(pairs), sorted_unique(nodes * K + tokens[every])]
    return TokenPriorityGraphs(condense(sorted_unique(np.concatenate(keys)), K), head.names)
