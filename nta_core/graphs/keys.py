"""Sorted integer keys: how edges and nodes are kept, made distinct and found again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from nta_core.boundary import Ints


def sorted_unique(keys: Ints) -> Ints:
    """Sort and drop repetitions; numpy's hashing `unique` is many times slower on such keys."""
    keys = np.sort(keys)
    return keys[np.concatenate([[True], keys[1:] != keys[:-1]])] if len(keys) else keys


def places(ordered: Ints, wanted: Ints) -> tuple[Ints, NDArray[np.bool_]]:
    """Return where each wanted number stands in a sorted list, and whether it is there at all.

    Examples
    --------
    >>> place, known = places(np.array([2, 5, 9]), np.array([9, 4]))
    >>> place[known], known
    (array([2]), array([ True, False]))
    """
    if not len(ordered):
        return np.zeros(wanted.shape, dtype=np.int64), np.zeros(wanted.shape, dtype=bool)
    place = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    return place, ordered[place] == wanted


def by_track(lasts: Ints) -> Iterator[tuple[int, Ints]]:
    """Yield every last token with the places that hold it, both in order."""
    order = np.argsort(lasts, kind="stable")
    cuts = np.flatnonzero(np.diff(lasts[order])) + 1
    for track in np.split(order, cuts):
        if len(track):
            yield int(lasts[track[0]]), track
