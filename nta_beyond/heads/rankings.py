"""Does a head rank tokens as the data's own tables do?

Three numbers per last token, each beside two controls: the head's scores dealt out to the tokens at
random (what any ranking gets), and its scores after another last token (what a ranking gets that
does not look at its query).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nta_beyond.heads.head import Head
from nta_beyond.heads.tables import Tables, Track, tracks_of
from nta_core.boundary import Floats, Ints, a, generator, one_of, whole
from nta_core.data.tables import html_table

PERMUTATIONS = 20
PER_TRACK = (
    *("right", "right_permuted", "right_swapped", "tau", "rho"),
    *("explained", "explained_permuted", "explained_swapped"),
)


@dataclass(frozen=True, eq=False, repr=False)
class Agreement:
    """A head's ranking beside the data's tables; arrays have one entry per last token.

    Only last tokens whose graph has a strict pair are here: without one there is no order to agree
    with.

    Attributes
    ----------
    lasts, races, nodes, pairs : int64 arrays
        Last token, its races, and the tokens and strict pairs of its graph.
    right : float64 array
        Share of the strict pairs whose winner has the higher score; equal scores count half.
    tau : float64 array
        Kendall's τ-b of scores and levels (the longest chain of strict wins below a token).
    rho : float64 array
        Spearman's ρ of the same; both are 0 for scores that are all equal.
    explained : float64 array
        ρ² where ρ > 0, else 0: the share of the ranking's variance that the levels explain.
    right_permuted, explained_permuted : float64 arrays
        The mean of the same over heads whose scores are dealt out at random.
    right_swapped, explained_swapped : float64 arrays
        The same for the scores after another last token.

    Explained in: chapter 17.
    """

    lasts: Ints
    races: Ints
    nodes: Ints
    pairs: Ints
    right: Floats
    right_permuted: Floats
    right_swapped: Floats
    tau: Floats
    rho: Floats
    explained: Floats
    explained_permuted: Floats
    explained_swapped: Floats

    @property
    def share(self) -> float:
        """Share of all strict pairs that are ranked rightly; ½ if there is none."""
        return self._pooled(self.right)

    @property
    def share_permuted(self) -> float:
        """The same for scores dealt out at random."""
        return self._pooled(self.right_permuted)

    @property
    def share_swapped(self) -> float:
        """The same for scores after another last token."""
        return self._pooled(self.right_swapped)

    def _pooled(self, shares: Floats) -> float:
        return float(np.average(shares, weights=self.pairs)) if len(shares) else 0.5

    def mean(self, column: str) -> float:
        """Return the mean of a column over last tokens, weighted by races; 0 if there is none."""
        values: Floats = getattr(self, one_of(column, "column", PER_TRACK))
        return float(np.average(values, weights=self.races)) if self.races.any() else 0.0

    def __repr__(self) -> str:
        return (
            f"Agreement({len(self.lasts):,} last tokens, {self.share:.1%} of "
            f"{self.pairs.sum():,} strict pairs ranked rightly, permuted "
            f"{self.share_permuted:.1%}, another last token {self.share_swapped:.1%})"
        )

    def _repr_html_(self) -> str:
        def row(title: str, *values: float) -> tuple[str, ...]:
            return title, *(f"{value:.1%}" for value in values)

        explained = (f"explained{end}" for end in ("", "_swapped", "_permuted"))
        rows = [
            row("strict pairs ranked rightly", self.share, self.share_swapped, self.share_permuted),
            row("ranking explained by levels", *map(self.mean, explained)),
        ]
        head = ("", "head", "after another last token", "scores dealt at random")
        return html_table("agreement", rows, head=head)


def agreement(
    head: Head,
    found: Tables,
    *,
    lasts: Sequence[int | str] | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Agreement:
    """Compare a head's ranking with the league tables of data, last token by last token.

    Parameters
    ----------
    head : Head
        The head.
    found : TokenEdges or TokenPriorityGraphs
        The data's tables, of the same vocabulary.
    lasts : sequence of tokens, optional
        Last tokens to compare; all that have a strict pair by default.
    permutations, seed : int
        How often scores are dealt out at random, and from which seed.

    Examples
    --------
    >>> from nta_core import FIG3, Theory, token_priority_graphs
    >>> W = Theory.of(FIG3, np.eye(4)).svm.W
    >>> agreement(Head.from_arrays(W.T, np.eye(4), np.eye(4)), token_priority_graphs(FIG3)).share
    1.0

    Explained in: chapter 17.
    """
    rng = generator(seed)
    count = whole(permutations, "permutations", least=1, most=10_000)
    tracks = [t for t in tracks_of(a(Head, head, "head"), found, lasts) if len(t.winners)]
    turn = rng.permutation(len(tracks))
    other = np.empty(len(tracks), dtype=np.int64)  # a track's neighbour on a random round trip
    other[turn] = np.roll(turn, 1)
    rows = []
    for track, neighbour in zip(tracks, other.tolist(), strict=True):
        asking = [track.last, tracks[neighbour].last]
        own, swapped = head.queries[asking] @ head.keys[track.nodes].T
        deals = rng.permuted(np.tile(np.arange(len(own)), (count, 1)), axis=1)
        rows.append(_compare(track, own, swapped, deals))
    columns = np.array(rows).reshape(-1, len(PER_TRACK)).T
    return Agreement(
        lasts=_ints([track.last for track in tracks]),
        races=_ints([track.races for track in tracks]),
        nodes=_ints([len(track.nodes) for track in tracks]),
        pairs=_ints([len(track.winners) for track in tracks]),
        **dict(zip(PER_TRACK, columns, strict=True)),
    )


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.int64)


def _compare(track: Track, own: Floats, swapped: Floats, deals: Ints) -> list[float]:
    """The numbers of one track, in the order of `PER_TRACK`; a deal is a permutation of tokens."""
    from scipy.stats import kendalltau

    scores = np.vstack([own, swapped, own[deals]])
    lead = scores[:, track.winners] - scores[:, track.losers]
    right = ((lead > 0) + 0.5 * (lead == 0)).mean(axis=1)
    levels, ranks = _ranks(track.level), _ranks(own)
    rho = np.vstack([ranks, _ranks(swapped), ranks[deals]]) @ levels
    explained = np.maximum(rho, 0.0) ** 2
    tau = kendalltau(own, track.level).statistic if ranks.any() else 0.0
    return [
        *(right[0], right[2:].mean(), right[1]),
        *(float(tau), rho[0]),
        *(explained[0], explained[2:].mean(), explained[1]),
    ]


def _ranks(values: Floats | Ints) -> Floats:
    """Ranks, equal values sharing theirs, as a vector of length 1 around 0; 0 if all are equal."""
    from scipy.stats import rankdata

    ranks = rankdata(values)
    ranks -= ranks.mean()
    length = float(np.linalg.norm(ranks))
    return np.asarray(ranks / length) if length > 0 else ranks
