"""Looking at a training only at chosen steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

from nta_core.boundary import Ints

State = TypeVar("State")


def recorded(states: Iterable[State], chosen: Ints) -> Iterator[State]:
    """Yield the states of a training at the chosen steps; it does not run beyond the last of them.

    State 0 is the start.  A training may be a generator that yields before every step; then
    whoever takes a state sees it before it is changed.

    Examples
    --------
    >>> import numpy as np
    >>> list(recorded("abcdef", np.array([0, 2, 3])))
    ['a', 'c', 'd']
    """
    rest, done = iter(states), -1
    for step in chosen.tolist():
        yield next(islice(rest, step - done - 1, None))
        done = step
