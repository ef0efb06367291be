"""The data's own tables beside a head: leagues, levels and strict pairs, track by track."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from nta_beyond.heads.errors import HeadError
from nta_beyond.heads.head import Head
from nta_beyond.text import TokenEdges
from nta_core.boundary import Ints, a, shown
from nta_core.errors import OptionError
from nta_core.graphs import TokenPriorityGraphs
from nta_core.graphs.condensation import Condensation, condense
from nta_core.graphs.keys import sorted_unique

Tables = TokenEdges | TokenPriorityGraphs


@dataclass(frozen=True, eq=False)
class Track:
    """The graph of one last token, as arrays."""

    last: int
    races: int
    nodes: Ints  # token ids
    first: int  # place of the first node among those of all tracks
    league: Ints  # a number per node
    level: Ints  # longest chain of strict wins below, per node
    winners: Ints  # of the strict pairs, as places in `nodes`
    losers: Ints


def tracks_of(
    head: Head, found: Tables, lasts: Sequence[int | str] | Ints | None = None
) -> Iterator[Track]:
    """Yield the tracks of a head's vocabulary that have a graph, in the order of their tokens."""
    parts, races = _parts(a(Head, head, "head"), found)
    chosen = None if lasts is None else set(head.tokens(lasts).tolist())
    last_of, token_of = np.divmod(parts.nodes, parts.K)
    tails = np.repeat(np.arange(len(parts.nodes)), np.diff(parts.begins))
    strict = np.flatnonzero(parts.component[tails] != parts.component[parts.heads])
    cuts = np.append(np.flatnonzero(np.diff(last_of, prepend=-1)), len(last_of))
    for begin, end in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        last = int(last_of[begin])
        if chosen is not None and last not in chosen:
            continue
        here = slice(*np.searchsorted(tails[strict], [begin, end]))
        component = parts.component[begin:end].astype(np.int64)
        yield Track(
            last=last,
            races=int(races[last]),
            nodes=token_of[begin:end],
            first=begin,
            league=np.unique(component, return_inverse=True)[1],
            level=parts.levels[component],
            winners=tails[strict[here]] - begin,
            losers=parts.heads[strict[here]].astype(np.int64) - begin,
        )


def _parts(head: Head, found: Tables) -> tuple[Condensation, Ints]:
    """The leagues of all tracks, and how many races each has (1 where nobody counted)."""
    if not isinstance(found, (TokenEdges, TokenPriorityGraphs)):
        raise OptionError(f"found must be TokenEdges or TokenPriorityGraphs, got {shown(found)}")
    check_vocabulary(head, found.names)
    if isinstance(found, TokenEdges):
        return found.condensation, found.races
    K = found.K
    lasts = np.concatenate([np.full(len(found[k].nodes), k) for k in found] or [np.empty(0, int)])
    nodes = np.concatenate([np.array(found[k].nodes) for k in found] or [np.empty(0, int)])
    last, winner, loser = found.edge_array.T
    keys = [(last * K + winner) * K + loser, (lasts * K + nodes) * K + nodes]
    every = sorted_unique(np.concatenate(keys).astype(np.int64))
    return condense(every, K), np.ones(K, dtype=np.int64)


def check_vocabulary(head: Head, names: tuple[str, ...]) -> None:
    """Refuse tables of another vocabulary."""
    if len(names) != head.K:
        raise HeadError(
            f"the head knows {head.K:,} tokens and the data {len(names):,}: read both with one "
            "vocabulary, in one order"
        )
    if names != head.names:
        token = next(k for k, name in enumerate(names) if name != head.names[k])
        raise HeadError(
            f"token {token} is {shown(head.names[token])} in the head and {shown(names[token])} in "
            "the data: read both with one vocabulary, in one order"
        )
