"""What follows from what: reachability, from one node and for all nodes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Ints

Node = TypeVar("Node")


def reachable(steps: Callable[[Node], Iterable[Node]], start: Node) -> set[Node]:
    """Return every node that one or more steps lead to from the start.

    Examples
    --------
    >>> below = {3: [1], 1: [0], 2: [0], 0: []}
    >>> sorted(reachable(below.__getitem__, 3))
    [0, 1]
    """
    reached: set[Node] = set()
    waiting = [start]
    while waiting:
        fresh = set(steps(waiting.pop())) - reached
        reached |= fresh
        waiting.extend(fresh)
    return reached


def kept_by_reduction(upper: Ints, lower: Ints, base: Ints) -> NDArray[np.bool_]:
    """Which edges of an acyclic graph no longer path explains.

    Parameters
    ----------
    upper, lower : int64 arrays
        Edges sorted by `upper`, with upper > lower on each.
    base : int64 array of shape (count,)
        Smallest node number of the block a node belongs to: reach sets are bit rows within it.

    Notes
    -----
    Nodes are visited sinks first.  The lower ends of a node are tried from the highest down: an
    end that a higher one already reaches is implied, and needs no set of its own.
    """
    starts = np.searchsorted(upper, np.arange(len(base) + 1))
    keep = np.ones(len(upper), dtype=bool)
    inner = starts[lower + 1] > starts[lower]  # ends that reach something themselves
    wanted = np.zeros(len(base), dtype=bool)
    wanted[lower[inner]] = True
    work = wanted.copy()
    work[upper[inner]] = True
    reach: dict[int, NDArray[np.uint8]] = {}
    block = -1
    for node in np.flatnonzero(work).tolist():
        if base[node] != block:  # sets of a finished block are never asked again
            block, reach = int(base[node]), {}
        edges = slice(starts[node], starts[node + 1])
        ends = lower[edges] - block
        implied = np.zeros((node - block + 7) // 8, dtype=np.uint8)
        for end in ends[inner[edges]][::-1].tolist():
            if not implied[end >> 3] >> (end & 7) & 1:
                implied[: len(reach[end])] |= reach[end]
        keep[edges] = (implied[ends >> 3] >> (ends & 7) & 1) == 0
        if wanted[node]:
            np.bitwise_or.at(implied, ends >> 3, (1 << (ends & 7)).astype(np.uint8))
            reach[node - block] = implied
    return keep
