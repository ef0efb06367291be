"""Leagues of a whole corpus as arrays: their place in the table, and who stands under whom."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nta_core.data import Ints
from nta_core.graphs.condensation import Condensation, sorted_unique


@dataclass(frozen=True, eq=False)
class Leagues:
    """All leagues of a corpus; arrays of shape (leagues,) in the order of the condensation.

    `rank` counts from 0, the strongest of its track; equal levels stand in order of their
    smallest token, as in `TokenPriorityGraph.components`.
    """

    last: Ints
    size: Ints
    level: Ints
    rank: Ints


def leagues_of(parts: Condensation) -> Leagues:
    """Return last token, size, level and rank of every league."""
    last, token = np.divmod(parts.nodes, parts.K)
    track, smallest = (np.full(parts.count, parts.K, dtype=np.int64) for _ in range(2))
    np.minimum.at(track, parts.component, last)
    np.minimum.at(smallest, parts.component, token)
    order = np.lexsort((smallest, -parts.levels, track))
    begins = np.searchsorted(track[order], track[order])
    rank = np.empty(parts.count, dtype=np.int64)
    rank[order] = np.arange(parts.count) - begins
    size = np.bincount(parts.component, minlength=parts.count)
    return Leagues(track, size, parts.levels, rank)


def places(nodes: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return where each wanted number stands in a sorted list, and whether it is there at all."""
    if not len(nodes):
        return np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape, dtype=bool)
    place = np.minimum(np.searchsorted(nodes, wanted), len(nodes) - 1)
    return place, nodes[place] == wanted


def league_edges(parts: Condensation) -> tuple[Ints, Ints]:
    """Return the distinct pairs of leagues (upper, lower) with an edge between them, sorted."""
    tails = np.repeat(parts.component, np.diff(parts.begins)).astype(np.int64)
    heads = parts.component[parts.heads]
    crossing = tails != heads
    pairs = sorted_unique(tails[crossing] * parts.count + heads[crossing])
    upper, lower = np.divmod(pairs, max(parts.count, 1))
    return upper, lower


def flood(source: Ints, target: Ints, start: Ints, count: int) -> NDArray[np.bool_]:
    """Leagues that edges source → target lead to from `start`; one round per step of a chain."""
    wet = np.zeros(count, dtype=bool)
    wet[start] = True
    fresh = True
    while fresh:
        flowing = target[wet[source]]
        fresh = not wet[flowing].all()
        wet[flowing] = True
    wet[start] = False
    return wet
